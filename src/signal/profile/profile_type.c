/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of profile types, compatible with Pyroscope and Grafana; docs/series.md describes the
 * rules.
 */
#include "signal/profile/profile_type.h"

/*
 * Sample types whose profile name differs from the type, with the period type that Grafana's list
 * of profile types expects if the sender gave none.
 */
static const struct well_known {
	struct str sample_type;
	bool prefix; /* match all types with this prefix */
	struct str name, period_type, period_unit;
} well_known[] = {
	{STR_INIT("cpu"), false, STR_INIT("process_cpu"), STR_INIT("cpu"), STR_INIT("nanoseconds")},
	{STR_INIT("cpu_time"), false, STR_INIT("process_cpu"), STR_INIT("cpu"),
	 STR_INIT("nanoseconds")},
	{STR_INIT("itimer"), false, STR_INIT("process_cpu"), STR_INIT("cpu"),
	 STR_INIT("nanoseconds")},
	{STR_INIT("wall"), false, STR_INIT("wall"), STR_INIT("wall"), STR_INIT("nanoseconds")},
	{STR_INIT("off_cpu"), false, STR_INIT("off_cpu"), {0}, {0}},
	{STR_INIT("alloc_"), true, STR_INIT("memory"), STR_INIT("space"), STR_INIT("bytes")},
	{STR_INIT("inuse_"), true, STR_INIT("memory"), STR_INIT("space"), STR_INIT("bytes")},
	{STR_INIT("malloc_"), true, STR_INIT("memory"), STR_INIT("space"), STR_INIT("bytes")},
	{STR_INIT("objects"), false, STR_INIT("memory"), STR_INIT("space"), STR_INIT("bytes")},
	{STR_INIT("space"), false, STR_INIT("memory"), STR_INIT("space"), STR_INIT("bytes")},
	{STR_INIT("live"), false, STR_INIT("memory"), STR_INIT("objects"), STR_INIT("count")},
	{STR_INIT("contentions"), false, STR_INIT("mutex"), STR_INIT("contentions"),
	 STR_INIT("count")},
	{STR_INIT("delay"), false, STR_INIT("mutex"), STR_INIT("contentions"), STR_INIT("count")},
	{STR_INIT("goroutine"), false, STR_INIT("goroutine"), STR_INIT("goroutine"),
	 STR_INIT("count")},
	{STR_INIT("goroutines"), false, STR_INIT("goroutine"), STR_INIT("goroutine"),
	 STR_INIT("count")},
};

/* Levels: heap in use, goroutines, live objects of V8 and jemalloc. */
static const struct gauge {
	struct str name;	/* empty: any */
	struct str sample_type; /* empty: any */
	bool prefix;
} gauges[] = {
	{.sample_type = STR_INIT("inuse_"), .prefix = true},
	{STR_INIT("memory"), STR_INIT("live"), false},
	{STR_INIT("memory"), STR_INIT("space"), false},
	{STR_INIT("memory"), STR_INIT("objects"), false},
	{STR_INIT("goroutine"), {0}, false},
	{STR_INIT("goroutines"), {0}, false},
	{.sample_type = STR_INIT("goroutine")},
	{.sample_type = STR_INIT("goroutines")},
};

static bool matches_pattern(struct str text, struct str pattern, bool prefix)
{
	return prefix ? str_starts(text, pattern) : str_eq(text, pattern);
}

static const struct well_known *find_well_known(struct str sample_type)
{
	for (size_t i = 0; i < countof(well_known); i++)
		if (matches_pattern(sample_type, well_known[i].sample_type, well_known[i].prefix))
			return &well_known[i];
	return NULL;
}

/* Replace colons by '_', because colons separate the parts of a type's id. */
static int replace_colons(struct str *s, struct arena *arena)
{
	struct str copy;

	if (str_find(*s, ':') == s->n)
		return 0;
	if (arena_copy_str(arena, *s, &copy))
		return -ENOMEM;
	for (size_t i = 0; i < copy.n; i++)
		if (copy.p[i] == ':')
			((char *)(uintptr_t)copy.p)[i] = '_';
	*s = copy;
	return 0;
}

bool profile_scope_has_cpu_time(const struct profile_batch *b, uint32_t first)
{
	uint32_t scope = b->profiles.at[first].scope;

	for (uint32_t i = first; i < b->profiles.n && b->profiles.at[i].scope == scope; i++) {
		struct value_type type = b->profiles.at[i].sample_type;

		if (str_eq(string_of(b, type.type), STR("cpu")) &&
		    str_eq(string_of(b, type.unit), STR("nanoseconds")))
			return true;
	}
	return false;
}

/* Return whether samples count ticks of a CPU clock, as host profilers send them. */
static bool counts_cpu_ticks(const struct profile_type *t)
{
	return str_eq(t->sample_type, STR("samples")) && str_eq(t->sample_unit, STR("count")) &&
	       str_eq(t->period_type, STR("cpu")) && str_eq(t->period_unit, STR("nanoseconds"));
}

/* Determine the name, units and scale of a profile without a name. */
static void derive_name(struct profile_naming *out, int64_t period, bool has_cpu_time)
{
	struct profile_type *t = &out->type;
	const struct well_known *known = find_well_known(t->sample_type);

	if (counts_cpu_ticks(t)) {
		t->name = STR("process_cpu");
		if (period > 0 && !has_cpu_time) {
			out->scale = period;
			t->sample_type = STR("cpu");
			t->sample_unit = STR("nanoseconds");
		}
		return;
	}
	if (!known) {
		t->name = t->period_type.n ? t->period_type : t->sample_type;
		return;
	}
	t->name = known->name;
	if (str_eq(known->name, STR("mutex")) &&
	    (str_eq(t->period_type, STR("mutex")) || str_eq(t->period_type, STR("block"))))
		t->name = t->period_type;
	if (!t->period_type.n && !t->period_unit.n) {
		t->period_type = known->period_type;
		t->period_unit = known->period_unit;
	}
}

/* Apply Pyroscope's relabelling of names given by senders. */
static void relabel_name(struct profile_type *t)
{
	if (str_starts(t->name, STR("godeltaprof_")))
		t->name = str_from_at(t->name, sizeof("godeltaprof_") - 1);
	if (str_eq(t->name, STR("wall")) && str_eq(t->sample_type, STR("cpu")))
		t->name = STR("process_cpu");
}

int profile_type_name(struct profile_naming *out, const struct profile_batch *b, uint32_t p,
		      struct str name, bool has_cpu_time, struct arena *arena)
{
	const struct profile *row = &b->profiles.at[p];
	struct profile_type *t = &out->type;
	int rc = 0;

	*out = (struct profile_naming){.scale = 1};
	t->name = name;
	t->sample_type = string_of(b, row->sample_type.type);
	t->sample_unit = string_of(b, row->sample_type.unit);
	t->period_type = string_of(b, row->period_type.type);
	t->period_unit = string_of(b, row->period_type.unit);
	if (!name.n)
		derive_name(out, row->period, has_cpu_time);
	relabel_name(t);

	struct str *parts[] = {&t->name, &t->sample_type, &t->sample_unit, &t->period_type,
			       &t->period_unit};

	for (size_t i = 0; i < countof(parts) && !rc; i++)
		rc = replace_colons(parts[i], arena);
	if (!rc)
		rc = arena_printf(arena, &t->id, "%.*s:%.*s:%.*s:%.*s:%.*s", STR_ARG(t->name),
				  STR_ARG(t->sample_type), STR_ARG(t->sample_unit),
				  STR_ARG(t->period_type), STR_ARG(t->period_unit));
	return rc;
}

bool profile_type_parse(struct profile_type *t, struct str id)
{
	struct str rest = id;
	struct str *parts[] = {&t->name, &t->sample_type, &t->sample_unit, &t->period_type,
			       &t->period_unit};

	*t = (struct profile_type){.id = id};
	for (size_t i = 0; i < countof(parts); i++) {
		if (!rest.p)
			return false;
		*parts[i] = str_cut(&rest, ':');
	}
	return t->name.n && t->sample_type.n && (!rest.p || str_eq(rest, STR("delta")));
}

bool profile_type_is_gauge(struct str id)
{
	struct profile_type t;

	if (!profile_type_parse(&t, id))
		return false;
	for (size_t i = 0; i < countof(gauges); i++) {
		const struct gauge *g = &gauges[i];

		if ((!g->name.n || str_eq(t.name, g->name)) &&
		    (!g->sample_type.n ||
		     matches_pattern(t.sample_type, g->sample_type, g->prefix)))
			return true;
	}
	return false;
}
