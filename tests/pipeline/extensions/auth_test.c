/* SPDX-License-Identifier: Apache-2.0 */
/* basicauth and bearertokenauth: which requests are accepted, what exporters send, changed files. */
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/extensions/authenticator.h"
#include "pipeline/extensions/basicauth/basicauth.h"
#include "pipeline/extensions/basicauth/htpasswd.h"
#include "pipeline/extensions/bearertokenauth/bearertokenauth.h"
#include "pipeline/extensions/secret_file.h"
#include "test/component.h"
#include "test/net.h"
#include "wire/text.h"

static const struct component_env env = {.id = "auth"};

/* Return the status for a request with this header; 0: accepted. */
static unsigned status_of(const struct test_component *x, const char *name, const char *value,
			  struct http_refusal *why)
{
	struct http_header header = {str_from(name), str_from(value ? value : "")};
	struct http_exchange exchange = {.headers = &header, .header_count = value ? 1 : 0};

	*why = (struct http_refusal){0};
	if (x->type->auth->admit(x->instance, &exchange, why))
		return 0;
	return why->status;
}

static unsigned basic_status(const struct test_component *x, const char *credentials)
{
	struct http_refusal why;
	struct buf value = {0};
	unsigned status;

	buf_put_str(&value, STR("Basic "));
	base64_encode(&value, str_from(credentials));
	buf_put_char(&value, 0);
	status = status_of(x, "authorization", value.p, &why);
	assert_null(strstr(why.text, "secret"));
	buf_fini(&value);
	return status;
}

static void assert_refused(const struct test_component *x, const char *name, const char *value,
			   const char *text)
{
	struct http_refusal why;

	assert_int_equal(status_of(x, name, value, &why), 401);
	assert_string_equal(why.text, text);
}

static void assert_sends(const struct test_component *x, const char *name, const char *value)
{
	struct str got;
	struct buf b = {0};
	struct err e = {0};

	assert_ok_err(x->type->auth->credentials(x->instance, &got, &b, &e), &e);
	assert_str_equal(got, str_from(name));
	assert_str_equal(buf_str(&b), str_from(value));
	buf_fini(&b);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_ok(fclose(f));
}

/* ---- passwords ---- */

static void hashes_of_htpasswd_are_verified(void **state)
{
	/* By `openssl passwd`, crypt(3) of Python, and hashlib. */
	static const struct {
		const char *password, *hash;
		bool slow;
	} cases[] = {
		{"secret", "$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/", true},
		{"a much longer password with spaces, 40+", "$apr1$abc$THWu2g3CH.z4ghKHiLuue0",
		 true},
		{"secret", "$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1", true},
		{"secret", "$5$abcdefgh$gruCpC7VkOTspMQTTSAR8mtlO9Upms.fwqE5y16JVM.", true},
		{"secret", "$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a", true},
		{"secret", "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a", true},
		{"secret", "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", false},
		{"secret", "{SSHA}gVK8WC9YyFT1gMsQHTGCgT3sSv5zYWx0", false},
		{"secret", "secret", false},
	};
	char longest[600];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	for (size_t i = 0; i < countof(cases); i++) {
		struct str hash = str_from(cases[i].hash);

		assert_true(htpasswd_verify(str_from(cases[i].password), hash));
		assert_false(htpasswd_verify(STR("secre"), hash));
		assert_false(htpasswd_verify(STR(""), hash));
		assert_false(htpasswd_verify(STR("secret\0x"), hash));
		assert_false(htpasswd_verify(str_of(longest, sizeof(longest)), hash));
		assert_int_equal(htpasswd_is_slow(hash), cases[i].slow);
	}
	assert_false(htpasswd_verify(STR("secret"), STR("")));
	assert_false(htpasswd_verify(STR("secret"), STR("$9$unknown$hash")));
	assert_false(htpasswd_verify(STR("secret"), STR("$apr1$")));
	assert_false(htpasswd_verify(STR("secret"), STR("{SHA}!")));
}

static void users_are_read_by_line(void **state)
{
	struct htpasswd h;
	struct buf text = {0};
	struct err e = {0};

	(void)state;
	buf_put_str(&text, STR("# comment\nzoe:1\n\n bob:2 \nalice:3:4\nbob:5\n"));
	assert_ok(htpasswd_read(&h, &text, NULL));
	assert_int_equal(h.count, 3);
	assert_str_equal(htpasswd_hash(&h, STR("bob")), STR("5"));
	assert_str_equal(htpasswd_hash(&h, STR("alice")), STR("3:4"));
	assert_str_equal(htpasswd_hash(&h, STR("zoe")), STR("1"));
	assert_int_equal(htpasswd_hash(&h, STR("bo")).n, 0);
	htpasswd_fini(&h);
	buf_put_str(&text, STR("alice:x\nmy-password-without-name\n"));
	assert_int_equal(htpasswd_read(&h, &text, &e), -EINVAL);
	assert_err_says(&e, "line 2: expected NAME:HASH");
	assert_null(strstr(e.text, "my-password"));
}

static void basic_accepts_users_of_file_and_text(void **state)
{
	char path[] = "/tmp/auth_XXXXXX", yaml[400];
	struct test_component x;

	(void)state;
	close(mkstemp(path));
	write_file(path, "alice:$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/");
	snprintf(yaml, sizeof(yaml), "htpasswd:\n  file: %s\n  inline: |\n    bob:plain:text\n",
		 path);
	assert_ok_err(test_component_new(&x, &basicauth_extension, &env, yaml), &x.e);
	for (int i = 0; i < 3; i++) { /* verified, then remembered */
		assert_int_equal(basic_status(&x, "alice:secret"), 0);
		assert_int_equal(basic_status(&x, "bob:plain:text"), 0);
		assert_int_equal(basic_status(&x, "bob:plain"), 401);
		assert_int_equal(basic_status(&x, "alice:secret2"), 401);
		assert_int_equal(basic_status(&x, "carol:secret"), 401);
	}
	assert_refused(&x, "authorization", NULL, "no basic auth provided");
	assert_refused(&x, "authorization", "Bearer x", "invalid authorization scheme prefix");
	assert_refused(&x, "authorization", "Basic !", "invalid authorization format");
	assert_refused(&x, "authorization", "Basic YWJj", "invalid authorization format");
	assert_refused(&x, "authorization", "Basic YTpi", "invalid credentials");
	test_component_free(&x);
	unlink(path);
}

static void changed_users_replace_the_remembered_ones(void **state)
{
	char path[] = "/tmp/auth_XXXXXX", yaml[400];
	uint64_t deadline = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;
	struct test_component x;

	(void)state;
	close(mkstemp(path));
	write_file(path, "alice:secret\n");
	snprintf(yaml, sizeof(yaml), "htpasswd: {file: %s}\n", path);
	assert_ok_err(test_component_new(&x, &basicauth_extension, &env, yaml), &x.e);
	assert_int_equal(basic_status(&x, "alice:secret"), 0);
	write_file(path, "not a line of users\n"); /* invalid: the users stay */
	usleep(SECRET_FILE_CHECK_MS * 1000 + 200000);
	assert_int_equal(basic_status(&x, "alice:secret"), 0);
	write_file(path, "alice:changed\n");
	while (basic_status(&x, "alice:secret") == 0 && clock_monotonic_ns() < deadline)
		usleep(50000);
	assert_int_equal(basic_status(&x, "alice:secret"), 401);
	assert_int_equal(basic_status(&x, "alice:changed"), 0);
	test_component_free(&x);
	unlink(path);
}

static void verifying_unknown_passwords_is_limited(void **state)
{
	struct test_component x;
	char credentials[64];
	unsigned status = 0;

	(void)state;
	/* Cost 10: about 50 ms each, so that the limit of 2 s is reached. */
	assert_ok_err(
		test_component_new(
			&x, &basicauth_extension, &env,
			"htpasswd:\n  inline: |\n"
			"    known:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"
			"    slow:$2y$10$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"),
		&x.e);
	assert_int_equal(basic_status(&x, "known:secret"), 0);
	for (int i = 0; i < 2000 && status != 429; i++) {
		snprintf(credentials, sizeof(credentials), "slow:%d", i);
		status = basic_status(&x, credentials);
		assert_true(status == 401 || status == 429);
	}
	assert_int_equal(status, 429);
	assert_int_equal(basic_status(&x, "known:secret"), 0); /* remembered */
	test_component_free(&x);
}

/* ---- what exporters send ---- */

static void basic_sends_name_and_password(void **state)
{
	char name[] = "/tmp/auth_XXXXXX", password[] = "/tmp/auth_XXXXXX", yaml[400];
	struct test_component x;
	struct str header;
	struct buf value = {0};

	(void)state;
	assert_ok_err(test_component_new(&x, &basicauth_extension, &env,
					 "client_auth: {username: u, password: p}\n"),
		      &x.e);
	assert_sends(&x, "authorization", "Basic dTpw");
	test_component_free(&x);
	close(mkstemp(name));
	close(mkstemp(password));
	write_file(name, "u\n");
	write_file(password, "p\r\n");
	snprintf(yaml, sizeof(yaml),
		 "client_auth: {username: x, username_file: %s, password_file: %s}\n", name,
		 password);
	assert_ok_err(test_component_new(&x, &basicauth_extension, &env, yaml), &x.e);
	assert_sends(&x, "authorization", "Basic dTpw");
	unlink(password);
	unlink(name);
	assert_sends(&x, "authorization", "Basic dTpw"); /* as they were */
	test_component_free(&x);
	assert_ok_err(
		test_component_new(&x, &basicauth_extension, &env, "htpasswd: {inline: \"u:p\"}\n"),
		&x.e);
	assert_int_equal(x.type->auth->credentials(x.instance, &header, &value, NULL), -EINVAL);
	test_component_free(&x);
}

static void bearer_sends_the_first_token_and_accepts_all(void **state)
{
	struct test_component x;
	struct http_refusal why;

	(void)state;
	assert_ok_err(
		test_component_new(&x, &bearertokenauth_extension, &env, "tokens: [one, two]\n"),
		&x.e);
	assert_sends(&x, "authorization", "Bearer one");
	assert_int_equal(status_of(&x, "authorization", "Bearer one", &why), 0);
	assert_int_equal(status_of(&x, "authorization", "Bearer two", &why), 0);
	assert_refused(&x, "authorization", "Bearer three",
		       "provided authorization does not match expected scheme or token");
	assert_refused(&x, "authorization", "one",
		       "provided authorization does not match expected scheme or token");
	assert_refused(&x, "authorization", NULL,
		       "missing or empty authorization header: Authorization");
	test_component_free(&x);
	assert_ok_err(test_component_new(&x, &bearertokenauth_extension, &env,
					 "{token: abc, scheme: \"\", header: X-Api-Key}\n"),
		      &x.e);
	assert_sends(&x, "x-api-key", "abc");
	assert_int_equal(status_of(&x, "x-api-key", "abc", &why), 0);
	assert_refused(&x, "authorization", "Bearer abc",
		       "missing or empty authorization header: X-Api-Key");
	test_component_free(&x);
}

static void a_changed_token_file_is_used(void **state)
{
	char path[] = "/tmp/auth_XXXXXX", yaml[200];
	uint64_t deadline = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;
	struct test_component x;
	struct http_refusal why;

	(void)state;
	close(mkstemp(path));
	write_file(path, "one\n\ntwo\n");
	snprintf(yaml, sizeof(yaml), "filename: %s\n", path);
	assert_ok_err(test_component_new(&x, &bearertokenauth_extension, &env, yaml), &x.e);
	assert_sends(&x, "authorization", "Bearer one");
	assert_int_equal(status_of(&x, "authorization", "Bearer two", &why), 0);
	write_file(path, "three\n");
	while (status_of(&x, "authorization", "Bearer three", &why) &&
	       clock_monotonic_ns() < deadline)
		usleep(50000);
	assert_int_equal(status_of(&x, "authorization", "Bearer three", &why), 0);
	assert_int_equal(status_of(&x, "authorization", "Bearer one", &why), 401);
	assert_sends(&x, "authorization", "Bearer three");
	test_component_free(&x);
	unlink(path);
}

static void bad_settings_are_refused(void **state)
{
	const struct component *basic = &basicauth_extension, *bearer = &bearertokenauth_extension;

	(void)state;
	test_component_refused(basic, &env, "{}\n", "no credential source provided");
	test_component_refused(basic, &env,
			       "{htpasswd: {inline: \"a:b\"}, client_auth: {username: a}}\n",
			       "only one of `htpasswd` and `client_auth`");
	test_component_refused(basic, &env, "client_auth: {password: secret}\n", "username");
	test_component_refused(basic, &env, "htpasswd: {file: /nowhere/users}\n",
			       "/nowhere/users: No such file");
	test_component_refused(basic, &env, "htpasswd: {inline: secret}\n", "line 2");
	test_component_refused(bearer, &env, "{}\n", "no bearer token provided");
	test_component_refused(bearer, &env, "{token: a, tokens: [b]}\n",
			       "either tokens or token should be specified, not both");
	test_component_refused(bearer, &env, "filename: /nowhere/token\n", "/nowhere/token");
	test_component_refused(bearer, &env, "token: \"a\\nb\"\n", "control character");
	test_component_refused(bearer, &env, "{token: a, header: \"x y\"}\n", "header");
}

TEST_MAIN(test(hashes_of_htpasswd_are_verified), test(users_are_read_by_line),
	  test(basic_accepts_users_of_file_and_text),
	  test(changed_users_replace_the_remembered_ones),
	  test(verifying_unknown_passwords_is_limited), test(basic_sends_name_and_password),
	  test(bearer_sends_the_first_token_and_accepts_all), test(a_changed_token_file_is_used),
	  test(bad_settings_are_refused))
