/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes speedscope's JSON. A sampled profile already consists of weighted stacks. In an evented
 * one the time between two events is the weight of the stack that is open between them. Weights in
 * a unit of time also define times: each sample begins where the previous one ends.
 */
#include "format/speedscope/speedscope.h"

#include <math.h>

#include "format/collect.h"
#include "format/text.h"
#include "signal/profile/profile_rows.h"
#include "wire/json.h"

enum { DEPTH_MAX = 16384 };

const struct str speedscope_schema = STR_INIT("https://www.speedscope.app/file-format-schema.json");

/* clang-format off */
const struct speedscope_unit speedscope_units[] = {
	{STR_INIT("none"),	   STR_INIT("samples"), STR_INIT("count"),	 1,	     false},
	{STR_INIT("nanoseconds"),  STR_INIT("time"),	STR_INIT("nanoseconds"), 1,	     true},
	{STR_INIT("microseconds"), STR_INIT("time"),	STR_INIT("nanoseconds"), 1000,	     true},
	{STR_INIT("milliseconds"), STR_INIT("time"),	STR_INIT("nanoseconds"), 1000000,    true},
	{STR_INIT("seconds"),	   STR_INIT("time"),	STR_INIT("nanoseconds"), 1000000000, true},
	{STR_INIT("bytes"),	   STR_INIT("space"),	STR_INIT("bytes"),	 1,	     false},
	{STR_INIT(""),		   STR_INIT(""),	STR_INIT(""),		 0,	     false},
};
/* clang-format on */

struct speedscope_decoder {
	struct profile_builder builder;
	struct collector collector; /* its arena holds everything except the batch */
	struct text_warnings warnings;
	struct json doc;
	VEC(uint32_t) locations; /* by index of the shared frame */

	/* the current profile */
	const struct speedscope_unit *unit;
	uint32_t series;
	VEC(uint32_t) open;    /* open frames, root first */
	VEC(uint32_t) reverse; /* locations, leaf first */
	double carry;	       /* remainder of rounding */
};

/* Multiply a number in the file's unit by the factor; exact for whole numbers. */
static int read_amount(const struct speedscope_decoder *d, const struct json_value *v,
		       double *fraction, int64_t *out)
{
	int64_t whole;
	double amount;

	if (fraction)
		*fraction = 0;
	if (!json_i64(v, &whole))
		return __builtin_mul_overflow(whole, d->unit->factor, out) ? -ERANGE : 0;
	if (json_kind(v) != JSON_NUMBER || json_double(v, &amount))
		return -EINVAL;
	amount *= (double)d->unit->factor;
	if (!(fabs(amount) < 9e18))
		return -ERANGE;
	*out = llround(amount);
	if (fraction)
		*fraction = amount - (double)*out;
	return 0;
}

static int read_text(struct speedscope_decoder *d, const struct json_value *v, struct str *out)
{
	return text_repair_utf8(&d->collector.scratch, json_str(v), out);
}

static int decode_shared_frame(struct speedscope_decoder *d, const struct json_value *frame,
			       struct err *e)
{
	const struct json_value *name = json_get(frame, STR("name"));
	struct function function = {0};
	struct line line = {0};
	struct str text, file;
	uint32_t location;
	int rc;

	if (json_kind(name) != JSON_STRING)
		return json_fail(&d->doc, name ? name : frame, e, "a frame with a name");
	/* some producers omit them or write null or 0 */
	if (json_i64(json_get(frame, STR("line")), &line.line) || line.line < 0)
		line.line = 0;
	if (json_i64(json_get(frame, STR("col")), &line.column) || line.column < 0)
		line.column = 0;
	rc = read_text(d, name, &text);
	if (!rc)
		rc = read_text(d, json_get(frame, STR("file")), &file);
	if (!rc)
		rc = profile_add_string(&d->builder, text, &function.name);
	if (!rc)
		rc = profile_add_string(&d->builder, file, &function.filename);
	if (!rc)
		rc = profile_add_function(&d->builder, &function, &line.function);
	if (!rc)
		rc = profile_add_location(&d->builder,
					  &(struct location_parts){.lines = &line, .line_count = 1},
					  &location);
	return rc ? rc : vec_push(&d->collector.scratch, &d->locations, location);
}

static int read_frame_index(const struct speedscope_decoder *d, const struct json_value *v,
			    uint32_t *out, struct err *e)
{
	uint64_t index;

	if (json_u64(v, &index) || index >= d->locations.n)
		return json_fail(&d->doc, v, e, "the index of a shared frame");
	*out = (uint32_t)index;
	return 0;
}

/* Add a sample with the open frames that begins at `time`. */
static int add_sample(struct speedscope_decoder *d, int64_t value, int64_t time)
{
	struct collect_sample sample = {
		.series = d->series,
		.value = value,
		.timed = d->unit->time && time >= 0,
		.time = (uint64_t)time,
	};
	int rc = vec_reserve(&d->collector.scratch, &d->reverse, d->open.n);

	if (rc)
		return rc;
	d->reverse.n = 0;
	for (uint32_t i = d->open.n; i-- > 0;)
		d->reverse.at[d->reverse.n++] = d->locations.at[d->open.at[i]];
	rc = profile_add_stack(&d->builder, d->reverse.at, d->reverse.n, &sample.stack);
	return rc ? rc : collect_add(&d->collector, &sample);
}

/* Close the innermost frame, which must be `frame`. */
static int close_frame(struct speedscope_decoder *d, const struct json_value *event, uint32_t frame,
		       struct err *e)
{
	size_t at = json_offset(&d->doc, event);

	if (!d->open.n)
		return err_set(e, -EBADMSG,
			       "at byte %zu: expected an open frame, found none to close", at);
	if (d->open.at[d->open.n - 1] != frame)
		return err_set(e, -EBADMSG,
			       "at byte %zu: expected frame %u to be closed first, found frame %u",
			       at, d->open.at[d->open.n - 1], frame);
	d->open.n--;
	return 0;
}

/* Decode one event. The stack that was open until now gets the time since the last event. */
static int decode_event(struct speedscope_decoder *d, const struct json_value *event, int64_t *last,
			struct err *e)
{
	const struct json_value *at_value = json_get(event, STR("at"));
	struct str type = json_str(json_get(event, STR("type")));
	uint32_t frame = 0;
	int64_t at;
	int rc = read_frame_index(d, json_get(event, STR("frame")), &frame, e);

	if (rc)
		return rc;
	if (read_amount(d, at_value, NULL, &at))
		return json_fail(&d->doc, at_value, e, "a number");
	if (at < *last)
		return err_set(
			e, -EBADMSG,
			"at byte %zu: expected events in the order of time, found one %lld before "
			"its predecessor",
			json_offset(&d->doc, at_value),
			(long long)((uint64_t)*last - (uint64_t)at));
	if (at > *last && d->open.n)
		rc = add_sample(d, (int64_t)((uint64_t)at - (uint64_t)*last), *last);
	*last = at;
	if (rc)
		return rc;
	if (str_eq(type, STR("O"))) {
		if (d->open.n >= DEPTH_MAX)
			return json_fail(&d->doc, event, e, "no more than 16384 open frames");
		return vec_push(&d->collector.scratch, &d->open, frame);
	}
	if (!str_eq(type, STR("C")))
		return json_fail(&d->doc, event, e, "an event of type \"O\" or \"C\"");
	return close_frame(d, event, frame, e);
}

static int decode_events(struct speedscope_decoder *d, const struct json_value *profile,
			 int64_t start, int64_t end, struct err *e)
{
	const struct json_value *events = json_get(profile, STR("events"));
	int64_t last = start;
	int rc = 0;

	if (json_kind(events) != JSON_ARRAY)
		return json_fail(&d->doc, events ? events : profile, e, "an array of events");
	d->open.n = 0;
	json_each(event, events)
	{
		rc = decode_event(d, event, &last, e);
		if (rc)
			return rc;
	}
	if (!d->open.n)
		return 0;
	rc = text_warn(&d->warnings, e, "at byte %zu: %u frames are never closed",
		       json_offset(&d->doc, events), d->open.n);
	if (!rc && end > last)
		rc = add_sample(d, (int64_t)((uint64_t)end - (uint64_t)last), last);
	return rc;
}

/*
 * Read the next weight as a whole number; the fraction is carried over, so that the sum is right.
 */
static int read_weight(struct speedscope_decoder *d, const struct json_value *v, int64_t *weight,
		       struct err *e)
{
	double fraction;

	if (!v) {
		*weight = 1;
		return 0;
	}
	if (read_amount(d, v, &fraction, weight) || *weight < 0)
		return json_fail(&d->doc, v, e, "a weight that is not negative");
	d->carry += fraction;
	if (d->carry >= 0.5) {
		*weight += 1;
		d->carry -= 1;
	} else if (d->carry < -0.5 && *weight > 0) {
		*weight -= 1;
		d->carry += 1;
	}
	return 0;
}

static int decode_stack(struct speedscope_decoder *d, const struct json_value *stack, struct err *e)
{
	uint32_t frame = 0;
	int rc;

	if (json_kind(stack) != JSON_ARRAY || json_count(stack) > DEPTH_MAX)
		return json_fail(&d->doc, stack, e, "an array of at most 16384 frames");
	d->open.n = 0;
	json_each(index, stack)
	{
		rc = read_frame_index(d, index, &frame, e);
		if (!rc)
			rc = vec_push(&d->collector.scratch, &d->open, frame);
		if (rc)
			return rc;
	}
	return 0;
}

static int decode_samples(struct speedscope_decoder *d, const struct json_value *profile,
			  int64_t start, struct err *e)
{
	const struct json_value *samples = json_get(profile, STR("samples"));
	const struct json_value *weights = json_get(profile, STR("weights"));
	const struct json_value *weight = json_first(weights, JSON_ARRAY);
	int64_t time = start, value = 0;
	int rc = 0;

	if (json_kind(samples) != JSON_ARRAY)
		return json_fail(&d->doc, samples ? samples : profile, e, "an array of samples");
	if (!weights)
		rc = text_warn(&d->warnings, e, "at byte %zu: no weights, each sample counts one",
			       json_offset(&d->doc, samples));
	else if (json_count(weights) != json_count(samples))
		rc = json_fail(&d->doc, weights, e, "as many weights as there are samples");
	d->carry = 0;
	json_each(stack, samples)
	{
		if (!rc)
			rc = decode_stack(d, stack, e);
		if (!rc)
			rc = read_weight(d, weight, &value, e);
		if (!rc)
			rc = add_sample(d, value, time);
		if (!rc && __builtin_add_overflow(time, value, &time))
			rc = json_fail(&d->doc, weight, e, "weights that add up below 2^63");
		if (rc)
			break;
		weight = weight ? json_after(weight) : NULL;
	}
	return rc;
}

static const struct speedscope_unit *find_unit(struct str name)
{
	const struct speedscope_unit *u = speedscope_units;

	while (u->name.n && !str_eq(u->name, name))
		u++;
	return u->name.n ? u : NULL;
}

static int add_profile_series(struct speedscope_decoder *d, const struct json_value *profile,
			      int64_t start, int64_t end)
{
	struct profile row = {0};
	struct str name;
	uint32_t attribute = 0;
	int rc = read_text(d, json_get(profile, STR("name")), &name);

	if (d->unit->time && start >= 0) {
		row.time_unix_nano = (uint64_t)start;
		row.duration_nano = (uint64_t)end - (uint64_t)start;
	}
	if (!rc)
		rc = profile_add_string(&d->builder, d->unit->type, &row.sample_type.type);
	if (!rc)
		rc = profile_add_string(&d->builder, d->unit->unit, &row.sample_type.unit);
	if (!rc && name.n)
		rc = profile_add_attribute(&d->builder, STR("profile.name"), VALUE_OF_STR(name),
					   STR(""), &attribute);
	if (rc)
		return rc;
	return collect_series_add(&d->collector, &row, &attribute, attribute > 0, &d->series);
}

/* Read a bound; a missing or null one is 0. */
static int read_bound(const struct speedscope_decoder *d, const struct json_value *profile,
		      struct str key, int64_t *out, struct err *e)
{
	const struct json_value *v = json_get(profile, key);

	*out = 0;
	if (json_kind(v) <= JSON_NULL)
		return 0;
	return read_amount(d, v, NULL, out) ? json_fail(&d->doc, v, e, "a number") : 0;
}

static int decode_profile(struct speedscope_decoder *d, const struct json_value *profile,
			  struct err *e)
{
	const struct json_value *unit = json_get(profile, STR("unit"));
	struct str type = json_str(json_get(profile, STR("type")));
	int64_t start, end;
	int rc;

	if (json_kind(profile) != JSON_OBJECT)
		return json_fail(&d->doc, profile, e, "a profile");
	d->unit = unit ? find_unit(json_str(unit)) : &speedscope_units[0];
	if (!d->unit)
		return json_fail(&d->doc, unit, e, "a unit of speedscope");
	rc = read_bound(d, profile, STR("startValue"), &start, e);
	if (!rc)
		rc = read_bound(d, profile, STR("endValue"), &end, e);
	if (rc)
		return rc;
	if (end < start)
		return err_set(e, -EBADMSG,
			       "at byte %zu: expected endValue not before startValue, found an "
			       "earlier one",
			       json_offset(&d->doc, json_get(profile, STR("endValue"))));
	rc = add_profile_series(d, profile, start, end);
	if (rc)
		return rc;
	if (str_eq(type, STR("evented")))
		return decode_events(d, profile, start, end, e);
	if (str_eq(type, STR("sampled")))
		return decode_samples(d, profile, start, e);
	return json_fail(&d->doc, json_get(profile, STR("type")), e,
			 "a profile of type \"evented\" or \"sampled\"");
}

static int decode_document(struct speedscope_decoder *d, struct err *e)
{
	const struct json_value *root = json_root(&d->doc);
	const struct json_value *frames = json_get(json_get(root, STR("shared")), STR("frames"));
	const struct json_value *profiles = json_get(root, STR("profiles"));
	int rc = 0;

	if (json_kind(root) != JSON_OBJECT || json_kind(frames) != JSON_ARRAY)
		return json_fail(&d->doc, root, e, "an object with shared.frames");
	if (json_kind(profiles) != JSON_ARRAY || !json_count(profiles))
		return json_fail(&d->doc, profiles ? profiles : root, e, "an array of profiles");
	json_each(frame, frames)
	{
		rc = decode_shared_frame(d, frame, e);
		if (rc)
			return rc;
	}
	json_each(profile, profiles)
	{
		rc = decode_profile(d, profile, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Add the exporter, such as "speedscope@0.6.0", as the name and version of the scope. */
static int add_scope(struct speedscope_decoder *d)
{
	struct str version, name;
	int rc = read_text(d, json_get(json_root(&d->doc), STR("exporter")), &version);

	if (rc)
		return rc;
	name = str_cut(&version, '@');
	rc = profile_add_resource(&d->builder, NULL, 0);
	return rc ? rc : profile_add_scope(&d->builder, name, version, NULL, 0);
}

static int speedscope_decode(struct profile_batch *out, struct str in,
			     const struct decode_options *o, struct err *e)
{
	struct speedscope_decoder d = {.warnings = {.options = o}};
	int rc = profile_builder_init(&d.builder, out);

	if (!rc)
		rc = collector_init(&d.collector, &d.builder);
	if (!rc) {
		json_init(&d.doc, &d.collector.scratch);
		rc = json_parse(&d.doc, in, e);
	}
	if (!rc)
		rc = decode_document(&d, e);
	if (!rc)
		rc = add_scope(&d);
	if (!rc)
		rc = collector_finish(&d.collector);
	collector_fini(&d.collector);
	return rc;
}

static int speedscope_sniff(struct str head)
{
	struct str text = str_trim(head);

	if (!text.n || (text.p[0] != '{' && text.p[0] != '\xef'))
		return 0;
	if (str_find_str(text, STR("speedscope.app/file-format-schema")) != text.n)
		return 95;
	return str_find_str(text, STR("\"shared\"")) != text.n &&
			       str_find_str(text, STR("\"frames\"")) != text.n
		       ? 50
		       : 0;
}

static const char *const speedscope_extensions[] = {"speedscope.json", "speedscope", NULL};

const struct format format_speedscope = {
	.name = "speedscope",
	.summary = "JSON of speedscope.app, evented and sampled",
	.extensions = speedscope_extensions,
	.sniff = speedscope_sniff,
	.decode = speedscope_decode,
	.encode = speedscope_encode,
};
