/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of tenants and tokens, and of connections by address: refusals, their messages, and the
 * release of reservations.
 */
#include "pipeline/admission/limits.h"

#include <arpa/inet.h>
#include <errno.h>

#include "net/peers.h"
#include "test/test.h"

struct fixture {
	struct limits limits;
	struct arena arena;
};

static void begin(struct fixture *f, const struct limits_settings *s)
{
	assert_ok(limits_init(&f->limits, s));
	arena_init(&f->arena, NULL);
}

static void end(struct fixture *f)
{
	arena_fini(&f->arena);
	limits_fini(&f->limits);
}

static bool metrics_contain(struct limits *l, const char *line)
{
	struct buf out = {0};
	bool found;

	limits_metrics(l, &out);
	found = str_find_str(buf_str(&out), str_from(line)) < out.n;
	buf_fini(&out);
	return found;
}

static void without_limits_there_is_no_account(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, &(struct limits_settings){0});
	assert_null(limits_account(&f.limits, &f.arena, STR("blue"), STR("token")));
	assert_true(limits_admit(NULL, NULL));
	limits_charge(NULL, 1, 1);
	end(&f);
}

static void a_rate_applies_to_one_tenant_in_the_long_run(void **state)
{
	struct limits_settings s = {.of[LIMIT_TENANT].bytes_per_second = 1000};
	struct delivery_result why = {0};
	struct account *blue, *red;
	struct fixture f;

	(void)state;
	begin(&f, &s);
	blue = limits_account(&f.limits, &f.arena, STR("blue"), (struct str){0});
	red = limits_account(&f.limits, &f.arena, STR("red"), (struct str){0});
	limits_charge(blue, 9000, 0);
	assert_true(limits_admit(blue, &why)); /* a burst of ten seconds is accepted */
	/* a large write is accepted and charged afterwards */
	limits_charge(blue, 1000000, 0);
	assert_false(limits_admit(blue, &why));
	assert_int_equal(why.rc, -EAGAIN);
	assert_in_range(why.retry_after_ms, 900000, 1000000);
	assert_string_equal(why.reason, "service.limits.tenant.bytes_per_second (1000) is reached");
	assert_true(limits_admit(red, &why));
	/* the account of the tenant is found again */
	blue = limits_account(&f.limits, &f.arena, STR("blue"), (struct str){0});
	assert_false(limits_admit(blue, &why));
	assert_true(metrics_contain(
		&f.limits, "varve_limit_refused_total{limit=\"tenant.bytes_per_second\"} 2\n"));
	end(&f);
}

static void a_token_has_limits_of_its_own(void **state)
{
	struct limits_settings s = {.of[LIMIT_TOKEN].profiles_per_second = 1};
	struct delivery_result why = {0};
	struct account *first, *second;
	struct fixture f;

	(void)state;
	begin(&f, &s);
	assert_null(limits_account(&f.limits, &f.arena, STR("blue"), (struct str){0}));
	first = limits_account(&f.limits, &f.arena, STR("blue"), STR("one"));
	second = limits_account(&f.limits, &f.arena, STR("blue"), STR("two"));
	limits_charge(first, 1 << 30, 100);
	assert_false(limits_admit(first, &why));
	assert_string_equal(why.reason, "service.limits.token.profiles_per_second (1) is reached");
	assert_true(limits_admit(second, &why));
	end(&f);
}

static void a_reservation_succeeds_in_both_quotas_or_none(void **state)
{
	struct limits_settings s = {
		.of[LIMIT_TENANT] = {.series_per_day = 10, .names_per_day = 100},
		.of[LIMIT_TOKEN].names_per_day = 50};
	struct store_quota *quotas[STORE_QUOTAS];
	struct store_limit *reached = NULL;
	struct err e = {0};
	struct fixture f;

	(void)state;
	begin(&f, &s);
	limits_quotas(limits_account(&f.limits, &f.arena, STR("blue"), STR("token")), quotas);
	assert_true(quota_reserve(quotas, (struct store_reserved){10, 50}, &reached));
	assert_false(quota_reserve(quotas, (struct store_reserved){0, 1}, &reached));
	assert_ptr_equal(reached, &quotas[LIMIT_TOKEN]->names);
	assert_int_equal(quotas[LIMIT_TENANT]->names.used, 50);
	assert_false(quota_reserve(quotas, (struct store_reserved){1, 0}, &reached));
	assert_int_equal(quota_fail(reached, 1, &e), -EDQUOT);
	assert_err_says(&e, "service.limits.tenant.series_per_day (10)");
	assert_true(metrics_contain(
		&f.limits, "varve_limit_refused_total{limit=\"tenant.series_per_day\"} 1\n"));
	quota_release(quotas, (struct store_reserved){10, 60});
	assert_int_equal(quotas[LIMIT_TENANT]->series.used, 0);
	assert_int_equal(quotas[LIMIT_TENANT]->names.used, 0); /* never negative */
	assert_true(quota_reserve(quotas, (struct store_reserved){10, 50}, &reached));
	end(&f);
}

static void tenants_beyond_the_capacity_share_an_account(void **state)
{
	struct limits_settings s = {.of[LIMIT_TENANT].series_per_day = 1};
	struct account *last = NULL, *other;
	struct fixture f;
	char name[16];

	(void)state;
	begin(&f, &s);
	for (unsigned i = 0; i < LIMITS_PARTIES + 10; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		last = limits_account(&f.limits, &f.arena, str_from(name), (struct str){0});
		assert_non_null(last->party[LIMIT_TENANT]);
	}
	other = limits_account(&f.limits, &f.arena, STR("another"), (struct str){0});
	assert_ptr_equal(last->party[LIMIT_TENANT], other->party[LIMIT_TENANT]);
	other = limits_account(&f.limits, &f.arena, STR("t1"), (struct str){0});
	assert_ptr_not_equal(last->party[LIMIT_TENANT], other->party[LIMIT_TENANT]);
	end(&f);
}

static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage s = {0};
	struct sockaddr_in *v4 = (struct sockaddr_in *)&s;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&s;

	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1)
		s.ss_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1)
		s.ss_family = AF_INET6;
	else
		fail_msg("%s", text);
	return s;
}

static void connections_are_limited_by_address(void **state)
{
	struct sockaddr_storage a = address("192.0.2.1"), b = address("192.0.2.2"),
				mapped = address("::ffff:192.0.2.1"), v6 = address("2001:db8::1"),
				near = address("2001:db8::2"), far = address("2001:db8:0:1::1");
	struct peers p;

	(void)state;
	assert_ok(peers_init(&p, 100, 2));
	assert_true(peers_add(&p, &a) && peers_add(&p, &mapped));
	assert_false(peers_add(&p, &a));
	assert_true(peers_add(&p, &b));
	peers_remove(&p, &a);
	assert_true(peers_add(&p, &mapped));
	assert_true(peers_add(&p, &v6) && peers_add(&p, &near));
	assert_false(peers_add(&p, &v6));
	assert_true(peers_add(&p, &far));
	peers_fini(&p);
	assert_ok(peers_init(&p, 100, 0));
	for (unsigned i = 0; i < 10; i++)
		assert_true(peers_add(&p, &a));
	peers_fini(&p);
}

/* Compare random additions and removals with a plain array of counters. */
static void the_table_of_addresses_is_exact(void **state)
{
	enum { ADDRESSES = 90, STEPS = 20000, LIMIT = 3 };
	unsigned count[ADDRESSES] = {0};
	uint32_t random = 1;
	struct peers p;

	(void)state;
	assert_ok(peers_init(&p, ADDRESSES * LIMIT, LIMIT));
	for (unsigned step = 0; step < STEPS; step++) {
		struct sockaddr_storage s = {.ss_family = AF_INET};
		unsigned i;

		random = random * 1664525 + 1013904223;
		i = (random >> 16) % ADDRESSES;
		((struct sockaddr_in *)&s)->sin_addr.s_addr = i;
		if (random >> 31 && count[i]) {
			peers_remove(&p, &s);
			count[i]--;
		} else {
			assert_int_equal(peers_add(&p, &s), count[i] < LIMIT);
			count[i] += count[i] < LIMIT;
		}
	}
	peers_fini(&p);
}

TEST_MAIN(cmocka_unit_test(without_limits_there_is_no_account),
	  cmocka_unit_test(a_rate_applies_to_one_tenant_in_the_long_run),
	  cmocka_unit_test(a_token_has_limits_of_its_own),
	  cmocka_unit_test(a_reservation_succeeds_in_both_quotas_or_none),
	  cmocka_unit_test(tenants_beyond_the_capacity_share_an_account),
	  cmocka_unit_test(connections_are_limited_by_address),
	  cmocka_unit_test(the_table_of_addresses_is_exact))
