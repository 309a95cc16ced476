/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of exporters that are clients, and the headers of their requests. */
#include "pipeline/exporters/sender/client_settings.h"

#include <ctype.h>
#include <errno.h>

#include "pipeline/extensions/authenticator.h"

const struct setting client_tls_table[] = {
	SET_BOOL(struct client_tls_settings, insecure, "insecure", "false",
		 "Send in plaintext (gRPC; HTTP does if the URL has the scheme http)."),
	SET_BOOL(struct client_tls_settings, insecure_skip_verify, "insecure_skip_verify", "false",
		 "Accept any certificate of the server."),
	SET_STRING(struct client_tls_settings, ca_file, "ca_file", NULL,
		   "Certificates that are trusted instead of the system's."),
	SET_STRING(struct client_tls_settings, ca_pem, "ca_pem", NULL, "The same as text."),
	SET_BOOL(struct client_tls_settings, include_system_ca_certs_pool,
		 "include_system_ca_certs_pool", "false",
		 "Trust the system's certificates besides ca_file."),
	SET_STRING(struct client_tls_settings, cert_file, "cert_file", NULL,
		   "The client's certificate."),
	SET_STRING(struct client_tls_settings, cert_pem, "cert_pem", NULL, "The same as text."),
	SET_STRING(struct client_tls_settings, key_file, "key_file", NULL, "The client's key."),
	SET_STRING(struct client_tls_settings, key_pem, "key_pem", NULL, "The same as text."),
	SET_STRING(struct client_tls_settings, server_name_override, "server_name_override", NULL,
		   "The name in the server's certificate, if it is not the host of the endpoint."),
	SET_STRING(struct client_tls_settings, min_version, "min_version", "1.2",
		   "The lowest version of TLS: 1.2 or 1.3."),
	SET_STRING(struct client_tls_settings, max_version, "max_version", NULL,
		   "The highest version of TLS."),
	SET_IGNORED("cipher_suites", "the library's ciphers are used"),
	SET_IGNORED("tpm", "keys are read from key_file"),
	SET_IGNORED("curve_preferences", "the library's curves are used"),
	SET_IGNORED("reload_interval", "a reload of the configuration reads the files again"),
	SET_END,
};

const struct setting client_auth_table[] = {
	SET_STRING(struct client_auth_settings, authenticator, "authenticator", NULL,
		   "The extension, such as basicauth or bearertokenauth."),
	SET_END,
};

/* ---- headers ---- */

/* Copy a name in lower case. Return 0, -ENOMEM, or an error for characters that end a header. */
static int add_header(struct setting_pair *pair, const struct config_node *at, struct str name,
		      struct str value, struct arena *arena, struct err *e)
{
	char *lower = arena_alloc(arena, name.n + 1, 1);

	if (!lower)
		return -ENOMEM;
	if (!name.n)
		return config_fail(at, e, "\"headers\": a header has no name");
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c <= ' ' || c >= 127 || c == ':')
			return config_fail(at, e, "\"headers\": \"%.*s\" is no name of a header",
					   STR_ARG(str_head(name, 64)));
		lower[i] = (char)tolower(c);
	}
	for (size_t i = 0; i < value.n; i++)
		if ((unsigned char)value.p[i] < ' ' && value.p[i] != '\t')
			return config_fail(at, e,
					   "\"headers\": the value of \"%.*s\" has a control "
					   "character at byte %zu",
					   STR_ARG(str_head(name, 64)), i);
	*pair = (struct setting_pair){str_of(lower, name.n), value};
	return 0;
}

static int read_list_entry(struct setting_pair *pair, const struct config_node *n,
			   struct arena *arena, struct err *e)
{
	const struct config_node *name = config_get(n, STR("name"));
	const struct config_node *value = config_get(n, STR("value"));

	if (!name || name->kind != CONFIG_SCALAR || (value && value->kind == CONFIG_LIST) ||
	    (value && value->kind == CONFIG_MAP))
		return config_fail(n, e,
				   "\"headers\": expected a list of {name, value} or a map of "
				   "strings");
	return add_header(pair, n, name->text, value ? value->text : (struct str){0}, arena, e);
}

int client_headers_read(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	struct setting_map *out = to;
	struct setting_pair *pairs;
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_MAP && n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"headers\" has to be a map", what);
	for (const struct config_node *child = n->first; child; child = child->next)
		count++;
	if (count > CLIENT_HEADERS_MAX)
		return config_fail(n, e, "%s: \"headers\" has more than %d headers", what,
				   CLIENT_HEADERS_MAX);
	pairs = arena_alloc(arena, count + 1, sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	count = 0;
	for (const struct config_node *child = n->first; child && !rc; child = child->next) {
		if (n->kind == CONFIG_LIST)
			rc = read_list_entry(&pairs[count++], child, arena, e);
		else if (child->kind == CONFIG_LIST || child->kind == CONFIG_MAP)
			rc = config_fail(child, e, "%s: \"headers\" has to be a map of strings",
					 what);
		else
			rc = add_header(&pairs[count++], child, child->key, child->text, arena, e);
	}
	*out = (struct setting_map){pairs, count};
	return rc;
}

/* ---- checks ---- */

static const struct {
	const char *name;
	enum compress_kind kind;
} codings[] = {
	{"", COMPRESS_NONE},
	{"none", COMPRESS_NONE},
	{"gzip", COMPRESS_GZIP},
	{"zstd", COMPRESS_ZSTD},
	{"zlib", COMPRESS_ZLIB},
	{"deflate", COMPRESS_ZLIB},
	{"lz4", COMPRESS_LZ4},
	{"snappy", COMPRESS_SNAPPY},
	{"x-snappy-framed", COMPRESS_SNAPPY_FRAMED},
};

static size_t find_coding(struct str name)
{
	size_t i = 0;

	while (i < countof(codings) && !str_eq(name, str_from(codings[i].name)))
		i++;
	return i;
}

enum compress_kind client_compression(const struct client_settings *s)
{
	size_t i = find_coding(s->compression);

	return i < countof(codings) ? codings[i].kind : COMPRESS_NONE;
}

static bool is_tls_version(struct str s)
{
	return !s.n || str_eq(s, STR("1.0")) || str_eq(s, STR("1.1")) || str_eq(s, STR("1.2")) ||
	       str_eq(s, STR("1.3"));
}

static int check_tls(const struct client_tls_settings *t, struct err *e)
{
	if (t->ca_file.n && t->ca_pem.n)
		return err_set(e, -EINVAL,
			       "\"tls\": provide either a CA file or the PEM-encoded string, but "
			       "not both");
	if ((t->cert_file.n && t->cert_pem.n) || (t->key_file.n && t->key_pem.n))
		return err_set(e, -EINVAL,
			       "\"tls\": provide either a file or the PEM-encoded string for "
			       "certificate and key, but not both");
	if ((t->cert_file.n || t->cert_pem.n) != (t->key_file.n || t->key_pem.n))
		return err_set(e, -EINVAL,
			       "\"tls\": TLS configuration must include both certificate and key "
			       "(CertFile/CertPem and KeyFile/KeyPem)");
	if (!is_tls_version(t->min_version))
		return err_set(
			e, -EINVAL,
			"\"tls\": invalid TLS min_version: unsupported TLS version: \"%.*s\"",
			STR_ARG(str_head(t->min_version, 32)));
	if (!is_tls_version(t->max_version))
		return err_set(
			e, -EINVAL,
			"\"tls\": invalid TLS max_version: unsupported TLS version: \"%.*s\"",
			STR_ARG(str_head(t->max_version, 32)));
	if (t->max_version.n && str_cmp(t->min_version, t->max_version) > 0)
		return err_set(e, -EINVAL,
			       "\"tls\": min_version cannot be greater than max_version");
	return 0;
}

int client_settings_check(const struct client_settings *s, struct err *e)
{
	if (find_coding(s->compression) == countof(codings))
		return err_set(e, -EINVAL,
			       "\"compression\": unsupported compression type \"%.*s\": use gzip, "
			       "zstd or none",
			       STR_ARG(str_head(s->compression, 32)));
	return check_tls(&s->tls, e);
}

/* ---- access ---- */

static int copy_text(struct arena *a, struct str s, const char **out)
{
	struct str copy;
	int rc;

	*out = NULL;
	if (!s.n)
		return 0;
	rc = arena_copy_str(a, s, &copy);
	if (!rc)
		*out = copy.p;
	return rc;
}

/* "1.2" -> 12; 0 if it is empty. The text was checked. */
static unsigned tls_version(struct str s)
{
	return s.n ? 10 + (unsigned)(s.p[2] - '0') : 0;
}

static int copy_options(struct client_access *a, const struct client_tls_settings *t)
{
	struct net_client_options *o = &a->options;
	const struct {
		struct str from;
		const char **to;
	} texts[] = {
		{t->ca_file, &o->ca_file},
		{t->ca_pem, &o->ca_pem},
		{t->cert_file, &o->certificate},
		{t->cert_pem, &o->certificate_pem},
		{t->key_file, &o->key},
		{t->key_pem, &o->key_pem},
		{t->server_name_override, &o->server_name},
	};
	int rc = 0;

	o->skip_verify = t->insecure_skip_verify;
	o->system_cas = t->include_system_ca_certs_pool;
	o->min_tls = tls_version(t->min_version);
	o->max_tls = tls_version(t->max_version);
	for (size_t i = 0; i < countof(texts) && !rc; i++)
		rc = copy_text(&a->arena, texts[i].from, texts[i].to);
	return rc;
}

int client_access_init(struct client_access *a, const struct component_env *env,
		       const struct client_settings *s, struct err *e)
{
	*a = (struct client_access){0};
	arena_init(&a->arena, NULL);
	if (copy_options(a, &s->tls))
		return err_set(e, -ENOMEM, "out of memory");
	a->headers = arena_alloc(&a->arena, s->headers.n + 1, sizeof(*a->headers));
	if (!a->headers)
		return err_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < s->headers.n; i++)
		a->headers[a->header_count++] =
			(struct http_header){s->headers.at[i].name, s->headers.at[i].value};
	if (!s->auth.authenticator.n)
		return 0;
	a->auth = component_extension(env, s->auth.authenticator, e);
	if (!a->auth)
		return -EINVAL;
	if (!a->auth->type->auth || !a->auth->type->auth->credentials)
		return err_set(e, -EINVAL,
			       "\"auth\": extension \"%s\" cannot authenticate an exporter",
			       a->auth->id);
	return 0;
}

void client_access_fini(struct client_access *a)
{
	arena_fini(&a->arena);
}

int client_headers_make(struct client_headers *h, const struct client_access *a, struct err *e)
{
	struct str name = {0};
	int rc;

	h->n = min_size(a->header_count, CLIENT_HEADERS_MAX);
	memcpy(h->at, a->headers, h->n * sizeof(h->at[0]));
	if (!a->auth)
		return 0;
	buf_clear(&h->credentials);
	rc = a->auth->type->auth->credentials(a->auth->instance, &name, &h->credentials, e);
	if (!rc && buf_error(&h->credentials))
		rc = err_set(e, -ENOMEM, "out of memory");
	if (rc)
		return rc;
	h->at[h->n++] = (struct http_header){name, buf_str(&h->credentials)};
	return 0;
}

void client_headers_fini(struct client_headers *h)
{
	if (h->credentials.p)
		explicit_bzero(h->credentials.p, h->credentials.cap);
	buf_fini(&h->credentials);
}
