/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer: the current span of a thread, the life of spans, and the encoded OTLP, decoded again.
 */
#include "sdk/trace/span.h"
#include "sdk/trace/span_encode.h"
#include "sdk/trace/span_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "signal/profile/profile.h"
#include "test/test.h"
#include "wire/proto.h"

/* One span decoded from the exported bytes. */
struct sent {
	struct str trace_id, span_id, parent_id, name, trace_state, status_message;
	uint64_t kind, start, end, status, lost_attributes;
	uint32_t flags;
	struct str attributes[160], events[160], links[160];
	unsigned attribute_count, event_count, link_count;
};

static struct buf taken;

static int begin(struct tracer_options o)
{
	o.export = true;
	return tracer_start(&o, NULL);
}

static int tracer_setup(void **state)
{
	(void)state;
	return begin((struct tracer_options){.sampler = VARVE_SAMPLER_DEFAULT, .ratio = 1});
}

static int tracer_teardown(void **state)
{
	(void)state;
	tracer_stop();
	buf_fini(&taken);
	return 0;
}

static void read_status(struct str bytes, struct sent *s)
{
	struct proto_reader r = proto_reader_of(bytes);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			s->status_message = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_VARINT))
			s->status = proto_varint(&r);
		else
			proto_skip(&r);
	}
	assert_int_equal(r.error, 0);
}

static void read_span(struct str bytes, struct sent *s)
{
	struct proto_reader r = proto_reader_of(bytes);

	*s = (struct sent){0};
	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			s->trace_id = proto_bytes(&r);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			s->span_id = proto_bytes(&r);
			break;
		case PROTO_TAG(3, PROTO_BYTES):
			s->trace_state = proto_bytes(&r);
			break;
		case PROTO_TAG(4, PROTO_BYTES):
			s->parent_id = proto_bytes(&r);
			break;
		case PROTO_TAG(5, PROTO_BYTES):
			s->name = proto_bytes(&r);
			break;
		case PROTO_TAG(6, PROTO_VARINT):
			s->kind = proto_varint(&r);
			break;
		case PROTO_TAG(7, PROTO_FIXED64):
			s->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(8, PROTO_FIXED64):
			s->end = proto_fixed64(&r);
			break;
		case PROTO_TAG(9, PROTO_BYTES):
			s->attributes[s->attribute_count++] = proto_bytes(&r);
			break;
		case PROTO_TAG(10, PROTO_VARINT):
			s->lost_attributes = proto_varint(&r);
			break;
		case PROTO_TAG(11, PROTO_BYTES):
			s->events[s->event_count++] = proto_bytes(&r);
			break;
		case PROTO_TAG(13, PROTO_BYTES):
			s->links[s->link_count++] = proto_bytes(&r);
			break;
		case PROTO_TAG(15, PROTO_BYTES):
			read_status(proto_bytes(&r), s);
			break;
		case PROTO_TAG(16, PROTO_FIXED32):
			s->flags = proto_fixed32(&r);
			break;
		default:
			proto_skip(&r);
		}
	}
	assert_int_equal(r.error, 0);
}

/* Return element `index` of a repeated message field. */
static struct str element(struct str message, uint32_t field, unsigned index)
{
	struct proto_reader r = proto_reader_of(message);
	struct str bytes = {0};

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		bytes = proto_bytes(&r);
		if (!index--)
			return bytes;
	}
	assert_int_equal(r.error, 0);
	return (struct str){0};
}

/* Take all ended spans and return their number; sent_span() decodes number `index` of them. */
static uint64_t take(void)
{
	const struct keyvalue resource[] = {{STR("service.name"), VALUE_OF_STR(STR("shop"))}};
	uint64_t spans, lost;

	buf_clear(&taken);
	assert_ok(tracer_take(&taken, resource, 1, &spans, &lost));
	return spans;
}

static void sent_span(unsigned index, struct sent *out)
{
	struct str scope_spans = element(element(buf_str(&taken), 1, 0), 2, 0);
	struct str bytes = element(scope_spans, 2, index);

	assert_true(bytes.n > 0);
	read_span(bytes, out);
}

/* Return the value of an attribute, an encoded AnyValue. */
static struct str attribute(const struct sent *s, const char *key)
{
	for (unsigned i = 0; i < s->attribute_count; i++)
		if (str_eq(element(s->attributes[i], 1, 0), str_from(key)))
			return element(s->attributes[i], 2, 0);
	return (struct str){0};
}

static bool is_current(const struct varve_span *span)
{
	struct varve_context c;
	uint8_t trace_id[16], span_id[8];
	bool any = span_current_ids(trace_id, span_id);

	if (!span)
		return !any;
	assert_ok(varve_context_of(span, &c));
	return any && !memcmp(c.trace_id, trace_id, 16) && !memcmp(c.span_id, span_id, 8);
}

static void a_span_is_current_until_it_ends_and_then_its_parent_is(void **state)
{
	struct varve_span *outer, *inner;
	struct sent a, b;

	(void)state;
	assert_true(is_current(NULL));
	outer = varve_span_start("outer", NULL);
	assert_true(is_current(outer));
	inner = varve_span_start("inner", NULL);
	assert_true(is_current(inner));
	varve_span_end(inner);
	assert_true(is_current(outer));
	varve_span_end(outer);
	assert_true(is_current(NULL));
	assert_int_equal(take(), 2);
	sent_span(0, &a);
	sent_span(1, &b);
	assert_str_equal(a.name, STR("inner"));
	assert_str_equal(b.name, STR("outer"));
	assert_str_equal(a.parent_id, b.span_id);
	assert_str_equal(a.trace_id, b.trace_id);
	assert_int_equal(a.trace_id.n, 16);
	assert_int_equal(b.parent_id.n, 0);
	assert_true(a.start >= b.start && a.end <= b.end && a.end >= a.start);
	assert_true(b.end <= clock_realtime_ns() &&
		    b.end > clock_realtime_ns() - 60 * NS_PER_SECOND);
	assert_int_equal(a.kind, VARVE_SPAN_INTERNAL);
	assert_int_equal(a.flags, 0x101);
	assert_int_equal(take(), 0);
	assert_int_equal(taken.n, 0);
}

static void events_and_exceptions_have_attributes(void **state)
{
	struct varve_attribute a[] = {varve_str("cache", "l2"), varve_int("n", 5)};
	struct varve_span *span = varve_span_start("x", NULL);
	struct sent s;

	(void)state;
	varve_span_add_event_with(span, "miss", a, 2);
	varve_span_record_exception(span, "std::bad_alloc", "out of memory", NULL, a, 1);
	varve_span_record_exception(NULL, "a", "b", "c", NULL, 0);
	varve_span_end(span);
	assert_int_equal(take(), 1);
	sent_span(0, &s);
	assert_int_equal(s.event_count, 2);
	assert_str_equal(element(s.events[0], 2, 0), STR("miss"));
	assert_str_equal(element(element(element(s.events[0], 3, 0), 2, 0), 1, 0), STR("l2"));
	assert_str_equal(element(s.events[1], 2, 0), STR("exception"));
	assert_str_equal(element(element(s.events[1], 3, 0), 1, 0), STR("cache"));
	assert_str_equal(element(element(s.events[1], 3, 1), 1, 0), STR("exception.message"));
	assert_str_equal(element(element(element(s.events[1], 3, 2), 2, 0), 1, 0),
			 STR("std::bad_alloc"));
	assert_int_equal(element(s.events[1], 3, 3).n, 0);
	assert_int_equal(s.status, 0); /* the caller decides whether the span failed */
}

static void the_current_span_is_known_on_its_thread(void **state)
{
	struct varve_span *outer = varve_span_start("outer", NULL), *inner;
	struct varve_context elsewhere = {.trace_id = {1}, .span_id = {1}}, before;

	(void)state;
	assert_ptr_equal(varve_span_current(), outer);
	inner = varve_span_start("inner", NULL);
	assert_ptr_equal(varve_span_current(), inner);
	varve_context_attach(&elsewhere, &before); /* a span of another process */
	assert_null(varve_span_current());
	varve_context_detach(&before);
	varve_span_end(inner);
	assert_ptr_equal(varve_span_current(), outer);
	varve_span_end(outer);
	assert_null(varve_span_current());
}

static void spans_are_sent_inside_resource_and_scope(void **state)
{
	struct str resource_spans, pair;

	(void)state;
	varve_span_end(varve_span_start("x", NULL));
	take();
	resource_spans = element(buf_str(&taken), 1, 0);
	pair = element(element(resource_spans, 1, 0), 1, 0);
	assert_str_equal(element(pair, 1, 0), STR("service.name"));
	assert_str_equal(element(element(pair, 2, 0), 1, 0), STR("shop"));
	assert_str_equal(element(element(element(resource_spans, 2, 0), 1, 0), 1, 0), STR("varve"));
}

static void all_fields_of_a_span_are_sent(void **state)
{
	struct varve_context other = {.trace_id = {1}, .span_id = {2}, .flags = 1};
	struct varve_span *s = varve_span_start_with("order", VARVE_SPAN_SERVER, NULL);
	struct sent got;
	char text[16];

	(void)state;
	varve_span_set_str(s, "id", "first");
	varve_span_set_int(s, "n", -5);
	varve_span_set_double(s, "d", 0.5);
	varve_span_set_bool(s, "b", 7);
	varve_span_set_str(s, "id", "second");
	varve_span_set_str(s, NULL, "x");
	varve_span_set_str(s, "null", NULL);
	varve_span_add_event(s, "happened");
	varve_span_add_link(s, &other);
	varve_span_set_ok(s);
	varve_span_set_error(s, "broken");
	varve_span_end(s);
	assert_int_equal(take(), 1);
	sent_span(0, &got);
	assert_int_equal(got.kind, VARVE_SPAN_SERVER);
	assert_int_equal(got.attribute_count, 4);
	assert_str_equal(attribute(&got, "id"), STR("\x0a\x06second"));
	assert_str_equal(attribute(&got, "n"), STR("\x18\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
	assert_str_equal(attribute(&got, "d"), STR("\x21\0\0\0\0\0\0\xe0\x3f"));
	assert_str_equal(attribute(&got, "b"), STR("\x10\x01"));
	assert_int_equal(got.event_count, 1);
	assert_str_equal(element(got.events[0], 2, 0), STR("happened"));
	assert_int_equal(got.link_count, 1);
	assert_str_equal(element(got.links[0], 1, 0), str_of((char *)other.trace_id, 16));
	assert_str_equal(element(got.links[0], 2, 0), str_of((char *)other.span_id, 8));
	assert_int_equal(got.status, 2);
	assert_str_equal(got.status_message, STR("broken"));
	snprintf(text, sizeof(text), "%u", got.flags);
	assert_string_equal(text, "1");
}

static void dropped_attributes_and_events_are_counted(void **state)
{
	struct varve_span *s = varve_span_start("many", NULL);
	static char text[100000];
	struct sent got;
	char key[16];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 140; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		varve_span_set_int(s, key, i);
		varve_span_add_event(s, key);
	}
	varve_span_set_int(s, "k5", 1); /* replaces an existing attribute */
	varve_span_end(s);
	s = varve_span_start(text, NULL);
	for (int i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		varve_span_set_str(s, key, text);
	}
	varve_span_end(s);
	assert_int_equal(take(), 2);
	sent_span(0, &got);
	assert_int_equal(got.attribute_count, 128);
	assert_int_equal(got.lost_attributes, 12);
	assert_int_equal(got.event_count, 128);
	sent_span(1, &got);
	assert_int_equal(got.name.n, 256);
	assert_int_equal(got.attribute_count, 15); /* 4 KiB each, of 64 KiB in total */
	assert_int_equal(got.lost_attributes, 25);
}

static void strings_are_sent_as_valid_utf8(void **state)
{
	struct varve_span *s = varve_span_start("bad \xff name \xc3", NULL);
	static char text[5000];
	struct sent got;
	struct str value;

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2); /* so that the limit falls within a character */
	memmove(text + 1, text, sizeof(text) - 2);
	text[0] = 'x';
	varve_span_set_str(s, "long", text);
	varve_span_set_str(s, "bad", "\x80 \xe2\x82\xac");
	varve_span_end(s);
	take();
	sent_span(0, &got);
	assert_str_equal(got.name, STR("bad ? name ?"));
	value = element(attribute(&got, "long"), 1, 0);
	assert_int_equal(value.n, 4095);
	assert_int_equal(str_utf8_valid(value), value.n);
	assert_str_equal(element(attribute(&got, "bad"), 1, 0), STR("? \xe2\x82\xac"));
}

static void parents_are_set_from_traceparent_and_from_contexts(void **state)
{
	const char *parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
	char text[VARVE_TRACEPARENT_SIZE];
	struct varve_context c;
	struct varve_span *s;
	struct sent got;

	(void)state;
	s = varve_span_start("a", parent);
	assert_ok(varve_traceparent(text));
	assert_memory_equal(text, parent, 36);
	assert_memory_not_equal(text + 36, parent + 36, 16);
	varve_span_end(s);
	assert_int_equal(varve_traceparent(text), -ENOENT);
	assert_ok(varve_context_parse(&c, parent, "vendor=x,other@v=y"));
	s = varve_span_start_with("b", VARVE_SPAN_CONSUMER, &c);
	varve_span_end(varve_span_start("c", NULL)); /* inherits the parent's state */
	varve_span_end(s);
	varve_span_end(varve_span_start("d", "rubbish"));
	assert_int_equal(take(), 4);
	sent_span(0, &got);
	assert_str_equal(got.parent_id, STR("\xb7\xad\x6b\x71\x69\x20\x33\x31"));
	assert_int_equal(got.flags, 0x301);
	sent_span(1, &got);
	assert_str_equal(got.name, STR("c"));
	assert_str_equal(got.trace_state, STR("vendor=x,other@v=y"));
	sent_span(2, &got);
	assert_str_equal(got.trace_state, STR("vendor=x,other@v=y"));
	sent_span(3, &got);
	assert_int_equal(got.parent_id.n, 0);
	assert_int_equal(got.trace_state.n, 0);
}

static void spans_that_end_out_of_order_leave_the_right_span_current(void **state)
{
	struct varve_span *a = varve_span_start("a", NULL), *b = varve_span_start("b", NULL);
	struct varve_span *c = varve_span_start("c", NULL);

	(void)state;
	varve_span_end(b);
	assert_true(is_current(c));
	varve_span_end(b); /* a second end has no effect */
	varve_span_end(c);
	assert_true(is_current(a));
	b = varve_span_start("b", NULL);
	varve_span_end(a);
	assert_true(is_current(b));
	varve_span_end(b);
	assert_true(is_current(NULL));
	assert_int_equal(take(), 4);
}

static void *end_span_in_thread(void *arg)
{
	varve_span_end(arg);
	return NULL;
}

static void another_thread_can_end_a_span(void **state)
{
	struct varve_span *a = varve_span_start("a", NULL), *b = varve_span_start("b", NULL);
	pthread_t thread;

	(void)state;
	assert_ok(pthread_create(&thread, NULL, end_span_in_thread, b));
	pthread_join(thread, NULL);
	assert_true(is_current(a)); /* not updated by this thread yet; a hook checks it */
	assert_ok(pthread_create(&thread, NULL, end_span_in_thread, a));
	pthread_join(thread, NULL);
	assert_true(is_current(NULL));
	a = varve_span_start("next", NULL);
	assert_true(is_current(a));
	varve_span_end(a);
	assert_true(is_current(NULL));
	assert_int_equal(take(), 3);
}

static void *begin_span_and_exit_thread(void *arg)
{
	*(struct varve_span **)arg = varve_span_start("of a thread that is gone", NULL);
	return NULL;
}

static void a_span_can_outlive_its_thread(void **state)
{
	struct varve_span *s = NULL;
	pthread_t thread;

	(void)state;
	for (int i = 0; i < 5000; i++) { /* more than the pool has: slots are reused */
		assert_ok(pthread_create(&thread, NULL, begin_span_and_exit_thread, &s));
		pthread_join(thread, NULL);
		assert_non_null(s);
		varve_span_end(s);
	}
	assert_int_equal(take(), 5000);
}

static void count_call(void *arg)
{
	struct varve_context c;

	assert_ok(varve_context_current(&c));
	assert_int_equal(c.trace_id[0], 9);
	++*(int *)arg;
}

static void contexts_are_attached_and_restored(void **state)
{
	struct varve_context c = {.trace_id = {9},
				  .span_id = {8},
				  .flags = 1,
				  .trace_state = "v=1"},
			     previous, now;
	struct varve_span *s = varve_span_start("a", NULL), *inner;
	int calls = 0;

	(void)state;
	varve_context_attach(&c, &previous);
	assert_ok(varve_context_current(&now));
	assert_memory_equal(&now, &c, offsetof(struct varve_context, trace_state));
	assert_string_equal(now.trace_state, "v=1");
	inner = varve_span_start("child", NULL);
	varve_span_end(inner);
	assert_ok(varve_context_current(&now));
	assert_int_equal(now.span_id[0], 8);
	varve_context_detach(&previous);
	assert_true(is_current(s));
	varve_with_span(&c, count_call, &calls);
	assert_int_equal(calls, 1);
	assert_true(is_current(s));
	varve_span_end(s);
	assert_true(is_current(NULL));
}

static void each_sampler_makes_its_decision(void **state)
{
	static const struct {
		enum varve_sampler sampler;
		double ratio;
		bool roots, sampled_parent, unsampled_parent;
	} rows[] = {
		{VARVE_SAMPLER_ALWAYS_ON, 0, true, true, true},
		{VARVE_SAMPLER_ALWAYS_OFF, 1, false, false, false},
		{VARVE_SAMPLER_PARENT_ALWAYS_ON, 0, true, true, false},
		{VARVE_SAMPLER_PARENT_ALWAYS_OFF, 1, false, true, false},
		{VARVE_SAMPLER_RATIO, 1, true, true, true},
		{VARVE_SAMPLER_RATIO, 0, false, false, false},
		{VARVE_SAMPLER_PARENT_RATIO, 0, false, true, false},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct varve_context c = {.trace_id = {1}, .span_id = {1}, .flags = 1};
		struct varve_span *s;

		assert_ok(begin((struct tracer_options){.sampler = rows[i].sampler,
							.ratio = rows[i].ratio}));
		s = varve_span_start("root", NULL);
		assert_true(is_current(s)); /* samples are linked whether or not it is sampled */
		varve_span_end(s);
		assert_int_equal(take(), rows[i].roots);
		varve_span_end(varve_span_start_with("x", VARVE_SPAN_INTERNAL, &c));
		assert_int_equal(take(), rows[i].sampled_parent);
		c.flags = 0;
		varve_span_end(varve_span_start_with("x", VARVE_SPAN_INTERNAL, &c));
		assert_int_equal(take(), rows[i].unsampled_parent);
		tracer_stop();
	}
	buf_fini(&taken);
}

static void a_ratio_sampler_keeps_its_share_of_traces(void **state)
{
	uint64_t n;

	(void)state;
	assert_ok(begin((struct tracer_options){.sampler = VARVE_SAMPLER_RATIO, .ratio = 0.25}));
	for (int i = 0; i < 20000; i++)
		varve_span_end(varve_span_start("x", NULL));
	n = take();
	assert_in_range(n, 4600, 5400); /* 5000 +- 6.5 standard deviations */
	tracer_stop();
	buf_fini(&taken);
}

static void spans_dropped_by_a_full_pool_or_buffer_are_counted(void **state)
{
	struct varve_span *spans[20];
	uint64_t sent, lost;

	(void)state;
	assert_ok(begin((struct tracer_options){.max_spans = 10, .max_bytes = 4096, .ratio = 1}));
	for (int i = 0; i < 20; i++)
		spans[i] = varve_span_start("x", NULL);
	assert_non_null(spans[9]);
	assert_null(spans[10]);
	for (int i = 20; i-- > 0;)
		varve_span_end(spans[i]);
	tracer_counters(&sent, &lost);
	assert_int_equal(lost, 10);
	for (int i = 0; i < 1000; i++)
		varve_span_end(varve_span_start("x", NULL));
	sent = take();
	assert_in_range(sent, 20, 60);
	tracer_counters(&sent, &lost);
	assert_int_equal(sent + lost, 1020);
	tracer_stop();
	buf_fini(&taken);
}

static void calls_before_start_and_after_stop_have_no_effect(void **state)
{
	struct varve_context c;
	struct varve_span *s;
	uint8_t trace_id[16], span_id[8];

	(void)state;
	assert_null(varve_span_start("x", NULL));
	varve_span_set_int(NULL, "a", 1);
	varve_span_end(NULL);
	assert_int_equal(varve_context_current(&c), -ENOENT);
	assert_ok(begin((struct tracer_options){.ratio = 1}));
	s = varve_span_start("still runs", NULL);
	tracer_stop();
	assert_false(span_current_ids(trace_id, span_id));
	varve_span_set_str(s, "a", "b");
	varve_span_end(s);
	assert_ok(begin((struct tracer_options){.ratio = 1}));
	assert_false(span_current_ids(trace_id, span_id));
	varve_span_start("another", NULL);
	varve_span_end(s); /* belongs to the previous run, so it is not counted */
	assert_int_equal(take(), 0);
	tracer_stop();
	buf_fini(&taken);
}

static void profiling_can_be_limited_to_spans_of_one_name(void **state)
{
	struct varve_span *a, *b;

	(void)state;
	assert_true(span_wants_samples());
	assert_ok(begin((struct tracer_options){.only_name = "checkout", .ratio = 1}));
	assert_false(span_wants_samples());
	a = varve_span_start("checkout", NULL);
	b = varve_span_start("inner", NULL);
	assert_true(span_wants_samples());
	varve_span_end(b);
	varve_span_end(a);
	assert_false(span_wants_samples());
	tracer_stop();
}

static void a_forked_child_has_its_own_spans(void **state)
{
	struct varve_span *s = varve_span_start("parent", NULL);
	int status;
	pid_t pid;

	(void)state;
	varve_span_end(varve_span_start("ended before", NULL));
	pid = fork();
	if (!pid) {
		bool ok;

		tracer_forked();
		ok = is_current(s);
		varve_span_end(varve_span_start("child's", NULL));
		varve_span_end(s); /* sent by the parent only */
		ok = ok && is_current(NULL) && take() == 1;
		_exit(!ok);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	varve_span_end(s);
	assert_int_equal(take(), 2);
}

/* -- many threads ------------------------------------------------------------------------------ */

static _Atomic bool churning;
static struct varve_span *_Atomic handed;

static void *churn(void *arg)
{
	uint64_t *count = arg;

	while (atomic_load(&churning) && *count != 20000) {
		struct varve_span *a = varve_span_start("a", NULL), *b, *other;

		varve_span_set_int(a, "n", (int64_t)*count);
		b = varve_span_start("b", NULL);
		other = atomic_exchange(&handed, b);
		varve_span_set_str(other, "k", "v");
		varve_span_end(other);
		varve_span_end(a);
		*count += 1;
	}
	return NULL;
}

static void no_span_is_lost_between_many_threads_and_the_exporter(void **state)
{
	uint64_t counts[4] = {0}, got = 0, sent, lost, ended = 0;
	pthread_t threads[4];

	(void)state;
	assert_ok(begin((struct tracer_options){.ratio = 1, .max_bytes = 64 << 20}));
	atomic_store(&churning, true);
	for (size_t i = 0; i < countof(threads); i++)
		assert_ok(pthread_create(&threads[i], NULL, churn, &counts[i]));
	for (int i = 0; i < 30; i++) {
		got += take();
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	for (size_t i = 0; i < countof(threads); i++) {
		pthread_join(threads[i], NULL);
		ended += 2 * counts[i];
	}
	varve_span_end(atomic_exchange(&handed, NULL));
	got += take();
	tracer_counters(&sent, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(sent, got);
	assert_int_equal(got, ended);
	assert_int_equal(got, 160000);
	tracer_stop();
	buf_fini(&taken);
}

static void the_tracer_restarts_while_threads_run(void **state)
{
	uint64_t counts[3] = {0};
	pthread_t threads[3];

	(void)state;
	atomic_store(&churning, true);
	for (size_t i = 0; i < countof(threads); i++) {
		counts[i] = UINT64_MAX / 2; /* until it is told to stop */
		assert_ok(pthread_create(&threads[i], NULL, churn, &counts[i]));
	}
	for (int i = 0; i < 50; i++) {
		assert_ok(begin((struct tracer_options){.ratio = 1}));
		nanosleep(&(struct timespec){0, 2000000}, NULL);
		take();
		tracer_stop();
	}
	atomic_store(&churning, false);
	for (size_t i = 0; i < countof(threads); i++)
		pthread_join(threads[i], NULL);
	atomic_store(&handed, NULL);
	buf_fini(&taken);
}

TEST_MAIN(test_with(tracer, events_and_exceptions_have_attributes),
	  test_with(tracer, the_current_span_is_known_on_its_thread),
	  test_with(tracer, a_span_is_current_until_it_ends_and_then_its_parent_is),
	  test_with(tracer, spans_are_sent_inside_resource_and_scope),
	  test_with(tracer, all_fields_of_a_span_are_sent),
	  test_with(tracer, dropped_attributes_and_events_are_counted),
	  test_with(tracer, strings_are_sent_as_valid_utf8),
	  test_with(tracer, parents_are_set_from_traceparent_and_from_contexts),
	  test_with(tracer, spans_that_end_out_of_order_leave_the_right_span_current),
	  test_with(tracer, another_thread_can_end_a_span),
	  test_with(tracer, a_span_can_outlive_its_thread),
	  test_with(tracer, contexts_are_attached_and_restored),
	  test(each_sampler_makes_its_decision), test(a_ratio_sampler_keeps_its_share_of_traces),
	  test(spans_dropped_by_a_full_pool_or_buffer_are_counted),
	  test(calls_before_start_and_after_stop_have_no_effect),
	  test(profiling_can_be_limited_to_spans_of_one_name),
	  test_with(tracer, a_forked_child_has_its_own_spans),
	  test(no_span_is_lost_between_many_threads_and_the_exporter),
	  test(the_tracer_restarts_while_threads_run))
