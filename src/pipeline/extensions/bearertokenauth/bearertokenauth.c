/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bearertokenauth: a header "Authorization: Bearer TOKEN". Exporters send the first token;
 * receivers accept every token. Tokens come from the configuration, or from a file with one token
 * per line, which is read again when it changes. A file that cannot be read any more leaves the
 * tokens as they are.
 */
#include "pipeline/extensions/bearertokenauth/bearertokenauth.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/http/header.h"
#include "pipeline/extensions/authenticator.h"
#include "pipeline/extensions/secret_file.h"

enum { TOKENS_MAX = 10000, DIGEST = SHA256_DIGEST_LENGTH };

struct bearer_settings {
	struct str token, filename, scheme, header;
	struct setting_list tokens;
};

struct bearer {
	const struct bearer_settings *settings;
	const struct log *log;
	char *header;	    /* in lower case */
	pthread_mutex_t mu; /* guards the following fields */
	struct secret_file file;
	struct buf text;	    /* the first value, "Bearer TOKEN" */
	uint8_t (*digests)[DIGEST]; /* of all values */
	uint32_t count;
};

/* ---- tokens ---- */

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (iscntrl((unsigned char)s.p[i]))
			return true;
	return false;
}

/* Append the value of the header for a token. */
static void put_value(const struct bearer *x, struct buf *out, struct str token)
{
	if (x->settings->scheme.n) {
		buf_put_str(out, x->settings->scheme);
		buf_put_char(out, ' ');
	}
	buf_put_str(out, token);
}

static int add_token(struct bearer *x, struct str token, struct err *e)
{
	struct buf value = {0};
	int rc;

	if (has_control(token))
		return err_set(e, -EINVAL, "token %u has a control character", x->count + 1);
	put_value(x, x->count ? &value : &x->text, token);
	rc = x->count ? buf_error(&value) : buf_error(&x->text);
	if (!rc) {
		const struct buf *b = x->count ? &value : &x->text;

		SHA256((const unsigned char *)b->p, b->n, x->digests[x->count++]);
	}
	secret_buf_fini(&value);
	return rc;
}

/* Replace the tokens by those of a file. On error the old ones stay. */
static int use_file(struct bearer *x, struct str content, struct err *e)
{
	struct bearer fresh = {.settings = x->settings};
	struct str line;
	uint32_t lines = 0;
	int rc = 0;

	for (size_t i = 0; i < content.n; i++)
		lines += content.p[i] == '\n';
	if (lines >= TOKENS_MAX)
		return err_set(e, -EINVAL, "more than %d tokens", TOKENS_MAX);
	fresh.digests = calloc(lines + 1, DIGEST);
	if (!fresh.digests)
		return -ENOMEM;
	while (!rc && str_next_line(&content, &line)) {
		line = str_trim(line);
		if (line.n)
			rc = add_token(&fresh, line, e);
	}
	if (!rc && !fresh.count)
		rc = err_set(e, -EINVAL, "no token in this file");
	if (rc) {
		secret_buf_fini(&fresh.text);
		free(fresh.digests);
		return rc;
	}
	secret_buf_fini(&x->text);
	free(x->digests);
	x->text = fresh.text;
	x->digests = fresh.digests;
	x->count = fresh.count;
	return 0;
}

/* Read the file if it has changed. Return 0 or -errno with text in `e`. */
static int refresh(struct bearer *x, struct err *e)
{
	struct buf content = {0};
	int rc = secret_file_poll(&x->file, &content, e);

	if (rc > 0) {
		rc = use_file(x, buf_str(&content), e);
		if (rc)
			err_prefix(e, "%s", x->file.path);
	}
	secret_buf_fini(&content);
	return rc;
}

static int use_settings(struct bearer *x, struct err *e)
{
	const struct bearer_settings *s = x->settings;
	int rc = 0;

	x->digests = calloc(s->tokens.n + 1, DIGEST);
	if (!x->digests)
		return -ENOMEM;
	if (s->token.n)
		rc = add_token(x, s->token, e);
	for (uint32_t i = 0; i < s->tokens.n && !rc; i++)
		rc = add_token(x, s->tokens.at[i], e);
	return rc;
}

/* ---- requests ---- */

/* Log why the file is not used, and go on with the old tokens. */
static void refresh_or_log(struct bearer *x)
{
	struct err e = {0};

	if (refresh(x, &e) < 0)
		log_warn(x->log, "bearertokenauth: tokens stay as they were", LOG_ERR(&e));
}

static bool bearer_admit(void *instance, const struct http_exchange *exchange,
			 struct http_refusal *why)
{
	struct bearer *x = instance;
	struct str value = http_header(exchange, str_from(x->header));
	uint8_t digest[DIGEST];
	bool found = false;

	why->status = 401;
	if (!value.n) {
		snprintf(why->text, sizeof(why->text),
			 "missing or empty authorization header: %.*s",
			 STR_ARG(str_head(x->settings->header, 100)));
		return false;
	}
	SHA256((const unsigned char *)value.p, value.n, digest);
	pthread_mutex_lock(&x->mu);
	refresh_or_log(x);
	/* Compare with all, so that the time does not depend on which one matches. */
	for (uint32_t i = 0; i < x->count; i++)
		found |= CRYPTO_memcmp(digest, x->digests[i], DIGEST) == 0;
	pthread_mutex_unlock(&x->mu);
	if (!found)
		snprintf(why->text, sizeof(why->text),
			 "provided authorization does not match expected scheme or token");
	return found;
}

static int bearer_credentials(void *instance, struct str *name, struct buf *value, struct err *e)
{
	struct bearer *x = instance;

	(void)e;
	*name = str_from(x->header);
	pthread_mutex_lock(&x->mu);
	refresh_or_log(x);
	buf_put_str(value, buf_str(&x->text));
	pthread_mutex_unlock(&x->mu);
	return 0;
}

/* ---- life cycle ---- */

static int bearer_check(const void *settings, struct err *e)
{
	const struct bearer_settings *s = settings;

	if (!s->token.n && !s->tokens.n && !s->filename.n)
		return err_set(e, -EINVAL,
			       "no bearer token provided: set token, tokens or "
			       "filename");
	if (s->token.n && s->tokens.n)
		return err_set(e, -EINVAL, "either tokens or token should be specified, not both");
	if (s->tokens.n > TOKENS_MAX)
		return err_set(e, -EINVAL, "\"tokens\" has more than %d tokens", TOKENS_MAX);
	for (size_t i = 0; i < s->header.n; i++)
		if (!isgraph((unsigned char)s->header.p[i]) || s->header.p[i] == ':')
			return err_set(e, -EINVAL, "\"header\" is no name of a header");
	return s->header.n ? 0 : err_set(e, -EINVAL, "\"header\" must not be empty");
}

static void bearer_destroy(void *instance)
{
	struct bearer *x = instance;

	secret_file_fini(&x->file);
	secret_buf_fini(&x->text);
	free(x->digests);
	free(x->header);
	pthread_mutex_destroy(&x->mu);
	free(x);
}

static int bearer_create(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	const struct bearer_settings *s = settings;
	struct bearer *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "bearertokenauth");
	pthread_mutex_init(&x->mu, NULL);
	x->settings = s;
	x->log = env->log;
	x->header = strndup(s->header.p, s->header.n);
	rc = x->header ? secret_file_init(&x->file, s->filename) : -ENOMEM;
	for (char *p = x->header; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (!rc && s->filename.n && (s->token.n || s->tokens.n))
		log_warn(env->log, "bearertokenauth: filename is used, token and tokens are not",
			 LOG_STR("id", str_from(env->id)));
	if (!rc)
		rc = s->filename.n ? refresh(x, e) : use_settings(x, e);
	if (rc < 0) {
		err_errno(e, rc, "bearertokenauth");
		bearer_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static const struct setting settings[] = {
	SET_STRING(struct bearer_settings, token, "token", NULL, "The token."),
	SET_LIST(struct bearer_settings, tokens, "tokens", NULL,
		 "Several tokens: exporters send the first, receivers accept all."),
	SET_STRING(struct bearer_settings, filename, "filename", NULL,
		   "A file with one token per line instead; read again when it changes."),
	SET_STRING(struct bearer_settings, scheme, "scheme", "Bearer",
		   "The word before the token; may be empty."),
	SET_STRING(struct bearer_settings, header, "header", "Authorization",
		   "The header with the token."),
	SET_END,
};

static const struct authenticator authenticator = {
	.admit = bearer_admit,
	.credentials = bearer_credentials,
};

const struct component bearertokenauth_extension = {
	.name = "bearertokenauth",
	.aliases = (const char *const[]){"bearer_token_auth", NULL},
	.kind = COMPONENT_EXTENSION,
	.help = "Authenticates requests by a token.",
	.settings = settings,
	.settings_size = sizeof(struct bearer_settings),
	.check = bearer_check,
	.create = bearer_create,
	.auth = &authenticator,
	.destroy = bearer_destroy,
};
