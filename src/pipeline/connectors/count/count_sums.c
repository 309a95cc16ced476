/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of their first items, found by the hash of metric and key. */
#include "pipeline/connectors/count/count_sums.h"

#include "base/container/hash.h"

int count_sums_init(struct count_sums *s, struct arena *arena)
{
	*s = (struct count_sums){.arena = arena};
	return idset_init(&s->by_key, arena, 0);
}

static struct count_row *find_count_row(struct count_sums *s, uint32_t hash, uint32_t metric,
					struct str key)
{
	struct idset_cursor c = idset_seek(&s->by_key, hash);
	uint32_t id;

	while (idset_next(&s->by_key, &c, &id))
		if (s->rows.at[id].metric == metric && str_eq(s->rows.at[id].key, key))
			return &s->rows.at[id];
	return NULL;
}

static void widen_time(struct count_span_of_time *t, struct count_span_of_time by)
{
	if (by.begin && (!t->begin || by.begin < t->begin))
		t->begin = by.begin;
	if (by.end > t->end)
		t->end = by.end;
}

int count_sums_add(struct count_sums *s, uint32_t metric, struct str key, uint64_t n,
		   struct count_span_of_time time)
{
	uint32_t hash = hash32(key) + metric * 0x9e3779b9u;
	struct count_row *row = find_count_row(s, hash, metric, key);
	struct count_row added = {.metric = metric, .count = n, .time = time};
	int rc;

	if (row) {
		row->count += n;
		widen_time(&row->time, time);
		return 0;
	}
	rc = arena_copy_str(s->arena, key, &added.key);
	if (!rc)
		rc = vec_push(s->arena, &s->rows, added);
	return rc ? rc : idset_add(&s->by_key, hash, s->rows.n - 1);
}

int count_sums_write(const struct count_sums *s, uint32_t metric, uint64_t now,
		     struct otlp_builder *b)
{
	for (uint32_t i = 0; i < s->rows.n; i++) {
		const struct count_row *row = &s->rows.at[i];
		struct attributes attributes = {0};
		uint64_t end = row->time.end ? row->time.end : now;
		uint64_t begin = row->time.begin && row->time.begin < end ? row->time.begin : end;
		int rc;

		if (row->metric != metric)
			continue;
		rc = otlp_attributes_read(&attributes, row->key, 1, s->arena);
		if (rc)
			return rc;
		otlp_add_number(b, &(struct otlp_number){.point = {.attributes = &attributes,
								   .start = begin,
								   .time = end},
							 .is_int = true,
							 .i = (int64_t)row->count});
	}
	return 0;
}
