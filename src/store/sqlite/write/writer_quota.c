/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quotas of a write (store/quota.h), reserved before it is mapped. As long as all of its series and
 * names would fit if they were new, nothing is counted; only near a limit is each looked up. What
 * was reserved and not needed is released when the write is done.
 */
#include "store/sqlite/write/writer_quota.h"

#include <errno.h>
#include <stdlib.h>

#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/write/writer_side.h"

/* Return an upper bound of the number of names in the batch. */
static uint32_t most_names(const struct profile_batch *b)
{
	uint64_t most = (uint64_t)b->functions.n * 3 + b->mappings.n;

	return most < b->strings.n ? (uint32_t)most : b->strings.n;
}

/*
 * Return the book of the first series if it is in memory, else NULL. Nearly all writes have only
 * one book.
 */
static const struct writer_book *first_book(struct partition *p, const struct store_write *w)
{
	struct writer_side *side = p ? p->writer : NULL;
	struct buf labels = {0};
	uint32_t number, book = UINT32_MAX;

	if (!side || !w->series->series.n)
		return NULL;
	labels_encode(&labels, w->tenant, w->series->series.at[0].labels);
	if (!buf_error(&labels) && registry_find(&p->store->registry, buf_str(&labels), &number) &&
	    number < side->local_n && side->local[number])
		book = side->series->groups
			       .at[side->series->series.at[side->local[number] - 1].group]
			       .book;
	buf_fini(&labels);
	return book < side->books_cap ? side->books[book] : NULL;
}

/*
 * Return 1 if the string is new and was not counted before, else 0. Without a book every string is
 * new.
 */
static uint32_t count_new_name(const struct writer_book *book, const struct profile_batch *b,
			       uint8_t *seen, uint32_t string)
{
	if (!string || seen[string])
		return 0;
	seen[string] = 1;
	return !book ||
	       profile_find_string(&book->tree.builder, string_of(b, string)) == UINT32_MAX;
}

static int count_new_names(const struct writer_book *book, const struct profile_batch *b,
			   uint32_t *n)
{
	uint8_t *seen = calloc(b->strings.n + 1, 1);

	*n = 0;
	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->functions.n; i++) {
		const struct function *f = &b->functions.at[i];

		*n += count_new_name(book, b, seen, f->name) +
		      count_new_name(book, b, seen, f->system_name) +
		      count_new_name(book, b, seen, f->filename);
	}
	for (uint32_t i = 0; i < b->mappings.n; i++)
		*n += count_new_name(book, b, seen, b->mappings.at[i].filename);
	free(seen);
	return 0;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return whether the partition has the series; false if the partition is not ready. */
static bool partition_has_series(struct partition *p, struct str encoded)
{
	uint32_t number;

	return p && registry_find(&p->store->registry, encoded, &number) &&
	       number < p->writer->local_n && p->writer->local[number];
}

/* Count the distinct series of the write that the partition does not have. */
static int count_new_series(struct partition *p, const struct store_write *w, uint32_t *n)
{
	uint64_t *fresh = calloc(w->series->series.n + 1, sizeof(*fresh));
	struct buf labels = {0};
	uint32_t found = 0;
	int rc = fresh ? 0 : -ENOMEM;

	*n = 0;
	for (uint32_t i = 0; !rc && i < w->series->series.n; i++) {
		buf_clear(&labels);
		labels_encode(&labels, w->tenant, w->series->series.at[i].labels);
		rc = buf_error(&labels);
		if (!rc && !partition_has_series(p, buf_str(&labels)))
			fresh[found++] = hash_bytes(labels.p, labels.n);
	}
	if (found)
		qsort(fresh, found, sizeof(*fresh), compare_hashes);
	for (uint32_t i = 0; i < found; i++)
		*n += !i || fresh[i] != fresh[i - 1];
	buf_fini(&labels);
	free(fresh);
	return rc;
}

static bool is_series(const struct store_write *w, const struct store_limit *l)
{
	for (unsigned i = 0; i < STORE_QUOTAS; i++)
		if (w->quotas[i] && l == &w->quotas[i]->series)
			return true;
	return false;
}

int writer_reserve(struct partition *p, struct store_write *w, struct err *e)
{
	struct store_limit *reached;
	int rc;

	w->reserved = w->added = (struct store_reserved){0};
	if (!w->series || (!w->quotas[0] && !w->quotas[1]))
		return 0;
	w->reserved = (struct store_reserved){w->series->series.n, most_names(w->batch)};
	if (quota_reserve(w->quotas, w->reserved, &reached))
		return 0;
	rc = count_new_series(p, w, &w->reserved.series);
	if (!rc)
		rc = count_new_names(first_book(p, w), w->batch, &w->reserved.names);
	if (!rc && !quota_reserve(w->quotas, w->reserved, &reached))
		rc = quota_fail(reached,
				is_series(w, reached) ? w->reserved.series : w->reserved.names, e);
	if (rc)
		w->reserved = (struct store_reserved){0};
	return rc;
}

static uint32_t surplus(uint32_t reserved, uint32_t added)
{
	return reserved > added ? reserved - added : 0;
}

void writer_settle(struct store_write *w)
{
	quota_release(w->quotas,
		      (struct store_reserved){surplus(w->reserved.series, w->added.series),
					      surplus(w->reserved.names, w->added.names)});
	/* A write of several days can add more than was looked up in one of them. */
	quota_count(w->quotas, (struct store_reserved){surplus(w->added.series, w->reserved.series),
						       surplus(w->added.names, w->reserved.names)});
	w->reserved = w->added = (struct store_reserved){0};
}
