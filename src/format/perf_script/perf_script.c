/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes `perf script` text line by line. A sample is an event line and the frames after it, up to
 * an empty line or the next event line. The kind of a line follows from its own shape and from
 * whether a sample is open. Each event becomes a profile. Identical samples become one sample with
 * all their times (collect.h limits the number of times).
 */
#include "format/perf_script/perf_script.h"

#include "format/collect.h"
#include "format/perf_script/event_line.h"
#include "format/perf_script/stack.h"
#include "format/text.h"
#include "signal/profile/profile_rows.h"

/* The attributes of a sample that follow from the text of comm, ids and CPU. */
enum { SOURCE_ATTRIBUTES_MAX = 4 };
struct perf_source {
	uint32_t attributes[SOURCE_ATTRIBUTES_MAX], n;
};

struct event_series {
	uint32_t series;
	uint64_t period; /* of the first sample */
	bool same_period;
};

enum { HEADER_MAX = 8 };

struct perf_decoder {
	struct profile_builder builder;
	struct collector collector; /* its arena holds everything except the batch */
	struct perf_stack stack;
	struct text_cache source_cache, event_cache;
	VEC(struct perf_source) sources;
	VEC(struct event_series) events;
	struct text_warnings warnings;
	struct keyvalue header[HEADER_MAX]; /* of the resource */
	uint32_t header_n;

	/* the open sample */
	bool open;
	bool bare;	   /* only a comm so far: it is a sample if frames follow */
	bool inline_frame; /* its frame is in the event line: frames in other lines replace it */
	bool skip;	   /* a record other than a sample */
	bool has_events;   /* event lines were seen, so frames need an open sample */
	uint32_t event, source;
	uint64_t time, period;
	bool has_time;
	uint64_t samples;
};

/* Name the sample type after the event. Periods of clock events are nanoseconds of CPU time. */
static int name_types(struct perf_decoder *d, struct str base, bool has_period, struct profile *row)
{
	bool clock = str_eq(base, STR("cpu-clock")) || str_eq(base, STR("task-clock"));
	struct str type = base.n ? base : STR("samples"), unit = STR("count");
	struct str repaired;
	int rc;

	if (clock) {
		type = has_period ? STR("cpu") : STR("samples");
		unit = has_period ? STR("nanoseconds") : STR("count");
	}
	rc = text_repair_utf8(&d->collector.scratch, type, &repaired);
	if (!rc)
		rc = profile_add_string(&d->builder, repaired, &row->sample_type.type);
	if (!rc)
		rc = profile_add_string(&d->builder, unit, &row->sample_type.unit);
	if (has_period)
		row->period_type = row->sample_type;
	return rc;
}

static int add_event(struct perf_decoder *d, const struct perf_event *e)
{
	struct event_series s = {.period = e->period, .same_period = e->has_period};
	struct profile row = {0};
	struct str name;
	uint32_t attribute = 0;
	int rc = name_types(d, perf_event_base(e->event), e->has_period, &row);

	if (!rc)
		rc = text_repair_utf8(&d->collector.scratch, e->event, &name);
	if (!rc && name.n)
		rc = profile_add_attribute(&d->builder, STR("perf.event"), VALUE_OF_STR(name),
					   STR(""), &attribute);
	if (!rc)
		rc = collect_series_add(&d->collector, &row, &attribute, attribute > 0, &s.series);
	return rc ? rc : vec_push(&d->collector.scratch, &d->events, s);
}

static int find_or_add_event(struct perf_decoder *d, const struct perf_event *e, uint32_t *id)
{
	uint32_t hash;
	int rc;

	if (text_cache_find(&d->event_cache, e->event, &hash, id))
		return 0;
	rc = add_event(d, e);
	*id = d->events.n - 1;
	return rc ? rc : text_cache_add(&d->event_cache, e->event, hash, *id);
}

static int add_int_attribute(struct perf_decoder *d, struct perf_source *s, struct str key,
			     int64_t number)
{
	return profile_add_attribute(&d->builder, key, VALUE_OF_INT(number), STR(""),
				     &s->attributes[s->n++]);
}

static int add_source(struct perf_decoder *d, const struct perf_event *e)
{
	struct perf_source s = {0};
	struct str comm;
	int rc = text_repair_utf8(&d->collector.scratch, e->comm, &comm);

	if (!rc && comm.n)
		rc = profile_add_attribute(&d->builder, STR("thread.name"), VALUE_OF_STR(comm),
					   STR(""), &s.attributes[s.n++]);
	if (!rc && e->has_pid)
		rc = add_int_attribute(d, &s, STR("process.pid"), e->pid);
	if (!rc && e->has_tid)
		rc = add_int_attribute(d, &s, STR("thread.id"), e->tid);
	if (!rc && e->has_cpu && e->cpu <= INT32_MAX)
		rc = add_int_attribute(d, &s, STR("cpu.logical_number"), (int64_t)e->cpu);
	return rc ? rc : vec_push(&d->collector.scratch, &d->sources, s);
}

static int find_or_add_source(struct perf_decoder *d, const struct perf_event *e, uint32_t *id)
{
	uint32_t hash;
	int rc;

	if (text_cache_find(&d->source_cache, e->source, &hash, id))
		return 0;
	rc = add_source(d, e);
	*id = d->sources.n - 1;
	return rc ? rc : text_cache_add(&d->source_cache, e->source, hash, *id);
}

/* Add the open sample, if any, which is complete now. */
static int close_sample(struct perf_decoder *d)
{
	struct collect_sample sample = {.timed = d->has_time, .time = d->time};
	struct event_series *event;
	const struct perf_source *source;
	int rc;

	if (!d->open || d->bare)
		return 0;
	d->open = false;
	event = &d->events.at[d->event];
	source = &d->sources.at[d->source];
	rc = perf_stack_finish(&d->stack, &sample.stack);
	if (rc)
		return rc;
	sample.series = event->series;
	sample.attributes = source->attributes;
	sample.attribute_count = source->n;
	sample.value = d->period <= INT64_MAX ? (int64_t)d->period : INT64_MAX;
	event->same_period = event->same_period && event->period == d->period;
	d->samples++;
	return collect_add(&d->collector, &sample);
}

static int open_sample(struct perf_decoder *d, const struct perf_event *e, bool bare)
{
	struct perf_frame frame;
	int rc = bare ? 0 : find_or_add_event(d, e, &d->event);

	if (!rc)
		rc = find_or_add_source(d, e, &d->source);
	if (rc)
		return rc;
	perf_stack_clear(&d->stack);
	d->open = true;
	d->bare = bare;
	d->inline_frame = d->skip = false;
	d->has_time = e->has_time;
	d->time = e->time;
	d->period = e->has_period ? e->period : 1;
	if (perf_event_is_tracepoint(e->event) || !perf_frame_parse(e->rest, &frame))
		return 0;
	d->inline_frame = true;
	return perf_stack_push(&d->stack, e->rest);
}

static int decode_event(struct perf_decoder *d, const struct perf_event *e)
{
	int rc = close_sample(d);

	if (rc)
		return rc;
	d->open = false;
	d->has_events = true;
	d->skip = perf_event_is_record(e);
	return d->skip ? 0 : open_sample(d, e, false);
}

static int warn_unexpected_line(struct perf_decoder *d, struct str line, uint64_t number,
				struct err *e)
{
	return text_warn(&d->warnings, e,
			 "line %llu: expected an event or a frame of perf script, found \"%.*s\"",
			 (unsigned long long)number, STR_ARG(str_head(str_trim(line), 60)));
}

static int decode_frame(struct perf_decoder *d, struct str line, uint64_t number, struct err *e)
{
	const struct perf_event nothing = {0};
	int rc = 0;

	if (!d->open && d->has_events)
		return warn_unexpected_line(d, line, number, e);
	if (!d->open) /* -F ip,sym prints no event lines */
		rc = open_sample(d, &nothing, false);
	else if (d->bare)
		rc = find_or_add_event(d, &nothing, &d->event);
	if (d->inline_frame)
		perf_stack_clear(&d->stack);
	d->bare = d->inline_frame = false;
	return rc ? rc : perf_stack_push(&d->stack, line);
}

/* Parse a line of the header about the machine: "# hostname : e2b5bab9a538". */
static int decode_comment(struct perf_decoder *d, struct str line)
{
	static const struct {
		struct str name, key;
	} known[] = {
		{STR_INIT("hostname"), STR_INIT("host.name")},
		{STR_INIT("arch"), STR_INIT("host.arch")},
		{STR_INIT("os release"), STR_INIT("os.version")},
	};
	struct str value = str_from_at(line, 1), name = str_trim(str_cut(&value, ':'));
	struct keyvalue kv;
	int rc;

	value = str_trim(value);
	for (size_t i = 0; i < countof(known); i++) {
		if (!str_eq(name, known[i].name) || !value.n || d->header_n == HEADER_MAX)
			continue;
		kv.key = known[i].key;
		for (uint32_t k = 0; k < d->header_n; k++)
			if (str_eq(d->header[k].key, kv.key))
				return 0;
		rc = text_repair_utf8(&d->collector.scratch, value, &value);
		if (!rc)
			rc = arena_copy_str(&d->collector.scratch, value, &value);
		if (rc)
			return rc;
		kv.value = VALUE_OF_STR(value);
		d->header[d->header_n++] = kv;
	}
	return 0;
}

/* Decode a line that does not begin with a tab and an address. */
static int decode_other_line(struct perf_decoder *d, struct str line, uint64_t number,
			     struct err *e)
{
	bool indented = line.p[0] == ' ' || line.p[0] == '\t';
	struct perf_event event;
	struct perf_frame frame;
	struct perf_srcline src;

	if (perf_event_parse(line, false, &event))
		return decode_event(d, &event);
	if (perf_frame_parse(line, &frame) && (frame.has_dso || (indented && d->open)))
		return decode_frame(d, line, number, e);
	if (d->skip)
		return 0;
	if (d->open && indented && perf_srcline_parse(line, &src))
		return perf_stack_srcline(&d->stack, line);
	if (perf_event_parse_with_frame(line, &event) ||
	    ((!d->open || d->bare || !indented) && perf_event_parse(line, true, &event)))
		return decode_event(d, &event);
	if (!d->open && perf_event_parse_bare(line, &event))
		return open_sample(d, &event, true);
	return warn_unexpected_line(d, line, number, e);
}

static int decode_script_line(struct perf_decoder *d, struct str line, uint64_t number,
			      struct err *e)
{
	struct perf_frame frame;

	if (!str_trim(line).n) {
		int rc = close_sample(d);

		if (!rc && d->open) /* a bare one without frames */
			rc = warn_unexpected_line(d, STR("a line without frames"), number - 1, e);
		d->open = d->skip = false;
		return rc;
	}
	if (line.p[0] == '#')
		return decode_comment(d, line);
	if (line.p[0] == '\t' && !d->skip && perf_frame_parse(line, &frame))
		return decode_frame(d, line, number, e);
	return decode_other_line(d, line, number, e);
}

static int decoder_init(struct perf_decoder *d, struct profile_batch *out,
			const struct decode_options *o)
{
	struct arena *scratch = &d->collector.scratch;
	int rc;

	*d = (struct perf_decoder){.warnings = {.options = o}};
	rc = profile_builder_init(&d->builder, out);
	if (!rc)
		rc = collector_init(&d->collector, &d->builder);
	if (!rc)
		rc = perf_stack_init(&d->stack, &d->builder, scratch);
	if (!rc)
		rc = text_cache_init(&d->source_cache, scratch);
	if (!rc)
		rc = text_cache_init(&d->event_cache, scratch);
	return rc;
}

static int finish_decoding(struct perf_decoder *d, struct err *e)
{
	int rc = close_sample(d);

	if (!rc && !d->samples)
		return err_set(e, -EBADMSG, "line 1: expected samples of perf script, found none");
	for (uint32_t i = 0; i < d->events.n; i++)
		if (d->events.at[i].same_period && d->events.at[i].period <= INT64_MAX)
			collect_series_row(&d->collector, d->events.at[i].series)->period =
				(int64_t)d->events.at[i].period;
	if (!rc && d->collector.times_dropped)
		rc = text_warn(&d->warnings, e,
			       "more than %u samples: their sums are kept, their times are not",
			       d->collector.times_max);
	if (!rc)
		rc = profile_add_resource(&d->builder, d->header, d->header_n);
	if (!rc)
		rc = profile_add_scope(&d->builder, STR(""), STR(""), NULL, 0);
	return rc ? rc : collector_finish(&d->collector);
}

static int perf_script_decode(struct profile_batch *out, struct line_source *in,
			      const struct decode_options *o, struct err *e)
{
	struct perf_decoder d;
	struct str line;
	int rc = decoder_init(&d, out, o), more = 0;

	while (!rc && (more = in->next(in->arg, &line, e)) > 0)
		rc = decode_script_line(&d, line, in->number, e);
	if (!rc)
		rc = more;
	if (!rc)
		rc = finish_decoding(&d, e);
	collector_fini(&d.collector);
	return rc;
}

/* Match event lines in their strict form, and frames after them. */
static int perf_script_sniff(struct str head)
{
	enum { LINES_MAX = 200 };
	unsigned events = 0, frames = 0, others = 0;
	bool head_of_sample = false; /* the last line may be an event line with few fields */
	struct str rest = head, line;
	struct perf_event event;
	struct perf_frame frame;
	struct perf_srcline src;

	if (str_find(head, '\0') != head.n)
		return 0;
	for (unsigned i = 0; i < LINES_MAX && str_next_line(&rest, &line); i++) {
		if (!rest.p && i)
			break;
		if (!str_trim(line).n || line.p[0] == '#')
			continue;
		if (perf_frame_parse(line, &frame) && (frame.has_dso || line.p[0] == '\t')) {
			frames++;
			head_of_sample = false;
			continue;
		}
		others += head_of_sample;
		head_of_sample = false;
		if (perf_event_parse(line, false, &event) &&
		    (event.event.n || event.has_tid || !str_trim(event.rest).n))
			events++;
		else if (line.p[0] != ' ')
			head_of_sample = true;
		else if (perf_event_parse_with_frame(line, &event))
			frames++;
		else if (!perf_srcline_parse(line, &src))
			others++;
	}
	if (others > (events + frames) / 4)
		return 0;
	if (events && frames)
		return 80;
	return events ? 50 : frames > 1 ? 30 : 0;
}

static const char *const perf_script_extensions[] = {"perf", "perf-script", "perf.txt",
						     "linux-perf.txt", NULL};

const struct format format_perf_script = {
	.name = "perf-script",
	.summary = "text of perf script",
	.root_label = "thread.name", /* stackcollapse-perf.pl uses the comm */
	.extensions = perf_script_extensions,
	.sniff = perf_script_sniff,
	.decode_lines = perf_script_decode,
};
