/* SPDX-License-Identifier: Apache-2.0 */
/* Which host names are the server's own, and which requests come from foreign web pages. */
#include "wire/origin.h"

#include "test/test.h"

static void hosts_are_separated_from_ports(void **state)
{
	static const struct {
		const char *text, *host;
		unsigned port;
	} good[] = {
		{"localhost", "localhost", 0},
		{"localhost:4040", "localhost", 4040},
		{"LOCALHOST.:1", "LOCALHOST", 1},
		{"[::1]", "::1", 0},
		{"[::1]:65535", "::1", 65535},
		{"127.0.0.1:", "127.0.0.1", 0},
		{"a.b-c_d.example", "a.b-c_d.example", 0},
	};
	static const char *const bad[] = {
		"",	      ":4040",
		"a:b",	      "a:65536",
		"a:1:2",      "::1",
		"[::1",	      "[::1]4040",
		"[v6]",	      "[1.2.3.4]",
		"a b",	      "user@localhost",
		"a/b",	      "[fe80::1%25eth0]",
		"localhost#", "a%2eb",
		"a,b",	      "a:-1",
		"a:+1",
	};
	struct authority a;

	(void)state;
	for (size_t i = 0; i < countof(good); i++) {
		if (!authority_parse(str_from(good[i].text), &a))
			fail_msg("%s was refused", good[i].text);
		assert_str_equal(a.host, str_from(good[i].host));
		assert_int_equal(a.port, good[i].port);
	}
	for (size_t i = 0; i < countof(bad); i++)
		if (authority_parse(str_from(bad[i]), &a))
			fail_msg("\"%s\" was accepted", bad[i]);
}

static void only_loopback_is_allowed_without_rules(void **state)
{
	static const char *const ours[] = {
		"localhost",	    "LocalHost:4040",	  "localhost.", "shop.localhost:80",
		"127.0.0.1",	    "127.255.0.3:1",	  "[::1]:4040", "[0:0:0:0:0:0:0:1]",
		"a.b.LOCALHOST.:9", "[::ffff:127.0.0.1]",
	};
	static const char *const others[] = {
		"evil.example",
		"localhost.evil.example",
		"xlocalhost",
		".localhost",
		"127.0.0.1.nip.io",
		"128.0.0.1",
		"10.0.0.1",
		"[::2]",
		"127.1",
		"0.0.0.0",
		"[::]",
		"localhost:x",
		"0x7f000001",
		"2130706433",
		"",
	};
	const struct host_rules none = {0};

	(void)state;
	for (size_t i = 0; i < countof(ours); i++)
		if (!host_allowed(&none, str_from(ours[i])))
			fail_msg("%s was refused", ours[i]);
	for (size_t i = 0; i < countof(others); i++)
		if (host_allowed(&none, str_from(others[i])))
			fail_msg("\"%s\" was allowed", others[i]);
}

static void rules_add_host_names(void **state)
{
	static const struct str names[] = {STR_INIT("varve.corp"), STR_INIT("*.svc.local"),
					   STR_INIT("fd00::7"), STR_INIT("10.1.2.3")};
	static const struct str all[] = {STR_INIT("*")};
	const struct host_rules rules = {.names = names, .count = countof(names)};
	const struct host_rules any = {.names = all, .count = 1}, wide = {.any_address = true};

	(void)state;
	assert_true(host_allowed(&rules, STR("Varve.Corp.:4040")));
	assert_true(host_allowed(&rules, STR("a.b.svc.local:1")));
	assert_true(host_allowed(&rules, STR("[FD00:0::7]:1")));
	assert_true(host_allowed(&rules, STR("10.1.2.3")));
	assert_false(host_allowed(&rules, STR("svc.local")));
	assert_false(host_allowed(&rules, STR("xsvc.local")));
	assert_false(host_allowed(&rules, STR("x.varve.corp")));
	assert_false(host_allowed(&rules, STR("10.1.2.4")));
	assert_true(host_allowed(&any, STR("evil.example")));
	assert_true(host_allowed(&wide, STR("192.0.2.9:4040")));
	assert_true(host_allowed(&wide, STR("[2001:db8::1]")));
	assert_false(host_allowed(&wide, STR("evil.example")));
	assert_true(host_rule_valid(STR("[::1]")) && host_rule_valid(STR("::1")) &&
		    host_rule_valid(STR("*")) && host_rule_valid(STR("*.a")));
	assert_false(host_rule_valid(STR("a:4040")) || host_rule_valid(STR("http://a")) ||
		     host_rule_valid(STR("")) || host_rule_valid(STR("a.*")));
}

static bool foreign(const char *host, const char *origin, const char *site, bool tls)
{
	static const struct str names[] = {STR_INIT("varve.corp"), STR_INIT("*")};
	const struct host_rules rules = {.names = names, .count = countof(names)};
	const struct origin_request r = {.host = str_from(host),
					 .origin = str_from(origin),
					 .fetch_site = str_from(site),
					 .tls = tls};

	return origin_is_foreign(&rules, &r);
}

static void origins_are_own_or_foreign(void **state)
{
	static const struct {
		const char *host, *origin, *site;
		bool tls, foreign;
	} cases[] = {
		{"localhost:4040", "", "", false, false},
		{"localhost:4040", "http://localhost:4040", "same-origin", false, false},
		{"LOCALHOST.:4040", "http://localhost:4040", "", false, false},
		{"[::1]:4040", "http://[0::1]:4040", "", false, false},
		{"localhost", "http://localhost:80", "none", false, false},
		{"varve.example", "https://varve.example", "", false, false}, /* through a proxy */
		{"varve.example", "https://varve.example", "", true, false},
		{"varve.example", "http://varve.example", "", true, true},
		{"127.0.0.1:4040", "https://varve.corp", "", false, false},
		{"127.0.0.1:4040", "http://varve.corp:4040", "", false, false},
		{"127.0.0.1:4040", "http://varve.corp:3000", "", false, true},
		{"localhost:4040", "http://evil.example", "", false, true},
		{"localhost:4040", "http://localhost:3000", "", false, true},
		{"localhost:4040", "http://127.0.0.1:4040", "", false, true},
		{"localhost:4040", "http://localhost:4040", "cross-site", false, true},
		{"localhost:4040", "", "cross-site", false, true},
		{"localhost:4040", "", "same-site", false, true},
		{"localhost:4040", "", "same-origin", false, false},
		{"localhost:4040", "", "none", false, false},
		{"localhost:4040", "null", "", false, true},
		{"localhost:4040", "file://", "", false, true},
		{"localhost:4040", "chrome-extension://localhost:4040", "", false, true},
		{"localhost:4040", "http://localhost:4040/", "", false, true},
		{"localhost:4040", "http://localhost:4040, http://evil", "", false, true},
		{"", "http://localhost", "", false, true},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (foreign(cases[i].host, cases[i].origin, cases[i].site, cases[i].tls) !=
		    cases[i].foreign)
			fail_msg("host %s, origin \"%s\", site \"%s\"", cases[i].host,
				 cases[i].origin, cases[i].site);
}

static void a_link_is_a_navigation(void **state)
{
	struct origin_request r = {.fetch_mode = STR("navigate"), .fetch_dest = STR("document")};

	(void)state;
	assert_true(origin_is_navigation(&r));
	r.fetch_dest = STR("iframe");
	assert_false(origin_is_navigation(&r));
	r.fetch_dest = (struct str){0};
	assert_true(origin_is_navigation(&r));
	r.origin = STR("http://evil.example"); /* a form submission */
	assert_false(origin_is_navigation(&r));
	r = (struct origin_request){.fetch_mode = STR("no-cors")};
	assert_false(origin_is_navigation(&r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_separated_from_ports),
		cmocka_unit_test(only_loopback_is_allowed_without_rules),
		cmocka_unit_test(rules_add_host_names),
		cmocka_unit_test(origins_are_own_or_foreign),
		cmocka_unit_test(a_link_is_a_navigation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
