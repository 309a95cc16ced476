/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of samples by a 128-bit hash of what identifies them. A profile is read twice: first all
 * of its sums go into the table, which shows whether one is lower than before, then each sample
 * gets the difference. Hashes of locations and stacks are computed once for a batch.
 */
#include "pipeline/receivers/pprof/profile_delta.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

enum { DELTA_CAPACITY_MIN = 256 };

struct delta_row {
	XXH128_hash_t id; /* all zero: free */
	int64_t before;	  /* committed */
	int64_t now;	  /* of the round */
	uint32_t round;	  /* of the last profile with this sample */
};

static const struct {
	struct str type, unit;
} cumulative_types[] = {
	{STR_INIT("alloc_objects"), STR_INIT("count")},
	{STR_INIT("alloc_space"), STR_INIT("bytes")},
	{STR_INIT("contentions"), STR_INIT("count")},
	{STR_INIT("delay"), STR_INIT("nanoseconds")},
};

/* A batch that is being subtracted from. */
struct delta_reading {
	struct profile_delta *delta;
	struct profile_batch *batch;
	struct arena *scratch;
	XXH128_hash_t *locations, *stacks; /* memos; all zero: not computed */
	uint32_t *rows;			   /* by sample: the row + 1; 0: none */
};

void profile_delta_init(struct profile_delta *d, uint32_t limit)
{
	*d = (struct profile_delta){.limit = limit ? limit : PROFILE_DELTA_ROWS_MAX};
}

static void forget_delta_rows(struct profile_delta *d)
{
	free(d->rows);
	d->rows = NULL;
	d->capacity = d->count = 0;
}

void profile_delta_fini(struct profile_delta *d)
{
	forget_delta_rows(d);
}

/* ---- the table ---- */

static bool is_no_hash(XXH128_hash_t h)
{
	return !h.low64 && !h.high64;
}

static struct delta_row *place_of_row(struct delta_row *rows, uint32_t capacity, XXH128_hash_t id)
{
	uint32_t i = (uint32_t)id.low64 & (capacity - 1);

	while (!is_no_hash(rows[i].id) && !XXH128_isEqual(rows[i].id, id))
		i = (i + 1) & (capacity - 1);
	return &rows[i];
}

/* Give the table another capacity, without rows that were last seen before `round`. */
static int resize_delta_rows(struct profile_delta *d, uint32_t capacity, uint32_t round)
{
	struct delta_row *rows = calloc(capacity, sizeof(*rows));
	uint32_t count = 0;

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->capacity; i++) {
		if (is_no_hash(d->rows[i].id) || d->rows[i].round < round)
			continue;
		*place_of_row(rows, capacity, d->rows[i].id) = d->rows[i];
		count++;
	}
	free(d->rows);
	d->rows = rows;
	d->capacity = capacity;
	d->count = count;
	return 0;
}

/* Return the row of a sample, which is added if it is new. */
static int find_delta_row(struct profile_delta *d, XXH128_hash_t id, struct delta_row **out,
			  struct err *e)
{
	int rc = 0;

	if (2 * d->count >= d->capacity)
		rc = resize_delta_rows(d, d->capacity ? 2 * d->capacity : DELTA_CAPACITY_MIN, 0);
	if (rc)
		return rc;
	*out = place_of_row(d->rows, d->capacity, id);
	if (!is_no_hash((*out)->id))
		return 0;
	if (d->count >= d->limit)
		return err_set(e, -E2BIG,
			       "the profile has more than %u different samples to subtract",
			       d->limit);
	**out = (struct delta_row){.id = id};
	d->count++;
	return 0;
}

/* ---- identities ---- */

/* A hash that is not the mark of what is not computed. */
static XXH128_hash_t delta_hash(const void *at, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(at, n);

	h.low64 += is_no_hash(h);
	return h;
}

static uint64_t delta_hash_string(const struct profile_batch *b, uint32_t id)
{
	struct str s = string_of(b, id);

	return s.n ? XXH3_64bits(s.p, s.n) : 0;
}

static int delta_hash_location(struct delta_reading *r, uint32_t id, XXH128_hash_t *out)
{
	const struct profile_batch *b = r->batch;
	const struct location *l = &b->locations.at[id];
	uint64_t words[3] = {l->address, delta_hash_string(b, b->mappings.at[l->mapping].filename),
			     1};

	*out = r->locations[id];
	if (!is_no_hash(*out))
		return 0;
	*out = delta_hash(words, sizeof(words));
	if (l->lines.n) {
		uint64_t *parts = arena_alloc(r->scratch, 3 * (size_t)l->lines.n, sizeof(*parts));

		if (!parts)
			return -ENOMEM;
		for (uint32_t i = 0; i < l->lines.n; i++) {
			const struct line *line = &b->lines.at[l->lines.at + i];
			const struct function *f = &b->functions.at[line->function];

			parts[3 * i] = delta_hash_string(b, f->name);
			parts[3 * i + 1] = delta_hash_string(b, f->filename);
			parts[3 * i + 2] = (uint64_t)line->line;
		}
		*out = delta_hash(parts, 3 * (size_t)l->lines.n * sizeof(*parts));
	}
	r->locations[id] = *out;
	return 0;
}

static int delta_hash_stack(struct delta_reading *r, uint32_t id, XXH128_hash_t *out)
{
	XXH128_hash_t *parts;
	const uint32_t *locations;
	uint32_t n;
	int rc = 0;

	*out = r->stacks[id];
	if (!is_no_hash(*out))
		return 0;
	locations = stack_of(r->batch, id, &n);
	parts = arena_alloc(r->scratch, n + 1, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = delta_hash_location(r, locations[i], &parts[i]);
	if (!rc)
		*out = r->stacks[id] = delta_hash(parts, n * sizeof(*parts));
	return rc;
}

/* Numbers do not count: the size of blocks is an average in some formats, and changes. */
static int delta_hash_sample(struct delta_reading *r, uint64_t type, uint32_t sample,
			     XXH128_hash_t *out)
{
	const struct profile_batch *b = r->batch;
	XXH128_hash_t stack;
	uint64_t words[4] = {type};
	int rc = delta_hash_stack(r, b->sample_stack[sample], &stack);

	words[1] = stack.low64;
	words[2] = stack.high64;
	for (uint32_t i = b->sample_attributes_at[sample]; i < b->sample_attributes_at[sample + 1];
	     i++) {
		const struct attribute *a = &b->attributes.at[b->sample_attributes.at[i]];
		uint64_t pair[2] = {delta_hash_string(b, a->key), value_hash(&a->value)};

		if (a->value.kind == VALUE_STRING)
			words[3] += XXH3_64bits(pair, sizeof(pair)); /* in any order */
	}
	*out = delta_hash(words, sizeof(words));
	return rc;
}

/* ---- profiles ---- */

/* Return a hash of the sample type if its values are sums since the start of the process, or 0. */
static uint64_t cumulative_type(const struct profile_batch *b, const struct profile *p)
{
	struct str type = string_of(b, p->sample_type.type);

	for (size_t i = 0; i < countof(cumulative_types); i++)
		if (str_eq(type, cumulative_types[i].type) &&
		    str_eq(string_of(b, p->sample_type.unit), cumulative_types[i].unit))
			return XXH3_64bits(type.p, type.n);
	return 0;
}

static int64_t *only_sample_value(struct profile_batch *b, uint32_t sample)
{
	uint32_t at = b->sample_values_at[sample];

	return b->sample_values_at[sample + 1] == at + 1 ? &b->values.at[at] : NULL;
}

/* Add a sample to the sum of its row, which the first sample with this identity refers to. */
static int sum_up_sample(struct delta_reading *r, uint64_t type, uint32_t sample, struct err *e)
{
	struct profile_delta *d = r->delta;
	int64_t *value = only_sample_value(r->batch, sample);
	struct delta_row *row;
	XXH128_hash_t id;
	int rc;

	if (!value || *value <= 0)
		return 0;
	rc = delta_hash_sample(r, type, sample, &id);
	if (!rc)
		rc = find_delta_row(d, id, &row, e);
	if (rc)
		return rc;
	if (row->round != d->round) {
		row->round = d->round;
		row->now = 0;
		r->rows[sample] = 1;
	}
	if (__builtin_add_overflow(row->now, *value, &row->now))
		row->now = INT64_MAX;
	return 0;
}

/* The table is complete: let samples refer to their rows. Return whether a sum is lower. */
static int refer_to_rows(struct delta_reading *r, uint64_t type, uint32_t sample)
{
	struct profile_delta *d = r->delta;
	const struct delta_row *row;
	XXH128_hash_t id;
	int rc;

	if (!r->rows[sample])
		return 0;
	rc = delta_hash_sample(r, type, sample, &id);
	if (rc)
		return rc;
	row = place_of_row(d->rows, d->capacity, id);
	r->rows[sample] = (uint32_t)(row - d->rows) + 1;
	d->restarted |= row->now < row->before;
	return 0;
}

static int read_profile_sums(struct delta_reading *r, struct err *e)
{
	struct profile_batch *b = r->batch;
	int rc = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < b->profiles.n && !rc; i++) {
			const struct profile *p = &b->profiles.at[i];
			uint64_t type = cumulative_type(b, p);

			for (uint32_t s = 0; type && s < p->sample_count && !rc; s++)
				rc = pass ? refer_to_rows(r, type, p->sample_first + s)
					  : sum_up_sample(r, type, p->sample_first + s, e);
		}
	}
	return rc;
}

/* Replace the sum of a sample by the difference; 0 if there is none. */
static void subtract_sample(struct delta_reading *r, uint32_t sample)
{
	const struct profile_delta *d = r->delta;
	int64_t *value = only_sample_value(r->batch, sample);
	const struct delta_row *row = r->rows[sample] ? &d->rows[r->rows[sample] - 1] : NULL;

	if (value)
		*value = row && d->begun && !d->restarted ? row->now - row->before : 0;
}

static void subtract_profile(struct delta_reading *r, struct profile *p, uint64_t now)
{
	const struct profile_delta *d = r->delta;

	for (uint32_t s = 0; s < p->sample_count; s++)
		subtract_sample(r, p->sample_first + s);
	if (d->begun && now > d->time) {
		p->time_unix_nano = d->time;
		p->duration_nano = now - d->time;
	}
}

/* Move a sample to row `to` of the columns, whose pools are filled up to *attribute and *value. */
static void move_sample(struct profile_batch *b, uint32_t from, uint32_t to, uint32_t *attribute,
			uint32_t *value)
{
	uint32_t attributes[] = {b->sample_attributes_at[from], b->sample_attributes_at[from + 1]};
	uint32_t values[] = {b->sample_values_at[from], b->sample_values_at[from + 1]};

	b->sample_stack[to] = b->sample_stack[from];
	b->sample_link[to] = b->sample_link[from];
	b->sample_times_at[to] = b->sample_times_at[from];
	b->sample_attributes_at[to] = *attribute;
	b->sample_values_at[to] = *value;
	for (uint32_t k = attributes[0]; k < attributes[1]; k++)
		b->sample_attributes.at[(*attribute)++] = b->sample_attributes.at[k];
	for (uint32_t k = values[0]; k < values[1]; k++)
		b->values.at[(*value)++] = b->values.at[k];
	b->sample_attributes_at[to + 1] = *attribute;
	b->sample_values_at[to + 1] = *value;
}

/*
 * Remove samples of 0 of the profiles that were changed, and those profiles that have no others.
 * The order stays. No sample is moved to a row that is still to be read.
 */
static void remove_zero_samples(struct profile_batch *b)
{
	uint32_t profiles = 0, to = 0, attribute = 0, value = 0;

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		struct profile p = b->profiles.at[i];
		bool changed = cumulative_type(b, &p) != 0;
		uint32_t end = p.sample_first + p.sample_count, first = to;

		for (uint32_t s = p.sample_first; s < end; s++) {
			const int64_t *only = only_sample_value(b, s);

			if (!changed || !only || *only)
				move_sample(b, s, to++, &attribute, &value);
		}
		p.sample_first = first;
		p.sample_count = to - first;
		if (!changed || p.sample_count)
			b->profiles.at[profiles++] = p;
	}
	b->profiles.n = profiles;
	b->sample_times_at[to] = b->times.n;
	b->sample_count = to;
	b->sample_attributes.n = attribute;
	b->values.n = value;
}

static bool has_cumulative_types(const struct profile_batch *b)
{
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (cumulative_type(b, &b->profiles.at[i]))
			return true;
	return false;
}

int profile_delta_apply(struct profile_delta *d, struct profile_batch *b, uint64_t now,
			struct arena *scratch, struct err *e)
{
	struct delta_reading r = {.delta = d, .batch = b, .scratch = scratch};
	int rc;

	d->restarted = false;
	d->pending = now;
	d->round++;
	if (!has_cumulative_types(b) || b->times.n)
		return 0;
	if (d->count > d->limit / 2) { /* forget samples that the last two profiles do not have */
		rc = resize_delta_rows(d, d->capacity, d->round - 2);
		if (rc)
			return rc;
	}
	r.locations = arena_zalloc(scratch, b->locations.n, sizeof(*r.locations));
	r.stacks = arena_zalloc(scratch, b->stacks.n, sizeof(*r.stacks));
	r.rows = arena_zalloc(scratch, b->sample_count + 1, sizeof(*r.rows));
	rc = r.locations && r.stacks && r.rows ? read_profile_sums(&r, e) : -ENOMEM;
	if (rc == -E2BIG) {
		forget_delta_rows(d);
		d->begun = false;
	}
	if (rc)
		return rc;
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (cumulative_type(b, &b->profiles.at[i]))
			subtract_profile(&r, &b->profiles.at[i], now);
	remove_zero_samples(b);
	return 0;
}

void profile_delta_commit(struct profile_delta *d)
{
	for (uint32_t i = 0; i < d->capacity; i++)
		if (d->rows[i].round == d->round)
			d->rows[i].before = d->rows[i].now;
		else if (d->restarted)
			d->rows[i].before = 0;
	d->time = d->pending;
	d->begun = true;
	d->restarted = false;
}
