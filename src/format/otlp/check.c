/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a file valid OTLP profiles? Every broken rule is reported with its path. Agrees with the
 * reference checker (profcheck of the OpenTelemetry profiling group) on what is valid, and adds what
 * the specification demands beyond it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "format/otlp/checker.h"

const char *check_text(struct otlp_checker *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, args);
	va_end(args);
	return c->text;
}

static void say(struct otlp_checker *c, enum otlp_check_level level, const char *text,
		const char *path, va_list args)
{
	char where[256];
	int n = snprintf(where, sizeof(where), "%s", c->prefix);

	vsnprintf(where + n, sizeof(where) - (size_t)n, path, args);
	c->broken += level == OTLP_MUST;
	c->report(c->arg, level, where, text);
}

void check_must(struct otlp_checker *c, const char *text, const char *path, ...)
{
	va_list args;

	va_start(args, path);
	say(c, OTLP_MUST, text, path, args);
	va_end(args);
}

void check_should(struct otlp_checker *c, const char *text, const char *path, ...)
{
	va_list args;

	va_start(args, path);
	say(c, OTLP_SHOULD, text, path, args);
	va_end(args);
}

uint32_t check_rows(const struct otlp_checker *c, enum otlp_table table)
{
	switch (table) {
	case TABLE_MAPPINGS:
		return c->b.mappings.n;
	case TABLE_LOCATIONS:
		return c->b.locations.n;
	case TABLE_FUNCTIONS:
		return c->b.functions.n;
	case TABLE_LINKS:
		return c->b.links.n;
	case TABLE_STRINGS:
		return c->b.strings.n;
	case TABLE_ATTRIBUTES:
		return c->b.attributes.n;
	case TABLE_STACKS:
		return c->b.stacks.n;
	default:
		return 0;
	}
}

bool check_index(struct otlp_checker *c, enum otlp_table table, uint32_t index, const char *path,
		 ...)
{
	uint32_t rows = check_rows(c, table);
	va_list args;

	if (likely(index < rows)) {
		c->used[table][index] = 1;
		return true;
	}
	va_start(args, path);
	say(c, OTLP_MUST, check_text(c, "index %d is out of range [0..%u)", (int32_t)index, rows),
	    path, args);
	va_end(args);
	return false;
}

void check_attributes(struct otlp_checker *c, const uint32_t *ids, uint32_t n, const char *path)
{
	const struct profile_batch *b = &c->b;

	c->mark++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key, class;

		if (!check_index(c, TABLE_ATTRIBUTES, ids[i], "%s[%u]", path, i))
			continue;
		key = b->attributes.at[ids[i]].key;
		if (!check_index(c, TABLE_STRINGS, key, "%s[%u].key_strindex", path, i))
			continue;
		class = c->string_class[key];
		if (c->marks[class] == c->mark) {
			check_must(c,
				   check_text(c, "duplicate key \"%.*s\", previously seen at [%u]",
					      STR_ARG(str_head(string_of(b, key), 100)),
					      c->mark_at[class]),
				   "%s[%u].key_strindex", path, i);
			continue;
		}
		c->marks[class] = c->mark;
		c->mark_at[class] = i;
	}
}

static void report_event(struct otlp_checker *c, const struct check_event *e, const char *path)
{
	switch (e->event) {
	case EVENT_STRING_USED:
		check_must(c,
			   check_text(c, "string index %d is out of range [0..%u)",
				      (int32_t)e->number, c->b.strings.n),
			   "%s", path);
		break;
	case EVENT_LINK:
		break;
	case EVENT_PROFILE_ID:
		check_must(c,
			   check_text(c, "has %llu bytes, must have 16",
				      (unsigned long long)e->number),
			   "%s.profile_id", path);
		break;
	case EVENT_UTF8:
		check_must(c, "text is not UTF-8", "%s", path);
		break;
	case EVENT_KEY_TWICE:
		check_must(c, "key and key_strindex are both set", "%s", path);
		break;
	case EVENT_REPEATED_KEY:
		check_must(c, "duplicate attribute key", "%s.attributes", path);
		break;
	}
}

void check_events(struct otlp_checker *c, enum otlp_place place, uint32_t owner, const char *path)
{
	uint32_t *next = &c->events[place].next;

	for (; *next < c->events[place].all.n; ++*next) {
		const struct check_event *e = &c->events[place].all.at[*next];

		if (e->owner > owner)
			return;
		report_event(c, e, path);
	}
}

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

static void use_string(struct otlp_checker *c, uint32_t index)
{
	uint8_t **used = &c->used[TABLE_STRINGS]; /* all strings are there: they are read first */

	if (!*used)
		*used = arena_zalloc(&c->b.arena, c->b.strings.n, 1);
	if (*used)
		(*used)[index] = 1;
	else
		c->failed = -ENOMEM;
}

/* Called while decoding: what has to wait for its path is kept, in the order of its owners. */
static void remember(void *arg, enum otlp_event event, enum otlp_place place, uint32_t row,
		     uint64_t number)
{
	struct otlp_checker *c = arg;
	const struct profile_batch *b = &c->b;
	const uint32_t owners[CHECK_PLACES] = {
		[IN_ATTRIBUTE_TABLE] = b->attributes.n,
		[IN_RESOURCE] = b->resources.n,
		[IN_SCOPE] = b->scopes.n,
		[IN_PROFILE] = b->profiles.n - 1, /* its row is there first */
	};
	struct check_event e = {event, owners[place], row, number};

	if (event == EVENT_LINK)
		check_link(c, row, (uint32_t)(number >> 32), (uint32_t)number);
	else if (event == EVENT_STRING_USED && number < b->strings.n)
		use_string(c, (uint32_t)number);
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
	uint64_t from = p->time_unix_nano, to = from + p->duration_nano; /* may wrap, as there */
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

static void check_sample(struct otlp_checker *c, const struct profile *p, uint32_t i,
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
		check_sample(c, p, i, &expected);
	return c->flags & OTLP_CHECK_DUPES ? check_equal_samples(c, p) : 0;
}

/* Scope `row`, the `s`-th of resource `r`; *profile is the first profile that is not checked yet. */
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

/* Room to mark what is used, and the first string of each text. */
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

static void repaired(void *arg, const char *text)
{
	struct otlp_checker *c = arg;

	check_must(c, text, "%s", "");
}

/*
 * 1.8 and 1.9 are checked as they stand, by their own field numbers. 1.7 had other rules (no zero rows, no
 * stacks): there, what had to be repaired is reported, and then what it has become is checked.
 */
static int check_message(struct otlp_checker *c, struct str message, struct str whole,
			 bool layout_known, struct err *e)
{
	struct otlp_observer observer = {remember, c};
	struct decode_options o = {.warn = repaired, .warn_arg = c};
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
			  check_text(c, "layout %s: bridged to 1.11", d->roles->name));
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
