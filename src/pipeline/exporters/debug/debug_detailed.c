/* SPDX-License-Identifier: Apache-2.0 */
/* All fields of spans, logs and profiles: verbosity detailed. Metrics: debug_metrics.c. */
#include <inttypes.h>

#include "pipeline/exporters/debug/debug_text.h"
#include "signal/otlp/attributes.h"

static void put_text_line(struct buf *out, const char *name, struct str text)
{
	buf_printf(out, "%s: ", name);
	buf_put_str(out, text);
	buf_put_char(out, '\n');
}

static void put_time_line(struct buf *out, const char *name, uint64_t ns)
{
	buf_printf(out, "%s: ", name);
	debug_put_time(out, ns);
	buf_put_char(out, '\n');
}

static void put_id_line(struct buf *out, const char *name, struct str id)
{
	buf_printf(out, "%s: ", name);
	debug_put_id(out, id);
	buf_put_char(out, '\n');
}

static const char *name_of(const char *const *names, size_t count, uint64_t number)
{
	return number < count ? names[number] : "Unknown";
}

/* ---- spans ---- */

static void put_events(struct buf *out, struct str span)
{
	struct str event;

	for (uint32_t i = 0; debug_next(&span, 11, &event); i++) {
		if (!i)
			buf_put_str(out, STR("Events:\n"));
		buf_printf(out, "SpanEvent #%u\n", i);
		put_text_line(out, "     -> Name", debug_bytes(event, 2));
		put_time_line(out, "     -> Timestamp", debug_number(event, 1));
		buf_printf(out, "     -> DroppedAttributesCount: %" PRIu64 "\n",
			   debug_number(event, 4));
		debug_put_attributes(out, "     ", "-> Attributes:", event,
				     OTLP_SPAN_EVENT_ATTRIBUTES);
	}
}

static void put_links(struct buf *out, struct str span)
{
	struct str link;

	for (uint32_t i = 0; debug_next(&span, 13, &link); i++) {
		if (!i)
			buf_put_str(out, STR("Links:\n"));
		buf_printf(out, "SpanLink #%u\n", i);
		put_id_line(out, "     -> Trace ID", debug_bytes(link, 1));
		put_id_line(out, "     -> ID", debug_bytes(link, 2));
		put_text_line(out, "     -> TraceState", debug_bytes(link, 3));
		buf_printf(out, "     -> DroppedAttributesCount: %" PRIu64 "\n",
			   debug_number(link, 5));
		debug_put_attributes(out, "     ", "-> Attributes:", link, 4);
	}
}

static void put_span(struct buf *out, struct str span, uint32_t i)
{
	static const char *const kinds[] = {"Unspecified", "Internal", "Server",
					    "Client",	   "Producer", "Consumer"};
	static const char *const codes[] = {"Unset", "Ok", "Error"};
	struct str status = debug_bytes(span, 15), state = debug_bytes(span, 3);

	buf_printf(out, "Span #%u\n", i);
	put_id_line(out, "    Trace ID       ", debug_bytes(span, 1));
	put_id_line(out, "    Parent ID      ", debug_bytes(span, 4));
	put_id_line(out, "    ID             ", debug_bytes(span, 2));
	put_text_line(out, "    Name           ", debug_bytes(span, 5));
	buf_printf(out, "    Kind           : %s\n",
		   name_of(kinds, countof(kinds), debug_number(span, 6)));
	if (state.n)
		put_text_line(out, "    TraceState     ", state);
	put_time_line(out, "    Start time     ", debug_number(span, 7));
	put_time_line(out, "    End time       ", debug_number(span, 8));
	buf_printf(out, "    Status code    : %s\n",
		   name_of(codes, countof(codes), debug_number(status, 3)));
	put_text_line(out, "    Status message ", debug_bytes(status, 2));
	debug_put_attributes(out, "", "Attributes", span, OTLP_SPAN_ATTRIBUTES);
	put_events(out, span);
	put_links(out, span);
}

/* ---- logs ---- */

static void put_severity(struct buf *out, uint64_t number)
{
	static const char *const levels[] = {"Trace", "Debug", "Info", "Warn", "Error", "Fatal"};

	buf_put_str(out, STR("SeverityNumber: "));
	if (!number || number > 24)
		buf_put_str(out, number ? STR("") : STR("Unspecified"));
	else if ((number - 1) % 4)
		buf_printf(out, "%s%u", levels[(number - 1) / 4], (unsigned)((number - 1) % 4 + 1));
	else
		buf_put_str(out, str_from(levels[(number - 1) / 4]));
	buf_printf(out, "(%" PRIu64 ")\n", number);
}

static void put_log(struct buf *out, struct str record, uint32_t i)
{
	struct str event = debug_bytes(record, 12);

	buf_printf(out, "LogRecord #%u\n", i);
	put_time_line(out, "ObservedTimestamp", debug_number(record, 11));
	put_time_line(out, "Timestamp", debug_number(record, 1));
	put_text_line(out, "SeverityText", debug_bytes(record, 3));
	put_severity(out, debug_number(record, 2));
	if (event.n)
		put_text_line(out, "EventName", event);
	buf_put_str(out, STR("Body: "));
	debug_put_value(out, debug_bytes(record, 5));
	buf_put_char(out, '\n');
	debug_put_attributes(out, "", "Attributes", record, OTLP_LOG_ATTRIBUTES);
	put_id_line(out, "Trace ID", debug_bytes(record, 9));
	put_id_line(out, "Span ID", debug_bytes(record, 10));
	buf_printf(out, "Flags: %" PRIu64 "\n", debug_number(record, 8));
}

/* ---- metrics and profiles ---- */

static void put_metric(struct buf *out, struct str metric, uint32_t i)
{
	buf_printf(out, "Metric #%u\n", i);
	debug_write_metric(out, metric);
}

static void put_profile(struct buf *out, struct str profile, uint32_t i)
{
	struct str sample, rest = profile;
	uint32_t samples = 0;

	while (debug_next(&rest, 2, &sample))
		samples++;
	buf_printf(out, "Profile #%u\n", i);
	put_id_line(out, "    Profile ID     ", debug_bytes(profile, 7));
	put_time_line(out, "    Start time     ", debug_number(profile, 3));
	buf_printf(out, "    Duration       : %" PRIu64 " ns\n", debug_number(profile, 4));
	buf_printf(out, "    Period         : %" PRIu64 "\n", debug_number(profile, 6));
	buf_printf(out, "    Dropped attributes count: %" PRIu64 "\n", debug_number(profile, 8));
	buf_printf(out, "    Samples        : %u\n", samples);
}

/* ---- resources and scopes ---- */

static void put_scope(struct buf *out, const char *name, struct str scope_x, uint32_t i)
{
	struct str scope = debug_bytes(scope_x, 1);

	buf_printf(out, "Scope%s #%u\nScope%s SchemaURL: ", name, i, name);
	buf_put_str(out, debug_bytes(scope_x, 3));
	buf_put_str(out, STR("\nInstrumentationScope "));
	buf_put_str(out, debug_bytes(scope, 1));
	buf_put_char(out, ' ');
	buf_put_str(out, debug_bytes(scope, 2));
	buf_put_char(out, '\n');
	debug_put_attributes(out, "", "InstrumentationScope attributes", scope,
			     OTLP_SCOPE_ATTRIBUTES);
}

void debug_write_detailed(struct buf *out, enum signal_kind signal, struct str message)
{
	static const struct {
		const char *resource, *scope;
		void (*put)(struct buf *out, struct str item, uint32_t i);
	} kinds[SIGNALS] = {
		{"ResourceProfiles", "Profiles", put_profile},
		{"ResourceSpans", "Spans", put_span},
		{"ResourceMetrics", "Metrics", put_metric},
		{"ResourceLog", "Logs", put_log},
	};
	unsigned kind = signal_index(signal);
	struct str resource_x, scope_x, item;

	for (uint32_t i = 0; debug_next(&message, 1, &resource_x); i++) {
		buf_printf(out, "%s #%u\n", kinds[kind].resource, i);
		put_text_line(out, "Resource SchemaURL", debug_bytes(resource_x, 3));
		debug_put_attributes(out, "", "Resource attributes", debug_bytes(resource_x, 1),
				     OTLP_RESOURCE_ATTRIBUTES);
		for (uint32_t k = 0; debug_next(&resource_x, 2, &scope_x); k++) {
			put_scope(out, kinds[kind].scope, scope_x, k);
			for (uint32_t n = 0; debug_next(&scope_x, 2, &item); n++)
				kinds[kind].put(out, item, n);
		}
	}
}
