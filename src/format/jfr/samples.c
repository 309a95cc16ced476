/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observations are appended as rows with the id of their identity; at the end a counting sort by
 * identity writes them into the batch.
 */
#include "format/jfr/samples.h"

#include <errno.h>
#include <stdio.h>

#include "base/container/hash.h"
#include "signal/profile/profile_rows.h"

/* Profiles of a group, named like Pyroscope's. An empty name: the group has no such profile. */
static const struct {
	struct str count, sum, sum_unit; /* number (unit "count") and amount */
	struct str period, period_unit;
} group_table[JFR_GROUPS] = {
	[JFR_CPU] = {.sum = STR_INIT("cpu"),
		     .sum_unit = STR_INIT("nanoseconds"),
		     .period = STR_INIT("cpu"),
		     .period_unit = STR_INIT("nanoseconds")},
	[JFR_CPU_TIME] = {.sum = STR_INIT("cpu_time"),
			  .sum_unit = STR_INIT("nanoseconds"),
			  .period = STR_INIT("cpu"),
			  .period_unit = STR_INIT("nanoseconds")},
	[JFR_WALL] = {.sum = STR_INIT("wall"),
		      .sum_unit = STR_INIT("nanoseconds"),
		      .period = STR_INIT("wall"),
		      .period_unit = STR_INIT("nanoseconds")},
	[JFR_NATIVE] = {.sum = STR_INIT("native"),
			.sum_unit = STR_INIT("nanoseconds"),
			.period = STR_INIT("native"),
			.period_unit = STR_INIT("nanoseconds")},
	[JFR_IN_TLAB] = {STR_INIT("alloc_in_new_tlab_objects"), STR_INIT("alloc_in_new_tlab_bytes"),
			 STR_INIT("bytes"), STR_INIT("space"), STR_INIT("bytes")},
	[JFR_OUTSIDE_TLAB] = {STR_INIT("alloc_outside_tlab_objects"),
			      STR_INIT("alloc_outside_tlab_bytes"), STR_INIT("bytes"),
			      STR_INIT("space"), STR_INIT("bytes")},
	[JFR_ALLOC_SAMPLE] = {STR_INIT("alloc_sample_objects"), STR_INIT("alloc_sample_bytes"),
			      STR_INIT("bytes"), STR_INIT("space"), STR_INIT("bytes")},
	[JFR_LIVE] = {.count = STR_INIT("live"),
		      .period = STR_INIT("objects"),
		      .period_unit = STR_INIT("count")},
	[JFR_MUTEX] = {STR_INIT("contentions"), STR_INIT("delay"), STR_INIT("nanoseconds"),
		       STR_INIT("mutex"), STR_INIT("count")},
	[JFR_BLOCK] = {STR_INIT("contentions"), STR_INIT("delay"), STR_INIT("nanoseconds"),
		       STR_INIT("block"), STR_INIT("count")},
	[JFR_MALLOC] = {.count = STR_INIT("malloc_objects"),
			.sum = STR_INIT("malloc_bytes"),
			.sum_unit = STR_INIT("bytes")},
};

int jfr_samples_init(struct jfr_samples *s, struct arena *arena)
{
	*s = (struct jfr_samples){.arena = arena, .start = UINT64_MAX};

	int rc = idset_init(&s->correlation_index, arena, 0);

	if (!rc)
		rc = vec_push(arena, &s->correlations, (struct jfr_correlation){0});
	return rc;
}

void jfr_samples_select_type(struct jfr_samples *s, struct str type)
{
	struct str name = str_head(type, str_find(type, '/'));
	bool wanted[JFR_GROUPS], any = false;

	for (enum jfr_group g = 0; g < JFR_GROUPS; g++) {
		wanted[g] = name.n && (str_eq(name, group_table[g].count) ||
				       str_eq(name, group_table[g].sum));
		any |= wanted[g];
	}
	for (enum jfr_group g = 0; g < JFR_GROUPS; g++)
		s->group[g].excluded = any && !wanted[g];
	s->some_excluded = any;
}

void jfr_samples_extend_time(struct jfr_samples *s, uint64_t start, uint64_t end)
{
	s->start = start < s->start ? start : s->start;
	s->end = end > s->end ? end : s->end;
}

int jfr_samples_add_correlation(struct jfr_samples *s, const struct jfr_correlation *c,
				uint32_t *row)
{
	uint32_t hash = (uint32_t)hash_bytes(c, sizeof(*c));
	struct idset_cursor cursor = idset_seek(&s->correlation_index, hash);

	while (idset_next(&s->correlation_index, &cursor, row))
		if (memcmp(&s->correlations.at[*row], c, sizeof(*c)) == 0)
			return 0;
	*row = s->correlations.n;

	int rc = vec_push(s->arena, &s->correlations, *c);

	return rc ? rc : idset_add(&s->correlation_index, hash, *row);
}

int jfr_samples_add_identity(struct jfr_samples *s, enum jfr_group group,
			     const struct jfr_identity *who, uint32_t *id)
{
	struct jfr_observations *o = &s->group[group];
	uint32_t hash = (uint32_t)hash_bytes(who, sizeof(*who));
	int rc = o->index.slots ? 0 : idset_init(&o->index, s->arena, 0);

	if (rc)
		return rc;

	struct idset_cursor c = idset_seek(&o->index, hash);

	while (idset_next(&o->index, &c, id))
		if (memcmp(&o->identities.at[*id], who, sizeof(*who)) == 0)
			return 0;
	*id = o->identities.n;
	rc = vec_push(s->arena, &o->identities, *who);
	return rc ? rc : idset_add(&o->index, hash, *id);
}

void jfr_samples_scale(struct jfr_samples *s, enum jfr_group group, int64_t period)
{
	struct jfr_observations *o = &s->group[group];

	for (; o->scaled < o->rows.n; o->scaled++) {
		int64_t *value = &o->rows.at[o->scaled].value;

		*value = (int64_t)((uint64_t)*value * (uint64_t)period);
	}
	o->period = period;
}

/* Add an attribute to the current sample unless it has one with that key. */
static int push_attribute(struct profile_batch *b, uint32_t id)
{
	uint32_t first = b->sample_attributes_at[b->sample_count];

	if (!id)
		return 0;
	for (uint32_t i = first; i < b->sample_attributes.n; i++)
		if (b->attributes.at[b->sample_attributes.at[i]].key == b->attributes.at[id].key)
			return 0;
	return vec_push(&b->arena, &b->sample_attributes, id);
}

/* Add the labels of the context, and the span's id and name with Pyroscope's keys. */
static int push_correlation(struct profile_builder *b, const struct jfr_labels *labels,
			    const struct jfr_correlation *c)
{
	uint32_t n, id;
	const uint32_t *ids = jfr_labels_of(labels, c->context, &n);
	struct str span_name = jfr_label_text(labels, c->span_name);
	char hex[17];
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = push_attribute(b->batch, ids[i]);
	if (!rc && c->context && !labels->given) {
		rc = profile_add_attribute(b, STR("context_id"), VALUE_OF_INT((int64_t)c->context),
					   STR(""), &id);
		if (!rc)
			rc = push_attribute(b->batch, id);
	}
	if (!rc && c->span) {
		snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)c->span);
		rc = profile_add_attribute(b, STR("profile_id"), VALUE_OF_STR(str_of(hex, 16)),
					   STR(""), &id);
		if (!rc)
			rc = push_attribute(b->batch, id);
	}
	if (!rc && span_name.n) {
		rc = profile_add_attribute(b, STR("span_name"), VALUE_OF_STR(span_name), STR(""),
					   &id);
		if (!rc)
			rc = push_attribute(b->batch, id);
	}
	return rc;
}

/* Emit one sample for each identity; ends[i] is where its observations end in the pools. */
static int emit_identities(const struct jfr_samples *s, const struct jfr_observations *o,
			   struct profile_builder *b, const struct jfr_labels *labels,
			   const uint32_t *ends, bool values)
{
	struct profile_batch *batch = b->batch;
	uint32_t times_at = batch->times.n, values_at = batch->values.n;
	int rc = 0;

	for (uint32_t i = 0; i < o->identities.n && !rc; i++) {
		const struct jfr_identity *who = &o->identities.at[i];
		const uint32_t own[] = {who->thread_name, who->thread_id, who->state, who->class};

		if (who->correlation)
			rc = push_correlation(b, labels, &s->correlations.at[who->correlation]);
		for (size_t k = 0; k < countof(own) && !rc; k++)
			rc = push_attribute(batch, own[k]);
		batch->times.n = times_at + ends[i];
		batch->values.n = values_at + (values ? ends[i] : 0);
		if (!rc)
			rc = profile_sample_end(batch, who->stack, 0);
	}
	return rc;
}

/* Counting sort of the observations by identity, directly into the batch's pools. */
static int emit_observations(const struct jfr_samples *s, const struct jfr_observations *o,
			     struct profile_builder *b, const struct jfr_labels *labels,
			     bool values)
{
	struct profile_batch *batch = b->batch;
	uint32_t n = o->rows.n, *ends, at = 0;
	int rc = profile_batch_reserve_samples(batch, o->identities.n);

	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->times, n);
	if (!rc && values)
		rc = vec_reserve(&batch->arena, &batch->values, n);
	ends = arena_zalloc(s->arena, o->identities.n, sizeof(*ends));
	if (rc || !ends)
		return rc ? rc : -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		ends[o->rows.at[i].identity]++;
	for (uint32_t i = 0; i < o->identities.n; i++) {
		uint32_t own = ends[i];

		ends[i] = at; /* where they begin; advanced to their end by the loop below */
		at += own;
	}

	uint64_t *times = batch->times.at + batch->times.n;
	int64_t *amounts = values ? batch->values.at + batch->values.n : NULL;

	for (uint32_t i = 0; i < n; i++) {
		const struct jfr_observation *row = &o->rows.at[i];
		uint32_t to = ends[row->identity]++;

		times[to] = row->time;
		if (amounts)
			amounts[to] = row->value;
	}
	return emit_identities(s, o, b, labels, ends, values);
}

static int emit_profile(const struct jfr_samples *s, enum jfr_group group,
			struct profile_builder *b, const struct jfr_labels *labels, struct str type,
			struct str unit)
{
	const struct jfr_observations *o = &s->group[group];
	bool counted = str_eq(type, group_table[group].count);
	bool renamed = !counted && !str_eq(type, group_table[group].sum);
	struct str period = renamed ? type : group_table[group].period;
	struct str period_unit = renamed ? unit : group_table[group].period_unit;
	struct profile row = {
		.period = o->period,
		.time_unix_nano = s->start,
		.duration_nano = s->end - s->start,
	};
	int rc = profile_add_string(b, type, &row.sample_type.type);

	if (!rc)
		rc = profile_add_string(b, unit, &row.sample_type.unit);
	if (!rc)
		rc = profile_add_string(b, period, &row.period_type.type);
	if (!rc)
		rc = profile_add_string(b, period_unit, &row.period_type.unit);
	if (!rc)
		rc = profile_add_profile(b, &row, NULL, 0);
	return rc ? rc : emit_observations(s, o, b, labels, !counted);
}

int jfr_samples_emit(struct jfr_samples *s, struct profile_builder *b,
		     const struct jfr_labels *labels, struct str event)
{
	int rc = 0;

	if (s->end < s->start) /* no finished chunk, and all events are excluded */
		s->start = s->end = 0;
	for (enum jfr_group g = 0; g < JFR_GROUPS && !rc; g++) {
		struct str count = group_table[g].count, sum = group_table[g].sum;
		struct str unit = group_table[g].sum_unit;

		if (!s->group[g].rows.n && !s->group[g].seen)
			continue;
		if (g == JFR_CPU && event.n) {
			sum = event;
			unit = STR("count");
		}
		if (count.n)
			rc = emit_profile(s, g, b, labels, count, STR("count"));
		if (!rc && sum.n)
			rc = emit_profile(s, g, b, labels, sum, unit);
	}
	return rc;
}
