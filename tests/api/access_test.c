/* SPDX-License-Identifier: Apache-2.0 */
/* Access control: token files, tenants, open routes, reloading. */
#include "api/access/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

#include "test/test.h"
#include "wire/text.h"

#define TOKEN "0123456789abcdef"
#define OTHER "fedcba9876543210"

static char path[] = "/tmp/access_test_XXXXXX";

static void write_tokens(const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/*
 * Return the status for a request with these headers, 0 if it is accepted. Store its tenant in
 * `whose` unless that is NULL.
 */
static unsigned admit_request(struct access *a, const char *authorization, const char *tenant,
			      char *whose)
{
	struct http_header headers[] = {
		{STR("authorization"), str_from(authorization)},
		{STR("x-scope-orgid"), str_from(tenant)},
	};
	struct arena arena;
	struct http_exchange x = {.path = STR("/ingest"), .headers = headers, .header_count = 2};
	struct http_refusal why = {0};

	arena_init(&arena, NULL);
	x.arena = &arena;

	bool in = access_admit(a, &x, &why);

	if (whose)
		snprintf(whose, ACCESS_TENANT_MAX, "%.*s", STR_ARG(x.tenant));
	if (!in)
		assert_true(why.status && why.text[0]);
	arena_fini(&arena);
	return why.status;
}

static void without_a_token_file_all_requests_are_accepted(void **state)
{
	struct access a;
	struct err e = {0};

	(void)state;
	assert_ok_err(access_init(&a, NULL, false, &e), &e);
	assert_int_equal(admit_request(&a, "", "", NULL), 0);
	assert_int_equal(admit_request(&a, "Bearer whatever", "any", NULL), 0);
	access_fini(&a);
}

static void a_token_is_accepted_as_bearer_or_basic(void **state)
{
	static const struct {
		const char *header;
		unsigned status;
	} cases[] = {
		{"Bearer " TOKEN, 0},
		{"bearer   " TOKEN, 0},
		{"Bearer " OTHER, 0},
		{"", 401},
		{"Bearer", 401},
		{"Bearer ", 401},
		{"Bearer " TOKEN "x", 401},
		{"Bearer 0123456789abcde", 401},
		{TOKEN, 401},
		{"Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVm", 0},   /* user:TOKEN */
		{"Basic OjAxMjM0NTY3ODlhYmNkZWY=", 0},	     /* :TOKEN */
		{"Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVt", 401}, /* the last letter differs */
		{"Basic MDEyMzQ1Njc4OWFiY2RlZg==", 401},     /* no colon */
		{"Basic !!!", 401},
		{"Digest " TOKEN, 401},
	};
	struct access a;
	struct err e = {0};

	(void)state;
	write_tokens("# ours\n\n" TOKEN "\n  " OTHER "  \r\n");
	assert_ok_err(access_init(&a, path, false, &e), &e);
	for (size_t i = 0; i < countof(cases); i++)
		if (admit_request(&a, cases[i].header, "", NULL) != cases[i].status)
			fail_msg("%s: expected %u", cases[i].header, cases[i].status);
	access_fini(&a);
}

static void a_token_may_be_limited_to_one_tenant(void **state)
{
	struct access a;
	struct err e = {0};
	char whose[ACCESS_TENANT_MAX];

	(void)state;
	write_tokens(TOKEN " blue\n" OTHER "\n");
	assert_ok_err(access_init(&a, path, true, &e), &e);
	assert_int_equal(admit_request(&a, "Bearer " TOKEN, "", whose), 0);
	assert_string_equal(whose, "blue");
	assert_int_equal(admit_request(&a, "Bearer " TOKEN, "blue", NULL), 0);
	assert_int_equal(admit_request(&a, "Bearer " TOKEN, "red", NULL), 403);
	assert_int_equal(admit_request(&a, "Bearer " OTHER, "red", whose), 0);
	assert_string_equal(whose, "red");
	assert_int_equal(admit_request(&a, "Bearer " OTHER, "", NULL), 401);
	assert_int_equal(admit_request(&a, "Bearer " OTHER, "a/b", NULL), 400);
	assert_int_equal(admit_request(&a, "Bearer " OTHER, "..", NULL), 400);
	access_fini(&a);
}

static void open_routes_need_no_token(void **state)
{
	static const struct http_route open = {.flags = HTTP_OPEN}, closed = {.flags = 0};
	struct access a;
	struct err e = {0};
	struct http_exchange x = {.route = &open};
	struct http_refusal why = {0};

	(void)state;
	write_tokens(TOKEN "\n");
	assert_ok_err(access_init(&a, path, true, &e), &e);
	assert_true(access_admit(&a, &x, &why));
	x.route = &closed;
	assert_false(access_admit(&a, &x, &why));
	access_fini(&a);
}

static void errors_in_a_token_file_give_the_line(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "no tokens in this file"},
		{"# only words\n", "no tokens in this file"},
		{TOKEN "\nshort\n", ":2: a token has at least 16"},
		{"0123456789\x01"
		 "abcdef\n",
		 ":1: a token is printable"},
		{TOKEN " a/b\n", ":1: invalid tenant name"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct access a;
		struct err e = {0};

		write_tokens(cases[i].text);
		assert_int_equal(access_init(&a, path, false, &e), -EINVAL);
		assert_err_says(&e, cases[i].says);
		assert_null(strstr(e.text, TOKEN));
		access_fini(&a);
	}
}

static void reloading_a_bad_token_file_changes_nothing(void **state)
{
	struct access a;
	struct err e = {0};

	(void)state;
	write_tokens(TOKEN "\n");
	assert_ok_err(access_init(&a, path, false, &e), &e);
	write_tokens("short\n");
	assert_int_equal(access_reload(&a, &e), -EINVAL);
	assert_int_equal(admit_request(&a, "Bearer " TOKEN, "", NULL), 0);
	write_tokens(OTHER "\n");
	e = (struct err){0};
	assert_ok_err(access_reload(&a, &e), &e);
	assert_int_equal(admit_request(&a, "Bearer " TOKEN, "", NULL), 401);
	assert_int_equal(admit_request(&a, "Bearer " OTHER, "", NULL), 0);
	access_fini(&a);
}

/* ---- tokens with scopes ---- */

/* A line of a token with these fields. */
static void write_hashed(const char *token, const char *fields)
{
	uint8_t digest[TOKEN_DIGEST];
	char hex[2 * TOKEN_DIGEST + 1] = "", text[1024];

	token_digest(str_from(token), digest);
	hex_digits(hex, str_of((const char *)digest, sizeof(digest)));
	snprintf(text, sizeof(text), "sha256:%s id=abc %s\n", hex, fields);
	write_tokens(text);
}

/* A request of a route by method; `who` receives its caller's name. */
static unsigned admit_route(struct access *a, enum http_method method, unsigned flags,
			    const char *header, struct http_refusal *why)
{
	const struct http_route route = {.flags = flags};
	struct http_header headers[] = {{STR("authorization"), str_from(header)}};
	struct arena arena;
	struct http_exchange x = {.path = STR("/x"),
				  .method = method,
				  .route = &route,
				  .headers = headers,
				  .header_count = 1,
				  .arena = &arena};

	*why = (struct http_refusal){0};
	arena_init(&arena, NULL);
	(void)access_admit(a, &x, why);
	assert_true(x.answer_header_count >= 4); /* also those of refusals */
	assert_str_equal(x.answer_headers[0].value, STR("nosniff"));
	arena_fini(&arena);
	return why->status;
}

static void a_token_needs_the_scope_of_the_route(void **state)
{
	static const struct {
		const char *scopes;
		enum http_method method;
		unsigned flags, status;
	} cases[] = {
		{"read", METHOD_GET, 0, 0},
		{"read", METHOD_POST, 0, 403},
		{"read", METHOD_POST, HTTP_READS, 0},
		{"read", METHOD_DELETE, HTTP_ADMIN, 403},
		{"read", METHOD_GET, HTTP_ADMIN, 403},
		{"read", METHOD_POST, HTTP_CONTROLS, 403},
		{"write", METHOD_POST, 0, 0},
		{"write", METHOD_GET, 0, 403},
		{"write", METHOD_POST, HTTP_READS, 403},
		{"write", METHOD_POST, HTTP_CONTROLS, 403},
		{"control", METHOD_POST, HTTP_CONTROLS, 0},
		{"control", METHOD_GET, 0, 403},
		{"read,control", METHOD_DELETE, HTTP_CONTROLS, 0},
		{"read,write,control", METHOD_DELETE, HTTP_ADMIN, 403},
		{"admin", METHOD_GET, 0, 0},
		{"admin", METHOD_POST, 0, 0},
		{"admin", METHOD_POST, HTTP_CONTROLS, 0},
		{"admin", METHOD_DELETE, HTTP_ADMIN, 0},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct http_refusal why;
		struct access a;
		struct err e = {0};
		char fields[100];

		snprintf(fields, sizeof(fields), "scopes=%s", cases[i].scopes);
		write_hashed(TOKEN, fields);
		assert_ok_err(access_init(&a, path, false, &e), &e);
		if (admit_route(&a, cases[i].method, cases[i].flags, "Bearer " TOKEN, &why) !=
		    cases[i].status)
			fail_msg("%s, case %zu: %u", cases[i].scopes, i, why.status);
		access_fini(&a);
	}
}

static void an_expired_or_revoked_token_is_refused(void **state)
{
	static const struct {
		const char *fields;
		unsigned status;
	} cases[] = {
		{"scopes=read expires=2020-01-01T00:00:00Z", 401},
		{"scopes=read expires=2199-01-01T00:00:00Z", 0},
		{"scopes=read revoked=2020-01-01T00:00:00Z", 401},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct http_refusal why;
		struct access a;
		struct err e = {0};

		write_hashed(TOKEN, cases[i].fields);
		assert_ok_err(access_init(&a, path, false, &e), &e);
		assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer " TOKEN, &why),
				 cases[i].status);
		access_fini(&a);
	}
}

static void a_token_for_services_is_refused_where_they_do_not_apply(void **state)
{
	struct http_refusal why;
	struct access a;
	struct err e = {0};

	(void)state;
	write_hashed(TOKEN, "scopes=read,write services=cart,shop");
	assert_ok_err(access_init(&a, path, false, &e), &e);
	assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer " TOKEN, &why), 403);
	assert_int_equal(admit_route(&a, METHOD_GET, HTTP_BY_SERVICE, "Bearer " TOKEN, &why), 0);
	assert_int_equal(admit_route(&a, METHOD_POST, 0, "Bearer " TOKEN, &why), 0);
	access_fini(&a);
}

static void requests_of_a_token_are_limited(void **state)
{
	struct http_refusal why;
	struct access a;
	struct err e = {0};
	unsigned admitted = 0;

	(void)state;
	write_hashed(TOKEN, "scopes=read requests_per_second=1");
	assert_ok_err(access_init(&a, path, false, &e), &e);
	for (unsigned i = 0; i < 100; i++)
		admitted += admit_route(&a, METHOD_GET, 0, "Bearer " TOKEN, &why) == 0;
	assert_int_equal(why.status, 429);
	assert_true(why.retry_after_s >= 1);
	assert_in_range(admitted, 9, 90); /* a burst of ten, and the time that this took */
	assert_ok_err(access_reload(&a, &e), &e);
	assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer " TOKEN, &why), 429);
	access_fini(&a);
}

static void wrong_tokens_are_limited_by_address(void **state)
{
	struct http_refusal why;
	struct access a;
	struct err e = {0};

	(void)state;
	write_tokens(TOKEN "\n" OTHER "\n");
	assert_ok_err(access_init(&a, path, false, &e), &e);
	assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer " OTHER, &why), 0);
	for (unsigned i = 0; i < AUTH_FAILURES_BURST; i++)
		assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer wrong-wrong-wrong", &why),
				 401);
	assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer wrong-wrong-wrong", &why), 429);
	assert_true(why.retry_after_s > 0);
	/* a guess that is right is not answered either, but a token in use is */
	assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer " TOKEN, &why), 429);
	assert_int_equal(admit_route(&a, METHOD_GET, 0, "Bearer " OTHER, &why), 0);
	access_fini(&a);
}

/* ---- users of a proxy ---- */

static unsigned admit_user(struct access *a, const char *peer, const char *user, const char *groups,
			   enum http_method method, char name[64])
{
	const struct http_route route = {0};
	struct http_header headers[] = {{STR("x-forwarded-user"), str_from(user)},
					{STR("x-forwarded-groups"), str_from(groups)},
					{STR("host"), STR("localhost")}};
	struct sockaddr_storage from = {.ss_family = AF_INET};
	struct arena arena;
	struct http_exchange x = {.path = STR("/x"),
				  .method = method,
				  .route = &route,
				  .headers = headers,
				  .header_count = countof(headers),
				  .peer = &from,
				  .arena = &arena};
	struct http_refusal why = {0};

	assert_int_equal(inet_pton(AF_INET, peer, &((struct sockaddr_in *)&from)->sin_addr), 1);
	arena_init(&arena, NULL);
	(void)access_admit(a, &x, &why);
	snprintf(name, 64, "%.*s", STR_ARG(x.caller ? x.caller->name : STR("")));
	arena_fini(&arena);
	return why.status;
}

static void users_of_a_proxy_have_the_scopes_of_their_groups(void **state)
{
	static const struct {
		const char *peer, *user, *groups;
		enum http_method method;
		unsigned status;
	} cases[] = {
		{"10.1.2.3", "alice", "dev, sre", METHOD_GET, 0},
		{"10.1.2.3", "alice", "dev,sre", METHOD_POST, 0},
		{"10.1.2.3", "bob", "dev", METHOD_POST, 403},
		{"10.1.2.3", "eve", "", METHOD_GET, 403},
		{"10.1.2.3", "eve", "sre2", METHOD_GET, 403},
		{"10.1.2.3", "", "sre", METHOD_GET, 401},
		{"10.1.3.3", "alice", "sre", METHOD_GET, 401}, /* not the proxy */
		{"127.0.0.1", "alice", "sre", METHOD_GET, 401},
	};
	struct str peers[] = {STR("10.1.2.0/24"), STR("::1")};
	struct str grants[] = {STR("dev:read"), STR("sre: read,write")};
	struct proxy_settings s = {.peers = {peers, 2},
				   .grants = {grants, 2},
				   .user_header = STR("X-Forwarded-User"),
				   .groups_header = STR("X-Forwarded-Groups")};
	struct access a;
	struct err e = {0};
	char name[64];

	(void)state;
	assert_ok_err(access_init(&a, NULL, false, &e), &e);
	assert_ok_err(access_set_proxy(&a, &s, &e), &e);
	for (size_t i = 0; i < countof(cases); i++)
		if (admit_user(&a, cases[i].peer, cases[i].user, cases[i].groups, cases[i].method,
			       name) != cases[i].status)
			fail_msg("case %zu: %s", i, name);
	assert_int_equal(admit_user(&a, "10.1.2.3", "alice", "sre", METHOD_GET, name), 0);
	assert_string_equal(name, "user alice");
	access_fini(&a);
}

static void errors_in_settings_of_a_proxy_name_them(void **state)
{
	static const struct {
		const char *peer, *grant, *says;
	} cases[] = {
		{"10.0.0.0/33", "*:read", "found \"10.0.0.0/33\""},
		{"proxy.example", "*:read", "expected an address"},
		{"10.0.0.1", "sre", "expected GROUP:SCOPES"},
		{"10.0.0.1", "sre:write,root", "unknown scope \"root\""},
		{NULL, "sre:write", "\"grants\" need \"peers\""},
		{"10.0.0.1", NULL, "\"peers\" need \"grants\""},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct str peer = str_from(cases[i].peer ? cases[i].peer : "");
		struct str grant = str_from(cases[i].grant ? cases[i].grant : "");
		struct proxy_settings s = {.peers = {&peer, cases[i].peer != NULL},
					   .grants = {&grant, cases[i].grant != NULL},
					   .user_header = STR("u"),
					   .groups_header = STR("g")};
		struct access a;
		struct err e = {0};

		assert_ok_err(access_init(&a, NULL, false, &e), &e);
		assert_int_equal(access_set_proxy(&a, &s, &e), -EINVAL);
		assert_err_says(&e, cases[i].says);
		access_fini(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_token_needs_the_scope_of_the_route),
		test(an_expired_or_revoked_token_is_refused),
		test(a_token_for_services_is_refused_where_they_do_not_apply),
		test(requests_of_a_token_are_limited),
		test(wrong_tokens_are_limited_by_address),
		test(users_of_a_proxy_have_the_scopes_of_their_groups),
		test(errors_in_settings_of_a_proxy_name_them),
		test(without_a_token_file_all_requests_are_accepted),
		test(a_token_is_accepted_as_bearer_or_basic),
		test(a_token_may_be_limited_to_one_tenant),
		test(open_routes_need_no_token),
		test(errors_in_a_token_file_give_the_line),
		test(reloading_a_bad_token_file_changes_nothing),
	};
	int fd = mkstemp(path), rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
