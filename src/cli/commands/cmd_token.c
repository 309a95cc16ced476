/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve token new, list and revoke: edit a token file. The file is replaced by a rename while its
 * directory's lock file is held, so that a server never reads half of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/access/network.h"
#include "api/access/token_file.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "cli/commands.h"
#include "cli/input.h"

struct token_options {
	struct common_options common;
	const char *file, *scopes, *name, *tenant, *services, *addresses, *expires;
	uint64_t rate;
};

#define AT(field) offsetof(struct token_options, field)

static const struct option token_options[] = {
	{"file", 'f', OPTION_TEXT, AT(file), "FILE", "tokens", NULL,
	 "the token file of the server (--token-file)"},
	{"scope", 0, OPTION_TEXT, AT(scopes), "SCOPES", "read", NULL,
	 "new: what it permits: read, write, control, admin, separated by commas"},
	{"name", 0, OPTION_TEXT, AT(name), "NAME", NULL, NULL, "new: who or what uses it"},
	{"tenant", 0, OPTION_TEXT, AT(tenant), "NAME", NULL, NULL,
	 "new: the only tenant that it is valid for"},
	{"service", 0, OPTION_TEXT, AT(services), "NAMES", NULL, NULL,
	 "new: the only services that it may write, query and control, separated by commas"},
	{"address", 0, OPTION_TEXT, AT(addresses), "NETWORKS", NULL, NULL,
	 "new: addresses or networks (10.0.0.0/8,::1) from which alone it may be used"},
	{"expires", 0, OPTION_TEXT, AT(expires), "TIME", "90d", NULL,
	 "new: when it expires: a duration, a date, or never"},
	{"rate", 0, OPTION_COUNT, AT(rate), "N", "0", NULL,
	 "new: requests per second; 0: no limit"},
	{0},
};

static const struct option_group token_groups[] = {
	{"Options", common_options, AT(common)},
	{"Token", token_options, 0},
	{0},
};

/* ---- the file ---- */

/* An opened token file, locked against other editors. */
struct token_edit {
	const char *path;
	int lock;
	mode_t mode;
	struct buf text; /* of the file; empty if it does not exist */
};

static int open_tokens(struct token_edit *t, const char *path, struct err *e)
{
	char lock[4096];
	struct stat st;
	int rc = 0;

	*t = (struct token_edit){.path = path, .lock = -1, .mode = 0600};
	if ((size_t)snprintf(lock, sizeof(lock), "%s.lock", path) >= sizeof(lock))
		return err_set(e, -ENAMETOOLONG, "%.100s...: the name is too long", path);
	t->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (t->lock < 0 || flock(t->lock, LOCK_EX))
		return err_set(e, -errno, "%s: %s", lock, strerror(errno));
	if (!stat(path, &st)) {
		t->mode = st.st_mode & 0777;
		rc = input_bytes(&t->text, path, e);
	} else if (errno != ENOENT) {
		rc = err_set(e, -errno, "%s: %s", path, strerror(errno));
	}
	return rc;
}

static void close_tokens(struct token_edit *t)
{
	if (t->lock >= 0)
		close(t->lock);
	if (t->text.p)
		explicit_bzero(t->text.p, t->text.n);
	buf_fini(&t->text);
}

static int write_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0)
			return -errno;
		text = str_from_at(text, (size_t)n);
	}
	return fsync(fd) ? -errno : 0;
}

/* Replace the file. */
static int save_tokens(const struct token_edit *t, struct str text, struct err *e)
{
	char temporary[4096];
	int fd, rc;

	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.new", t->path) >= sizeof(temporary))
		return err_set(e, -ENAMETOOLONG, "%.100s...: the name is too long", t->path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rc = fd < 0 || fchmod(fd, t->mode) ? -errno : write_all(fd, text);
	if (fd >= 0)
		close(fd);
	if (!rc && rename(temporary, t->path))
		rc = -errno;
	return rc ? err_set(e, rc, "%s: %s", t->path, strerror(-rc)) : 0;
}

/* Read the token of a line, which stays as it is. Return as token_line_read(). */
static int read_copy(struct token *out, struct buf *copy, struct str line, const char *path,
		     size_t number, struct err *e)
{
	int rc;

	buf_clear(copy);
	buf_put_str(copy, line);
	rc = buf_error(copy);
	rc = rc ? rc : token_line_read(out, buf_str(copy), e);
	if (rc < 0)
		err_prefix(e, "%s:%zu", path, number);
	return rc;
}

/* ---- new ---- */

static int read_expiry(uint64_t *out, const char *text, struct err *e)
{
	uint64_t now = clock_realtime_ns(), duration;

	if (!strcmp(text, "never"))
		return 0;
	if (!duration_parse(str_from(text), &duration, NULL)) {
		*out = now + duration;
		return 0;
	}
	if (time_parse(str_from(text), now, out, NULL) || *out <= now)
		return err_set(e, -EINVAL,
			       "--expires: expected a duration as 90d, a date in the future, or "
			       "never, found \"%s\"",
			       text);
	return 0;
}

/* Fill what the options say. */
static int describe_token(struct token *t, const struct token_options *o, struct err *e)
{
	int rc = token_scopes_read(&t->scopes, str_from(o->scopes), e);

	if (rc) {
		err_prefix(e, "--scope");
		return rc;
	}
	t->name = str_from(o->name ? o->name : "");
	t->tenant = str_from(o->tenant ? o->tenant : "");
	t->services = str_from(o->services ? o->services : "");
	t->addresses = str_from(o->addresses ? o->addresses : "");
	t->requests_per_second = o->rate;
	if (t->name.n && !token_value_valid(t->name))
		return err_set(e, -EINVAL, "--name: expected up to 200 characters without spaces");
	if (t->services.n && !token_value_valid(t->services))
		return err_set(e, -EINVAL,
			       "--service: expected names without spaces, separated by commas, up "
			       "to 200 characters");
	if (t->addresses.n &&
	    (!token_value_valid(t->addresses) || !network_list_valid(t->addresses, TOKEN_NETWORKS)))
		return err_set(e, -EINVAL,
			       "--address: expected addresses or networks, as 10.0.0.0/8,::1");
	if (t->tenant.n && !access_tenant_valid(t->tenant))
		return err_set(e, -EINVAL, "--tenant: invalid tenant name");
	return read_expiry(&t->expires, o->expires, e);
}

static enum exit_code run_new(struct cli *cli, const struct token_options *o)
{
	enum exit_code status = EXIT_COULD_NOT;
	char secret[TOKEN_SECRET] = "";
	struct token_edit edit = {.lock = -1};
	struct buf out = {0};
	struct token t;
	struct err e = {0};
	int rc = token_make(&t, secret, &e);

	rc = rc ? rc : describe_token(&t, o, &e);
	rc = rc ? rc : open_tokens(&edit, o->file, &e);
	if (!rc) {
		if (edit.text.n && edit.text.p[edit.text.n - 1] != '\n')
			buf_put_char(&edit.text, '\n');
		token_line_write(&edit.text, &t);
		rc = buf_error(&edit.text);
	}
	rc = rc ? rc : save_tokens(&edit, buf_str(&edit.text), &e);
	if (rc) {
		err_errno(&e, rc, "token");
		cli_fail(cli, &e);
	} else {
		buf_printf(&out, "%s\n", secret);
		status = cli_print(cli, &out, EXIT_DONE);
		cli_note(cli, "token %s is in %s; it is shown only once", t.id, o->file);
	}
	explicit_bzero(secret, sizeof(secret));
	close_tokens(&edit);
	buf_fini(&out);
	return status;
}

/* ---- list ---- */

static const char *token_state(const struct token *t, uint64_t now)
{
	return t->revoked ? "revoked" : t->expires && t->expires < now ? "expired" : "valid";
}

static void put_token_row(struct buf *out, const struct token *t, uint64_t now)
{
	char created[CLOCK_TEXT_SIZE] = "-", expires[CLOCK_TEXT_SIZE] = "never";
	struct buf scopes = {0};

	if (t->created)
		clock_format(t->created, created);
	if (t->expires)
		clock_format(t->expires, expires);
	token_scopes_write(&scopes, t->scopes);
	buf_printf(out, "%-14s %-8s %-24.*s %-12.*s %-12.*s %-16.*s %-10.10s %-10.10s %.*s\n",
		   t->id, t->plain ? "plain" : token_state(t, now), STR_ARG(buf_str(&scopes)),
		   STR_ARG(t->name.n ? t->name : STR("-")),
		   STR_ARG(t->tenant.n ? t->tenant : STR("all")),
		   STR_ARG(t->services.n ? t->services : STR("all")), created, expires,
		   STR_ARG(t->addresses.n ? t->addresses : STR("all")));
	buf_fini(&scopes);
}

static enum exit_code run_list(struct cli *cli, const struct token_options *o)
{
	enum exit_code status = EXIT_COULD_NOT;
	struct buf text = {0}, copy = {0}, out = {0};
	struct str rest, line;
	struct token t;
	struct err e = {0};
	size_t number = 0;
	int rc = input_bytes(&text, o->file, &e);

	rest = buf_str(&text);
	buf_printf(&out, "%-14s %-8s %-24s %-12s %-12s %-16s %-10s %-10s %s\n", "id", "state",
		   "scopes", "name", "tenant", "services", "created", "expires", "addresses");
	while (rc >= 0 && str_next_line(&rest, &line)) {
		rc = read_copy(&t, &copy, line, o->file, ++number, &e);
		if (rc > 0)
			put_token_row(&out, &t, clock_realtime_ns());
	}
	if (rc < 0)
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &out, EXIT_DONE);
	if (text.p)
		explicit_bzero(text.p, text.n);
	buf_fini(&text);
	buf_fini(&copy);
	buf_fini(&out);
	return status;
}

/* ---- revoke ---- */

/* Copy the lines with that of the id changed; plain tokens are removed. *found: there is one. */
static int revoke_lines(struct buf *out, const struct token_edit *edit, const char *id, bool *found,
			struct err *e)
{
	struct str rest = buf_str(&edit->text), line;
	struct buf copy = {0};
	size_t number = 0;
	int rc = 0;

	*found = false;
	while (rc >= 0 && str_next_line(&rest, &line)) {
		struct token t;

		rc = read_copy(&t, &copy, line, edit->path, ++number, e);
		if (rc > 0 && !strcmp(t.id, id)) {
			*found = true;
			if (t.plain)
				continue;
			t.revoked = t.revoked ? t.revoked : clock_realtime_ns();
			token_line_write(out, &t);
		} else if (rc >= 0) {
			buf_put_str(out, line);
			buf_put_char(out, '\n');
		}
	}
	buf_fini(&copy);
	return rc < 0 ? rc : buf_error(out);
}

static enum exit_code run_revoke(struct cli *cli, const struct token_options *o, const char *id)
{
	enum exit_code status = EXIT_COULD_NOT;
	struct token_edit edit;
	struct buf lines = {0}, out = {0};
	struct err e = {0};
	bool found = false;
	int rc = open_tokens(&edit, o->file, &e);

	rc = rc ? rc : revoke_lines(&lines, &edit, id, &found, &e);
	if (!rc && !found)
		rc = err_set(&e, -ENOENT, "%s: no token with the id %s: see varve token list",
			     o->file, id);
	rc = rc ? rc : save_tokens(&edit, buf_str(&lines), &e);
	if (rc) {
		err_errno(&e, rc, "token");
		cli_fail(cli, &e);
	} else {
		buf_printf(&out, "token %s is revoked\n", id);
		status = cli_print(cli, &out, EXIT_DONE);
	}
	if (lines.p)
		explicit_bzero(lines.p, lines.n);
	close_tokens(&edit);
	buf_fini(&lines);
	buf_fini(&out);
	return status;
}

static enum exit_code run_token(struct cli *cli, void *options, const struct arguments *args)
{
	const struct token_options *o = options;

	if (args->n == 1 && !strcmp(args->at[0], "new"))
		return run_new(cli, o);
	if (args->n == 1 && !strcmp(args->at[0], "list"))
		return run_list(cli, o);
	if (args->n == 2 && !strcmp(args->at[0], "revoke"))
		return run_revoke(cli, o, args->at[1]);
	return cli_usage(cli, &command_token, "give new, list or revoke ID");
}

const struct command command_token = {
	.name = "token",
	.summary = "make, list and revoke access tokens",
	.arguments = "new|list|revoke [ID] --file FILE",
	.details =
		"The file has only hashes of the tokens. A running server reads it again within\n"
		"seconds after a change.\n",
	.examples =
		"varve token new --file tokens --scope write --service checkout > token\n"
		"varve token new --file tokens --scope read,control --name alice --expires 30d\n"
		"varve token list --file tokens\n"
		"varve token revoke 1f2e3d4c5b6a --file tokens",
	.groups = token_groups,
	.options_size = sizeof(struct token_options),
	.run = run_token,
};
