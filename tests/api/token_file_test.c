/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of token files: reading, writing, errors; new tokens. */
#include "api/access/token_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "api/access/network.h"
#include "base/clock.h"
#include "test/test.h"

#define DIGEST "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* Read a copy, because plain tokens are overwritten. */
static int read_line(struct token *t, char copy[512], const char *line, struct err *e)
{
	snprintf(copy, 512, "%s", line);
	*e = (struct err){0};
	return token_line_read(t, str_from(copy), e);
}

static void a_new_token_is_written_and_read_back(void **state)
{
	char secret[TOKEN_SECRET], copy[512];
	struct buf line = {0};
	struct token made, read;
	struct err e = {0};

	(void)state;
	assert_ok_err(token_make(&made, secret, &e), &e);
	assert_int_equal(strlen(secret), TOKEN_SECRET - 1);
	assert_true(token_is_ours(str_from(secret)));
	made.name = STR("ci");
	made.scopes = TOKEN_READ | TOKEN_CONTROL;
	made.tenant = STR("blue");
	made.services = STR("cart,shop");
	made.addresses = STR("10.0.0.0/8,::1");
	made.requests_per_second = 7;
	made.expires = made.created + 86400 * NS_PER_SECOND;
	token_line_write(&line, &made);
	assert_ok(buf_error(&line));
	assert_int_equal(str_find_str(buf_str(&line), str_from(secret)), line.n);
	buf_put_char(&line, 0);
	assert_int_equal(read_line(&read, copy, line.p, &e), 1);
	assert_memory_equal(read.digest, made.digest, TOKEN_DIGEST);
	assert_string_equal(read.id, made.id);
	assert_false(read.plain);
	assert_int_equal(read.scopes, made.scopes);
	assert_str_equal(read.name, made.name);
	assert_str_equal(read.tenant, made.tenant);
	assert_str_equal(read.services, made.services);
	assert_str_equal(read.addresses, made.addresses);
	assert_int_equal(read.requests_per_second, 7);
	assert_int_equal(read.expires / NS_PER_MS, made.expires / NS_PER_MS);
	buf_fini(&line);
}

static void two_new_tokens_differ_and_a_typing_error_is_noticed(void **state)
{
	char one[TOKEN_SECRET], two[TOKEN_SECRET];
	struct token t;
	struct err e = {0};

	(void)state;
	assert_ok_err(token_make(&t, one, &e), &e);
	assert_ok_err(token_make(&t, two, &e), &e);
	assert_string_not_equal(one, two);
	one[20] = one[20] == 'x' ? 'y' : 'x';
	assert_false(token_is_ours(str_from(one)));
	assert_false(token_is_ours(STR("varve_short")));
}

static bool has(const char *list, const char *text)
{
	struct sockaddr_storage at = {0};
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&at;
	struct sockaddr_in *four = (struct sockaddr_in *)&at;

	if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &six->sin6_addr), 1);
		six->sin6_family = AF_INET6;
	}
	return network_list_has(str_from(list), &at);
}

static void addresses_are_in_their_networks(void **state)
{
	static const char *const bad[] = {"",	       ",",	    "10.0.0.0/33",
					  "10.0.0.1,", "::1/129",   "10.0.0",
					  "host.name", "10.0.0.0/", "1.2.3.4/-1"};

	(void)state;
	assert_true(has("10.0.0.0/8", "10.200.0.1"));
	assert_false(has("10.0.0.0/8", "11.0.0.1"));
	assert_true(has("192.168.1.128/25,127.0.0.1", "192.168.1.200"));
	assert_false(has("192.168.1.128/25,127.0.0.1", "192.168.1.127"));
	assert_true(has("192.168.1.128/25,127.0.0.1", "127.0.0.1"));
	assert_true(has("10.0.0.0/8", "::ffff:10.1.1.1"));
	assert_true(has("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(has("2001:db8::/33", "2001:db8:8000::1"));
	assert_true(has("0.0.0.0/0", "1.2.3.4"));
	assert_false(has("0.0.0.0/0", "::1"));
	assert_false(network_list_has(STR("::/0"), NULL));
	for (size_t i = 0; i < countof(bad); i++)
		if (network_list_valid(str_from(bad[i]), 4))
			fail_msg("\"%s\" is accepted", bad[i]);
	assert_false(network_list_valid(STR("::1,::2,::3,::4,::5"), 4));
}

static void a_plain_token_has_all_scopes_and_is_wiped(void **state)
{
	char copy[512];
	struct token t;
	struct err e;

	(void)state;
	assert_int_equal(read_line(&t, copy, "0123456789abcdef blue", &e), 1);
	assert_true(t.plain);
	assert_int_equal(t.scopes, TOKEN_READ | TOKEN_WRITE | TOKEN_CONTROL | TOKEN_ADMIN);
	assert_str_equal(t.tenant, STR("blue"));
	assert_int_equal(strlen(t.id), 12);
	assert_null(strstr(copy, "0123456789abcdef"));
	assert_int_equal(read_line(&t, copy, "  # comment", &e), 0);
	assert_int_equal(read_line(&t, copy, "   ", &e), 0);
}

static void errors_say_what_is_wrong(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"sha256:1234 id=a scopes=read", "64 hex digits"},
		{"sha256:" DIGEST, "missing field: id"},
		{"sha256:" DIGEST " id=a", "missing field: scopes"},
		{"sha256:" DIGEST " id=a scopes=", "unknown scope"},
		{"sha256:" DIGEST " id=a scopes=read,all", "unknown scope \"all\""},
		{"sha256:" DIGEST " id=a scopes=read cidr=10.0.0.0/8", "unknown field \"cidr\""},
		{"sha256:" DIGEST " id=a scopes=read tenant=a/b", "invalid tenant"},
		{"sha256:" DIGEST " id=a scopes=read expires=soon", "soon"},
		{"sha256:" DIGEST " id=a scopes=read expires=now+1d", "absolute time"},
		{"sha256:" DIGEST " id=a scopes=read requests_per_second=-1", "a number up to"},
		{"sha256:" DIGEST " id= scopes=read", "id: expected"},
		{"short", "at least 16"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		char copy[512];
		struct token t;
		struct err e;

		assert_int_equal(read_line(&t, copy, cases[i].line, &e), -EINVAL);
		assert_err_says(&e, cases[i].says);
	}
}

static void services_are_compared_as_a_whole(void **state)
{
	(void)state;
	assert_true(token_serves(STR(""), STR("any")));
	assert_true(token_serves(STR("cart,shop"), STR("shop")));
	assert_false(token_serves(STR("cart,shop"), STR("sho")));
	assert_false(token_serves(STR("cart,shop"), STR("cart,shop")));
	assert_false(token_serves(STR("cart"), STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_new_token_is_written_and_read_back),
		test(two_new_tokens_differ_and_a_typing_error_is_noticed),
		test(a_plain_token_has_all_scopes_and_is_wiped),
		test(addresses_are_in_their_networks),
		test(errors_say_what_is_wrong),
		test(services_are_compared_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
