/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sources of a configuration: files, environment variables, text. */
#include "config/config_source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

static int note_file(struct config *c, struct str path)
{
	for (uint32_t i = 0; i < c->files.n; i++)
		if (str_eq(c->files.at[i], path))
			return 0;
	return vec_push(&c->arena, &c->files, path);
}

/* Append what can be read, a little more than the maximum at most. Return 0 or -errno. */
static int read_all(struct buf *out, int fd, size_t max)
{
	ssize_t n = 1;

	while (n > 0 && out->n <= max) {
		char *to = buf_reserve(out, 64 * KIB);

		if (!to)
			return -ENOMEM;
		n = read(fd, to, 64 * KIB);
		if (n > 0)
			out->n += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	return n < 0 ? -errno : 0;
}

static int check_regular(int fd, struct str path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, -errno, "%s: %s", path.p, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "%s: not a regular file", path.p);
	return 0;
}

enum { ENTRIES_MAX = 1000 };

/* The directory of a path, with a slash; "./" if it has none. */
static void folder_of(struct str path, char *out, size_t size)
{
	size_t slash = str_find_last(path, '/');

	snprintf(out, size, "%.*s/", slash < path.n ? (int)slash : 1,
		 slash < path.n ? path.p : ".");
}

/* Set *out to `; did you mean "NAME"?` with a file that is beside the missing one, or to "". */
static void suggest_file(struct str path, char *out, size_t size)
{
	size_t slash = str_find_last(path, '/');
	struct str name = slash < path.n ? str_from_at(path, slash + 1) : path;
	char folder[PATH_MAX];
	struct dirent *entry;
	DIR *d;

	out[0] = '\0';
	folder_of(path, folder, sizeof(folder));
	d = opendir(folder);
	for (unsigned i = 0; d && i < ENTRIES_MAX && (entry = readdir(d)); i++) {
		const char *at = entry->d_name;

		if (!config_suggest(name, &at, 1, sizeof(at)))
			continue;
		snprintf(out, size, "; did you mean \"%s\"?", at);
		break;
	}
	if (d)
		closedir(d);
}

static int open_failed(struct str path, int error, struct err *e)
{
	char hint[NAME_MAX + 32] = "";

	if (error == ENOENT)
		suggest_file(path, hint, sizeof(hint));
	return err_set(e, -error, "%s: %s%s", path.p, strerror(error), hint);
}

/* Append the text of a file. `path` is NUL-terminated. */
static int read_text(struct buf *text, struct str path, bool regular, size_t max, struct err *e)
{
	int fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0)), rc;

	if (fd < 0)
		return open_failed(path, errno, e);
	rc = regular ? check_regular(fd, path, e) : 0;
	if (!rc) {
		rc = read_all(text, fd, max);
		if (rc)
			err_set(e, rc, "%s: %s", path.p, strerror(-rc));
	}
	close(fd);
	if (rc)
		return rc;
	if (text->n > max)
		return err_set(e, -EINVAL, "%s: larger than %zu bytes", path.p, max);
	if (str_utf8_valid(buf_str(text)) < text->n || str_find(buf_str(text), '\0') < text->n)
		return err_set(e, -EINVAL, "%s: not UTF-8 text", path.p);
	return 0;
}

int config_read_text(struct buf *text, const char *path, size_t max, struct err *e)
{
	return read_text(text, str_from(path), true, max, e);
}

int config_source_file(struct config *c, struct buf *text, struct str path, bool regular,
		       struct err *e)
{
	int rc = read_text(text, path, regular, c->text_max, e);

	return rc ? rc : note_file(c, path);
}

/* ---- schemes ---- */

/* Return the length of "scheme:", or 0 for a path, also for "./a:b". */
static size_t scheme_length(const char *uri)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789+.-";
	size_t n = strspn(uri, rest);

	return n > 1 && strspn(uri, letters) && uri[n] == ':' ? n + 1 : 0;
}

static int read_variable(struct config_text *in, const char *name, struct err *e)
{
	const char *value = getenv(name);

	if (!value)
		return err_set(e, -EINVAL,
			       "--config env:%s: the environment variable is not set; it has to "
			       "contain a configuration",
			       name);
	in->text = str_from(value);
	return 0;
}

int config_source_read(struct config *c, struct buf *text, struct config_text *in, const char *uri,
		       struct err *e)
{
	struct str scheme = str_of(uri, scheme_length(uri));
	const char *rest = uri + scheme.n;
	bool file = !scheme.n || str_eq(scheme, STR("file:"));
	int rc = arena_copy_str(&c->arena, str_from(file ? rest : uri), &in->source);

	in->places = true;
	if (rc)
		return rc;
	if (file) {
		rc = config_source_file(c, text, in->source, false, e);
		in->text = buf_str(text);
		return rc;
	}
	if (str_eq(scheme, STR("env:")))
		return read_variable(in, rest, e);
	if (!str_eq(scheme, STR("yaml:")))
		return err_set(e, -EINVAL,
			       "--config %s: scheme \"%.*s\" is not supported; expected a file, "
			       "env:NAME or yaml:TEXT",
			       uri, STR_ARG(str_head(scheme, scheme.n - 1)));
	in->text = str_from(rest);
	in->source = STR("--config yaml");
	return 0;
}
