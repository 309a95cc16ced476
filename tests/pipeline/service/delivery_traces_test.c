/* SPDX-License-Identifier: Apache-2.0 */
/* Recent deliveries by latency, and the HTML that shows them. */
#include "pipeline/service/delivery_traces.h"

#include "base/clock.h"
#include "pipeline/extensions/zpages/zpages_html.h"
#include "test/test.h"

static void add(struct delivery_traces *t, const char *id, uint64_t latency_ns, int rc)
{
	struct traced_name name = {"receiver", id, "grpc", SIGNAL_TRACES};
	struct traced_delivery d = {.latency_ns = latency_ns, .items = latency_ns, .rc = rc};

	delivery_traces_add(t, &name, &d);
}

struct seen {
	unsigned count;
	struct traced_operation last;
};

static void see(void *arg, const struct traced_operation *o)
{
	struct seen *s = arg;

	s->count++;
	s->last = *o;
}

static struct seen *look(struct delivery_traces *t)
{
	static struct seen s;

	s = (struct seen){0};
	delivery_traces_visit(t, see, &s);
	return &s;
}

static void deliveries_are_sorted_by_latency(void **state)
{
	struct delivery_traces t;
	const struct seen *s;

	(void)state;
	delivery_traces_init(&t);
	add(&t, "otlp", 5, 0);
	assert_int_equal(look(&t)->count, 0); /* nobody watches */
	delivery_traces_watch(&t, true);
	for (unsigned i = 0; i < TRACED_LATENCIES; i++) {
		add(&t, "otlp", traced_latency_bounds[i], 0);
		add(&t, "otlp", traced_latency_bounds[i] + 1, 0);
		if (i)
			add(&t, "otlp", traced_latency_bounds[i] - 1, 0);
	}
	add(&t, "otlp", NS_PER_SECOND, -EAGAIN);
	delivery_traces_watch(&t, false);
	add(&t, "otlp", 5, 0);
	s = look(&t);
	assert_int_equal(s->count, 1);
	assert_string_equal(s->last.name, "receiver/otlp/traces/grpc");
	for (unsigned i = 0; i < TRACED_LATENCIES; i++)
		assert_int_equal(s->last.by_latency[i].count, i < TRACED_LATENCIES - 1 ? 3 : 2);
	assert_int_equal(s->last.errors.count, 1);
	assert_int_equal(s->last.errors.kept[0].rc, -EAGAIN);
	delivery_traces_fini(&t);
}

static void memory_is_bounded(void **state)
{
	struct delivery_traces t;
	const struct seen *s;
	char id[200];

	(void)state;
	delivery_traces_init(&t);
	delivery_traces_watch(&t, true);
	for (uint64_t i = 0; i < 3 * TRACED_KEPT; i++)
		add(&t, "otlp", i, 0);
	s = look(&t);
	assert_int_equal(s->last.by_latency[0].count, 3 * TRACED_KEPT);
	for (uint64_t i = 0; i < TRACED_KEPT; i++)
		assert_int_equal(s->last.by_latency[0].kept[i].items, 2 * TRACED_KEPT + i);
	for (unsigned i = 0; i < 2 * TRACED_OPERATIONS_MAX; i++) {
		snprintf(id, sizeof(id), "%u%0150d", i, 0);
		add(&t, id, 1, 0);
	}
	s = look(&t);
	assert_int_equal(s->count, TRACED_OPERATIONS_MAX);
	assert_int_equal(strlen(s->last.name), TRACED_NAME_MAX - 1);
	delivery_traces_fini(&t);
}

static void html_is_escaped(void **state)
{
	static const char *const parameters[] = {"a", "x&\"<\xc3\xa9 y", "b", "1", NULL};
	struct buf out = {0};

	(void)state;
	html_put_text(&out, STR("<a href='x' \"y\">&amp;"));
	assert_str_equal(buf_str(&out), STR("&lt;a href=&#39;x&#39; &quot;y&quot;&gt;&amp;amp;"));
	buf_clear(&out);
	html_put_link(&out, "/p", parameters, STR("<t>"));
	assert_str_equal(buf_str(&out),
			 STR("<a href=\"/p?a=x%26%22%3C%C3%A9%20y&amp;b=1\">&lt;t&gt;</a>"));
	buf_fini(&out);
}

TEST_MAIN(cmocka_unit_test(deliveries_are_sorted_by_latency), cmocka_unit_test(memory_is_bounded),
	  cmocka_unit_test(html_is_escaped))
