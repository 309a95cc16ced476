/* SPDX-License-Identifier: Apache-2.0 */
/* Names and units of Prometheus for those of OpenTelemetry. */
#include "pipeline/convert/prometheus/prom_names.h"
#include "pipeline/convert/prometheus/prom_units.h"
#include "test/test.h"

static const struct {
	enum prom_strategy strategy;
	const char *prefix, *name, *unit;
	enum prom_suffix suffix;
	const char *result;
} metrics[] = {
	{PROM_ESCAPE_WITH_SUFFIXES, "", "http.server.duration", "s", PROM_SUFFIX_NONE,
	 "http_server_duration_seconds"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "a_seconds", "s", PROM_SUFFIX_NONE, "a_seconds"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "requests", "1", PROM_SUFFIX_TOTAL, "requests_total"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "a.total.b", "By", PROM_SUFFIX_TOTAL, "a_b_bytes_total"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "usage", "1", PROM_SUFFIX_GAUGE, "usage_ratio"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "usage", "1", PROM_SUFFIX_NONE, "usage"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "io", "By/s", PROM_SUFFIX_GAUGE, "io_bytes_per_second"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "n", "{request}/s", PROM_SUFFIX_GAUGE, "n_per_second"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "n", "{request}", PROM_SUFFIX_GAUGE, "n"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "n", "foo.bar", PROM_SUFFIX_GAUGE, "n_foo_bar"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "a..b__c-d", "", PROM_SUFFIX_NONE, "a_b_c_d"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "5xx", "", PROM_SUFFIX_NONE, "_5xx"},
	{PROM_ESCAPE_WITH_SUFFIXES, "ns", "a.b", "ms", PROM_SUFFIX_NONE, "ns_a_b_milliseconds"},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "___", "s", PROM_SUFFIX_NONE, ""},
	{PROM_ESCAPE_WITH_SUFFIXES, "", "a:b", "", PROM_SUFFIX_NONE, "a:b"},
	{PROM_ESCAPE_WITHOUT_SUFFIXES, "", "a.b", "s", PROM_SUFFIX_TOTAL, "a_b"},
	{PROM_UTF8_WITH_SUFFIXES, "", "a.b", "s", PROM_SUFFIX_TOTAL, "a.b_seconds_total"},
	{PROM_UTF8_WITH_SUFFIXES, "n", "a.b_total", "1", PROM_SUFFIX_TOTAL, "n_a.b_total"},
	{PROM_NO_TRANSLATION, "", "a.b", "s", PROM_SUFFIX_TOTAL, "a.b"},
};

static void metrics_get_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(metrics); i++) {
		struct arena arena;
		struct str name;

		arena_init(&arena, NULL);
		assert_ok(prom_metric_name(&name, metrics[i].strategy, str_from(metrics[i].prefix),
					   str_from(metrics[i].name), str_from(metrics[i].unit),
					   metrics[i].suffix, &arena));
		assert_str_equal(name, str_from(metrics[i].result));
		arena_fini(&arena);
	}
}

static void labels_get_names(void **state)
{
	static const struct {
		enum prom_strategy strategy;
		const char *name, *result;
	} rows[] = {
		{PROM_ESCAPE_WITH_SUFFIXES, "http.method", "http_method"},
		{PROM_ESCAPE_WITH_SUFFIXES, "a__b", "a__b"},
		{PROM_ESCAPE_WITH_SUFFIXES, "9a", "key_9a"},
		{PROM_ESCAPE_WITH_SUFFIXES, "_a", "key_a"},
		{PROM_ESCAPE_WITH_SUFFIXES, ".a", "key_a"},
		{PROM_ESCAPE_WITH_SUFFIXES, "__a", "__a"},
		{PROM_ESCAPE_WITH_SUFFIXES, "a:b", "a_b"},
		{PROM_ESCAPE_WITHOUT_SUFFIXES, "a b", "a_b"},
		{PROM_UTF8_WITH_SUFFIXES, "a b", "a b"},
		{PROM_NO_TRANSLATION, "a.b", "a.b"},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct arena arena;
		struct str name;

		arena_init(&arena, NULL);
		assert_ok(prom_label_name(&name, rows[i].strategy, str_from(rows[i].name), &arena));
		assert_str_equal(name, str_from(rows[i].result));
		arena_fini(&arena);
	}
}

static void words_become_units_again(void **state)
{
	static const char *const rows[][2] = {
		{"seconds", "s"}, {"bytes", "By"},
		{"ratio", "1"},	  {"bytes_per_second", "By/s"},
		{"foo", "foo"},	  {"per_minute", "/m"},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct buf out = {0};

		prom_unit_ucum(&out, str_from(rows[i][0]));
		assert_str_equal(buf_str(&out), str_from(rows[i][1]));
		buf_fini(&out);
	}
}

static void strategies_have_names(void **state)
{
	enum prom_strategy s;

	(void)state;
	assert_true(prom_strategy_find(STR(""), true, &s));
	assert_int_equal(s, PROM_ESCAPE_WITH_SUFFIXES);
	assert_true(prom_strategy_find(STR(""), false, &s));
	assert_int_equal(s, PROM_ESCAPE_WITHOUT_SUFFIXES);
	assert_true(prom_strategy_find(STR("NoTranslation"), true, &s));
	assert_int_equal(s, PROM_NO_TRANSLATION);
	assert_false(prom_strategy_find(STR("nope"), true, &s));
}

TEST_MAIN(test(metrics_get_names), test(labels_get_names), test(words_become_units_again),
	  test(strategies_have_names))
