/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of Grafana's data source for Pyroscope, with its parameters: health check, query
 * editor, dashboard variables, panels; and its conversion of the levels of a flame graph back to a
 * tree.
 */
#include "api_test.h"

#include "wire/proto.h"

/* The editor rounds the range outwards to 10 s; panels and variables use milliseconds. */
#define EDITOR_RANGE "\"start\":\"1700000000000\",\"end\":\"1700000060000\""
#define PANEL_RANGE "\"start\":\"1699999999987\",\"end\":\"1700000059987\""

static void the_health_check_passes_with_and_without_data(void **state)
{
	assert_rpc(*state, "ProfileTypes", "{\"start\":\"1000\",\"end\":\"4000\"}", "{}");
	assert_rpc(*state, "ProfileTypes", "{}", /* the request of older versions */
		   "{\"profileTypes\":[{\"ID\":\"" HEAP "\",\"name\":\"memory\",\"sampleType\":"
		   "\"inuse_space\",\"sampleUnit\":\"bytes\",\"periodType\":\"space\","
		   "\"periodUnit\":\"bytes\"},{\"ID\":\"" CPU "\",\"name\":\"process_cpu\","
		   "\"sampleType\":\"cpu\",\"sampleUnit\":\"nanoseconds\",\"periodType\":\"cpu\","
		   "\"periodUnit\":\"nanoseconds\"}]}");
}

/* The editor puts the profile type before the typed matchers. */
#define TYPED(more) "\"matchers\":[\"{__profile_type__=\\\"" CPU "\\\"" more "}\"]," EDITOR_RANGE

static void the_editor_completes_labels_of_the_chosen_type(void **state)
{
	assert_rpc(*state, "LabelNames", "{" TYPED(",env=\\\"prod\\\"") "}",
		   "{\"names\":[\"__name__\",\"__period_type__\",\"__period_unit__\","
		   "\"__profile_type__\",\"__service_name__\",\"__type__\",\"__unit__\",\"env\","
		   "\"service_name\"]}");
	assert_rpc(*state, "LabelValues", "{\"name\":\"service_name\"," TYPED("") "}",
		   "{\"names\":[\"cart\",\"shop\"]}");
	assert_rpc(*state, "LabelValues",
		   "{\"name\":\"service_name\"," TYPED(",env=\\\"dev\\\"") "}",
		   "{\"names\":[\"shop\"]}");
	/* names that are not identifiers are quoted */
	assert_rpc(*state, "LabelValues",
		   "{\"name\":\"env\"," TYPED(",\\\"k8s.pod\\\"=\\\"p1\\\"") "}",
		   "{\"names\":[\"prod\"]}");
	/* before a type is chosen */
	assert_rpc(*state, "LabelNames",
		   "{\"matchers\":[\"{__profile_type__=\\\"undefined\\\"}\"]," EDITOR_RANGE "}",
		   "{}");
}

static void variables_put_the_type_before_the_braces(void **state)
{
	assert_rpc(*state, "LabelValues",
		   "{\"name\":\"env\",\"matchers\":[\"" CPU "{}\"]," PANEL_RANGE "}",
		   "{\"names\":[\"dev\",\"prod\"]}");
	assert_rpc(*state, "LabelValues",
		   "{\"name\":\"env\",\"matchers\":[\"" HEAP ":delta{}\"]," PANEL_RANGE "}",
		   "{\"names\":[\"prod\"]}");
	assert_rpc(*state, "LabelNames", "{\"matchers\":[\"undefined{}\"]," PANEL_RANGE "}", "{}");
	/* any other word is __name__, as in Prometheus */
	assert_rpc(*state, "LabelValues",
		   "{\"name\":\"env\",\"matchers\":[\"memory{env=\\\"prod\\\"}\"]," PANEL_RANGE "}",
		   "{\"names\":[\"prod\"]}");
	assert_rpc_fails(*state, "LabelValues",
			 "{\"name\":\"env\",\"matchers\":[\"no name{}\"]," PANEL_RANGE "}", -EINVAL,
			 "label selector");
	assert_rpc_fails(*state, "LabelValues",
			 "{\"name\":\"env\",\"matchers\":[\"\"]," PANEL_RANGE "}", -EINVAL,
			 "label selector");
}

#define PANEL(selector)                                                                            \
	"\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"" selector "\"," PANEL_RANGE

static void panels_show_series(void **state)
{
	/* the step is that of the panel, at least 15 s; without grouping and limit */
	assert_rpc(*state, "SelectSeries",
		   "{" PANEL("{}") ",\"step\":15,\"exemplarType\":\"EXEMPLAR_TYPE_NONE\"}",
		   "{\"series\":[{\"points\":[{\"value\":30,\"timestamp\":\"1700000014987\"},"
		   "{\"value\":3,\"timestamp\":\"1700000029987\"},"
		   "{\"value\":400,\"timestamp\":\"1700000044987\"}]}]}");
	assert_rpc(*state, "SelectSeries",
		   "{" PANEL("{service_name=\\\"shop\\\", env=~\\\".+\\\"}") ",\"step\":60,"
									     "\"groupBy\":[\"env\"]"
									     ",\"limit\":\"10\"}",
		   "{\"series\":[{\"labels\":[{\"name\":\"env\",\"value\":\"prod\"}],\"points\":"
		   "[{\"value\":30,\"timestamp\":\"1700000059987\"}]},"
		   "{\"labels\":[{\"name\":\"env\",\"value\":\"dev\"}],\"points\":"
		   "[{\"value\":3,\"timestamp\":\"1700000059987\"}]}]}");
	/* grouped by a label that no series has */
	assert_rpc(*state, "SelectSeries",
		   "{" PANEL("{service_name=\\\"cart\\\"}") ",\"step\":60,\"groupBy\":[\"none\"]}",
		   "{\"series\":[{\"points\":[{\"value\":400,\"timestamp\":\"1700000059987\"}]}]}");
}

/* ---- flame graphs ---- */

struct bar {
	int64_t start, total, self, name;
};

struct graph {
	struct str names[64];
	struct bar bars[64][64]; /* by level */
	uint32_t name_n, level_n, bar_n[64];
};

static void read_level(struct graph *g, struct proto_reader level)
{
	struct bar *bars = g->bars[g->level_n];
	int64_t end = 0;
	uint32_t n = 0;

	assert_true(proto_next(&level));
	for (struct proto_reader v = proto_message(&level); v.at < v.end; n++) {
		struct bar *b = &bars[n];

		/* encoded relative to the previous bar */
		b->start = end + (int64_t)proto_varint(&v);
		b->total = (int64_t)proto_varint(&v);
		b->self = (int64_t)proto_varint(&v);
		b->name = (int64_t)proto_varint(&v);
		assert_false(v.error);
		assert_in_range(b->name, 0, g->name_n - 1);
		end = b->start + b->total;
	}
	g->bar_n[g->level_n++] = n;
}

/* Read the field `flamegraph` of a response. */
static void read_graph(struct graph *g, struct str body)
{
	struct proto_reader r = proto_reader_of(body);

	*g = (struct graph){0};
	assert_true(proto_next(&r));
	for (struct proto_reader f = proto_message(&r); proto_next(&f);) {
		if (proto_field(&f) == 1)
			g->names[g->name_n++] = proto_bytes(&f);
		else if (proto_field(&f) == 2)
			read_level(g, proto_message(&f));
		else
			proto_skip(&f);
	}
}

/*
 * Print the tree as the data source rebuilds it: the parent of a bar is the first bar of the level
 * above, starting at the previous bar's parent, that contains it. A bar without such a parent ends
 * the walk, and the rest of the graph is lost.
 */
static void print_graph(struct buf *out, const struct graph *g)
{
	assert_int_equal(g->bar_n[0], 1);
	buf_printf(out, "%.*s %lld", STR_ARG(g->names[g->bars[0][0].name]),
		   (long long)g->bars[0][0].total);
	for (uint32_t level = 1; level < g->level_n; level++) {
		uint32_t parent = 0;

		buf_put_str(out, STR(" |"));
		for (uint32_t i = 0; i < g->bar_n[level]; i++) {
			const struct bar *b = &g->bars[level][i], *above = g->bars[level - 1];

			while (parent < g->bar_n[level - 1] &&
			       (b->start < above[parent].start ||
				b->start + b->total > above[parent].start + above[parent].total))
				parent++;
			assert_in_range(parent, 0, g->bar_n[level - 1] - 1);
			buf_printf(out, " %.*s<%.*s %lld/%lld", STR_ARG(g->names[b->name]),
				   STR_ARG(g->names[above[parent].name]), (long long)b->self,
				   (long long)b->total);
		}
	}
}

static void assert_graph(struct store *store, const char *rpc, const char *body,
			 const char *expected)
{
	struct graph *g = test_malloc(sizeof(*g));
	struct buf out = {0};
	struct test_request q;

	test_request_init(&q, store);
	assert_ok_err(request_rpc(&q, rpc, body), &q.e);
	read_graph(g, buf_str(&q.reply.body));
	print_graph(&out, g);
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
	test_request_fini(&q);
	test_free(g);
}

static void panels_show_flame_graphs(void **state)
{
	assert_graph(*state, "SelectMergeStacktraces", "{" PANEL("{}") "}",
		     "total 433 | main<total 0/433 | a<main 11/11 b<main 20/20 c<main 0/2 "
		     "q<main 400/400 | d<c 2/2");
	assert_graph(*state, "SelectMergeStacktraces", "{" PANEL("{}") ",\"maxNodes\":\"3\"}",
		     "total 433 | main<total 0/433 | b<main 20/20 q<main 400/400 other<main 13/13");
	/* without data: a root alone, which Grafana shows as "no data" */
	assert_graph(*state, "SelectMergeStacktraces", "{" PANEL("{service_name=\\\"none\\\"}") "}",
		     "total 0");
}

/*
 * The newest Profiles Drilldown requests unsupported formats, and falls back to the flame graph for
 * its tables.
 */
static void unknown_formats_give_flame_graphs(void **state)
{
	assert_graph(
		*state, "SelectMergeStacktraces",
		"{" PANEL("{service_name=\\\"cart\\\"}") ",\"format\":\"PROFILE_FORMAT_FUNCTIONS\","
							 "\"maxNodes\":16384}",
		"total 400 | main<total 0/400 | q<main 400/400");
	assert_graph(
		*state, "SelectMergeStacktraces",
		"{" PANEL("{service_name=\\\"cart\\\"}") ",\"format\":\"PROFILE_FORMAT_SANDWICH\","
							 "\"sandwichFunction\":\"main\"}",
		"total 400 | main<total 0/400 | q<main 400/400");
}

static void links_lead_to_spans_and_single_profiles(void **state)
{
	assert_graph(*state, "SelectMergeSpanProfile",
		     "{" PANEL("{}") ",\"spanSelector\":[\"000000000000001a\"],"
				     "\"maxNodes\":\"16384\"}",
		     "total 10 | main<total 0/10 | a<main 10/10");
	assert_graph(*state, "SelectMergeStacktraces",
		     "{" PANEL("{}") ",\"profileIdSelector\":"
				     "[\"30313233-3435-3637-3839-616263646566\"]}",
		     "total 30 | main<total 0/30 | a<main 10/10 b<main 20/20");
}

/* Each slot must have as many counts as lower bounds, or the data source reads past its arrays. */
static void assert_slots(struct test_request *q, uint32_t expected)
{
	struct proto_reader r = proto_reader_of(buf_str(&q->reply.body));
	uint32_t slots = 0;

	while (proto_next(&r)) {
		struct proto_reader series = proto_message(&r);

		while (proto_next(&series)) {
			struct str list[8] = {{0}};
			size_t counts = 0;

			if (proto_field(&series) != 2) {
				proto_skip(&series);
				continue;
			}
			slots++;
			for (struct proto_reader slot = proto_message(&series); proto_next(&slot);)
				if ((slot.tag & 7) == PROTO_BYTES)
					list[proto_field(&slot)] = proto_bytes(&slot);
				else
					proto_skip(&slot);
			for (size_t i = 0; i < list[3].n; i++)
				counts += !(list[3].p[i] & 0x80);
			assert_int_equal(list[2].n, counts * sizeof(double));
		}
	}
	assert_int_equal(slots, expected);
}

static void heatmaps_count_profiles_or_spans(void **state)
{
	/* at most 64 columns */
	static const char *const asks[] = {
		"{" PANEL("{}") ",\"step\":15,\"queryType\":\"HEATMAP_QUERY_TYPE_INDIVIDUAL\","
				"\"exemplarType\":\"EXEMPLAR_TYPE_INDIVIDUAL\"}",
		"{" PANEL("{}") ",\"step\":15,\"queryType\":\"HEATMAP_QUERY_TYPE_SPAN\","
				"\"exemplarType\":\"EXEMPLAR_TYPE_SPAN\"}",
	};
	static const uint32_t slots[] = {3, 2};

	for (size_t i = 0; i < countof(asks); i++) {
		struct test_request q;

		test_request_init(&q, *state);
		assert_ok_err(request_rpc(&q, "SelectHeatmap", asks[i]), &q.e);
		assert_slots(&q, slots[i]);
		assert_has(buf_str(&q.json), i ? "spanId" : "profileId");
		test_request_fini(&q);
	}
}

#define with_shop(name) cmocka_unit_test_setup_teardown(name, shop_setup, shop_teardown)

TEST_MAIN(with_shop(the_health_check_passes_with_and_without_data),
	  with_shop(the_editor_completes_labels_of_the_chosen_type),
	  with_shop(variables_put_the_type_before_the_braces), with_shop(panels_show_series),
	  with_shop(panels_show_flame_graphs), with_shop(unknown_formats_give_flame_graphs),
	  with_shop(links_lead_to_spans_and_single_profiles),
	  with_shop(heatmaps_count_profiles_or_spans))
