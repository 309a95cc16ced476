/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TraceQL over the embedded store against the same queries over all traces in memory: random data,
 * of which traces are split over writes, spans are late, and some are written twice.
 */
#include <math.h>

#include "query/traceql/traceql.h"
#include "query/traceql/traceql_metrics.h"
#include "query/traceql/traceql_search.h"
#include "query/traceql/traceql_visit.h"
#include "signal/trace/trace_fill.h"
#include "wire/text.h"

#include "store/random_details.h"
#include "store/store_support.h"

#define DAY (TEST_DAY * TEST_NS_PER_DAY)
#define FROM (DAY + 3600 * 1000000000ull) /* traces begin in the SECONDS after it */

enum { TRACES = 2500, RESOURCES = 6, SCOPES = 3, PARTS = 4, QUERIES = 80, SECONDS = 5400 };

struct fixture {
	char directory[64];
	struct store *store;
	struct span_batch all; /* each span once, by trace and start */
	uint32_t first[TRACES + 1];
	uint64_t seed;
};

/* ---- data ---- */

static struct str encoded(struct arena *a, struct proto_writer *w)
{
	struct str out;

	assert_ok(arena_copy_str(a, proto_writer_str(w), &out));
	proto_writer_fini(w);
	return out;
}

static void put_text(struct proto_writer *w, uint32_t field, const char *key, const char *format,
		     unsigned number)
{
	struct value v = {.kind = VALUE_STRING};
	char text[32];

	snprintf(text, sizeof(text), format, number);
	v.s = str_from(text);
	otlp_attribute_write(w, field, str_from(key), &v);
}

static void add_origins(struct span_batch *b)
{
	for (unsigned i = 0; i < RESOURCES; i++) {
		struct proto_writer w = {0};
		struct value v = {.kind = VALUE_INT, .i = i * 10};

		otlp_attribute_write(&w, OTLP_RESOURCE_ATTRIBUTES, STR("instance"), &v);
		put_text(&w, OTLP_RESOURCE_ATTRIBUTES, "region", "region-%u", i % 3);
		if (i)
			put_text(&w, OTLP_RESOURCE_ATTRIBUTES, "service.name", "service-%u", i);
		assert_ok(vec_push(&b->arena, &b->resources,
				   (struct span_origin){.message = encoded(&b->arena, &w)}));
	}
	for (unsigned i = 0; i < SCOPES; i++) {
		struct proto_writer w = {0};

		put_text(&w, OTLP_SCOPE_ATTRIBUTES, "short", "%u", i);
		proto_put_bytes(&w, 1, i ? STR("library") : STR("other"));
		assert_ok(vec_push(&b->arena, &b->scopes,
				   (struct span_origin){.message = encoded(&b->arena, &w)}));
	}
}

static void add_span(struct fixture *f, uint32_t trace, uint32_t number, uint64_t start)
{
	static const struct str names[] = {STR("GET /"), STR("SELECT"), STR("publish"),
					   STR("GET /cart")};
	static const struct str services[] = {STR("unknown_service"), STR("service-1"),
					      STR("service-2"),	      STR("service-3"),
					      STR("service-4"),	      STR("service-5")};
	struct span_batch *b = &f->all;
	struct proto_writer w = {0};
	uint32_t resource = test_random(&f->seed, RESOURCES), id = b->spans.n + 1;
	struct span s = {.name = names[test_random(&f->seed, countof(names))],
			 .service = services[resource],
			 .resource = 1 + resource,
			 .scope = test_random(&f->seed, SCOPES + 1),
			 .kind = (uint8_t)test_random(&f->seed, SPAN_KINDS),
			 .status = (uint8_t)test_random(&f->seed, SPAN_STATUSES),
			 .start = start,
			 .end = start + test_random(&f->seed, 2000) * 1000000ull};

	random_details(&w, &f->seed);
	s.details = encoded(&b->arena, &w);
	memset(s.trace_id, 7, sizeof(s.trace_id));
	memcpy(s.trace_id + 4, &trace, sizeof(trace));
	memcpy(s.span_id, &id, sizeof(id));
	if (number) {
		uint32_t parent = f->first[trace] + test_random(&f->seed, number) + 1;

		if (test_random(&f->seed, 20) == 0)
			parent += 1000000; /* it is missing */
		memcpy(s.parent_id, &parent, sizeof(parent));
	}
	assert_ok(vec_push(&b->arena, &b->spans, s));
}

static void make_traces(struct fixture *f)
{
	span_batch_init(&f->all, NULL);
	add_origins(&f->all);
	for (uint32_t t = 0; t < TRACES; t++) {
		uint32_t n = 1 + test_random(&f->seed, 12);
		uint64_t start = FROM + test_random(&f->seed, SECONDS) * 1000000000ull + t;

		f->first[t] = f->all.spans.n;
		for (uint32_t i = 0; i < n; i++) {
			add_span(f, t, i, start);
			/* different ones: the order of spans is that of their starts */
			start += (1 +
				  test_random(&f->seed, test_random(&f->seed, 20) ? 1000 : 60000)) *
				 1000000ull;
		}
	}
	f->first[TRACES] = f->all.spans.n;
}

static void work(struct fixture *f, bool all)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, all, &e), &e);
}

/* Write some spans: those of the part, and a few others once more. */
static void put_part(struct fixture *f, uint32_t part)
{
	struct span_batch b = f->all;
	struct waiter waiter;
	struct store_write w = {
		.spans = &b, .received = DAY, .done = waiter_done, .owner = &waiter};
	struct err e = {0};

	memset(&b.arena, 0, sizeof(b.arena));
	arena_init(&b.arena, NULL);
	memset(&b.spans, 0, sizeof(b.spans));
	for (uint32_t i = 0; i < f->all.spans.n; i++)
		if ((i / 3 * 2654435761u >> 8) % PARTS == part || test_random(&f->seed, 30) == 0)
			assert_ok(vec_push(&b.arena, &b.spans, f->all.spans.at[i]));
	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	arena_fini(&b.arena);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.window_ms = 1, .manual = true};
	struct err e = {0};

	f->seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 5;
	make_directory(f->directory);
	o.directory = f->directory;
	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
	make_traces(f);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	span_batch_fini(&f->all);
	remove_tree(f->directory);
	free(f);
	return 0;
}

/* ---- queries ---- */

#define PICK(f, list) (list)[test_random(&(f)->seed, countof(list))]

static const char *const plain_conditions[] = {
	"duration > 1s",
	"duration < 300ms",
	"duration > 1990ms",
	"status = error",
	"status != ok",
	"kind = client",
	"kind != server",
	"name = \"SELECT\"",
	"name =~ \"GET.*\"",
	"name != \"publish\"",
	"name !~ \"GET.*\"",
	"resource.service.name = \"service-3\"",
	"resource.service.name = \"\"",
	"resource.service.name != \"service-1\"",
	"resource.region = \"region-2\"",
	"resource.instance >= 40",
	"resource.instance = 20.0",
	"resource.absent = 1",
	"resource.service.name != nil",
	"event:name = \"exception\"",
	"event:name = \"none\"",
	"event.key.3 > 500000",
	"event.key.1 = \"value 17\"",
	"link.key.2 = true",
	"statusMessage = \"failed\"",
	"instrumentation:name = \"library\"",
	"instrumentation.short = \"1\"",
	"rootServiceName = \"service-2\"",
	"rootName = \"SELECT\"",
	"traceDuration > 3s",
	"span:childCount > 1",
	"span.key.3 * 2 > 1000000",
	"span.key.4 > span.key.3",
	"!(span.key.1 = \"value 1\")",
	"span.key.1 = nil",
	"nestedSetParent < 0",
	"event:timeSinceStart > 1ns",
};

static void put_condition(struct fixture *f, struct buf *out)
{
	static const char *const orders[] = {"=", "!=", ">", ">=", "<", "<="};
	unsigned n = test_random(&f->seed, 13);
	char id[16];

	switch (n) {
	case 7:
		hex_digits(id, str_of((const char *)f->all.spans
					      .at[test_random(&f->seed, f->all.spans.n)]
					      .span_id,
				      SPAN_ID_SIZE));
		buf_printf(out, "span:id = \"%.16s\"", id);
		break;
	case 0:
		buf_printf(out, "span.key.1 %s \"value %u\"", PICK(f, orders),
			   test_random(&f->seed, 5000));
		break;
	case 1:
		buf_printf(out, "span.key.3 %s %u", PICK(f, orders),
			   test_random(&f->seed, 1000000));
		break;
	case 2:
		buf_printf(out, "span.key.4 %s %g", PICK(f, orders),
			   test_random(&f->seed, 4000) / 16.0 - 100);
		break;
	case 3:
		buf_printf(out, ".key.%u %s %u", test_random(&f->seed, 8), PICK(f, orders),
			   test_random(&f->seed, 100));
		break;
	case 4:
		buf_printf(out, "span.key.2 = %s", test_random(&f->seed, 2) ? "true" : "false");
		break;
	case 5:
		buf_printf(out, "span.rare.%u != nil", test_random(&f->seed, 3000));
		break;
	case 6: { /* a value that there is */
		const struct span *s = &f->all.spans.at[test_random(&f->seed, f->all.spans.n)];
		struct value v;

		if (otlp_attribute_find(s->details, OTLP_SPAN_ATTRIBUTES, STR("key.1"), &v) &&
		    v.kind == VALUE_STRING)
			buf_printf(out, "span.key.1 = \"%.*s\"", STR_ARG(v.s));
		else if (otlp_attribute_find(s->details, OTLP_SPAN_ATTRIBUTES, STR("key.3"), &v) &&
			 v.kind == VALUE_INT)
			buf_printf(out, "span.key.3 = %lld", (long long)v.i);
		else if (otlp_attribute_find(s->details, OTLP_SPAN_ATTRIBUTES, STR("key.4"), &v) &&
			 v.kind == VALUE_DOUBLE)
			buf_printf(out, "span.key.4 = %.17g", v.d);
		else
			buf_put_str(out, STR("duration = 5ms"));
		break;
	}
	default:
		buf_put_str(out, str_from(PICK(f, plain_conditions)));
	}
}

static void put_filter(struct fixture *f, struct buf *out)
{
	unsigned n = test_random(&f->seed, 4);

	buf_put_str(out, STR("{ "));
	for (unsigned i = 0; i < n; i++) {
		if (i)
			buf_put_str(out, test_random(&f->seed, 3) ? STR(" && ") : STR(" || "));
		put_condition(f, out);
	}
	buf_put_str(out, STR(" }"));
}

static void put_spansets(struct fixture *f, struct buf *out)
{
	static const char *const operators[] = {"&&", "||", ">",   ">>", "<",	"<<",
						"~",  "!>", "!>>", "&>", "&>>", "!~"};

	put_filter(f, out);
	if (test_random(&f->seed, 3) == 0) {
		buf_printf(out, " %s ", PICK(f, operators));
		put_filter(f, out);
	}
}

static void put_query(struct fixture *f, struct buf *out, bool metrics)
{
	static const char *const stages[] = {
		" | count() > 2",	" | avg(duration) > 800ms", " | by(resource.region)",
		" | { kind = client }", " | select(span.key.3)",    " | max(span.key.3) > 500000",
	};
	static const char *const functions[] = {
		"rate()",
		"count_over_time() by (resource.service.name)",
		"count_over_time() by (name, status)",
		"max_over_time(span.key.3)",
		"min_over_time(duration) by (kind)",
		"sum_over_time(span.key.3) by (resource.region)",
		"avg_over_time(duration)",
		"quantile_over_time(duration, .5, .9) by (resource.region)",
		"histogram_over_time(duration)",
		"count_over_time() by (rootServiceName)",
		"count_over_time() by (event:name)",
		"rate() by (resource.region) | topk(2)",
	};

	buf_clear(out);
	put_spansets(f, out);
	if (test_random(&f->seed, 4) == 0)
		buf_put_str(out, str_from(PICK(f, stages)));
	if (metrics)
		buf_printf(out, " | %s", PICK(f, functions));
}

/* ---- answers as text ---- */

struct range {
	uint64_t from, to;
};

static void put_found(const struct traceql_search *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->found.n; i++) {
		const struct traceql_found *x = &s->found.at[i];
		uint32_t trace;

		memcpy(&trace, x->id + 4, sizeof(trace));
		buf_printf(out, "%u %llu+%llu %.*s/%.*s:", trace,
			   (unsigned long long)(x->start - FROM), (unsigned long long)x->duration,
			   STR_ARG(x->root_service), STR_ARG(x->root_name));
		for (uint32_t k = 0; k < x->set_count; k++)
			for (uint32_t j = 0; j < x->sets[k].n; j++) {
				const struct traceql_found_span *span = &x->sets[k].spans[j];
				uint32_t id;

				memcpy(&id, span->id, sizeof(id));
				buf_printf(out, "%c%u", j ? ',' : '|', id);
				for (uint32_t a = 0; a < span->attribute_count; a++) {
					buf_printf(out,
						   " %.*s=", STR_ARG(span->attributes[a].name));
					traceql_value_text(out, &span->attributes[a].value);
				}
			}
		for (uint32_t k = 0; k < x->service_count; k++)
			buf_printf(out, " %u", x->services[k].spans);
		buf_put_char(out, '\n');
	}
}

static void put_series(const struct traceql_series_list *l, uint32_t intervals, struct buf *out)
{
	for (uint32_t i = 0; i < l->list.n; i++) {
		const struct traceql_series *s = &l->list.at[i];

		for (uint32_t k = 0; k < s->label_count; k++) {
			buf_printf(out, "%.*s=", STR_ARG(s->labels[k].name));
			traceql_value_text(out, &s->labels[k].value);
			buf_put_char(out, ' ');
		}
		for (uint32_t k = 0; k < intervals; k++)
			if (!isnan(s->values[k]))
				buf_printf(out, " %u:%.9g", k, s->values[k]);
		buf_put_char(out, '\n');
	}
}

static int add_search(void *ctx, const struct trace_view *v, struct err *e)
{
	return traceql_search_add(ctx, v, e);
}

static bool enough(void *ctx, uint64_t start)
{
	return traceql_search_is_full(ctx, start);
}

static int add_metrics(void *ctx, const struct trace_view *v, struct err *e)
{
	return traceql_metrics_add(ctx, v, e);
}

/* Visit the traces of the range in memory. */
static int visit_memory(struct fixture *f, const struct traceql *q, const struct range *range,
			const struct traceql_visitor *visitor, struct err *e)
{
	struct arena shared, a;
	struct trace_maker m;
	int rc = 0;

	arena_init(&shared, NULL);
	arena_init(&a, NULL);
	assert_ok(trace_maker_init(&m, &f->all, q->fields.at, q->fields.n, &shared));
	for (uint32_t t = 0; !rc && t < TRACES; t++) {
		uint32_t n = f->first[t + 1] - f->first[t], *rows;
		uint64_t start = UINT64_MAX, end = 0;
		struct trace_view v;

		arena_reset(&a);
		rows = arena_alloc(&a, n, sizeof(*rows));
		for (uint32_t i = 0; i < n; i++) {
			const struct span *s = &f->all.spans.at[f->first[t] + i];

			rows[i] = f->first[t] + i;
			start = s->start < start ? s->start : start;
			end = s->end > end ? s->end : end;
		}
		if (start >= range->to || end < range->from)
			continue;
		assert_ok(trace_maker_view(&m, rows, n, &a, &v));
		rc = visitor->visit(visitor->ctx, &v, e);
	}
	arena_fini(&a);
	arena_fini(&shared);
	return rc;
}

static int visit_any(struct fixture *f, const struct traceql *q, const struct range *range,
		     const struct traceql_visitor *visitor, bool memory, struct err *e)
{
	struct store_span_select sel = {.from = range->from, .to = range->to};

	return memory ? visit_memory(f, q, range, visitor, e)
		      : traceql_visit(f->store, q, &sel, visitor, e);
}

static void answer_search(struct fixture *f, const struct traceql *q, const struct range *range,
			  uint32_t limit, bool memory, struct buf *out)
{
	struct traceql_search s;
	struct traceql_visitor visitor = {
		.visit = add_search, .enough = enough, .ctx = &s, .most = limit};
	struct err e = {0};

	traceql_search_init(&s, q, limit, 100, NULL);
	assert_ok_err(visit_any(f, q, range, &visitor, memory, &e), &e);
	traceql_search_finish(&s);
	buf_clear(out);
	put_found(&s, out);
	traceql_search_fini(&s);
}

static void answer_metrics(struct fixture *f, const struct traceql *q, const struct range *range,
			   bool memory, struct buf *out)
{
	struct traceql_metrics_run *run = NULL;
	struct traceql_visitor visitor = {.visit = add_metrics};
	struct traceql_series_list list;
	struct traceql_range steps;
	struct range spans;
	struct err e = {0};

	assert_ok(traceql_range_set(&steps, range->from, range->to, 300 * 1000000000ull, &e));
	assert_ok(traceql_metrics_new(&run, q, &steps, 10, NULL));
	visitor.ctx = run;
	spans.from = steps.first - steps.step;
	spans.to = steps.first + steps.n * steps.step + 1;
	assert_ok_err(visit_any(f, q, &spans, &visitor, memory, &e), &e);
	assert_ok_err(traceql_metrics_finish(run, &list, &e), &e);
	buf_clear(out);
	put_series(&list, steps.n, out);
	traceql_metrics_free(run);
}

/* ---- tests ---- */

/* Print where two answers begin to differ. */
static void fail_different(struct str text, const struct range *range, struct str got,
			   struct str wanted)
{
	size_t at = 0;

	while (at < got.n && at < wanted.n && got.p[at] == wanted.p[at])
		at++;
	at = at > 100 ? at - 100 : 0;
	fail_msg("%.*s\n%lld..%lld, byte %zu\nfound\n..%.*s\nwanted\n..%.*s", STR_ARG(text),
		 (long long)(range->from - FROM), (long long)(range->to - FROM), at,
		 STR_ARG(str_head(str_from_at(got, at), 300)),
		 STR_ARG(str_head(str_from_at(wanted, at), 300)));
}

static void compare(struct fixture *f, struct str text, const struct range *range, bool metrics,
		    unsigned *found)
{
	static const uint32_t limits[] = {1, 20, 100000};
	struct buf got = {0}, wanted = {0};
	struct traceql q;
	struct arena a;
	struct err e = {0};

	arena_init(&a, NULL);
	assert_ok_err(traceql_compile(&q, text, &a, &e), &e);
	for (unsigned i = 0; i < (metrics ? 1 : countof(limits)); i++) {
		if (metrics) {
			answer_metrics(f, &q, range, false, &got);
			answer_metrics(f, &q, range, true, &wanted);
		} else {
			answer_search(f, &q, range, limits[i], false, &got);
			answer_search(f, &q, range, limits[i], true, &wanted);
		}
		if (!str_eq(buf_str(&got), buf_str(&wanted)))
			fail_different(text, range, buf_str(&got), buf_str(&wanted));
	}
	*found += got.n > 0;
	traceql_fini(&q);
	arena_fini(&a);
	buf_fini(&got);
	buf_fini(&wanted);
}

static void compare_queries(struct fixture *f, unsigned n)
{
	struct buf text = {0};
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		bool metrics = i % 3 == 2;
		struct range range = {DAY, DAY + TEST_NS_PER_DAY};

		if (i % 2) {
			range.from = FROM + test_random(&f->seed, SECONDS) * 1000000000ull;
			range.to = range.from + test_random(&f->seed, 3600) * 1000000000ull;
		}
		put_query(f, &text, metrics);
		compare(f, buf_str(&text), &range, metrics, &found);
	}
	print_message("%u of %u queries have answers\n", found, n);
	assert_true(found > n / 4);
	buf_fini(&text);
}

static void searches_find_the_same_at_every_stage(void **state)
{
	struct fixture *f = *state;

	for (uint32_t part = 0; part < PARTS; part++) {
		put_part(f, part);
		if (part == 1)
			work(f, false);
	}
	compare_queries(f, QUERIES); /* merged blocks, and recent commits */
	put_part(f, 2);
	work(f, false);
	compare_queries(f, QUERIES);
	work(f, true);
	compare_queries(f, QUERIES);
}

static int stop_visit(void *ctx, const struct trace_view *v, struct err *e)
{
	(void)v;
	++*(unsigned *)ctx;
	return err_set(e, -ECANCELED, "stop");
}

static void errors_of_visitors_end_a_search(void **state)
{
	struct fixture *f = *state;
	struct store_span_select sel = {.to = UINT64_MAX};
	unsigned visits = 0;
	bool partial = false;
	struct traceql_visitor visitor = {.visit = stop_visit, .ctx = &visits};
	struct traceql q;
	struct arena a;
	struct err e = {0};

	put_part(f, 0);
	arena_init(&a, NULL);
	assert_ok_err(traceql_compile(&q, STR("{ duration > 1ms }"), &a, &e), &e);
	assert_int_equal(traceql_visit(f->store, &q, &sel, &visitor, &e), -ECANCELED);
	assert_int_equal(visits, 1);
	sel.limits.deadline_ns = 1; /* long ago */
	e = (struct err){0};
	assert_int_equal(traceql_visit(f->store, &q, &sel, &visitor, &e), -ETIMEDOUT);
	assert_true(e.text[0]);
	e = (struct err){0};
	visitor.partial = &partial;
	assert_ok_err(traceql_visit(f->store, &q, &sel, &visitor, &e), &e);
	assert_true(partial && !e.code && visits == 1);
	traceql_fini(&q);
	arena_fini(&a);
}

TEST_MAIN(test_with(fixture, searches_find_the_same_at_every_stage),
	  test_with(fixture, errors_of_visitors_end_a_search))
