/* SPDX-License-Identifier: Apache-2.0 */
/* W3C baggage: parsing, changing, limits, what is current on threads, and headers of requests. */
#include "sdk/trace/baggage.h"

#include <errno.h>
#include <pthread.h>
#include <strings.h>

#include "sdk/trace/propagation.h"
#include "sdk/trace/span.h"
#include "test/test.h"

/* Check the header's form of a baggage, and release it. */
static void is_header(struct varve_baggage *b, const char *expected)
{
	char text[VARVE_BAGGAGE_SIZE];

	assert_int_equal(varve_baggage_format(b, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
	varve_baggage_release(b);
}

static void valid_entries_are_kept_and_others_left_out(void **state)
{
	(void)state;
	is_header(varve_baggage_parse("a=1"), "a=1");
	is_header(varve_baggage_parse(" a = 1 ;  p1 ; p2=x\t,b=%20%2C "), "a=1;p1 ; p2=x,b=%20%2C");
	is_header(varve_baggage_parse("a=,b"), "a="); /* an empty value is a value */
	is_header(varve_baggage_parse("a b=1,c=d e,f=\"g\",h=i\\j,k=1"), "k=1");
	is_header(varve_baggage_parse("a=1;b c,d=2;=x"), "");
	assert_null(varve_baggage_parse("a=1;b c,d=2;=x"));
	assert_null(varve_baggage_parse(""));
	assert_null(varve_baggage_parse(NULL));
	assert_null(varve_baggage_parse(",,, ,"));
	assert_null(varve_baggage_parse("=x"));
}

static void values_are_decoded(void **state)
{
	struct varve_baggage *b = varve_baggage_parse("k=a%20b%2Cc,bad=%zz%4,nul=a%00b,k=second");
	char out[16];

	(void)state;
	assert_int_equal(varve_baggage_get(b, "k", out, sizeof(out)), 5);
	assert_string_equal(out, "a b,c"); /* the first of one key */
	assert_int_equal(varve_baggage_get(b, "k", out, 5), -ENOSPC);
	assert_int_equal(varve_baggage_get(b, "k", out, 6), 5);
	assert_int_equal(varve_baggage_get(b, "bad", out, sizeof(out)), 5);
	assert_string_equal(out, "%zz%4"); /* not an escape: literal */
	assert_int_equal(varve_baggage_get(b, "nul", out, sizeof(out)), -ENOENT);
	assert_int_equal(varve_baggage_get(b, "missing", out, sizeof(out)), -ENOENT);
	assert_int_equal(varve_baggage_get(NULL, "k", out, sizeof(out)), -ENOENT);
	assert_int_equal(varve_baggage_get(b, NULL, out, sizeof(out)), -ENOENT);
	varve_baggage_release(b);
}

static void entries_are_replaced_and_removed_in_a_copy(void **state)
{
	struct varve_baggage *a = varve_baggage_parse("a=1;p,b=2"), *b, *c;

	(void)state;
	b = varve_baggage_with(a, "a", "x y%,\xc3\xa4");
	is_header(varve_baggage_ref(b), "b=2,a=x%20y%25%2C%C3%A4");
	c = varve_baggage_with(b, "b", NULL);
	is_header(varve_baggage_ref(c), "a=x%20y%25%2C%C3%A4");
	assert_null(varve_baggage_with(c, "a", NULL)); /* empty */
	assert_null(varve_baggage_with(a, "no token", "x"));
	assert_null(varve_baggage_with(a, NULL, "x"));
	is_header(varve_baggage_with(NULL, "k", "v"), "k=v");
	is_header(a, "a=1;p,b=2"); /* unchanged */
	varve_baggage_release(b);
	varve_baggage_release(c);
	varve_baggage_release(NULL);
}

static void baggage_has_at_most_180_entries_and_8192_bytes(void **state)
{
	static char header[20000], large[9000];
	struct varve_baggage *b, *more;
	char text[VARVE_BAGGAGE_SIZE], *at = header;
	size_t commas = 0;

	(void)state;
	for (int i = 0; i < 300; i++)
		at += sprintf(at, "%sk%d=v", i ? "," : "", i);
	b = varve_baggage_parse(header);
	assert_true(varve_baggage_format(b, text, sizeof(text)) > 0);
	for (char *c = text; *c; c++)
		commas += *c == ',';
	assert_int_equal(commas + 1, BAGGAGE_ENTRIES);
	assert_null(varve_baggage_with(b, "one-more", "x"));
	varve_baggage_release(b);
	memset(large, 'x', sizeof(large) - 1);
	memcpy(large, "a=", 2);
	assert_null(varve_baggage_parse(large));
	large[BAGGAGE_BYTES] = 0;
	b = varve_baggage_parse(large);
	assert_int_equal(varve_baggage_format(b, text, sizeof(text)), BAGGAGE_BYTES);
	more = varve_baggage_with(b, "b", "1");
	assert_null(more);
	assert_null(varve_baggage_with(NULL, "a", large)); /* "a=" and the value are too long */
	varve_baggage_release(b);
}

static void *read_current(void *arg)
{
	struct varve_baggage *own = varve_baggage_current(), *before;

	assert_null(own); /* a thread begins without */
	varve_baggage_attach(arg, &before);
	assert_null(before);
	varve_baggage_release(arg);
	return NULL; /* and the end of the thread releases it */
}

static void baggage_is_current_on_a_thread_until_it_is_detached(void **state)
{
	struct varve_baggage *a = varve_baggage_parse("a=1"), *b = varve_baggage_parse("b=1");
	struct varve_baggage *first, *second, *now;
	pthread_t thread;

	(void)state;
	varve_baggage_attach(a, &first);
	varve_baggage_attach(b, &second);
	varve_baggage_release(b); /* the thread has a reference */
	is_header(varve_baggage_current(), "b=1");
	assert_int_equal(pthread_create(&thread, NULL, read_current, varve_baggage_current()), 0);
	pthread_join(thread, NULL);
	varve_baggage_detach(second);
	now = varve_baggage_current();
	assert_ptr_equal(now, a);
	varve_baggage_release(now);
	varve_baggage_detach(first);
	assert_null(varve_baggage_current());
	varve_baggage_release(a);
}

/* -- headers ----------------------------------------------------------------------------------- */

struct headers {
	char names[8][16], values[8][128];
	int n;
};

static void set_header(void *arg, const char *name, const char *value)
{
	struct headers *h = arg;

	snprintf(h->names[h->n], sizeof(h->names[0]), "%s", name);
	snprintf(h->values[h->n++], sizeof(h->values[0]), "%s", value);
}

static const char *get_header(void *arg, const char *name)
{
	const struct headers *h = arg;

	for (int i = 0; i < h->n; i++)
		if (!strcasecmp(h->names[i], name))
			return h->values[i];
	return NULL;
}

static void each_propagator_passes_the_context_on(void **state)
{
	static const struct {
		unsigned propagators;
		int headers;
		const char *name;
	} rows[] = {{VARVE_PROPAGATE_TRACECONTEXT, 2, "traceparent"},
		    {VARVE_PROPAGATE_B3, 1, "b3"},
		    {VARVE_PROPAGATE_B3MULTI, 3, "x-b3-traceid"},
		    {VARVE_PROPAGATE_NONE | VARVE_PROPAGATE_B3, 0, NULL},
		    {VARVE_PROPAGATE_TRACECONTEXT | VARVE_PROPAGATE_B3, 3, "b3"}};
	struct tracer_options t = {.sampler = VARVE_SAMPLER_ALWAYS_ON, .ratio = 1};
	struct varve_context sent, got, before;

	(void)state;
	assert_ok(tracer_start(&t, NULL));
	assert_ok(varve_context_parse(
		&sent, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=1"));
	varve_context_attach(&sent, &before);
	for (size_t i = 0; i < countof(rows); i++) {
		struct headers h = {0};

		propagation_configure(rows[i].propagators);
		assert_int_equal(varve_inject(set_header, &h), rows[i].headers);
		assert_int_equal(varve_extract(&got, NULL, get_header, &h),
				 rows[i].name ? 0 : -ENOENT);
		if (!rows[i].name) {
			assert_int_equal(got.span_id[0], 0);
			continue;
		}
		assert_non_null(get_header(&h, rows[i].name));
		assert_memory_equal(got.trace_id, sent.trace_id, 16);
		assert_memory_equal(got.span_id, sent.span_id, 8);
		assert_int_equal(got.flags, 1);
		if (rows[i].propagators & VARVE_PROPAGATE_TRACECONTEXT)
			assert_string_equal(got.trace_state, "vendor=1");
	}
	varve_context_detach(&before);
	propagation_configure(VARVE_PROPAGATE_TRACECONTEXT | VARVE_PROPAGATE_BAGGAGE);
	tracer_stop();
}

static void baggage_is_passed_on_without_a_span(void **state)
{
	struct varve_baggage *b = varve_baggage_parse("tenant=blue,plan=%20x"), *before, *got;
	struct varve_context c;
	struct headers h = {0};
	char value[8];

	(void)state;
	varve_baggage_attach(b, &before);
	assert_int_equal(varve_inject(set_header, &h), 1);
	varve_baggage_detach(before);
	varve_baggage_release(b);
	assert_int_equal(varve_extract(&c, &got, get_header, &h), -ENOENT);
	assert_int_equal(varve_baggage_get(got, "plan", value, sizeof(value)), 2);
	assert_string_equal(value, " x");
	varve_baggage_release(got);
	h.n = 0;
	assert_int_equal(varve_inject(set_header, &h), 0);
	assert_int_equal(varve_extract(NULL, &got, get_header, &h), -ENOENT);
	assert_null(got);
}

static const struct {
	const char *text;
	int rc, flags;
} b3_rows[] = {
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1", 0, 1},
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-d", 0, 1},
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0", 0, 0},
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", 0, 1},
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1-05e3ac9a4f6e3b90", 0, 1},
	{"8448eb211c80319c-b7ad6b7169203331-1", 0, 1}, /* a trace id of 64 bits */
	{"0", -EINVAL, 0},
	{"", -EINVAL, 0},
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-2", -EINVAL, 0},
	{"00000000000000000000000000000000-b7ad6b7169203331-1", -EINVAL, 0},
	{"0af7651916cd43dd8448eb211c80319c-0000000000000000-1", -EINVAL, 0},
	{"0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-1", -EINVAL, 0},
	{"xaf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1", -EINVAL, 0},
	{"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1-05e3ac9a4f6e3b90x", -EINVAL, 0},
};

static void b3_is_parsed_strictly(void **state)
{
	struct varve_context c;

	(void)state;
	for (size_t i = 0; i < countof(b3_rows); i++) {
		int rc = b3_parse(b3_rows[i].text, &c);

		if (rc != b3_rows[i].rc || (!rc && c.flags != b3_rows[i].flags))
			fail_msg("\"%s\": %d", b3_rows[i].text, rc);
	}
	assert_int_equal(b3_parse(NULL, &c), -EINVAL);
	assert_ok(b3_parse(b3_rows[5].text, &c));
	assert_int_equal(c.trace_id[7], 0);
	assert_int_equal(c.trace_id[8], 0x84);
}

static void the_keys_of_labels_are_checked(void **state)
{
	struct err e = {0};

	(void)state;
	assert_ok(baggage_set_labels(NULL, &e));
	assert_ok(baggage_set_labels("tenant, plan,", &e));
	assert_int_equal(baggage_set_labels("a b", &e), -EINVAL);
	assert_err_says(&e, "profiling.baggage_labels: \"a b\"");
	assert_int_equal(baggage_set_labels("a,b,c,d,e,f,g,h,i", &e), -EINVAL);
	assert_ok(baggage_set_labels(NULL, &e));
}

TEST_MAIN(test(valid_entries_are_kept_and_others_left_out), test(values_are_decoded),
	  test(entries_are_replaced_and_removed_in_a_copy),
	  test(baggage_has_at_most_180_entries_and_8192_bytes),
	  test(baggage_is_current_on_a_thread_until_it_is_detached),
	  test(each_propagator_passes_the_context_on), test(baggage_is_passed_on_without_a_span),
	  test(b3_is_parsed_strictly), test(the_keys_of_labels_are_checked))
