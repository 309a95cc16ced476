/* SPDX-License-Identifier: Apache-2.0 */
/* Appending to columns, and level-0 blocks. */
#include "store/sqlite/block/rows.h"

enum { HAS_IDS = 1, HAS_TIMES = 2, HAS_LINKS = 4 };

struct level0_header {
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

/* ---- appending ---- */

#define APPEND_RANGE(arena, to, from, first, count)                                                \
	({                                                                                         \
		int rc_ = vec_reserve(arena, to, count);                                           \
		if (!rc_ && (count)) {                                                             \
			memcpy((to)->at + (to)->n, (from)->at + (first),                           \
			       (size_t)(count) * sizeof(*(to)->at));                               \
			(to)->n += (count);                                                        \
		}                                                                                  \
		rc_;                                                                               \
	})

#define FILL_ZERO(arena, vec, want)                                                                \
	({                                                                                         \
		uint32_t more_ = (uint32_t)((want) - (vec)->n);                                    \
		int rc_ = vec_reserve(arena, vec, more_);                                          \
		if (!rc_ && more_) {                                                               \
			memset((vec)->at + (vec)->n, 0, (size_t)more_ * sizeof(*(vec)->at));       \
			(vec)->n += more_;                                                         \
		}                                                                                  \
		rc_;                                                                               \
	})

/*
 * Append the links of the samples [at, at + n) of `from`. Neighbours often share a link, so each is
 * compared with the last one added.
 */
static int append_links(struct rows *to, struct arena *a, const struct rows *from, uint32_t at,
			uint32_t n)
{
	int rc = to->links.n ? 0 : vec_push(a, &to->links, (struct link){0});

	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t link = from->link.at[at + i];

		if (link && memcmp(&to->links.at[to->links.n - 1], &from->links.at[link],
				   sizeof(struct link)) != 0)
			rc = vec_push(a, &to->links, from->links.at[link]);
		if (!rc)
			rc = vec_push(a, &to->link, link ? to->links.n - 1 : 0);
	}
	return rc;
}

static int append_samples(struct rows *to, struct arena *a, const struct rows *from, uint32_t at,
			  uint32_t n)
{
	uint32_t before = to->node.n;
	int rc = APPEND_RANGE(a, &to->node, &from->node, at, n);

	if (!rc)
		rc = APPEND_RANGE(a, &to->value, &from->value, at, n);
	if (!rc && from->sample_time.n) {
		rc = FILL_ZERO(a, &to->sample_time, before);
		if (!rc)
			rc = APPEND_RANGE(a, &to->sample_time, &from->sample_time, at, n);
	} else if (!rc && to->sample_time.n) {
		rc = FILL_ZERO(a, &to->sample_time, before + n);
	}
	if (!rc && from->link.n) {
		rc = FILL_ZERO(a, &to->link, before);
		if (!rc)
			rc = append_links(to, a, from, at, n);
	} else if (!rc && to->link.n) {
		rc = FILL_ZERO(a, &to->link, before + n);
	}
	return rc;
}

int rows_append(struct rows *to, struct arena *a, const struct rows *from, uint32_t i, uint32_t at)
{
	static const uint8_t none[PROFILE_ID_SIZE];
	size_t id_at = (size_t)i * PROFILE_ID_SIZE; /* may be past the end of `ids` */
	const uint8_t *id = id_at < from->ids.n ? from->ids.at + id_at : none;
	int rc = vec_push(a, &to->series, from->series.at[i]);

	if (!rc)
		rc = vec_push(a, &to->count, from->count.at[i]);
	if (!rc)
		rc = vec_push(a, &to->time, from->time.at[i]);
	if (!rc)
		rc = vec_push(a, &to->duration, from->duration.at[i]);
	if (!rc)
		rc = vec_push(a, &to->total, from->total.at[i]);
	if (!rc && memcmp(id, none, sizeof(none)) != 0)
		rc = rows_add_id(to, a, id);
	return rc ? rc : append_samples(to, a, from, at, from->count.at[i]);
}

int rows_fill_ids(struct rows *r, struct arena *a)
{
	return r->ids.n ? FILL_ZERO(a, &r->ids, (size_t)r->series.n * PROFILE_ID_SIZE) : 0;
}

/* Append a column of n elements, extended by zeros to `want`. */
static void put_padded_column(struct buf *out, const void *p, size_t n, size_t want, size_t size)
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
	struct level0_header h = {(uint32_t)n, (uint32_t)m, r->links.n,
				  (r->ids.n ? HAS_IDS : 0u) | (r->sample_time.n ? HAS_TIMES : 0u) |
					  (r->link.n ? HAS_LINKS : 0u)};

	buf_put(out, &h, sizeof(h));
	if (h.columns & HAS_IDS)
		put_padded_column(out, r->ids.at, r->ids.n, n * PROFILE_ID_SIZE, 1);
	put_padded_column(out, r->links.at, r->links.n, r->links.n, sizeof(struct link));
	put_padded_column(out, r->time.at, n, n, sizeof(uint64_t));
	put_padded_column(out, r->duration.at, n, n, sizeof(uint64_t));
	put_padded_column(out, r->total.at, n, n, sizeof(int64_t));
	put_padded_column(out, r->value.at, m, m, sizeof(int64_t));
	if (h.columns & HAS_TIMES)
		put_padded_column(out, r->sample_time.at, r->sample_time.n, m, sizeof(uint64_t));
	put_padded_column(out, r->series.at, n, n, sizeof(uint32_t));
	put_padded_column(out, r->count.at, n, n, sizeof(uint32_t));
	put_padded_column(out, r->node.at, m, m, sizeof(uint32_t));
	if (h.columns & HAS_LINKS)
		put_padded_column(out, r->link.at, r->link.n, m, sizeof(uint32_t));
	return buf_error(out);
}

/* Check that the counts add up to the samples and that links are in range. */
static bool rows_valid(const struct rows *r)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < r->count.n; i++)
		samples += r->count.at[i];
	for (uint32_t i = 0; i < r->link.n; i++)
		if (r->link.at[i] >= r->links.n)
			return false;
	return samples == r->node.n;
}

/* Set a vector to the next column of the bytes. */
#define VIEW(vec, items)                                                                           \
	do {                                                                                       \
		(vec)->at = (void *)(p + at);                                                      \
		(vec)->n = (vec)->cap = (uint32_t)(items);                                         \
		at += (size_t)(items) * sizeof(*(vec)->at);                                        \
	} while (0)

int rows_view(struct rows *r, struct str bytes, struct err *e)
{
	char *p = (char *)bytes.p; /* never written through */
	struct level0_header h = {0};
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
	if (!rows_valid(r))
		return err_set(e, -EUCLEAN, "a level0 block does not add up");
	return 0;
}
