/* SPDX-License-Identifier: Apache-2.0 */
/* Access control: token files, tenants, open routes, reloading. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
