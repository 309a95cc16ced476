/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/test/promql_memory.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"

struct promql_cursor {
	struct promql_memory *m;
	struct promql_select select;
	uint32_t next;
};

static int memory_select(struct promql_source *source, const struct promql_select *select,
			 struct promql_cursor **out, struct err *e)
{
	struct promql_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->m = (struct promql_memory *)source;
	c->select = *select;
	if (c->select.to_ms > c->m->until_ms)
		c->select.to_ms = c->m->until_ms;
	*out = c;
	return 0;
}

static struct str label_value(const struct promql_memory_series *s, struct str name)
{
	for (uint32_t i = 0; i < s->label_count; i++)
		if (str_eq(s->labels[i].name, name))
			return s->labels[i].value;
	return STR("");
}

static int series_matches(const struct promql_cursor *c, const struct promql_memory_series *s,
			  struct err *e)
{
	int rc = 1;

	for (uint32_t i = 0; i < c->select.matcher_count && rc == 1; i++) {
		const struct promql_matcher *m = &c->select.matchers[i];

		rc = promql_matches(m, label_value(s, m->name), e);
	}
	return rc;
}

/* Find the part of sorted times that is in the range. */
static void cut_range(const int64_t *times, uint32_t n, const struct promql_select *select,
		      uint32_t *from, uint32_t *count)
{
	uint32_t to = n;

	*from = 0;
	while (*from < n && times[*from] < select->from_ms)
		++*from;
	while (to > *from && times[to - 1] > select->to_ms)
		to--;
	*count = to - *from;
}

static int memory_next(struct promql_cursor *c, struct promql_samples *out, struct err *e)
{
	while (c->next < c->m->series.n) {
		const struct promql_memory_series *s = c->m->series.at[c->next++];
		uint32_t from;
		int rc = series_matches(c, s, e);

		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		*out = (struct promql_samples){.labels = s->labels, .label_count = s->label_count};
		cut_range(s->times.at, s->times.n, &c->select, &from, &out->count);
		if (out->count) {
			out->times = s->times.at + from;
			out->values = s->values.at + from;
			out->starts = s->has_starts ? s->starts.at + from : NULL;
		}
		cut_range(s->histogram_times.at, s->histogram_times.n, &c->select, &from,
			  &out->histogram_count);
		if (out->histogram_count) {
			out->histogram_times = s->histogram_times.at + from;
			out->histograms = s->histograms.at + from;
			out->histogram_starts =
				s->has_starts ? s->histogram_starts.at + from : NULL;
		}
		return 1;
	}
	return 0;
}

static void memory_close(struct promql_cursor *c)
{
	free(c);
}

int promql_memory_init(struct promql_memory *m, struct budget *budget)
{
	*m = (struct promql_memory){.source = {memory_select, memory_next, memory_close},
				    .until_ms = INT64_MAX};
	arena_init(&m->arena, budget);
	return idset_init(&m->set, &m->arena, 64);
}

void promql_memory_fini(struct promql_memory *m)
{
	arena_fini(&m->arena);
}

static int compare_labels(const void *a, const void *b)
{
	const struct promql_label *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

static bool has_labels(const struct promql_memory_series *s, const struct promql_label *labels,
		       uint32_t n)
{
	if (s->label_count != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!str_eq(s->labels[i].name, labels[i].name) ||
		    !str_eq(s->labels[i].value, labels[i].value))
			return false;
	return true;
}

static uint32_t hash_labels(const struct promql_label *labels, uint32_t n)
{
	uint32_t hash = 0;

	for (uint32_t i = 0; i < n; i++)
		hash = hash * 31 + (hash32(labels[i].name) * 17 ^ hash32(labels[i].value));
	return hash;
}

struct promql_memory_series *promql_memory_add(struct promql_memory *m,
					       const struct promql_label *labels, uint32_t n)
{
	struct promql_memory_series *s = arena_zalloc(&m->arena, 1, sizeof(*s));
	struct idset_cursor c;
	uint32_t hash, id;

	if (!s)
		return NULL;
	s->labels = arena_alloc(&m->arena, n + 1, sizeof(*s->labels));
	if (!s->labels)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		if (labels[i].value.n)
			s->labels[s->label_count++] = labels[i];
	qsort(s->labels, s->label_count, sizeof(*s->labels), compare_labels);
	hash = hash_labels(s->labels, s->label_count);
	c = idset_seek(&m->set, hash);
	while (idset_next(&m->set, &c, &id))
		if (has_labels(m->series.at[id], s->labels, s->label_count))
			return m->series.at[id];
	for (uint32_t i = 0; i < s->label_count; i++)
		if (arena_copy_str(&m->arena, s->labels[i].name, &s->labels[i].name) ||
		    arena_copy_str(&m->arena, s->labels[i].value, &s->labels[i].value))
			return NULL;
	if (vec_push(&m->arena, &m->series, s) || idset_add(&m->set, hash, m->series.n - 1))
		return NULL;
	return s;
}

/* Return where a sample of that time belongs. */
static uint32_t place_of(const int64_t *times, uint32_t n, int64_t time)
{
	while (n && times[n - 1] >= time)
		n--;
	return n;
}

int promql_memory_put(struct promql_memory *m, struct promql_memory_series *s, int64_t time,
		      double value, int64_t start)
{
	uint32_t at = place_of(s->times.at, s->times.n, time);

	if (at == s->times.n || s->times.at[at] != time) {
		if (vec_push(&m->arena, &s->times, 0) || vec_push(&m->arena, &s->values, 0) ||
		    vec_push(&m->arena, &s->starts, 0))
			return -ENOMEM;
		for (uint32_t i = s->times.n - 1; i > at; i--) {
			s->times.at[i] = s->times.at[i - 1];
			s->values.at[i] = s->values.at[i - 1];
			s->starts.at[i] = s->starts.at[i - 1];
		}
	}
	s->times.at[at] = time;
	s->values.at[at] = value;
	s->starts.at[at] = start;
	s->has_starts |= start != 0;
	return 0;
}

int promql_memory_put_histogram(struct promql_memory *m, struct promql_memory_series *s,
				int64_t time, const struct native_histogram *h, int64_t start)
{
	uint32_t at = place_of(s->histogram_times.at, s->histogram_times.n, time);

	if (at == s->histogram_times.n || s->histogram_times.at[at] != time) {
		struct native_histogram none = {0};

		if (vec_push(&m->arena, &s->histogram_times, 0) ||
		    vec_push(&m->arena, &s->histograms, none) ||
		    vec_push(&m->arena, &s->histogram_starts, 0))
			return -ENOMEM;
		for (uint32_t i = s->histogram_times.n - 1; i > at; i--) {
			s->histogram_times.at[i] = s->histogram_times.at[i - 1];
			s->histograms.at[i] = s->histograms.at[i - 1];
			s->histogram_starts.at[i] = s->histogram_starts.at[i - 1];
		}
	}
	s->histogram_times.at[at] = time;
	if (native_copy(&s->histograms.at[at], h, &m->arena))
		return -ENOMEM;
	s->histogram_starts.at[at] = start;
	s->has_starts |= start != 0;
	return 0;
}

void promql_memory_set_hints(struct promql_memory_series *s, uint32_t from)
{
	for (uint32_t i = from; i < s->histograms.n; i++) {
		struct native_histogram *h = &s->histograms.at[i];
		const struct native_histogram *before = i ? &s->histograms.at[i - 1] : NULL;
		bool begins;

		if (h->reset == NATIVE_GAUGE)
			continue;
		begins = !before || before->reset == NATIVE_GAUGE || h->reset == NATIVE_RESET;
		if (!begins && !native_is_stale(h)) {
			h->reset = NATIVE_UNKNOWN;
			begins = native_is_stale(before) || h->schema != before->schema ||
				 h->zero_threshold != before->zero_threshold ||
				 !native_same_bounds(h, before) || native_detect_reset(h, before);
		}
		h->reset = begins ? NATIVE_UNKNOWN : NATIVE_NOT_RESET;
	}
}
