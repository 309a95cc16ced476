/* SPDX-License-Identifier: Apache-2.0 */
#include "api/access.h"

#include <errno.h>
#include <unistd.h>

#include "test/test.h"

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

/* What is answered to a request with these headers: 0 when it is let in; *tenant, if not NULL, is whose it is. */
static unsigned ask(struct access *a, const char *authorization, const char *tenant, char *whose)
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

static void without_a_token_file_everybody_may_come_in(void **state)
{
	struct access a;
	struct err e = {0};

	(void)state;
	assert_ok_err(access_init(&a, NULL, false, &e), &e);
	assert_int_equal(ask(&a, "", "", NULL), 0);
	assert_int_equal(ask(&a, "Bearer whatever", "any", NULL), 0);
	access_fini(&a);
}

static void a_token_is_shown_as_bearer_or_basic(void **state)
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
		{"Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVt", 401}, /* the last letter is another */
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
		if (ask(&a, cases[i].header, "", NULL) != cases[i].status)
			fail_msg("%s: expected %u", cases[i].header, cases[i].status);
	access_fini(&a);
}

static void tenants_are_named_and_a_token_may_be_for_one(void **state)
{
	struct access a;
	struct err e = {0};
	char whose[ACCESS_TENANT_MAX];

	(void)state;
	write_tokens(TOKEN " blue\n" OTHER "\n");
	assert_ok_err(access_init(&a, path, true, &e), &e);
	assert_int_equal(ask(&a, "Bearer " TOKEN, "", whose), 0);
	assert_string_equal(whose, "blue");
	assert_int_equal(ask(&a, "Bearer " TOKEN, "blue", NULL), 0);
	assert_int_equal(ask(&a, "Bearer " TOKEN, "red", NULL), 403);
	assert_int_equal(ask(&a, "Bearer " OTHER, "red", whose), 0);
	assert_string_equal(whose, "red");
	assert_int_equal(ask(&a, "Bearer " OTHER, "", NULL), 401);
	assert_int_equal(ask(&a, "Bearer " OTHER, "a/b", NULL), 400);
	assert_int_equal(ask(&a, "Bearer " OTHER, "..", NULL), 400);
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

static void a_bad_token_file_says_where(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "has no token"},
		{"# only words\n", "has no token"},
		{TOKEN "\nshort\n", ":2: a token has at least 16"},
		{"0123456789\x01"
		 "abcdef\n",
		 ":1: a token is printable"},
		{TOKEN " a/b\n", ":1: behind the token"},
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

static void a_bad_file_at_reload_changes_nothing(void **state)
{
	struct access a;
	struct err e = {0};

	(void)state;
	write_tokens(TOKEN "\n");
	assert_ok_err(access_init(&a, path, false, &e), &e);
	write_tokens("short\n");
	assert_int_equal(access_reload(&a, &e), -EINVAL);
	assert_int_equal(ask(&a, "Bearer " TOKEN, "", NULL), 0);
	write_tokens(OTHER "\n");
	e = (struct err){0};
	assert_ok_err(access_reload(&a, &e), &e);
	assert_int_equal(ask(&a, "Bearer " TOKEN, "", NULL), 401);
	assert_int_equal(ask(&a, "Bearer " OTHER, "", NULL), 0);
	access_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(without_a_token_file_everybody_may_come_in),
		test(a_token_is_shown_as_bearer_or_basic),
		test(tenants_are_named_and_a_token_may_be_for_one),
		test(open_routes_need_no_token),
		test(a_bad_token_file_says_where),
		test(a_bad_file_at_reload_changes_nothing),
	};
	int fd = mkstemp(path), rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
