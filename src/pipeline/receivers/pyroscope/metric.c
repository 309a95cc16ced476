/* SPDX-License-Identifier: Apache-2.0 */
/* Pyroscope's names for profile types; the tables follow its server. */
#include "pipeline/receivers/pyroscope/metric.h"

#include <errno.h>

#include "base/clock.h"
#include "net/http/uri.h"
#include "wire/json.h"

#define S STR_INIT

/* clang-format off */
static const struct {
	struct str suffix;
	struct str name, type, unit, period_type, period_unit;
	bool ticks;
} by_suffix[] = {
	{S("cpu"),	      S("process_cpu"),	S("cpu"),	    S("nanoseconds"), S("cpu"),	        S("nanoseconds"), true},
	{S("itimer"),	      S("process_cpu"),	S("cpu"),	    S("nanoseconds"), S("cpu"),	        S("nanoseconds"), true},
	{S("wall"),	      S("wall"),	S("wall"),	    S("nanoseconds"), S("cpu"),	        S("nanoseconds"), true},
	{S("inuse_objects"),  S("memory"),	S("inuse_objects"), S("count"),	      S("space"),       S("bytes"),	  false},
	{S("alloc_objects"),  S("memory"),	S("alloc_objects"), S("count"),	      S("space"),       S("bytes"),	  false},
	{S("inuse_space"),    S("memory"),	S("inuse_space"),   S("bytes"),	      S("space"),       S("bytes"),	  false},
	{S("alloc_space"),    S("memory"),	S("alloc_space"),   S("bytes"),	      S("space"),       S("bytes"),	  false},
	{S("goroutines"),     S("goroutine"),	S("goroutine"),	    S("count"),	      S("goroutine"),   S("count"),	  false},
	{S("mutex_count"),    S("mutex"),	S("contentions"),   S("count"),	      S("contentions"), S("count"),	  false},
	{S("mutex_duration"), S("mutex"),	S("delay"),	    S("nanoseconds"), S("contentions"), S("count"),	  false},
	{S("block_count"),    S("block"),	S("contentions"),   S("count"),	      S("contentions"), S("count"),	  false},
	{S("block_duration"), S("block"),	S("delay"),	    S("nanoseconds"), S("contentions"), S("count"),	  false},
	{S("lock_count"),     S("block"),	S("contentions"),   S("count"),	      S("contentions"), S("count"),	  false},
	{S("lock_duration"),  S("block"),	S("delay"),	    S("nanoseconds"), S("contentions"), S("count"),	  false},
	{S("alloc_in_new_tlab_objects"),  S("memory"), S("alloc_in_new_tlab_objects"),  S("count"), S("space"), S("bytes"), false},
	{S("alloc_in_new_tlab_bytes"),    S("memory"), S("alloc_in_new_tlab_bytes"),    S("bytes"), S("space"), S("bytes"), false},
	{S("alloc_outside_tlab_objects"), S("memory"), S("alloc_outside_tlab_objects"), S("count"), S("space"), S("bytes"), false},
	{S("alloc_outside_tlab_bytes"),   S("memory"), S("alloc_outside_tlab_bytes"),   S("bytes"), S("space"), S("bytes"), false},
	{S("live"),	      S("memory"),	S("live"),	    S("count"),	      S("objects"),     S("count"),	  false},
	{S("exceptions"),     S("exceptions"),	S("exceptions"),    S("count"),	      {0},		{0},		  false},
	{S("bytes"),	      S("memory"),	S("samples"),	    S("bytes"),	      {0},		{0},		  false},
};

/* Pyroscope's default display names for sample types of pprof. */
static const struct {
	struct str type, display;
} by_type[] = {
	{S("samples"),	   S("cpu")},
	{S("goroutine"),   S("goroutines")},
	{S("contentions"), S("mutex_count")},
	{S("delay"),	   S("mutex_duration")},
};

/* Common words for profiles, and the equivalent suffix. */
static const struct {
	struct str word, suffix;
} by_word[] = {
	{S("profile"),	   S("cpu")},
	{S("process_cpu"), S("cpu")},
	{S("heap"),	   S("inuse_space")},
	{S("memory"),	   S("inuse_space")},
	{S("inuse"),	   S("inuse_space")},
	{S("alloc"),	   S("alloc_space")},
	{S("allocs"),	   S("alloc_space")},
	{S("goroutine"),   S("goroutines")},
	{S("mutex"),	   S("mutex_duration")},
	{S("block"),	   S("block_duration")},
};

/* Words in a display name, in order of precedence. */
static const struct {
	struct str part;
	bool whole;
	struct str name;
} by_display[] = {
	{S("cpu"),	  false, S("process_cpu")},
	{S("alloc_"),	  false, S("memory")},
	{S("inuse_"),	  false, S("memory")},
	{S("space"),	  true,	 S("memory")},
	{S("objects"),	  true,	 S("memory")},
	{S("mutex_"),	  false, S("mutex")},
	{S("block_"),	  false, S("block")},
	{S("goroutines"), false, S("goroutines")},
};
/* clang-format on */
#undef S

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void set_metric(struct metric *m, size_t row)
{
	m->name = by_suffix[row].name;
	m->type = by_suffix[row].type;
	m->unit = by_suffix[row].unit;
	m->period_type = by_suffix[row].period_type;
	m->period_unit = by_suffix[row].period_unit;
	m->ticks = by_suffix[row].ticks;
}

void metric_of_app(struct metric *m, struct str app)
{
	size_t dot = str_find_last(app, '.');
	struct str suffix = str_from_at(app, dot + 1);

	*m = (struct metric){.app = app};
	set_metric(m, 0);
	if (dot == app.n || !dot)
		return;
	for (size_t i = 0; i < countof(by_suffix); i++) {
		bool seconds = i == 2 && str_ends(suffix, STR("seconds"));

		if (!seconds && !str_eq(suffix, by_suffix[i].suffix))
			continue;
		set_metric(m, i);
		m->app = str_head(app, dot);
		return;
	}
	/* The suffix is not a type: the whole text is the app's name. */
}

bool metric_of_header(struct metric *m, struct str type)
{
	size_t bad = 0;

	*m = (struct metric){0};
	for (size_t i = 0; i < countof(by_word); i++)
		if (str_eq_ignoring_case(type, by_word[i].word))
			type = by_word[i].suffix;
	for (size_t i = 0; i < countof(by_suffix) && !m->name.n; i++)
		if (str_eq_ignoring_case(type, by_suffix[i].suffix))
			set_metric(m, i);
	if (m->name.n)
		return true;
	while (bad < type.n && (is_letter(type.p[bad]) || (bad && is_digit(type.p[bad]))))
		bad++;
	m->name = type;
	return type.n && bad == type.n;
}

static int push_string(struct profile_batch *b, struct str s, uint32_t *id)
{
	*id = b->strings.n;
	if (!s.n) {
		*id = 0;
		return 0;
	}
	return vec_push(&b->arena, &b->strings, s);
}

/* Multiply values by a factor, saturating at INT64_MAX. */
static void scale_values(struct profile_batch *b, const struct profile *p, int64_t factor)
{
	uint32_t at = b->sample_values_at[p->sample_first];
	uint32_t end = b->sample_values_at[p->sample_first + p->sample_count];

	for (; at < end; at++)
		if (__builtin_mul_overflow(b->values.at[at], factor, &b->values.at[at]))
			b->values.at[at] = INT64_MAX;
}

static int set_metric_types(struct profile_batch *b, struct profile *p, const struct metric *m)
{
	int rc = push_string(b, m->type, &p->sample_type.type);

	if (!rc)
		rc = push_string(b, m->unit, &p->sample_type.unit);
	if (!rc)
		rc = push_string(b, m->period_type, &p->period_type.type);
	return rc ? rc : push_string(b, m->period_unit, &p->period_type.unit);
}

int metric_apply(struct profile_batch *b, const struct metric *m, int64_t sample_rate)
{
	int64_t tick = (int64_t)NS_PER_SECOND / sample_rate;
	int rc = 0;

	for (uint32_t i = 0; i < b->profiles.n && !rc; i++) {
		struct profile *p = &b->profiles.at[i];

		rc = set_metric_types(b, p, m);
		if (m->ticks) {
			scale_values(b, p, tick);
			p->period = tick;
		}
	}
	return rc;
}

/* Return the config's display name for a sample type, without a config the default, else `type`. */
static struct str display_name(const struct json_value *config, struct str type)
{
	if (config) {
		const struct json_value *row = json_get(config, type);
		struct str name = json_str(json_get(row, STR("display-name")));

		if (!name.n)
			name = json_str(json_get(row, STR("displayName")));
		return name.n ? name : type;
	}
	for (size_t i = 0; i < countof(by_type); i++)
		if (str_eq(by_type[i].type, type))
			return by_type[i].display;
	return type;
}

int metric_of_pprof(struct str *name, const struct profile_batch *b, struct str config,
		    struct arena *arena)
{
	const struct json_value *root = NULL;
	struct json doc;

	*name = (struct str){0};
	json_init(&doc, arena);
	if (config.n) {
		int rc = json_parse(&doc, config, NULL);

		if (rc == -ENOMEM)
			return rc;
		root = rc ? NULL : json_root(&doc);
	}
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (str_eq(string_of(b, b->profiles.at[i].sample_type.type), STR("wall"))) {
			*name = STR("wall");
			return 0;
		}
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		*name = display_name(root, string_of(b, b->profiles.at[i].sample_type.type));
		for (size_t k = 0; k < countof(by_display); k++) {
			bool found = by_display[k].whole
					     ? str_eq(*name, by_display[k].part)
					     : str_find_str(*name, by_display[k].part) < name->n;

			if (found) {
				*name = by_display[k].name;
				return 0;
			}
		}
	}
	return 0;
}

/* Set the metric by unit: bytes are memory, nanoseconds are wall time, counts are CPU ticks. */
static void metric_of_unit(struct metric *m, struct str unit)
{
	*m = (struct metric){0};
	if (str_eq(unit, STR("bytes")))
		set_metric(m, countof(by_suffix) - 1);
	else
		set_metric(m, str_eq(unit, STR("nanoseconds")) ? 2 : 0);
	m->ticks = str_eq(unit, STR("count"));
}

/* Add __name__ to the attributes of one profile; profiles of a batch may have different names. */
static int name_profile(struct profile_batch *b, struct profile *p, struct str name)
{
	struct attribute row = {.value = VALUE_OF_STR(name)};
	struct list list = {b->attribute_refs.n, p->attributes.n + 1};
	int rc = push_string(b, STR("__name__"), &row.key);

	if (!rc)
		rc = vec_push(&b->arena, &b->attributes, row);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->attribute_refs, list.n);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < p->attributes.n; i++)
		b->attribute_refs.at[b->attribute_refs.n++] =
			b->attribute_refs.at[p->attributes.at + i];
	b->attribute_refs.at[b->attribute_refs.n++] = b->attributes.n - 1;
	p->attributes = list;
	return 0;
}

/* Rename the decoder's attribute profile.name to Pyroscope's profile_name. */
static int rename_label(struct profile_batch *b)
{
	uint32_t id;
	int rc = push_string(b, STR("profile_name"), &id);

	for (uint32_t i = 1; i < b->attributes.n && !rc; i++)
		if (str_eq(string_of(b, b->attributes.at[i].key), STR("profile.name")))
			b->attributes.at[i].key = id;
	return rc;
}

int metric_of_speedscope(struct profile_batch *b, int64_t sample_rate)
{
	int64_t tick = (int64_t)NS_PER_SECOND / sample_rate;
	bool single = b->profiles.n == 1;
	int rc = rename_label(b);

	for (uint32_t i = 0; i < b->profiles.n && !rc; i++) {
		struct profile *p = &b->profiles.at[i];
		struct metric m;

		metric_of_unit(&m, string_of(b, p->sample_type.unit));
		if (single && !str_eq(m.unit, STR("bytes"))) {
			bool ticks = m.ticks;

			set_metric(&m, 0);
			m.ticks = ticks;
		}
		if (single)
			p->attributes.n = 0;
		rc = set_metric_types(b, p, &m);
		if (!rc)
			rc = name_profile(b, p, m.name);
		if (m.ticks) {
			scale_values(b, p, tick);
			p->period = tick;
		}
	}
	return rc;
}
