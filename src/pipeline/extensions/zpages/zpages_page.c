/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages servicez, pipelinez, extensionz and featurez. They show ids, counters and the reasons
 * of failures, never settings, which may contain secrets.
 */
#include "pipeline/extensions/zpages/zpages_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http/uri.h"
#include "pipeline/extensions/zpages/zpages_html.h"
#include "pipeline/telemetry/process_metrics.h"

enum { SENDERS_SHOWN = 256 };

static const char *const pair_headings[] = {"Name", "Value", NULL};

/* ---- servicez ---- */

static void put_bytes_pair(struct buf *out, const char *name, uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f MiB", (double)bytes / MIB);
	html_put_pair(out, name, str_from(text));
}

static void put_runtime(const struct host *host, struct buf *out)
{
	struct utsname u = {0};
	char text[CLOCK_TEXT_SIZE], number[32];
	uint64_t now = clock_realtime_ns();

	(void)uname(&u);
	html_put_heading(out, "Runtime Info");
	html_begin_table(out, pair_headings);
	html_put_pair(out, "StartTimestamp", str_from(clock_format(host->started, text)));
	snprintf(number, sizeof(number), "%" PRIu64 " s",
		 now > host->started ? (now - host->started) / NS_PER_SECOND : 0);
	html_put_pair(out, "Uptime", str_from(number));
	html_put_pair(out, "OS", str_from(u.sysname));
	html_put_pair(out, "Arch", str_from(u.machine));
	snprintf(number, sizeof(number), "%d", (int)getpid());
	html_put_pair(out, "Process", str_from(number));
	put_bytes_pair(out, "Resident memory", process_resident_bytes());
	put_bytes_pair(out, "Data in transit", atomic_load(&host->memory.used));
	put_bytes_pair(out, "Limit of data in transit", host->memory.limit);
	html_end_table(out);
}

static void put_sender(const struct sender_stats *s, struct buf *out)
{
	const uint64_t counts[] = {s->accepted, s->sent,    s->confirmed, s->failed,
				   s->dropped,	s->pending, s->duplicates};

	html_begin_row(out);
	html_put_cell(out, str_from(s->id));
	html_put_cell(out, str_from(s->destination));
	html_put_cell(out, s->reachable ? STR("yes") : STR("no"));
	for (size_t i = 0; i < countof(counts); i++)
		html_put_number(out, counts[i]);
	html_put_cell(out, str_from(s->last_error));
	html_end_row(out);
}

static void put_deliveries(struct host *host, struct buf *out)
{
	static const char *const headings[] = {"Exporter", "Destination", "Reachable",	"Accepted",
					       "Sent",	   "Confirmed",	  "Failed",	"Dropped",
					       "Pending",  "Duplicates",  "Last error", NULL};
	struct sender_stats *at = calloc(SENDERS_SHOWN, sizeof(*at));
	unsigned n = at ? sender_list_copy(&host->exporters, at, SENDERS_SHOWN) : 0;

	html_put_heading(out, "Deliveries");
	html_put_paragraph(out, "Items of exporters with a queue, since the start.");
	html_begin_table(out, headings);
	for (unsigned i = 0; i < n && i < SENDERS_SHOWN; i++)
		put_sender(&at[i], out);
	html_end_table(out);
	free(at);
}

void zpages_servicez(const struct zpages_state *s, const struct http_exchange *x, struct buf *out)
{
	static const char *const no_parameters[] = {NULL};
	static const char *const pages[] = {"/debug/pipelinez", "/debug/extensionz",
					    "/debug/featurez", "/debug/tracez"};

	(void)x;
	html_begin(out, "Service");
	html_put_heading(out, "Build Info");
	html_begin_table(out, pair_headings);
	html_put_pair(out, "Command", STR("varve"));
	html_put_pair(out, "Description", STR("continuous profiling and observability"));
	html_put_pair(out, "Version", str_from(s->host->version ? s->host->version : "unknown"));
	html_end_table(out);
	put_runtime(s->host, out);
	put_deliveries(s->host, out);
	html_put_heading(out, "Pages");
	buf_put_str(out, STR("<ul>"));
	for (size_t i = 0; i < countof(pages); i++) {
		buf_put_str(out, STR("<li>"));
		html_put_link(out, pages[i], no_parameters, str_from(pages[i]));
		buf_put_str(out, STR("</li>"));
	}
	buf_put_str(out, STR("</ul>\n"));
	html_end(out);
}

/* ---- pipelinez ---- */

static void put_components(const struct outline_pipeline *p, const struct outline_list *list,
			   const char *kind, struct buf *out)
{
	buf_put_str(out, STR("<td>"));
	for (uint32_t i = 0; i < list->n; i++) {
		const char *parameters[] = {"zpipelinename",
					    p->name,
					    "zcomponentname",
					    list->at[i].id,
					    "zcomponentkind",
					    kind,
					    NULL};

		if (i)
			buf_put_str(out, STR("<br>"));
		html_put_link(out, "/debug/pipelinez", parameters, str_from(list->at[i].id));
	}
	buf_put_str(out, STR("</td>"));
}

static void put_pipeline(const struct outline_pipeline *p, struct buf *out)
{
	html_begin_row(out);
	html_put_cell(out, str_from(p->name));
	html_put_cell(out, str_from(signal_names[signal_index(p->signal)]));
	html_put_cell(out, p->mutates ? STR("true") : STR("false"));
	html_put_cell(out, p->durable ? str_from(p->durable) : STR("no"));
	for (unsigned i = 0; i < countof(p->listed); i++)
		put_components(p, &p->listed[i], component_kind_names[i], out);
	html_end_row(out);
}

/* Return the value of a query parameter, or an empty one. */
static struct str parameter_of(const struct http_exchange *x, const char *name)
{
	struct str value = {0};

	return http_param(x, str_from(name), 0, &value) ? (struct str){0} : value;
}

/* Find the component that the query names. NULL: there is none. */
static const struct outline_component *
chosen_component(const struct zpages_state *s, const struct http_exchange *x, const char **kind)
{
	struct str pipeline = parameter_of(x, "zpipelinename"),
		   id = parameter_of(x, "zcomponentname"),
		   wanted = parameter_of(x, "zcomponentkind");

	for (uint32_t i = 0; i < s->outline->pipeline_count; i++) {
		const struct outline_pipeline *p = &s->outline->pipelines[i];

		for (unsigned k = 0; k < countof(p->listed); k++)
			for (uint32_t c = 0; c < p->listed[k].n; c++)
				if (str_eq(str_from(p->name), pipeline) &&
				    str_eq(str_from(component_kind_names[k]), wanted) &&
				    str_eq(str_from(p->listed[k].at[c].id), id)) {
					*kind = component_kind_names[k];
					return &p->listed[k].at[c];
				}
	}
	return NULL;
}

/* Write the metrics with the label of a component, for example receiver="otlp". */
static void put_component_metrics(struct host *host, const char *kind, const char *id,
				  struct buf *out)
{
	struct buf metrics = {0};
	struct str rest;
	char label[TRACED_NAME_MAX + 32];

	snprintf(label, sizeof(label), "%s=\"%s\"", kind, id);
	telemetry_write(&host->telemetry, &metrics);
	rest = buf_error(&metrics) ? (struct str){0} : buf_str(&metrics);
	html_begin_table(out, pair_headings);
	while (rest.n) {
		struct str line = str_cut(&rest, '\n');
		struct str name = str_head(line, str_find_last(line, ' '));

		if (str_starts(name, STR("#")) || str_find_str(name, str_from(label)) == name.n)
			continue;
		html_begin_row(out);
		html_put_cell(out, name);
		html_put_cell(out, str_trim(str_from_at(line, name.n)));
		html_end_row(out);
	}
	html_end_table(out);
	buf_fini(&metrics);
}

static void put_component(struct host *host, const struct outline_component *c, const char *kind,
			  struct buf *out)
{
	html_put_heading(out, "Component");
	html_begin_table(out, pair_headings);
	html_put_pair(out, "Id", str_from(c->id));
	html_put_pair(out, "Kind", str_from(component_kind_names[c->type->kind]));
	html_put_pair(out, "Type", str_from(c->type->name));
	html_put_pair(out, "Description", str_from(c->type->help));
	html_end_table(out);
	html_put_heading(out, "Metrics in all its pipelines");
	put_component_metrics(host, kind, c->id, out);
}

void zpages_pipelinez(const struct zpages_state *s, const struct http_exchange *x, struct buf *out)
{
	static const char *const headings[] = {"Pipeline",  "Signal",	  "MutatesData", "Durable",
					       "Receivers", "Processors", "Exporters",	 NULL};
	const char *kind;
	const struct outline_component *c = chosen_component(s, x, &kind);

	html_begin(out, "Pipelines");
	html_begin_table(out, headings);
	for (uint32_t i = 0; i < s->outline->pipeline_count; i++)
		put_pipeline(&s->outline->pipelines[i], out);
	html_end_table(out);
	if (c)
		put_component(s->host, c, kind, out);
	html_end(out);
}

/* ---- extensionz and featurez ---- */

void zpages_extensionz(const struct zpages_state *s, const struct http_exchange *x, struct buf *out)
{
	static const char *const headings[] = {"Extension", "Type", "Description", NULL};

	(void)x;
	html_begin(out, "Extensions");
	html_begin_table(out, headings);
	for (uint32_t i = 0; i < s->outline->extensions.n; i++) {
		const struct outline_component *c = &s->outline->extensions.at[i];

		html_begin_row(out);
		html_put_cell(out, str_from(c->id));
		html_put_cell(out, str_from(c->type->name));
		html_put_cell(out, str_from(c->type->help));
		html_end_row(out);
	}
	html_end_table(out);
	html_end(out);
}

void zpages_featurez(const struct zpages_state *s, const struct http_exchange *x, struct buf *out)
{
	static const char *const headings[] = {"ID", "Enabled", "Description", NULL};

	(void)s;
	(void)x;
	html_begin(out, "Feature Gates");
	html_put_paragraph(out, "There are no feature gates: all features are enabled.");
	html_begin_table(out, headings);
	html_end_table(out);
	html_end(out);
}
