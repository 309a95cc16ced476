/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/rows.h"

enum { HAS_IDS = 1, HAS_TIMES = 2, HAS_LINKS = 4 };

struct header {
	uint32_t profiles, samples, links, columns;
};

uint32_t *rows_offsets(const struct rows *r, struct arena *a)
{
	uint32_t *at = arena_alloc(a, (size_t)r->count.n + 1, sizeof(*at)), sum = 0;

	if (!at)
		return NULL;
	for (uint32_t i = 0; i < r->count.n; i++) {
		at[i] = sum;
		sum += r->count.at[i];
	}
	at[r->count.n] = sum;
	return at;
}

int rows_add_id(struct rows *r, struct arena *a, const uint8_t id[PROFILE_ID_SIZE])
{
	size_t want = (size_t)r->series.n * PROFILE_ID_SIZE;
	int rc = vec_reserve(a, &r->ids, want - r->ids.n);

	if (rc)
		return rc;
	memset(r->ids.at + r->ids.n, 0, want - r->ids.n);
	r->ids.n = (uint32_t)want;
	memcpy(r->ids.at + want - PROFILE_ID_SIZE, id, PROFILE_ID_SIZE);
	return 0;
}

/* Append a column; one that is shorter than it should be is filled with zeros. */
static void put(struct buf *out, const void *p, size_t n, size_t want, size_t size)
{
	static const char zeros[256];

	if (n)
		buf_put(out, p, n * size);
	for (size_t left = (want - n) * size; left;) {
		size_t part = min_size(left, sizeof(zeros));

		buf_put(out, zeros, part);
		left -= part;
	}
}

int rows_encode(const struct rows *r, struct buf *out)
{
	size_t n = r->series.n, m = r->node.n;
	struct header h = {(uint32_t)n, (uint32_t)m, r->links.n,
			   (r->ids.n ? HAS_IDS : 0u) | (r->sample_time.n ? HAS_TIMES : 0u) |
				   (r->link.n ? HAS_LINKS : 0u)};

	buf_put(out, &h, sizeof(h));
	if (h.columns & HAS_IDS)
		put(out, r->ids.at, r->ids.n, n * PROFILE_ID_SIZE, 1);
	put(out, r->links.at, r->links.n, r->links.n, sizeof(struct link));
	put(out, r->time.at, n, n, sizeof(uint64_t));
	put(out, r->duration.at, n, n, sizeof(uint64_t));
	put(out, r->total.at, n, n, sizeof(int64_t));
	put(out, r->value.at, m, m, sizeof(int64_t));
	if (h.columns & HAS_TIMES)
		put(out, r->sample_time.at, r->sample_time.n, m, sizeof(uint64_t));
	put(out, r->series.at, n, n, sizeof(uint32_t));
	put(out, r->count.at, n, n, sizeof(uint32_t));
	put(out, r->node.at, m, m, sizeof(uint32_t));
	if (h.columns & HAS_LINKS)
		put(out, r->link.at, r->link.n, m, sizeof(uint32_t));
	return buf_error(out);
}

/* Samples belong to profiles one by one, links are there. */
static bool sound(const struct rows *r)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < r->count.n; i++)
		samples += r->count.at[i];
	for (uint32_t i = 0; i < r->link.n; i++)
		if (r->link.at[i] >= r->links.n)
			return false;
	return samples == r->node.n;
}

/* A column of the bytes as a vector. */
#define VIEW(vec, items)                                                                           \
	do {                                                                                       \
		(vec)->at = (void *)(p + at);                                                      \
		(vec)->n = (vec)->cap = (uint32_t)(items);                                         \
		at += (size_t)(items) * sizeof(*(vec)->at);                                        \
	} while (0)

int rows_view(struct rows *r, struct str bytes, struct err *e)
{
	char *p = (char *)bytes.p; /* never written through */
	struct header h = {0};
	size_t at = sizeof(h), n, m, size;

	*r = (struct rows){0};
	if (bytes.n >= sizeof(h))
		memcpy(&h, p, sizeof(h));
	n = h.profiles;
	m = h.samples;
	size = sizeof(h) + n * 32 + m * 12 + h.links * sizeof(struct link) +
	       (h.columns & HAS_IDS ? n * PROFILE_ID_SIZE : 0) +
	       (h.columns & HAS_TIMES ? m * 8 : 0) + (h.columns & HAS_LINKS ? m * 4 : 0);
	if (bytes.n < sizeof(h) || size != bytes.n || n > VEC_MAX / PROFILE_ID_SIZE || m > VEC_MAX)
		return err_set(e, -EUCLEAN, "a level0 block of %zu bytes says it has %zu", bytes.n,
			       size);
	if (h.columns & HAS_IDS)
		VIEW(&r->ids, n * PROFILE_ID_SIZE);
	VIEW(&r->links, h.links);
	VIEW(&r->time, n);
	VIEW(&r->duration, n);
	VIEW(&r->total, n);
	VIEW(&r->value, m);
	if (h.columns & HAS_TIMES)
		VIEW(&r->sample_time, m);
	VIEW(&r->series, n);
	VIEW(&r->count, n);
	VIEW(&r->node, m);
	if (h.columns & HAS_LINKS)
		VIEW(&r->link, m);
	if (!sound(r))
		return err_set(e, -EUCLEAN, "a level0 block does not add up");
	return 0;
}
