/* SPDX-License-Identifier: Apache-2.0 */
/*
 * basicauth: HTTP Basic authentication. Receivers check name and password against an htpasswd file;
 * exporters send those of client_auth. Files are read again when they change; one that cannot be
 * read any more leaves everything as it was.
 *
 * Requests are checked on the network's loops. Hashes such as bcrypt take long by design, so what
 * was verified is remembered (verified.h), and the time for unknown credentials is limited.
 */
#include "pipeline/extensions/basicauth/basicauth.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http/header.h"
#include "pipeline/extensions/authenticator.h"
#include "pipeline/extensions/basicauth/htpasswd.h"
#include "pipeline/extensions/basicauth/verified.h"
#include "pipeline/extensions/secret_file.h"
#include "wire/text.h"

struct htpasswd_settings {
	struct str file, text;
};

struct client_settings_basic {
	struct str username, username_file, password, password_file;
};

struct basic_settings {
	struct htpasswd_settings htpasswd;
	struct client_settings_basic client;
	bool has_htpasswd, has_client;
};

enum { CREDENTIALS_MAX = 1024 };

struct basic {
	const struct basic_settings *settings;
	const struct log *log;
	struct verified verified;
	pthread_mutex_t mu; /* guards the following fields */
	struct secret_file users_file;
	struct htpasswd users;
	struct secret_file name_file, password_file;
	struct buf name, password;
};

/* ---- receivers ---- */

/* Read the users again if the file has changed. Return 0 or a negative errno with text in `e`. */
static int refresh_users(struct basic *x, bool first, struct err *e)
{
	struct buf text = {0};
	struct htpasswd users;
	int rc = secret_file_poll(&x->users_file, &text, e);

	if (rc < 0 || (!rc && !first)) {
		secret_buf_fini(&text);
		return rc;
	}
	buf_put_char(&text, '\n');
	buf_put_str(&text, x->settings->htpasswd.text);
	rc = buf_error(&text) ? -ENOMEM : htpasswd_read(&users, &text, e);
	secret_buf_fini(&text);
	if (rc) {
		err_prefix(e, "%s", x->users_file.path ? x->users_file.path : "htpasswd");
		return rc;
	}
	htpasswd_fini(&x->users);
	x->users = users;
	verified_forget(&x->verified);
	return 0;
}

/* Copy the hash of a user. Return its length, 0 if there is no such user. */
static size_t copy_hash(struct basic *x, struct str name, char to[HTPASSWD_HASH_MAX])
{
	struct str hash;

	pthread_mutex_lock(&x->mu);
	hash = htpasswd_hash(&x->users, name);
	if (hash.n)
		memcpy(to, hash.p, hash.n);
	pthread_mutex_unlock(&x->mu);
	return hash.n;
}

static bool refuse(struct http_refusal *why, const char *text)
{
	why->status = 401;
	why->header = (struct http_header){STR("www-authenticate"), STR("Basic realm=\"varve\"")};
	snprintf(why->text, sizeof(why->text), "%s", text);
	return false;
}

/* Check "NAME:PASSWORD", which was not verified before. */
static bool verify(struct basic *x, struct str credentials, uint64_t generation,
		   struct http_refusal *why)
{
	struct str password = credentials, name = str_cut(&password, ':'), hash;
	char room[HTPASSWD_HASH_MAX];
	uint64_t start;
	bool same;

	hash = str_of(room, copy_hash(x, name, room));
	if (htpasswd_is_slow(hash) && !verified_may_try(&x->verified)) {
		why->status = 429;
		why->retry_after_s = 1;
		snprintf(why->text, sizeof(why->text),
			 "too many passwords have to be verified at the same time; try again");
		return false;
	}
	start = clock_monotonic_ns();
	same = hash.n && htpasswd_verify(password, hash);
	if (htpasswd_is_slow(hash))
		verified_spent(&x->verified, clock_monotonic_ns() - start);
	if (same)
		verified_add(&x->verified, credentials, generation);
	return same || refuse(why, "invalid credentials");
}

static bool basic_admit(void *instance, const struct http_exchange *exchange,
			struct http_refusal *why)
{
	struct basic *x = instance;
	struct str value = http_header(exchange, STR("authorization")), credentials;
	struct err e = {0};
	char room[CREDENTIALS_MAX];
	uint64_t generation;
	size_t n;
	bool ok;

	if (!value.n)
		return refuse(why, "no basic auth provided");
	if (value.n < 6 || strncasecmp(value.p, "Basic ", 6) != 0)
		return refuse(why, "invalid authorization scheme prefix");
	if (base64_decode(str_trim(str_from_at(value, 6)), room, sizeof(room), &n))
		return refuse(why, "invalid authorization format");
	credentials = str_of(room, n);
	if (str_find(credentials, ':') == n)
		return refuse(why, "invalid authorization format");
	/* A changed file forgets what was verified. */
	pthread_mutex_lock(&x->mu);
	if (refresh_users(x, false, &e) < 0)
		log_warn(x->log, "basicauth: users stay as they were", LOG_ERR(&e));
	pthread_mutex_unlock(&x->mu);
	ok = verified_find(&x->verified, credentials, &generation) ||
	     verify(x, credentials, generation, why);
	OPENSSL_cleanse(room, sizeof(room));
	return ok;
}

/* ---- exporters ---- */

/* Replace a text by that of its file, without the end of line. */
static int refresh_text(struct secret_file *file, struct buf *text, struct err *e)
{
	struct buf fresh = {0};
	int rc = secret_file_poll(file, &fresh, e);

	if (rc > 0) {
		while (fresh.n && (fresh.p[fresh.n - 1] == '\n' || fresh.p[fresh.n - 1] == '\r'))
			fresh.n--;
		secret_buf_fini(text);
		*text = fresh;
		fresh = (struct buf){0};
		rc = 0;
	}
	secret_buf_fini(&fresh);
	return rc;
}

static int refresh_client(struct basic *x, struct err *e)
{
	int rc = refresh_text(&x->name_file, &x->name, e);

	return rc ? rc : refresh_text(&x->password_file, &x->password, e);
}

static int basic_credentials(void *instance, struct str *name, struct buf *value, struct err *e)
{
	struct basic *x = instance;
	struct buf plain = {0};
	struct err failed = {0};
	int rc;

	if (!x->settings->has_client)
		return err_set(e, -EINVAL, "basicauth: client_auth is not configured");
	*name = STR("authorization");
	pthread_mutex_lock(&x->mu);
	if (refresh_client(x, &failed) < 0)
		log_warn(x->log, "basicauth: name and password stay as they were",
			 LOG_ERR(&failed));
	buf_put_str(&plain, buf_str(&x->name));
	buf_put_char(&plain, ':');
	buf_put_str(&plain, buf_str(&x->password));
	pthread_mutex_unlock(&x->mu);
	buf_put_str(value, STR("Basic "));
	base64_encode(value, buf_str(&plain));
	rc = buf_error(&plain);
	secret_buf_fini(&plain);
	return rc;
}

/* ---- life cycle ---- */

static int basic_check(const void *settings, struct err *e)
{
	const struct basic_settings *s = settings;

	if (s->has_htpasswd && s->has_client)
		return err_set(e, -EINVAL,
			       "only one of `htpasswd` and `client_auth` can be specified");
	if (s->has_client) {
		if (!s->client.username.n && !s->client.username_file.n)
			return err_set(e, -EINVAL,
				       "\"client_auth\" has neither username nor "
				       "username_file");
		return 0;
	}
	if (!s->htpasswd.file.n && !s->htpasswd.text.n)
		return err_set(e, -EINVAL,
			       "no credential source provided: set htpasswd or client_auth");
	return 0;
}

static void basic_destroy(void *instance)
{
	struct basic *x = instance;

	htpasswd_fini(&x->users);
	verified_fini(&x->verified);
	secret_file_fini(&x->users_file);
	secret_file_fini(&x->name_file);
	secret_file_fini(&x->password_file);
	secret_buf_fini(&x->name);
	secret_buf_fini(&x->password);
	pthread_mutex_destroy(&x->mu);
	free(x);
}

/* The file of a text is used instead of the text. */
static int init_text(struct secret_file *file, struct buf *text, struct str path, struct str value)
{
	int rc = secret_file_init(file, path);

	if (!rc && !path.n) {
		buf_put_str(text, value);
		rc = buf_error(text);
	}
	return rc;
}

static int basic_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	const struct basic_settings *s = settings;
	struct basic *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "basicauth");
	x->settings = s;
	x->log = env->log;
	pthread_mutex_init(&x->mu, NULL);
	rc = verified_init(&x->verified);
	if (!rc)
		rc = secret_file_init(&x->users_file, s->htpasswd.file);
	if (!rc)
		rc = init_text(&x->name_file, &x->name, s->client.username_file,
			       s->client.username);
	if (!rc)
		rc = init_text(&x->password_file, &x->password, s->client.password_file,
			       s->client.password);
	if (!rc && !s->has_client)
		rc = refresh_users(x, true, e);
	if (!rc && s->has_client)
		rc = refresh_client(x, e);
	if (rc) {
		err_errno(e, rc, "basicauth");
		basic_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static const struct setting htpasswd_table[] = {
	SET_STRING(struct htpasswd_settings, file, "file", NULL,
		   "A file of htpasswd; read again when it changes."),
	SET_STRING(struct htpasswd_settings, text, "inline", NULL,
		   "Lines NAME:HASH, besides those of the file."),
	SET_END,
};

static const struct setting client_table[] = {
	SET_STRING(struct client_settings_basic, username, "username", NULL, "The name to send."),
	SET_STRING(struct client_settings_basic, username_file, "username_file", NULL,
		   "A file with the name instead; read again when it changes."),
	SET_STRING(struct client_settings_basic, password, "password", NULL,
		   "The password to send."),
	SET_STRING(struct client_settings_basic, password_file, "password_file", NULL,
		   "A file with the password instead; read again when it changes."),
	SET_END,
};

static const struct setting settings[] = {
	SET_GROUP(struct basic_settings, htpasswd, "htpasswd", htpasswd_table, has_htpasswd,
		  "The users that receivers accept."),
	SET_GROUP(struct basic_settings, client, "client_auth", client_table, has_client,
		  "The name and password that exporters send."),
	SET_END,
};

static const struct authenticator authenticator = {
	.admit = basic_admit,
	.credentials = basic_credentials,
};

const struct component basicauth_extension = {
	.name = "basicauth",
	.aliases = (const char *const[]){"basic_auth", NULL},
	.kind = COMPONENT_EXTENSION,
	.help = "Authenticates requests by name and password.",
	.settings = settings,
	.settings_size = sizeof(struct basic_settings),
	.check = basic_check,
	.create = basic_create,
	.auth = &authenticator,
	.destroy = basic_destroy,
};
