/* SPDX-License-Identifier: Apache-2.0 */
/* The waterfall of a trace: a line for each span, indented by its depth. */
#include "cli/views/trace_view.h"

#include <stdlib.h>

#include "cli/terminal/units.h"

enum { BAR_COLUMNS = 24, INDENT_MAX = 40, OTLP_ERROR = 2 };

void trace_waterfall_init(struct trace_waterfall *t, struct budget *budget)
{
	*t = (struct trace_waterfall){.start = UINT64_MAX};
	arena_init(&t->arena, budget);
}

void trace_waterfall_fini(struct trace_waterfall *t)
{
	arena_fini(&t->arena);
}

/* ---- reading ---- */

static uint64_t json_nanoseconds(const struct json_value *v)
{
	struct str s = json_str(v);
	uint64_t n = 0;

	for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	return n;
}

static struct str service_of(const struct json_value *resource)
{
	json_each(a, json_get(resource, STR("attributes")))
	{
		if (str_eq(json_str(json_get(a, STR("key"))), STR("service.name")))
			return json_str(json_get(json_get(a, STR("value")), STR("stringValue")));
	}
	return STR("unknown_service");
}

static int add_view_span(struct trace_waterfall *t, const struct json_value *span,
			 struct str service)
{
	const struct json_value *status = json_get(span, STR("status"));
	struct trace_view_span s = {
		.id = json_str(json_get(span, STR("spanId"))),
		.parent = json_str(json_get(span, STR("parentSpanId"))),
		.name = json_str(json_get(span, STR("name"))),
		.service = service,
		.message = json_str(json_get(status, STR("message"))),
		.start = json_nanoseconds(json_get(span, STR("startTimeUnixNano"))),
		.end = json_nanoseconds(json_get(span, STR("endTimeUnixNano"))),
		.events = json_count(json_get(span, STR("events"))),
		.first_child = VIEW_NO_SPAN,
		.next_sibling = VIEW_NO_SPAN,
	};
	double code = 0;

	if (!json_double(json_get(status, STR("code")), &code))
		s.error = code > OTLP_ERROR - 0.5 && code < OTLP_ERROR + 0.5;
	s.end = s.end < s.start ? s.start : s.end;
	t->start = s.start < t->start ? s.start : t->start;
	t->end = s.end > t->end ? s.end : t->end;
	return vec_push(&t->arena, &t->spans, s);
}

static int compare_view_starts(const void *a, const void *b)
{
	const struct trace_view_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return str_cmp(x->id, y->id);
}

static int compare_view_ids(const void *a, const void *b, void *ctx)
{
	const struct trace_view_span *spans = ctx;

	return str_cmp(spans[*(const uint32_t *)a].id, spans[*(const uint32_t *)b].id);
}

static uint32_t find_view_span(const struct trace_waterfall *t, struct str id)
{
	uint32_t low = 0, high = t->spans.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (str_cmp(t->spans.at[t->by_id[middle]].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < t->spans.n && str_eq(t->spans.at[t->by_id[low]].id, id))
		return t->by_id[low];
	return VIEW_NO_SPAN;
}

/* Order the spans by start, and link each to its parent; the last child is linked first. */
static int link_view_spans(struct trace_waterfall *t)
{
	uint32_t n = t->spans.n;

	t->by_id = arena_alloc(&t->arena, n + 1, sizeof(*t->by_id));
	if (!t->by_id)
		return -ENOMEM;
	if (n)
		qsort(t->spans.at, n, sizeof(*t->spans.at), compare_view_starts);
	for (uint32_t i = 0; i < n; i++)
		t->by_id[i] = i;
	qsort_r(t->by_id, n, sizeof(*t->by_id), compare_view_ids, t->spans.at);
	for (uint32_t i = n; i-- > 0;) {
		struct trace_view_span *s = &t->spans.at[i];
		uint32_t parent = s->parent.n ? find_view_span(t, s->parent) : VIEW_NO_SPAN;

		s->orphan = s->parent.n && (parent == VIEW_NO_SPAN || parent == i);
		if (parent == VIEW_NO_SPAN || parent == i)
			continue;
		s->next_sibling = t->spans.at[parent].first_child;
		t->spans.at[parent].first_child = i;
	}
	return 0;
}

int trace_waterfall_read(struct trace_waterfall *t, const struct json_value *traces)
{
	int rc = 0;

	json_each(resource, json_get(traces, STR("resourceSpans")))
	{
		struct str service = service_of(json_get(resource, STR("resource")));

		json_each(scope, json_get(resource, STR("scopeSpans")))
		{
			json_each(span, json_get(scope, STR("spans")))
			{
				if (!rc)
					rc = add_view_span(t, span, service);
			}
		}
	}
	return rc ? rc : link_view_spans(t);
}

void trace_waterfall_cost(struct trace_waterfall *t, const struct json_value *answer)
{
	t->unit = json_str(json_get(answer, STR("unit")));
	json_each(row, json_get(answer, STR("spans")))
	{
		uint32_t at = find_view_span(t, json_str(json_get(row, STR("span"))));
		double total = 0;

		if (at != VIEW_NO_SPAN && !json_double(json_get(row, STR("total")), &total))
			t->spans.at[at].cost = (int64_t)total;
	}
}

/* ---- writing ---- */

static void put_bar(const struct trace_waterfall *t, const struct trace_view_span *s,
		    struct buf *out, const struct terminal *terminal)
{
	double whole = t->end > t->start ? (double)(t->end - t->start) : 1;
	unsigned from = (unsigned)((double)(s->start - t->start) / whole * BAR_COLUMNS);
	unsigned to = (unsigned)((double)(s->end - t->start) / whole * BAR_COLUMNS + 0.999);

	from = from < BAR_COLUMNS ? from : BAR_COLUMNS - 1;
	to = to > from ? to : from + 1;
	for (unsigned i = 0; i < BAR_COLUMNS; i++) {
		if (i < from || i >= to)
			buf_put_char(out, ' ');
		else if (terminal->charset == TEXT_UTF8)
			buf_put_str(out, STR("█"));
		else
			buf_put_char(out, '=');
	}
}

static void put_view_span(const struct trace_waterfall *t, const struct trace_view_span *s,
			  unsigned depth, struct buf *out, const struct terminal *terminal,
			  bool exact)
{
	buf_printf(out, "%10s ", unit_value((int64_t)(s->end - s->start), STR("ns"), exact).text);
	if (t->unit.n)
		buf_printf(out, "%10s ", s->cost ? unit_value(s->cost, t->unit, exact).text : "");
	buf_put_char(out, ' ');
	put_bar(t, s, out, terminal);
	buf_printf(out, "  %*s", (int)(2 * (depth < INDENT_MAX ? depth : INDENT_MAX)), "");
	terminal_bold(out, terminal);
	text_put(out, s->service, terminal->charset);
	terminal_plain(out, terminal);
	buf_put_str(out, STR("  "));
	text_put(out, s->name, terminal->charset);
	if (s->error) {
		buf_put_str(out, STR("  ERROR"));
		if (s->message.n)
			buf_put_str(out, STR(": "));
		text_put(out, s->message, terminal->charset);
	}
	if (s->events)
		buf_printf(out, "  (%u event%s)", s->events, s->events == 1 ? "" : "s");
	if (s->orphan)
		buf_put_str(out, STR("  [parent not stored]"));
	buf_put_char(out, '\n');
}

struct shown_span {
	uint32_t span;
	unsigned depth;
};

/* Put a span and all below it. A span on a cycle of parents is put once. */
static int put_subtree(struct trace_waterfall *t, uint32_t root, struct buf *out,
		       const struct terminal *terminal, bool exact)
{
	VEC(struct shown_span) stack = {0};
	int rc = vec_push(&t->arena, &stack, (struct shown_span){root, 0});

	while (!rc && stack.n) {
		struct shown_span at = stack.at[--stack.n];
		struct trace_view_span *s = &t->spans.at[at.span];
		uint32_t first = stack.n;

		if (s->shown)
			continue;
		s->shown = true;
		put_view_span(t, s, at.depth, out, terminal, exact);
		for (uint32_t c = s->first_child; !rc && c != VIEW_NO_SPAN;
		     c = t->spans.at[c].next_sibling)
			rc = vec_push(&t->arena, &stack, (struct shown_span){c, at.depth + 1});
		for (uint32_t low = first, high = stack.n; low + 1 < high; low++) {
			struct shown_span swap = stack.at[low];

			stack.at[low] = stack.at[--high];
			stack.at[high] = swap;
		}
	}
	return rc;
}

static void put_heading(const struct trace_waterfall *t, struct buf *out, bool exact)
{
	uint32_t errors = 0;

	for (uint32_t i = 0; i < t->spans.n; i++)
		errors += t->spans.at[i].error;
	buf_printf(out, "%u span%s, %s, %u error%s\n", t->spans.n, t->spans.n == 1 ? "" : "s",
		   unit_value((int64_t)(t->end - t->start), STR("ns"), exact).text, errors,
		   errors == 1 ? "" : "s");
	buf_printf(out, "%10s ", "duration");
	if (t->unit.n)
		buf_printf(out, "%10s ", "cost");
	buf_printf(out, " %-*s  span\n", BAR_COLUMNS, "time");
}

int trace_waterfall_put(struct trace_waterfall *t, struct buf *out, const struct terminal *terminal,
			bool exact)
{
	int rc = 0;

	put_heading(t, out, exact);
	for (unsigned cycles = 0; cycles < 2; cycles++)
		for (uint32_t i = 0; !rc && i < t->spans.n; i++)
			if (cycles || !t->spans.at[i].parent.n || t->spans.at[i].orphan)
				rc = put_subtree(t, i, out, terminal, exact);
	return rc;
}
