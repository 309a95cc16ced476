/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each built-in rule: texts that it changes, with the exact result, and what must not change. All
 * secrets here are invented.
 */
#include "signal/sanitize/sanitize_text.h"

#define S "[REDACTED_SECRET]"

struct text_case {
	const char *rule, *key, *text, *expected;
};

static const struct text_case secrets[] = {
	{"aws-key", "", "AKIAIOSFODNN7EXAMPLE", S},
	{"aws-key", "", "id=ASIAY34FZKBOKMUTVV7A;", "id=" S ";"},
	{"aws-key", "", "line\\nAKIAIOSFODNN7EXAMPLE", "line\\n" S},
	{"github-token", "", "clone 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 now",
	 "clone " S " now"},
	{"github-token", "", "ghs_0123456789abcdefghijklmnopqrstuvwxyz", S},
	{"github-token", "",
	 "github_pat_11ABCDEFG0abcdefghijkl_"
	 "mnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghi",
	 S},
	{"gcp-key", "", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", S},
	{"gcp-key", "", "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", S},
	{"gitlab-token", "", "glpat-a1B2c3D4e5F6g7H8i9J0", S},
	{"slack-token", "", "xoxb-123456789012-123456789012-aBcDeFgHiJkLmNoPqRsTuVwX", S},
	{"slack-token", "",
	 "https://hooks.slack.com/services/T01234567/B01234567/aBcDeFgHiJkLmNoPqRsTuVwX",
	 "https://hooks.slack.com/services/" S},
	{"grafana-token", "", "glsa_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345_0a1b2c3d", S},
	{"npm-token", "", "npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789", S},
	{"stripe-key", "", "sk_live_aBcDeFgHiJkLmNoP", S},
	{"ai-key", "", "sk-proj-aBcDeFgHiJkLmNoPqRsTT3BlbkFJaBcDeFgHiJkLmNoPqRsT", S},
	{"vault-token", "", "hvs.CAESIJabcdefghijklmnopqrstuvwxyz0123456789", S},
	{"azure-secret", "", "abc8Q~aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456", S},
	{"other-token", "",
	 "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", S},
	{"jwt", "",
	 "jwt "
	 "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_"
	 "XgL0n3I9PlFUP0THsR8U.",
	 "jwt " S "."},
	{"private-key", "",
	 "a -----BEGIN RSA PRIVATE KEY-----\\nMIIEow\\n-----END RSA PRIVATE KEY----- b",
	 "a " S " b"},
	{"private-key", "", "-----BEGIN PRIVATE KEY-----\nMIIEow was cut", S},
	{"authorization", "", "Authorization: Bearer abc.def-123", "Authorization: Bearer " S},
	{"authorization", "", "\"authorization\": \"Digest username=u, response=9\"",
	 "\"authorization\": \"Digest " S "\""},
	{"authorization", "", "sent Bearer a1b2c3d4e5", "sent Bearer " S},
	{"authorization", "", "got basic dXNlcjpodW50ZXIy", "got basic " S},
	{"cookie", "", "Cookie: sid=31d4d96e407aad42; lang=de\nHost: a", "Cookie: " S "\nHost: a"},
	{"cookie", "", "set-cookie: sid=31d4; Secure", "set-cookie: " S},
	{"url-password", "", "postgres://app:hunter2@db:5432/shop",
	 "postgres://app:" S "@db:5432/shop"},
	{"url-password", "", "redis://:p@ss@cache", "redis://:" S "@cache"},
	{"url-password", "", "app:hunter2@tcp(db:3306)/shop", "app:" S "@tcp(db:3306)/shop"},
	{"secret", "", "password=hunter2", "password=" S},
	{"secret", "", "PASSWORD : hunter2 end", "PASSWORD : " S " end"},
	{"secret", "", "api_key: abcd1234", "api_key: " S},
	{"secret", "", "api-key=abcd", "api-key=" S},
	{"secret", "", "apikey=abcd&x=1", "apikey=" S "&x=1"},
	{"secret", "", "/cb?token=abc123&state=1", "/cb?token=" S "&state=1"},
	{"secret", "", "{\"client_secret\": \"a \\\"b\\\" c\", \"x\": 1}",
	 "{\"client_secret\": \"" S "\", \"x\": 1}"},
	{"secret", "", "{\\\"password\\\":\\\"hunter2\\\"}", "{\\\"password\\\":\\\"" S "\\\"}"},
	{"secret", "", "mysql --user=a --password=hunter2 -h b",
	 "mysql --user=a --password=" S " -h b"},
	{"secret", "", "tool --db-password hunter2 -v", "tool --db-password " S " -v"},
	{"secret", "", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY=" S},
	{"secret", "", "DB_PASS=x HOME=/root", "DB_PASS=" S " HOME=/root"},
	{"secret", "", "UPDATE u SET password = 'it''s' WHERE id = 1",
	 "UPDATE u SET password = '" S "''s' WHERE id = 1"},
	{"secret", "", "AccountKey=abc+/def==;Endpoint=x", "AccountKey=" S ";Endpoint=x"},
	{"secret-attribute", "db.password", "correct horse", S},
	{"secret-attribute", "http.request.header.authorization", "Bearer abc", S},
	{"secret-attribute", "x-api-key", "abcd", S},
	{"secret-attribute", "userPassword", "abcd", S},
	{"secret-attribute", "SESSION_TOKEN", "550e8400-e29b-41d4-a716-446655440000", S},
	{"secret-attribute", "AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG", S},
	{"email", "", "mail to alice.b+c@mail.example.com, please",
	 "mail to [REDACTED_EMAIL], please"},
	{"email", "enduser.id", "bob@163.com", "[REDACTED_EMAIL]"},
	{"card", "", "4111 1111 1111 1111", "[REDACTED_CARD]"},
	{"card", "", "paid with 5555-5555-5555-4444.", "paid with [REDACTED_CARD]."},
	{"card", "", "card 378282246310005", "card [REDACTED_CARD]"},
	{"card", "card.number", "6011111111111117", "[REDACTED_CARD]"},
};

static const struct text_case addresses[] = {
	{"ip", "", "from 192.168.1.20:8080", "from [REDACTED_IP]:8080"},
	{"ip", "", "peer 2001:db8::8a2e:370:7334 up", "peer [REDACTED_IP] up"},
	{"ip", "client.address", "10.0.0.1", "[REDACTED_IP]"},
};

static void check_cases(const struct text_case *at, size_t n, unsigned groups)
{
	struct text_fixture f;

	for (size_t i = 0; i < n; i++) {
		const struct text_case *c = &at[i];
		struct str out, again;
		int verdict;

		fixture_start(&f, &(struct sanitize_options){.groups = groups});
		verdict = sanitize_text(&f.run, SANITIZE_VALUES, str_from(c->key),
					str_from(c->text), &out);
		if (verdict != SANITIZE_CHANGED || !str_eq(out, str_from(c->expected)))
			fail_msg("%s: \"%s\" becomes \"%.*s\", expected \"%s\"", c->rule, c->text,
				 STR_ARG(out), c->expected);
		if (!fixture_count(&f, c->rule))
			fail_msg("%s: \"%s\": not counted", c->rule, c->text);
		verdict = sanitize_text(&f.run, SANITIZE_VALUES, str_from(c->key), out, &again);
		if (verdict != SANITIZE_KEEP)
			fail_msg("\"%.*s\" changes again", STR_ARG(out));
		fixture_stop(&f);
	}
}

static void each_rule_replaces_its_secrets(void **state)
{
	(void)state;
	check_cases(secrets, countof(secrets), SANITIZE_DEFAULT_GROUPS);
	check_cases(addresses, countof(addresses), SANITIZE_IP);
}

/* Everything that profiles, spans and logs of programs are full of. */
static const char *const harmless[] = {
	/* names of functions and symbols */
	"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
	">::_M_create",
	"_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRKiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_"
	"EEDpOT_",
	"_RNvCs1234_7mycrate3foo",
	"runtime.(*mcache).nextFree",
	"Token::parse(Lexer&)",
	"auth::PasswordHasher::hash",
	"operator==(secret::Key const&, secret::Key const&)",
	"<T as core::convert::Into<U>>::into::h0123456789abcdef",
	"memcpy@@GLIBC_2.14",
	"malloc@plt",
	"java.util.concurrent.ThreadPoolExecutor$Worker.run",
	"get_token_count",
	"eyJustAFunction",
	"parse_token(lexer*, token&)",
	"Foo::Bar<token, 3>::operator=(Foo&&)",
	"sk_buff_free",
	"hf_init",
	"akiaHandler",
	"sg.shop.Cart.add",
	"npm_config_get",
	"XOXB",
	"sk_live_",
	"ghp_",
	"AIza",
	"Q~",
	/* paths and URLs */
	"/usr/lib/x86_64-linux-gnu/libc.so.6",
	"/etc/passwd: permission denied",
	"/home/build/go/pkg/mod/github.com/pkg/errors@v0.9.1/errors.go",
	"node_modules/@babel/core@7.1.2/lib/index.js",
	"https://example.com:8443/a/b?x=1#y",
	"C:\\Users\\build\\secret\\main.cpp",
	"http://[::1]:4318/v1/traces",
	"icon@2x.png",
	"git@github.com:8080",
	"user@1000.service",
	"file:///srv/tokens/list.txt",
	/* versions and identifiers */
	"tokenizers==0.15.2",
	"libsecret-1-0 0.20.5-3",
	"pkg:npm/js-tokens@4.0.0",
	"1.2.3-rc.4+build.5",
	"550e8400-e29b-41d4-a716-446655440000",
	"d41d8cd98f00b204e9800998ecf8427e",
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"4bf92f3577b34da6a3ce929d0e0e4736",
	"00f067aa0ba902b7",
	"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"gnu-build-id:1234567890abcdef1234567890abcdef12345678",
	"1700000000000000000",
	"1700000000123456",
	"1700000000123",
	"1234567890123456",
	"20240131235959",
	"3.141592653589793",
	"0x7ffd4a3c1e90",
	"4.8150000000000004",
	"-4111111111111111",
	"k8s-pod-7d9f8b6c5-x2x4z",
	"arn:aws:iam::123456789012:role/app",
	/* SQL */
	"SELECT password, token FROM users WHERE id = ?",
	"SELECT * FROM t WHERE token = $1",
	"UPDATE users SET password = ? WHERE secret IS NULL",
	"SELECT secret == token",
	/* texts */
	"Basic authentication failed",
	"bearer authentication required",
	"token: }",
	"unexpected token: foo",
	"password=${DB_PASSWORD}",
	"password: ********",
	"api_key=<your key>",
	"token=null",
	"secret: none",
	"Enter password:",
	"max_tokens=4096",
	"tokens: 17",
	"password_policy=strict",
	"cookies enabled",
	"Cookie: none",
	"authorization: required",
	"PWD=/home/app",
	"secretary: Ann",
	"a@b",
	"@everyone",
	"@media (max-width: 100px)",
	"foo @ bar.com x",
	"x = y; // see RFC 6750",
	"10 % of 4111111111",
	"4111111111111112",
	"0000 0000 0000 0000",
	"GET /token HTTP/1.1",
	"HTTP 401: token expired",
	"[REDACTED_SECRET]",
	"password=[REDACTED_SECRET]",
	"postgres://app:[REDACTED_SECRET]@db/shop",
};

static void harmless_texts_stay(void **state)
{
	static const unsigned places[] = {SANITIZE_VALUES, SANITIZE_KEYS,  SANITIZE_FUNCTIONS,
					  SANITIZE_FILES,  SANITIZE_SPANS, SANITIZE_BODIES};
	struct text_fixture f;
	unsigned changed = 0;

	(void)state;
	fixture_start(&f, &(struct sanitize_options){.groups = SANITIZE_DEFAULT_GROUPS});
	for (size_t i = 0; i < countof(harmless); i++)
		for (size_t p = 0; p < countof(places); p++) {
			struct str out;

			if (sanitize_text(&f.run, places[p], (struct str){0}, str_from(harmless[i]),
					  &out) == SANITIZE_KEEP)
				continue;
			changed++;
			print_error("%s: \"%s\" becomes \"%.*s\"\n",
				    sanitize_place_names[__builtin_ctz(places[p])], harmless[i],
				    STR_ARG(out));
		}
	fixture_stop(&f);
	assert_int_equal(changed, 0);
}

/* Names of functions and files are code: only secrets of a fixed form count there. */
static void code_has_only_rules_of_fixed_form(void **state)
{
	static const struct text_case code[] = {
		{"github-token", "", "load_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", "load_" S},
		{"aws-key", "", "src/AKIAIOSFODNN7EXAMPLE.c", "src/" S ".c"},
		{"secret", "", "[password=hunter2]", "[password=" S "]"},
		{"secret", "", "https://a/b.js?token=abc12345&x", "https://a/b.js?token=" S "&x"},
	};
	struct text_fixture f;
	struct str out;

	(void)state;
	fixture_start(&f, &(struct sanitize_options){.groups = SANITIZE_DEFAULT_GROUPS});
	for (size_t i = 0; i < countof(code); i++) {
		assert_int_equal(sanitize_text(&f.run, SANITIZE_FUNCTIONS, (struct str){0},
					       str_from(code[i].text), &out),
				 SANITIZE_CHANGED);
		assert_str_equal(out, str_from(code[i].expected));
	}
	assert_int_equal(sanitize_text(&f.run, SANITIZE_FUNCTIONS, (struct str){0},
				       STR("f(password: hunter2, a@example.com)"), &out),
			 SANITIZE_KEEP);
	fixture_stop(&f);
}

/* Selectors, setters and templates have the words of secrets, and no secret. */
static void code_about_secrets_stays(void **state)
{
	static const char *const names[] = {
		"-[Auth setPassword:user:token:]", "User#password=", "Foo.secret=(String)",
		"lexer<token=3>", "std::map<password, secret=std::less<> >"};
	struct text_fixture f;
	struct str out;

	(void)state;
	fixture_start(&f, &(struct sanitize_options){.groups = SANITIZE_DEFAULT_GROUPS});
	for (size_t i = 0; i < countof(names); i++)
		if (sanitize_text(&f.run, SANITIZE_FUNCTIONS, (struct str){0}, str_from(names[i]),
				  &out) != SANITIZE_KEEP)
			fail_msg("\"%s\" becomes \"%.*s\"", names[i], STR_ARG(out));
	fixture_stop(&f);
}

static void keys_decide_what_a_value_is(void **state)
{
	static const struct {
		const char *key;
		enum sanitize_key_kind kind;
	} keys[] = {
		{"password", SANITIZE_KEY_SECRET},
		{"db.user.passwd", SANITIZE_KEY_SECRET},
		{"accessToken", SANITIZE_KEY_SECRET},
		{"X-API-Key", SANITIZE_KEY_SECRET},
		{"DB_PASS", SANITIZE_KEY_SECRET},
		{"set-cookie", SANITIZE_KEY_SECRET},
		{"aws_secret_access_key", SANITIZE_KEY_SECRET},
		{"token.count", SANITIZE_KEY_ID},
		{"gen_ai.usage.input_tokens", SANITIZE_KEY_PLAIN},
		{"k8s.secret.name", SANITIZE_KEY_PLAIN},
		{"token_type", SANITIZE_KEY_PLAIN},
		{"test.pass", SANITIZE_KEY_PLAIN},
		{"cache.key", SANITIZE_KEY_PLAIN},
		{"card.number", SANITIZE_KEY_CARD},
		{"span_id", SANITIZE_KEY_ID},
		{"traceId", SANITIZE_KEY_ID},
		{"", SANITIZE_KEY_PLAIN},
		{"...", SANITIZE_KEY_PLAIN},
	};

	(void)state;
	for (size_t i = 0; i < countof(keys); i++)
		if (sanitize_key_kind(str_from(keys[i].key)) != keys[i].kind)
			fail_msg("%s is of kind %d", keys[i].key,
				 sanitize_key_kind(str_from(keys[i].key)));
}

static void a_number_of_a_card_in_an_id_stays(void **state)
{
	struct text_fixture f;
	struct str out;

	(void)state;
	fixture_start(&f, &(struct sanitize_options){.groups = SANITIZE_CARDS});
	assert_int_equal(sanitize_text(&f.run, SANITIZE_VALUES, STR("order.id"),
				       STR("4111111111111111"), &out),
			 SANITIZE_KEEP);
	assert_int_equal(
		sanitize_text(&f.run, SANITIZE_VALUES, STR("note"), STR("4111111111111111"), &out),
		SANITIZE_CHANGED);
	fixture_stop(&f);
}

static void function_names_are_hidden_where_it_is_on(void **state)
{
	struct text_fixture f;
	struct str out;

	(void)state;
	fixture_start(&f, &(struct sanitize_options){.groups = SANITIZE_FUNCTION_NAMES});
	assert_int_equal(sanitize_text(&f.run, SANITIZE_FUNCTIONS, (struct str){0},
				       STR("crypto.CheckPassword"), &out),
			 SANITIZE_CHANGED);
	assert_str_equal(out, STR("[REDACTED]"));
	assert_int_equal(sanitize_text(&f.run, SANITIZE_FUNCTIONS, (struct str){0},
				       STR("crypto.Check"), &out),
			 SANITIZE_KEEP);
	assert_int_equal(
		sanitize_text(&f.run, SANITIZE_SPANS, (struct str){0}, STR("CheckPassword"), &out),
		SANITIZE_KEEP);
	fixture_stop(&f);
}

TEST_MAIN(test(each_rule_replaces_its_secrets), test(harmless_texts_stay),
	  test(code_has_only_rules_of_fixed_form), test(code_about_secrets_stays),
	  test(keys_decide_what_a_value_is), test(a_number_of_a_card_in_an_id_stays),
	  test(function_names_are_hidden_where_it_is_on))
