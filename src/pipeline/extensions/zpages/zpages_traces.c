/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page tracez: deliveries of receivers and attempts of exporters by latency. Numbers link to
 * the last deliveries of an operation, with the parameters of the collector's page: zspanname,
 * ztype (1: latency, 2: errors) and zsubtype (the number of the latency).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "net/http/uri.h"
#include "pipeline/extensions/zpages/zpages_html.h"
#include "pipeline/extensions/zpages/zpages_page.h"

static const char *const trace_headings[] = {
	"Operation", ">0us", ">10us", ">100us", ">1ms",	  ">10ms",
	">100ms",    ">1s",  ">10s",  ">1m40s", "Errors", NULL,
};

/* ---- the table ---- */

static void put_count(struct buf *out, const char *operation, const char *type, unsigned latency,
		      uint64_t count)
{
	char number[24], subtype[8];
	const char *parameters[] = {"zspanname", operation, "ztype", type,
				    "zsubtype",	 subtype,   NULL};

	snprintf(number, sizeof(number), "%" PRIu64, count);
	snprintf(subtype, sizeof(subtype), "%u", latency);
	buf_put_str(out, STR("<td class=\"n\">"));
	if (count)
		html_put_link(out, "/debug/tracez", parameters, str_from(number));
	else
		buf_put_str(out, STR("0"));
	buf_put_str(out, STR("</td>"));
}

static void put_operation(void *arg, const struct traced_operation *o)
{
	struct buf *out = arg;

	html_begin_row(out);
	html_put_cell(out, str_from(o->name));
	for (unsigned i = 0; i < TRACED_LATENCIES; i++)
		put_count(out, o->name, "1", i, o->by_latency[i].count);
	put_count(out, o->name, "2", 0, o->errors.count);
	html_end_row(out);
}

/* ---- the last deliveries of an operation ---- */

struct trace_choice {
	struct buf *out;
	struct str operation;
	bool errors;
	unsigned latency;
};

static void put_traced(struct buf *out, const struct traced_delivery *d)
{
	char when[CLOCK_TEXT_SIZE], took[32];

	html_begin_row(out);
	html_put_cell(out, str_from(clock_format(d->ended, when)));
	snprintf(took, sizeof(took), "%.6f", (double)d->latency_ns / (double)NS_PER_SECOND);
	html_put_cell(out, str_from(took));
	html_put_number(out, d->items);
	html_put_cell(out, d->rc ? str_from(d->reason[0] ? d->reason : "failed") : STR("success"));
	html_end_row(out);
}

static void put_chosen(void *arg, const struct traced_operation *o)
{
	static const char *const headings[] = {"When", "Elapsed seconds", "Items", "Result", NULL};
	const struct trace_choice *choice = arg;
	const struct traced_deliveries *d =
		choice->errors ? &o->errors : &o->by_latency[choice->latency];

	if (!str_eq(str_from(o->name), choice->operation))
		return;
	buf_put_str(choice->out, STR("<h2>The last of "));
	html_put_text(choice->out, choice->operation);
	buf_put_str(choice->out, STR("</h2>\n"));
	html_begin_table(choice->out, headings);
	for (uint64_t i = d->count; i-- > 0 && d->count - i <= TRACED_KEPT;)
		put_traced(choice->out, &d->kept[i % TRACED_KEPT]);
	html_end_table(choice->out);
}

/* Return false if the query names nothing to show. */
static bool read_choice(const struct http_exchange *x, struct trace_choice *choice)
{
	struct str type, latency;

	if (http_param(x, STR("zspanname"), 0, &choice->operation) ||
	    http_param(x, STR("ztype"), 0, &type))
		return false;
	choice->errors = str_eq(type, STR("2"));
	if (choice->errors)
		return true;
	if (!str_eq(type, STR("1")) || http_param(x, STR("zsubtype"), 0, &latency) ||
	    latency.n != 1 || latency.p[0] < '0' || latency.p[0] >= '0' + TRACED_LATENCIES)
		return false;
	choice->latency = (unsigned)(latency.p[0] - '0');
	return true;
}

void zpages_tracez(const struct zpages_state *s, const struct http_exchange *x, struct buf *out)
{
	struct trace_choice choice = {.out = out};

	html_begin(out, "Trace Spans");
	html_put_paragraph(out, "Receivers: the time from the arrival of a request until its data "
				"was accepted or refused. Exporters: the time of each attempt to "
				"send. Spans of the program itself, and what is running, are not "
				"recorded.");
	html_begin_table(out, trace_headings);
	delivery_traces_visit(&s->host->traces, put_operation, out);
	html_end_table(out);
	if (read_choice(x, &choice))
		delivery_traces_visit(&s->host->traces, put_chosen, &choice);
	html_end(out);
}
