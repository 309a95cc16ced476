/* SPDX-License-Identifier: Apache-2.0 */
/* Access control: token file, Host and Origin checks, tenants. */
#include "api/access.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "net/http/cors.h"
#include "net/http/header.h"
#include "wire/text.h"

enum { TOKEN_FILE_MAX = 16 * 1024 * 1024 };

bool access_tenant_valid(struct str name)
{
	if (!name.n || name.n > ACCESS_TENANT_MAX || str_eq(name, STR(".")) ||
	    str_eq(name, STR("..")))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && !strchr("!-_.*'()", name.p[i]))
			return false;
	return true;
}

/* ---- the token file ---- */

static int read_token_file(const char *path, char **text, size_t *n, struct err *e)
{
	struct stat st;
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;

	*text = NULL;
	*n = 0;
	if (fd < 0 || fstat(fd, &st))
		rc = err_errno(e, -errno, path);
	else if (!S_ISREG(st.st_mode) || st.st_size > TOKEN_FILE_MAX)
		rc = err_set(e, -EINVAL, "%s: not a file of at most %d bytes", path,
			     TOKEN_FILE_MAX);
	if (!rc && !(*text = malloc((size_t)st.st_size + 1)))
		rc = err_set(e, -ENOMEM, "%s: out of memory", path);
	while (!rc && *n < (size_t)st.st_size &&
	       (got = read(fd, *text + *n, (size_t)st.st_size - *n)) > 0)
		*n += (size_t)got;
	if (got < 0)
		rc = err_errno(e, -errno, path);
	if (fd >= 0)
		close(fd);
	return rc;
}

static void digest_of(struct str token, uint8_t digest[ACCESS_DIGEST])
{
	SHA256((const unsigned char *)token.p, token.n, digest);
}

static const char *token_error(struct str token)
{
	if (token.n < ACCESS_TOKEN_MIN)
		return "a token has at least 16 characters";
	if (token.n > ACCESS_TOKEN_MAX)
		return "a token has at most 1024 characters";
	for (size_t i = 0; i < token.n; i++)
		if (!isgraph((unsigned char)token.p[i]))
			return "a token is printable ASCII";
	return NULL;
}

/* Add a line "TOKEN" or "TOKEN TENANT". Wipe the token's bytes once its digest is computed. */
static int add_token_line(struct access *a, struct str line, size_t number, struct err *e)
{
	struct str rest = str_trim(line), token = str_cut(&rest, ' '), tenant = str_trim(rest);
	const char *fault;

	if (!token.n || token.p[0] == '#')
		return 0;
	fault = token_error(token);
	if (!fault && tenant.n && !access_tenant_valid(tenant))
		fault = "invalid tenant name after the token";
	if (!fault && tenant.n && !a->tenants)
		fault = "a token for a tenant requires --tenants: without it every token reads "
			"and writes all data";
	if (!fault && a->token_count == ACCESS_TOKENS_MAX)
		fault = "more than 10000 tokens";
	if (fault)
		return err_set(e, -EINVAL, "%s:%zu: %s", a->token_file, number, fault);
	a->tokens[a->token_count].tenant = tenant;
	digest_of(token, a->tokens[a->token_count++].digest);
	OPENSSL_cleanse((char *)(uintptr_t)token.p, token.n);
	return 0;
}

/* Load tokens and text of `a`, which has none yet. */
static int load_tokens(struct access *a, struct err *e)
{
	struct str rest, line;
	size_t n, number = 0;
	int rc = read_token_file(a->token_file, &a->text, &n, e);

	if (rc)
		return rc;
	a->tokens = calloc(ACCESS_TOKENS_MAX, sizeof(*a->tokens));
	if (!a->tokens)
		return err_set(e, -ENOMEM, "%s: out of memory", a->token_file);
	rest = str_of(a->text, n);
	while (!rc && str_next_line(&rest, &line))
		rc = add_token_line(a, line, ++number, e);
	if (!rc && !a->token_count)
		rc = err_set(e, -EINVAL, "%s: no tokens in this file", a->token_file);
	return rc;
}

int access_init(struct access *a, const char *token_file, bool tenants, struct err *e)
{
	*a = (struct access){.token_file = token_file, .tenants = tenants};
	arena_init(&a->arena, NULL);
	pthread_rwlock_init(&a->lock, NULL);
	return token_file ? load_tokens(a, e) : 0;
}

static void free_tokens(struct access *a)
{
	free(a->tokens);
	free(a->text);
}

void access_fini(struct access *a)
{
	free_tokens(a);
	arena_fini(&a->arena);
	pthread_rwlock_destroy(&a->lock);
	*a = (struct access){0};
}

int access_reload(struct access *a, struct err *e)
{
	struct access fresh = {.token_file = a->token_file, .tenants = a->tenants}, old;
	int rc = a->token_file ? load_tokens(&fresh, e) : 0;

	if (!rc) {
		pthread_rwlock_wrlock(&a->lock);
		old = (struct access){.tokens = a->tokens, .text = a->text};
		a->tokens = fresh.tokens;
		a->token_count = fresh.token_count;
		a->text = fresh.text;
		pthread_rwlock_unlock(&a->lock);
		fresh = old;
	}
	free_tokens(&fresh);
	return rc;
}

/* ---- hosts ---- */

void access_clear_hosts(struct access *a)
{
	a->hosts = (struct host_rules){0};
	a->host_names.at = NULL;
	a->host_names.n = a->host_names.cap = 0;
	arena_reset(&a->arena);
}

int access_allow_host(struct access *a, struct str name)
{
	struct str copy;
	int rc = arena_copy_str(&a->arena, name, &copy);

	if (!rc)
		rc = vec_push(&a->arena, &a->host_names, copy);
	a->hosts.names = a->host_names.at;
	a->hosts.count = a->host_names.n;
	return rc;
}

int access_allow_address(struct access *a, struct str address)
{
	struct str host = str_head(address, str_find_last(address, ':'));

	if (!host.n || host_equal(host, STR("0.0.0.0")) || str_eq(host, STR("[::]"))) {
		a->hosts.any_address = true;
		return 0;
	}
	return access_allow_host(a, host);
}

/* ---- requests ---- */

static bool set_refusal(struct http_refusal *why, unsigned status, const char *text)
{
	why->status = status;
	if (status == 401)
		/* a browser prompts for the token as password; it reads the first scheme only */
		why->header =
			(struct http_header){STR("www-authenticate"),
					     STR("Basic realm=\"varve\", Bearer realm=\"varve\"")};
	snprintf(why->text, sizeof(why->text), "%s", text);
	return false;
}

static bool is_scheme(struct str scheme, const char *wanted)
{
	return scheme.n == strlen(wanted) && strncasecmp(scheme.p, wanted, scheme.n) == 0;
}

enum { CREDENTIALS_MAX = 2 * ACCESS_TOKEN_MAX };

/* Return the token of the request, or an empty string; Basic is decoded into `room`. */
static struct str get_token(const struct http_exchange *x, char room[CREDENTIALS_MAX])
{
	struct str rest = http_header(x, STR("authorization")), scheme = str_cut(&rest, ' ');
	struct str credentials;
	size_t n;

	rest = str_trim(rest);
	if (is_scheme(scheme, "bearer"))
		return rest;
	if (!is_scheme(scheme, "basic") || base64_decode(rest, room, CREDENTIALS_MAX, &n))
		return (struct str){0};
	credentials = str_of(room, n); /* user:password */
	str_cut(&credentials, ':');
	return credentials;
}

/* Compare with all tokens, so that the time does not depend on which one matches. */
static const struct access_token *find_token(const struct access *a, struct str token)
{
	uint8_t digest[ACCESS_DIGEST];
	const struct access_token *found = NULL;

	digest_of(token, digest);
	for (size_t i = 0; i < a->token_count; i++)
		if (CRYPTO_memcmp(a->tokens[i].digest, digest, sizeof(digest)) == 0)
			found = &a->tokens[i];
	return found;
}

/* Set the tenant and the digest of the token. Return false if it is missing or unknown. */
static bool check_token(struct access *a, struct http_exchange *x, struct str *tenant,
			struct str *digest, struct http_refusal *why)
{
	char room[CREDENTIALS_MAX];
	struct str token = get_token(x, room);
	const struct access_token *found;
	bool ok;

	if (!token.n)
		return set_refusal(why, 401, "missing token: send Authorization: Bearer TOKEN");
	pthread_rwlock_rdlock(&a->lock);
	found = find_token(a, token);
	ok = found && !arena_copy_str(x->arena, found->tenant, tenant) &&
	     !arena_copy_str(x->arena, str_of((const char *)found->digest, ACCESS_DIGEST), digest);
	pthread_rwlock_unlock(&a->lock);
	return ok || set_refusal(why, 401, "unknown token");
}

/* Check every host of a request: of an absolute target, of :authority, and of all Host headers. */
static bool check_host(const struct access *a, const struct http_exchange *x,
		       struct http_refusal *why)
{
	struct str bad = x->host.n && !host_allowed(&a->hosts, x->host) ? x->host : (struct str){0};

	for (size_t i = 0; i < x->header_count && !bad.n; i++)
		if (str_eq(x->headers[i].name, STR("host")) && x->headers[i].value.n &&
		    !host_allowed(&a->hosts, x->headers[i].value))
			bad = x->headers[i].value;
	if (!bad.n)
		return true;
	why->status = 403;
	snprintf(why->text, sizeof(why->text),
		 "Host \"%.*s\" is not a name of this server: add it with --allowed-hosts "
		 "(service.access.allowed_hosts)",
		 STR_ARG(str_head(bad, 64)));
	return false;
}

/* Refuse requests from web pages of other origins, unless CORS or a followed link allows them. */
static bool check_origin(const struct access *a, struct http_exchange *x, struct http_refusal *why)
{
	struct origin_request r = {
		.host = x->host,
		.origin = http_header(x, STR("origin")),
		.fetch_site = http_header(x, STR("sec-fetch-site")),
		.fetch_mode = http_header(x, STR("sec-fetch-mode")),
		.fetch_dest = http_header(x, STR("sec-fetch-dest")),
		.tls = x->tls,
	};

	if (cors_admit(x) || !origin_is_foreign(&a->hosts, &r))
		return true;
	if (x->route && x->route->flags & HTTP_OPEN && x->method & (METHOD_GET | METHOD_HEAD) &&
	    origin_is_navigation(&r))
		return true;
	why->status = 403;
	snprintf(
		why->text, sizeof(why->text),
		"requests from pages of other origins (%.*s) are refused: see cors.allowed_origins "
		"of the receiver otlp, or --allowed-hosts if this is a name of the server itself",
		STR_ARG(str_head(r.origin.n ? r.origin : r.fetch_site, 64)));
	return false;
}

/* Set the tenant of a request: the one it names, else the one of its token. */
static bool set_tenant(const struct access *a, struct http_exchange *x, struct str of_token,
		       struct http_refusal *why)
{
	struct str named = str_trim(http_header(x, STR("x-scope-orgid")));

	if (!a->tenants)
		return true;
	if (!named.n)
		named = of_token;
	if (!named.n && x->route && x->route->flags & HTTP_OPERATOR)
		return true;
	if (!named.n)
		return set_refusal(why, 401, "no org id: name a tenant in X-Scope-OrgID");
	if (!access_tenant_valid(named))
		return set_refusal(why, 400, "X-Scope-OrgID: invalid tenant name");
	if (of_token.n && !str_eq(of_token, named))
		return set_refusal(why, 403, "the token is for another tenant");
	x->tenant = named;
	return true;
}

bool access_admit(struct access *a, struct http_exchange *x, struct http_refusal *why)
{
	struct str tenant = {0}, digest = {0};

	if (!a->token_file && !x->tls && !check_host(a, x, why))
		return false;
	if (!check_origin(a, x, why))
		return false;
	if (x->route && x->route->flags & HTTP_OPEN)
		return true;
	/* A CORS preflight has no credentials; check_origin() has accepted its origin. */
	if (x->method == METHOD_OPTIONS)
		return true;
	if (a->token_file && !check_token(a, x, &tenant, &digest, why))
		return false;
	if (!set_tenant(a, x, tenant, why))
		return false;
	if (a->limits)
		x->account = limits_account(a->limits, x->arena, x->tenant, digest);
	return true;
}
