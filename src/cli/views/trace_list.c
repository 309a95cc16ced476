/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that a search finds, and spans with their cost, as tables. */
#include "cli/views/trace_list.h"

#include "base/clock.h"
#include "cli/terminal/units.h"

/* Read a number, or a text with one; 0 if it is missing. */
static uint64_t json_count_of(const struct json_value *v)
{
	uint64_t n = 0;

	return json_u64(v, &n) ? 0 : n;
}

static void put_text_cell(struct buf *out, struct str text, const struct terminal *terminal)
{
	text_put(out, text, terminal->charset);
}

/* ---- traces ---- */

/* Append "name=value" of an attribute; values are those of OTLP. */
static void put_found_attribute(struct buf *out, const struct json_value *a,
				const struct terminal *terminal)
{
	static const struct str forms[] = {STR_INIT("stringValue"), STR_INIT("intValue")};
	const struct json_value *value = json_get(a, STR("value"));
	const struct json_value *truth = json_get(value, STR("boolValue"));
	const struct json_value *real = json_get(value, STR("doubleValue"));
	bool yes;
	double d;

	buf_put_str(out, STR("  "));
	put_text_cell(out, json_str(json_get(a, STR("key"))), terminal);
	buf_put_char(out, '=');
	for (size_t i = 0; i < countof(forms); i++)
		put_text_cell(out, json_str(json_get(value, forms[i])), terminal);
	if (truth && !json_bool(truth, &yes))
		buf_put_str(out, yes ? STR("true") : STR("false"));
	if (real && !json_double(real, &d))
		buf_printf(out, "%g", d);
	if (json_get(value, STR("arrayValue")))
		buf_put_str(out, STR("[...]"));
}

static void put_found_span(struct buf *out, const struct json_value *span,
			   const struct terminal *terminal, bool exact)
{
	uint64_t ns = json_count_of(json_get(span, STR("durationNanos")));

	buf_printf(out, "    %10s  ", unit_value((int64_t)ns, STR("ns"), exact).text);
	put_text_cell(out, json_str(json_get(span, STR("spanID"))), terminal);
	buf_put_str(out, STR("  "));
	put_text_cell(out, json_str(json_get(span, STR("name"))), terminal);
	json_each(a, json_get(span, STR("attributes")))
	{
		put_found_attribute(out, a, terminal);
	}
	buf_put_char(out, '\n');
}

static void put_found_set(struct buf *out, const struct json_value *set,
			  const struct terminal *terminal, bool exact)
{
	const struct json_value *spans = json_get(set, STR("spans"));
	uint64_t matched = json_count_of(json_get(set, STR("matched")));
	uint32_t shown = json_count(spans);

	if (json_count(json_get(set, STR("attributes")))) {
		buf_put_str(out, STR("  "));
		json_each(a, json_get(set, STR("attributes")))
		{
			put_found_attribute(out, a, terminal);
		}
		buf_put_char(out, '\n');
	}
	json_each(span, spans)
	{
		put_found_span(out, span, terminal, exact);
	}
	if (matched > shown)
		buf_printf(out, "    %10s  and %llu more\n", "",
			   (unsigned long long)(matched - shown));
}

/* Count the spans and errors of all services of a trace. */
static void count_services(const struct json_value *stats, uint64_t *spans, uint64_t *errors)
{
	*spans = *errors = 0;
	json_each_member(service, stats)
	{
		const struct json_value *of = json_member(service);

		*spans += json_count_of(json_get(of, STR("spanCount")));
		*errors += json_count_of(json_get(of, STR("errorCount")));
	}
}

static void put_found_trace(struct buf *out, const struct json_value *trace,
			    const struct terminal *terminal, bool exact)
{
	struct str id = json_str(json_get(trace, STR("traceID")));
	uint64_t ms = json_count_of(json_get(trace, STR("durationMs"))), spans, errors;
	char when[CLOCK_TEXT_SIZE];

	count_services(json_get(trace, STR("serviceStats")), &spans, &errors);
	clock_format(json_count_of(json_get(trace, STR("startTimeUnixNano"))), when);
	buf_printf(out, "%s %10s  %4llu span%s  %*s", when,
		   ms ? unit_value((int64_t)ms * (int64_t)NS_PER_MS, STR("ns"), exact).text
		      : "< 1 ms",
		   (unsigned long long)spans, spans == 1 ? " " : "s",
		   (int)(id.n < 32 ? 32 - id.n : 0), "");
	put_text_cell(out, id, terminal);
	buf_put_str(out, STR("  "));
	terminal_bold(out, terminal);
	put_text_cell(out, json_str(json_get(trace, STR("rootServiceName"))), terminal);
	terminal_plain(out, terminal);
	buf_put_str(out, STR("  "));
	put_text_cell(out, json_str(json_get(trace, STR("rootTraceName"))), terminal);
	if (errors)
		buf_printf(out, "  %llu ERROR%s", (unsigned long long)errors,
			   errors == 1 ? "" : "S");
	buf_put_char(out, '\n');
	json_each(set, json_get(trace, STR("spanSets")))
	{
		put_found_set(out, set, terminal, exact);
	}
}

void trace_list_put(struct buf *out, const struct json_value *answer,
		    const struct terminal *terminal, bool exact)
{
	const struct json_value *traces = json_get(answer, STR("traces"));

	if (!json_count(traces))
		buf_put_str(out, STR("no trace is found in this time range\n"));
	json_each(trace, traces)
	{
		put_found_trace(out, trace, terminal, exact);
	}
}

/* ---- spans ---- */

static void put_cost(struct buf *out, const struct json_value *row, const char *key,
		     struct str unit, bool exact)
{
	double value = 0;

	if (json_double(json_get(row, str_from(key)), &value))
		value = 0;
	buf_printf(out, "%12s ", unit_value((int64_t)value, unit, exact).text);
}

void span_list_put(struct buf *out, const struct json_value *answer,
		   const struct terminal *terminal, bool exact)
{
	const struct json_value *spans = json_get(answer, STR("spans"));
	struct str unit = json_str(json_get(answer, STR("unit")));

	if (!json_count(spans)) {
		buf_put_str(out, STR("no span has such samples in this time range\n"));
		return;
	}
	buf_printf(out, "%12s %12s %12s  %-32s  %-16s  span\n", "cost", "with below", "duration",
		   "trace", "span id");
	json_each(row, spans)
	{
		const struct json_value *duration = json_get(row, STR("duration"));

		put_cost(out, row, "total", unit, exact);
		put_cost(out, row, "with_children", unit, exact);
		if (duration)
			put_cost(out, row, "duration", STR("ns"), exact);
		else
			buf_printf(out, "%12s ", "");
		buf_put_char(out, ' ');
		put_text_cell(out, json_str(json_get(row, STR("trace"))), terminal);
		buf_put_str(out, STR("  "));
		put_text_cell(out, json_str(json_get(row, STR("span"))), terminal);
		buf_put_str(out, STR("  "));
		terminal_bold(out, terminal);
		put_text_cell(out, json_str(json_get(row, STR("service"))), terminal);
		terminal_plain(out, terminal);
		buf_put_str(out, STR("  "));
		put_text_cell(out, json_str(json_get(row, STR("name"))), terminal);
		buf_put_char(out, '\n');
	}
}
