/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation of OTLP profile files: every violated rule is reported with its path. The checker
 * agrees with the reference checker (profcheck of the OpenTelemetry profiling group) on what is
 * valid, and also checks requirements of the specification that profcheck does not.
 */
#include "format/otlp/check/check.h"

#include <stdio.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "format/otlp/check/check_rows.h"
#include "format/otlp/check/check_tables.h"
#include "format/otlp/check/checker.h"
#include "format/otlp/decode/decode.h"
#include "format/otlp/decode/framing.h"
#include "format/otlp/json.h"
#include "format/otlp/otlp.h"

/* Check the lengths of the ids of a link while it is decoded: the batch stores only valid ids. */
static void check_link(struct otlp_checker *c, uint32_t row, uint32_t trace, uint32_t span)
{
	if (!row) {
		c->zero_link_filled = trace == 16 && span == 8;
		if ((trace || span) && !c->zero_link_filled)
			check_must(c, "must have zero value at index 0",
				   "dictionary.link_table[0]");
		return;
	}
	if (trace != 16)
		check_must(c, check_text(c, "has %u bytes, must have 16", trace),
			   "dictionary.link_table[%u].trace_id", row);
	if (span != 8)
		check_must(c, check_text(c, "has %u bytes, must have 8", span),
			   "dictionary.link_table[%u].span_id", row);
}

static void mark_string_used(struct otlp_checker *c, uint32_t index)
{
	/* all strings are decoded before the first event, so the table has its final size */
	uint8_t **used = &c->used[TABLE_STRINGS];

	if (!*used)
		*used = arena_zalloc(&c->b.arena, c->b.strings.n, 1);
	if (*used)
		(*used)[index] = 1;
	else
		c->failed = -ENOMEM;
}

/*
 * Observe the decoder. Events whose path is not known yet are recorded, in order of their owners.
 */
static void record_event(void *arg, enum otlp_event event, enum otlp_place place, uint32_t row,
			 uint64_t number)
{
	struct otlp_checker *c = arg;
	const struct profile_batch *b = &c->b;
	const uint32_t owners[CHECK_PLACES] = {
		[IN_ATTRIBUTE_TABLE] = b->attributes.n,
		[IN_RESOURCE] = b->resources.n,
		[IN_SCOPE] = b->scopes.n,
		[IN_PROFILE] = b->profiles.n - 1, /* the row exists already */
	};
	struct check_event e = {event, owners[place], row, number};

	if (event == EVENT_LINK)
		check_link(c, row, (uint32_t)(number >> 32), (uint32_t)number);
	else if (event == EVENT_STRING_USED && number < b->strings.n)
		mark_string_used(c, (uint32_t)number);
	else if (event != EVENT_PROFILE_ID || (number && number != PROFILE_ID_SIZE))
		c->failed = vec_push(&c->b.arena, &c->events[place].all, e) ? -ENOMEM : c->failed;
}

enum shape { SHAPE_UNKNOWN, SHAPE_VALUES, SHAPE_TIMES, SHAPE_BOTH, SHAPE_NOTHING };

static enum shape check_shape(struct otlp_checker *c, uint32_t sample, uint32_t i)
{
	uint32_t values = c->b.sample_values_at[sample + 1] - c->b.sample_values_at[sample],
		 times = c->b.sample_times_at[sample + 1] - c->b.sample_times_at[sample];

	if (values && times && values != times)
		check_must(c,
			   check_text(c,
				      "values (len=%u) and timestamps_unix_nano (len=%u) must "
				      "contain the same number of elements",
				      values, times),
			   "%s.samples[%u]", c->profile_path, i);
	if (values > 1 && !times)
		check_must(c,
			   check_text(c,
				      "values (len=%u) must contain a single element if "
				      "timestamps_unix_nano is not set",
				      values),
			   "%s.samples[%u]", c->profile_path, i);
	if (!values && !times)
		check_must(c, "sample must have at least one values or timestamps_unix_nano entry",
			   "%s.samples[%u]", c->profile_path, i);
	return values ? (times ? SHAPE_BOTH : SHAPE_VALUES) : times ? SHAPE_TIMES : SHAPE_NOTHING;
}

static void check_times(struct otlp_checker *c, const struct profile *p, uint32_t sample,
			uint32_t i)
{
	uint64_t from = p->time_unix_nano,
		 to = from + p->duration_nano; /* may wrap, as in profcheck */
	uint32_t at = c->b.sample_times_at[sample], n = c->b.sample_times_at[sample + 1] - at;

	for (uint32_t k = 0; k < n; k++) {
		uint64_t time = c->b.times.at[at + k];

		if (likely(time >= from && time < to))
			continue;
		check_must(c,
			   check_text(c, "%llu is outside profile time range [%llu, %llu)",
				      (unsigned long long)time, (unsigned long long)from,
				      (unsigned long long)to),
			   "%s.samples[%u].timestamps_unix_nano[%u]", c->profile_path, i, k);
	}
}

static void check_profile_sample(struct otlp_checker *c, const struct profile *p, uint32_t i,
				 enum shape *expected)
{
	static const char *const shapes[] = {
		[SHAPE_VALUES] = "values_only",
		[SHAPE_TIMES] = "timestamps_only",
		[SHAPE_BOTH] = "both_values_and_timestamps",
		[SHAPE_NOTHING] = "nothing",
	};
	const struct profile_batch *b = &c->b;
	uint32_t sample = p->sample_first + i, at = b->sample_attributes_at[sample],
		 n = b->sample_attributes_at[sample + 1] - at;
	char path[192];
	enum shape shape;

	check_index(c, TABLE_STACKS, b->sample_stack[sample], "%s.samples[%u].stack_index",
		    c->profile_path, i);
	check_index(c, TABLE_LINKS, b->sample_link[sample], "%s.samples[%u].link_index",
		    c->profile_path, i);
	if (n) {
		snprintf(path, sizeof(path), "%s.samples[%u].attribute_indices", c->profile_path,
			 i);
		check_attributes(c, b->sample_attributes.at + at, n, path);
	}
	check_times(c, p, sample, i);
	if (!(c->flags & OTLP_CHECK_SHAPES))
		return;
	shape = check_shape(c, sample, i);
	if (*expected != SHAPE_UNKNOWN && shape != *expected)
		check_must(c,
			   check_text(c, "sample shape %s does not match expected sample shape %s",
				      shapes[shape], shapes[*expected]),
			   "%s.samples[%u]", c->profile_path, i);
	if (*expected == SHAPE_UNKNOWN)
		*expected = shape;
}

static void check_value_type(struct otlp_checker *c, struct value_type t, const char *name)
{
	check_index(c, TABLE_STRINGS, t.unit, "%s.%s.unit_strindex", c->profile_path, name);
	check_index(c, TABLE_STRINGS, t.type, "%s.%s.type_strindex", c->profile_path, name);
}

static int check_profile(struct otlp_checker *c, uint32_t row)
{
	const struct profile *p = &c->b.profiles.at[row];
	enum shape expected = SHAPE_UNKNOWN;
	char path[192];

	check_events(c, IN_PROFILE, row, c->profile_path);
	snprintf(path, sizeof(path), "%s.attribute_indices", c->profile_path);
	check_attributes(c, c->b.attribute_refs.at + p->attributes.at, p->attributes.n, path);
	check_value_type(c, p->sample_type, "sample_type");
	check_value_type(c, p->period_type, "period_type");
	if (p->payload.n && !p->payload_format.n)
		check_must(c, "original_payload without original_payload_format",
			   "%s.original_payload_format", c->profile_path);
	if (!p->payload.n && p->payload_format.n)
		check_must(c, "original_payload_format without original_payload",
			   "%s.original_payload", c->profile_path);
	for (uint32_t i = 0; i < p->sample_count; i++)
		check_profile_sample(c, p, i, &expected);
	return c->flags & OTLP_CHECK_DUPES ? check_equal_samples(c, p) : 0;
}

/*
 * Check scope `row`, the `s`-th of resource `r`, and its profiles. *profile is the first unchecked
 * profile and is advanced.
 */
static int check_scope(struct otlp_checker *c, uint32_t row, uint32_t r, uint32_t s,
		       uint32_t *profile)
{
	char path[96];
	uint32_t first = *profile;
	int rc = 0;

	snprintf(path, sizeof(path), "resource_profiles[%u].scope_profiles[%u].scope", r, s);
	check_events(c, IN_SCOPE, row, path);
	for (; !rc && *profile < c->b.profiles.n && c->b.profiles.at[*profile].scope == row;
	     ++*profile) {
		snprintf(c->profile_path, sizeof(c->profile_path),
			 "resource_profiles[%u].scope_profiles[%u].profiles[%u]", r, s,
			 *profile - first);
		rc = check_profile(c, *profile);
	}
	if (*profile == first)
		check_must(c, "scope profiles has no profiles",
			   "resource_profiles[%u].scope_profiles[%u]", r, s);
	return rc;
}

static int check_resources(struct otlp_checker *c)
{
	uint32_t scope = 0, profile = 0;
	int rc = 0;

	for (uint32_t r = 0; !rc && r < c->b.resources.n; r++) {
		uint32_t first = scope;
		char path[64];

		snprintf(path, sizeof(path), "resource_profiles[%u].resource", r);
		check_events(c, IN_RESOURCE, r, path);
		for (; !rc && scope < c->b.scopes.n && c->b.scopes.at[scope].resource == r; scope++)
			rc = check_scope(c, scope, r, scope - first, &profile);
		if (scope == first)
			check_must(c, "resource profiles has no scope profiles",
				   "resource_profiles[%u]", r);
	}
	return rc;
}

/* Allocate the marks, and compute the class of each string. */
static int prepare_marks(struct otlp_checker *c)
{
	struct arena *a = &c->b.arena;
	uint32_t n = c->b.strings.n;
	struct idset seen;
	int rc = idset_init(&seen, a, n);

	for (uint32_t t = 1; !rc && t < OTLP_TABLES; t++) {
		if (!c->used[t])
			c->used[t] = arena_zalloc(a, check_rows(c, (enum otlp_table)t), 1);
		rc = c->used[t] ? 0 : -ENOMEM;
	}
	c->string_class = arena_alloc(a, n, sizeof(*c->string_class));
	c->marks = arena_zalloc(a, n, sizeof(*c->marks));
	c->mark_at = arena_alloc(a, n, sizeof(*c->mark_at));
	if (!c->string_class || !c->marks || !c->mark_at)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t hash = hash32(string_of(&c->b, i)), other;
		struct idset_cursor at = idset_seek(&seen, hash);

		c->string_class[i] = i;
		while (c->string_class[i] == i && idset_next(&seen, &at, &other))
			if (str_eq(string_of(&c->b, i), string_of(&c->b, other)))
				c->string_class[i] = other;
		if (c->string_class[i] == i)
			rc = idset_add(&seen, hash, i);
	}
	return rc;
}

static int check_batch(struct otlp_checker *c)
{
	int rc = prepare_marks(c);

	if (rc)
		return rc;
	if (!c->b.resources.n) {
		check_must(c, "resource profiles are empty", "resource_profiles");
		return 0;
	}
	rc = check_resources(c);
	check_dictionary(c);
	if (!rc && c->flags & OTLP_CHECK_DUPES)
		rc = check_equal_rows(c);
	if (!rc && c->flags & OTLP_CHECK_ORPHANS)
		check_orphans(c);
	return rc;
}

static void report_repair(void *arg, const char *text)
{
	struct otlp_checker *c = arg;

	check_must(c, text, "%s", "");
}

/*
 * Check one message. Layouts 1.8 and 1.9 are checked without conversion, by their own field
 * numbers. 1.7 had other rules (no zero rows, no stacks): its repairs are reported, and then the
 * result of the conversion to 1.11 is checked.
 */
static int check_message(struct otlp_checker *c, struct str message, struct str whole,
			 bool layout_known, struct err *e)
{
	struct otlp_observer observer = {record_event, c};
	struct decode_options o = {.warn = report_repair, .warn_arg = c};
	struct otlp_decoder *d = otlp_decoder_new(&c->b, whole, &o, e);
	bool ambiguous, old = !layout_known && otlp_find_layout(message, &ambiguous) == OTLP_1_7;
	unsigned flags = c->flags;
	int rc;

	if (!d)
		return -ENOMEM;
	d->layout_known = layout_known;
	if (!old)
		d->observer = &observer;
	rc = otlp_decode_message(d, message);
	if (rc || c->failed)
		return rc ? rc : c->failed;
	if (d->layout != OTLP_1_11)
		c->report(c->arg, OTLP_NOTE, "",
			  check_text(c, "layout %s: converted to 1.11", d->roles->name));
	if (old)
		c->flags &= OTLP_CHECK_SHAPES;
	rc = check_batch(c);
	c->flags = flags;
	return rc;
}

static int check_next(struct otlp_checker *c, struct budget *budget, struct str message,
		      struct str whole, bool layout_known, struct err *e)
{
	int rc = profile_batch_init(&c->b, budget);

	memset(c->events, 0, sizeof(c->events));
	memset(c->used, 0, sizeof(c->used));
	c->mark = 0;
	c->zero_link_filled = false;
	if (!rc)
		rc = check_message(c, message, whole, layout_known, e);
	profile_batch_fini(&c->b);
	return rc;
}

static int check_proto(struct otlp_checker *c, struct budget *budget, struct str in, struct err *e)
{
	enum otlp_framing framing = otlp_find_framing(in);
	struct str rest = in, message = {0};
	int rc;

	if (framing == OTLP_PLAIN)
		return check_next(c, budget, in, in, false, e);
	for (unsigned i = 0; (rc = otlp_next_message(framing, in, &rest, &message, e)) > 0; i++) {
		snprintf(c->prefix, sizeof(c->prefix), "messages[%u].", i);
		rc = check_next(c, budget, message, in, false, e);
		if (rc)
			break;
	}
	return rc;
}

static int check_json(struct otlp_checker *c, struct budget *budget, struct str in, struct err *e)
{
	struct arena scratch;
	struct buf proto;
	size_t at = 0;
	int rc = 1;

	arena_init(&scratch, budget);
	buf_init(&proto, budget);
	for (unsigned i = 0; rc > 0; i++) {
		rc = otlp_json_next(in, &at, &proto, &scratch, e);
		if (rc <= 0)
			break;
		if (i || at < in.n - 1)
			snprintf(c->prefix, sizeof(c->prefix), "messages[%u].", i);
		rc = check_next(c, budget, buf_str(&proto), buf_str(&proto), true, e);
		rc = rc ? rc : 1;
	}
	buf_fini(&proto);
	arena_fini(&scratch);
	return rc;
}

int64_t otlp_check(struct str in, unsigned flags, struct budget *budget, otlp_report *report,
		   void *arg, struct err *e)
{
	struct otlp_checker c = {.flags = flags, .report = report, .arg = arg};
	int rc = format_otlp_json.sniff(str_head(in, 4096)) ? check_json(&c, budget, in, e)
							    : check_proto(&c, budget, in, e);

	if (rc)
		return err_errno(e, rc, "check OTLP");
	return c.broken;
}
