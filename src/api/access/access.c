/* SPDX-License-Identifier: Apache-2.0 */
/* Access control: tokens and their scopes, Host and Origin checks, tenants. */
#include "api/access/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "api/access/network.h"
#include "base/clock.h"
#include "net/address.h"
#include "net/http/cors.h"
#include "net/http/header.h"
#include "wire/text.h"

enum { TOKEN_FILE_MAX = 16 * 1024 * 1024 };

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

static int add_token_line(const struct access *a, struct access_tokens *to, struct str line,
			  size_t number, struct err *e)
{
	struct access_token *t = &to->at[to->n];
	struct err why = {0};
	int rc = token_line_read(&t->token, line, &why);

	if (rc > 0 && t->token.tenant.n && !a->tenants)
		rc = err_set(&why, -EINVAL,
			     "a token for a tenant requires --tenants: without it every token "
			     "reads and writes all data");
	if (rc > 0 && to->n == ACCESS_TOKENS_MAX)
		rc = err_set(&why, -EINVAL, "more than %d tokens", ACCESS_TOKENS_MAX);
	if (rc < 0)
		return err_set(e, rc, "%s:%zu: %s", a->token_file, number, why.text);
	memcpy(to->digests[to->n], t->token.digest, TOKEN_DIGEST);
	to->n += (size_t)rc;
	return 0;
}

/* Load the tokens of the file into an empty list; free_tokens() frees it in either case. */
static int load_tokens(const struct access *a, struct access_tokens *to, struct err *e)
{
	struct str rest, line;
	size_t n, number = 0;
	int rc = read_token_file(a->token_file, &to->text, &n, e);

	if (rc)
		return rc;
	/* the last one is for a line that is one too many */
	to->at = calloc(ACCESS_TOKENS_MAX + 1, sizeof(*to->at));
	to->digests = calloc(ACCESS_TOKENS_MAX + 1, sizeof(*to->digests));
	if (!to->at || !to->digests)
		return err_set(e, -ENOMEM, "%s: out of memory", a->token_file);
	rest = str_of(to->text, n);
	while (!rc && str_next_line(&rest, &line))
		rc = add_token_line(a, to, line, ++number, e);
	if (!rc && !to->n)
		rc = err_set(e, -EINVAL, "%s: no tokens in this file", a->token_file);
	return rc;
}

int access_init(struct access *a, const char *token_file, bool tenants, struct err *e)
{
	*a = (struct access){.token_file = token_file, .tenants = tenants};
	arena_init(&a->arena, NULL);
	pthread_rwlock_init(&a->lock, NULL);
	return token_file ? load_tokens(a, &a->tokens, e) : 0;
}

static void free_tokens(struct access_tokens *t)
{
	free(t->at);
	free(t->digests);
	free(t->text);
}

void access_fini(struct access *a)
{
	free_tokens(&a->tokens);
	arena_fini(&a->arena);
	pthread_rwlock_destroy(&a->lock);
	*a = (struct access){0};
}

/* Return the token with this digest, or NULL. The time does not depend on which one matches. */
static struct access_token *find_token(const struct access_tokens *t,
				       const uint8_t digest[TOKEN_DIGEST])
{
	struct access_token *found = NULL;

	for (size_t i = 0; i < t->n; i++)
		if (CRYPTO_memcmp(t->digests[i], digest, TOKEN_DIGEST) == 0)
			found = &t->at[i];
	return found;
}

/* A reload must not give tokens with a rate a new burst. */
static void keep_rates(struct access_tokens *to, const struct access_tokens *from)
{
	for (size_t i = 0; i < to->n; i++) {
		struct access_token *before = NULL;

		if (to->at[i].token.requests_per_second)
			before = find_token(from, to->digests[i]);
		if (before)
			atomic_store(&to->at[i].paid_ns, atomic_load(&before->paid_ns));
	}
}

int access_reload(struct access *a, struct err *e)
{
	struct access_tokens fresh = {0}, old;
	int rc = a->token_file ? load_tokens(a, &fresh, e) : 0;

	if (!rc) {
		keep_rates(&fresh, &a->tokens); /* no other thread replaces them */
		pthread_rwlock_wrlock(&a->lock);
		old = a->tokens;
		a->tokens = fresh;
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
	a->proxy = (struct proxy_users){0};
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

int access_set_proxy(struct access *a, const struct proxy_settings *s, struct err *e)
{
	return proxy_users_init(&a->proxy, s, &a->arena, e);
}

/* ---- requests ---- */

static bool set_refusal(struct http_refusal *why, unsigned status, const char *text)
{
	why->status = status;
	why->retry_after_s = 0;
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

enum { CREDENTIALS_MAX = 2 * TOKEN_MAX };

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

/* Return why a known token is not valid (any more), or NULL. */
static const char *token_fault(const struct token *t, const struct sockaddr_storage *peer,
			       uint64_t now_ns)
{
	if (t->revoked && t->revoked <= now_ns)
		return "the token was revoked: make another with varve token new";
	if (t->expires && t->expires <= now_ns)
		return "the token has expired: make another with varve token new";
	if (t->addresses.n && !network_list_has(t->addresses, peer))
		return "the token is not valid from this address";
	return NULL;
}

/* Charge one request. Return how many seconds it has to wait; 0: it is admitted. */
static unsigned charge_request(struct access_token *t, uint64_t now_ns)
{
	enum { BURST_SECONDS = 10 };
	uint64_t rate = t->token.requests_per_second, cost, paid, next;

	if (!rate)
		return 0;
	cost = NS_PER_SECOND / rate;
	paid = atomic_load(&t->paid_ns);
	do {
		uint64_t from = paid > now_ns ? paid : now_ns;

		next = from + cost;
		if (next > now_ns + BURST_SECONDS * NS_PER_SECOND)
			return (unsigned)((next - now_ns) / NS_PER_SECOND - BURST_SECONDS) + 1;
	} while (!atomic_compare_exchange_weak(&t->paid_ns, &paid, next));
	return 0;
}

/* A valid token of a request: copies in the request's arena. */
struct credentials {
	struct caller caller;
	struct str tenant;
	struct str digest; /* of the token; empty for a user */
};

/* Copy what a request needs of a token, which a reload may free. Return 0 or -ENOMEM. */
static int copy_token(const struct token *t, struct arena *arena, struct credentials *out)
{
	int rc = arena_copy_str(arena, t->tenant, &out->tenant);

	rc = rc ? rc : arena_copy_str(arena, t->services, &out->caller.services);
	rc = rc ? rc
		: arena_copy_str(arena, str_of((const char *)t->digest, TOKEN_DIGEST),
				 &out->digest);
	rc = rc ? rc
		: arena_printf(arena, &out->caller.name, "token %s%s%.*s", t->id,
			       t->name.n ? " " : "", STR_ARG(t->name));
	out->caller.scopes = t->scopes;
	return rc;
}

/* Log a refusal, but not each of many: a line names how many it stands for. */
static void log_refusal(struct access *a, const struct http_exchange *x, struct str detail)
{
	enum { LINES_PER_MINUTE = 60 };
	const uint64_t cost = 60 * NS_PER_SECOND / LINES_PER_MINUTE;
	uint64_t now = clock_monotonic_ns(), paid = atomic_load(&a->refusals_paid_ns), more;
	char text[256];

	if (paid < now)
		paid = now;
	if (paid > now + 60 * NS_PER_SECOND) {
		atomic_fetch_add(&a->refusals_not_logged, 1);
		return;
	}
	atomic_store(&a->refusals_paid_ns, paid + cost); /* a lost update is one line more */
	more = atomic_exchange(&a->refusals_not_logged, 0);
	snprintf(text, sizeof(text), "%.*s", STR_ARG(detail));
	if (more)
		snprintf(text, sizeof(text), "%.*s; %llu refusals before it were not logged",
			 STR_ARG(detail), (unsigned long long)more);
	(void)!access_log(a->audit, x, "access.refused", x->path, "refused", str_from(text), NULL);
}

/* Count and log a wrong token, and refuse the request. */
static bool refuse_token(struct access *a, const struct http_exchange *x, const char *id,
			 const char *fault, struct http_refusal *why)
{
	char text[64] = "";

	auth_failures_add(&a->failures, x->peer, clock_monotonic_ns());
	if (id)
		snprintf(text, sizeof(text), "token %s", id);
	log_refusal(a, x, id ? str_from(text) : STR("unknown token"));
	return set_refusal(why, 401, fault);
}

static bool wait_refusal(struct http_refusal *why, unsigned seconds, const char *text)
{
	set_refusal(why, 429, text);
	why->retry_after_s = seconds;
	return false;
}

/* Find the token of a request. Return false if it is missing, unknown, invalid or too frequent. */
static bool check_token(struct access *a, struct http_exchange *x, struct credentials *out,
			struct http_refusal *why)
{
	char room[CREDENTIALS_MAX], id[TOKEN_ID_MAX + 1];
	struct str token = get_token(x, room);
	uint8_t digest[TOKEN_DIGEST];
	struct access_token *found;
	const char *fault = NULL;
	unsigned wait;
	int rc = 0;

	if (!token.n)
		return set_refusal(why, 401, "missing token: send Authorization: Bearer TOKEN");
	token_digest(token, digest);
	OPENSSL_cleanse(room, sizeof(room));
	wait = auth_failures_wait(&a->failures, x->peer, digest, clock_monotonic_ns());
	if (wait)
		return wait_refusal(why, wait, "too many wrong tokens from this address: wait");
	pthread_rwlock_rdlock(&a->lock);
	found = find_token(&a->tokens, digest);
	if (found) {
		memcpy(id, found->token.id, sizeof(id));
		fault = token_fault(&found->token, x->peer, clock_realtime_ns());
		wait = fault ? 0 : charge_request(found, clock_monotonic_ns());
		rc = copy_token(&found->token, x->arena, out);
	}
	pthread_rwlock_unlock(&a->lock);
	if (!found || fault)
		return refuse_token(a, x, found ? id : NULL, found ? fault : "unknown token", why);
	if (rc)
		return wait_refusal(why, 1, "out of memory");
	if (wait)
		return wait_refusal(why, wait, "requests_per_second of this token is reached");
	auth_failures_accept(&a->failures, x->peer, digest);
	return true;
}

/* ---- scopes ---- */

/* Return the scopes of which one is enough for the route. */
static unsigned route_scopes(const struct http_exchange *x)
{
	unsigned flags = x->route ? x->route->flags : 0;

	if (flags & HTTP_ADMIN)
		return TOKEN_ADMIN;
	if (flags & HTTP_CONTROLS)
		return TOKEN_CONTROL | (flags & HTTP_READS ? TOKEN_READ : 0);
	if (flags & HTTP_READS || x->method & (METHOD_GET | METHOD_HEAD))
		return TOKEN_READ;
	return TOKEN_WRITE;
}

/* Check that the caller has the scope of the route, and its services where they do not apply. */
static bool check_scope(struct access *a, const struct http_exchange *x, const struct caller *c,
			struct http_refusal *why)
{
	unsigned scopes = route_scopes(x);
	struct buf name = {0};
	char text[200];

	if (!(c->scopes & (scopes | TOKEN_ADMIN))) {
		token_scopes_write(&name, scopes);
		set_refusal(why, 403, "");
		snprintf(why->text, sizeof(why->text), "the %.*s does not have the scope %.*s",
			 STR_ARG(str_head(c->name, str_find(c->name, ' '))),
			 STR_ARG(buf_str(&name)));
		snprintf(text, sizeof(text), "%.*s: no scope %.*s", STR_ARG(c->name),
			 STR_ARG(buf_str(&name)));
		log_refusal(a, x, str_from(text));
		buf_fini(&name);
		return false;
	}
	if (c->services.n && scopes != TOKEN_WRITE &&
	    !(x->route && x->route->flags & HTTP_BY_SERVICE))
		return set_refusal(why, 403, "a token for some services cannot use this path");
	return true;
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

/* Authenticate a request: by the user of a proxy, else by its token. */
static bool authenticate(struct access *a, struct http_exchange *x, struct credentials *out,
			 struct http_refusal *why)
{
	switch (proxy_users_find(&a->proxy, x, &out->caller)) {
	case PROXY_USER:
		return true;
	case PROXY_REFUSED:
		log_refusal(a, x, STR("user without a grant"));
		return set_refusal(why, 403,
				   "no grant of service.access.proxy applies to this user");
	default:
		return check_token(a, x, out, why);
	}
}

/* Headers of every response: no guessing of types, no use by pages of other origins. */
static void add_security_headers(struct http_exchange *x)
{
	static const struct http_header safe[] = {
		{STR_INIT("x-content-type-options"), STR_INIT("nosniff")},
		{STR_INIT("cross-origin-resource-policy"), STR_INIT("same-origin")},
		{STR_INIT("referrer-policy"), STR_INIT("same-origin")},
		{STR_INIT("x-frame-options"), STR_INIT("DENY")},
	};
	size_t cors = x->answer_header_count;
	struct http_header *all;

	if (!cors) {
		x->answer_headers = safe;
		x->answer_header_count = countof(safe);
		return;
	}
	all = arena_alloc(x->arena, cors + countof(safe), sizeof(*all));
	if (!all)
		return;
	memcpy(all, x->answer_headers, cors * sizeof(*all));
	memcpy(all + cors, safe, sizeof(safe));
	x->answer_headers = all;
	x->answer_header_count = cors + countof(safe);
}

/* Set what handlers need of the credentials. */
static bool set_caller(struct http_exchange *x, const struct credentials *c,
		       struct http_refusal *why)
{
	struct caller *caller = arena_alloc(x->arena, 1, sizeof(*caller));

	if (caller && c->caller.services.n && !x->account)
		x->account = arena_zalloc(x->arena, 1, sizeof(*x->account));
	if (!caller || (c->caller.services.n && !x->account))
		return wait_refusal(why, 1, "out of memory");
	if (x->account)
		x->account->services = c->caller.services;
	*caller = c->caller;
	x->caller = caller;
	return true;
}

static bool admit(struct access *a, struct http_exchange *x, struct http_refusal *why)
{
	struct credentials c = {0};
	bool needed = access_is_protected(a);

	if (!a->token_file && !x->tls && !check_host(a, x, why))
		return false;
	if (!check_origin(a, x, why))
		return false;
	if (x->route && x->route->flags & HTTP_OPEN)
		return true;
	/* A CORS preflight has no credentials; check_origin() has accepted its origin. */
	if (x->method == METHOD_OPTIONS)
		return true;
	if (needed && (!authenticate(a, x, &c, why) || !check_scope(a, x, &c.caller, why)))
		return false;
	if (!set_tenant(a, x, c.tenant, why))
		return false;
	if (a->limits)
		x->account = limits_account(a->limits, x->arena, x->tenant, c.digest);
	return !needed || set_caller(x, &c, why);
}

bool access_admit(struct access *a, struct http_exchange *x, struct http_refusal *why)
{
	bool admitted;

	x->answer_headers = NULL;
	x->answer_header_count = 0;
	admitted = admit(a, x, why);
	add_security_headers(x);
	return admitted;
}

/* ---- log and metrics ---- */

int access_log(struct audit *audit, const struct http_exchange *x, const char *action,
	       struct str object, const char *result, struct str detail, struct err *e)
{
	char peer[NET_ADDRESS_TEXT] = "";
	struct audit_entry entry = {.actor = x && x->caller ? x->caller->name : STR("anonymous"),
				    .action = str_from(action),
				    .object = object,
				    .tenant = x ? x->tenant : (struct str){0},
				    .result = str_from(result),
				    .detail = detail};

	if (x && x->peer)
		entry.address = str_from(net_address_format(x->peer, peer));
	if (e)
		return audit_write(audit, &entry, e);
	audit_note(audit, &entry);
	return 0;
}

void access_metrics(struct access *a, struct buf *out)
{
	buf_printf(out,
		   "# HELP varve_access_failed_total Requests with a wrong token.\n"
		   "# TYPE varve_access_failed_total counter\n"
		   "varve_access_failed_total %llu\n"
		   "# HELP varve_access_limited_total Requests refused because their address sent "
		   "too many wrong tokens.\n"
		   "# TYPE varve_access_limited_total counter\n"
		   "varve_access_limited_total %llu\n"
		   "# HELP varve_audit_failures_total Lines that the audit log lost.\n"
		   "# TYPE varve_audit_failures_total counter\n"
		   "varve_audit_failures_total %llu\n",
		   (unsigned long long)atomic_load(&a->failures.failed),
		   (unsigned long long)atomic_load(&a->failures.refused),
		   (unsigned long long)audit_failures(a->audit));
}
