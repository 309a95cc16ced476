/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of the newest records. */
#include "store/sqlite/read/logs/log_found.h"

#include <stdlib.h>

/* Return whether x is older than y. */
static bool is_older(const struct found_log *x, const struct found_log *y)
{
	return x->time != y->time ? x->time < y->time : x->tie > y->tie;
}

static void swap(struct found_log *x, struct found_log *y)
{
	struct found_log old = *x;

	*x = *y;
	*y = old;
}

static void sift_down(struct found_log *at, uint32_t n)
{
	for (uint32_t i = 0, least;; i = least) {
		least = i;
		for (uint32_t c = 2 * i + 1; c <= 2 * i + 2 && c < n; c++)
			if (is_older(&at[c], &at[least]))
				least = c;
		if (least == i)
			return;
		swap(&at[i], &at[least]);
	}
}

int found_logs_add(struct found_logs *f, const struct found_log *l)
{
	int rc;

	if (f->heap.n && f->heap.n >= f->limit) {
		f->heap.at[0] = *l;
		sift_down(f->heap.at, f->heap.n);
		return 0;
	}
	rc = vec_push(f->arena, &f->heap, *l);
	for (uint32_t i = f->heap.n - 1; !rc && i; i = (i - 1) / 2) {
		if (!is_older(&f->heap.at[i], &f->heap.at[(i - 1) / 2]))
			break;
		swap(&f->heap.at[i], &f->heap.at[(i - 1) / 2]);
	}
	return rc ? -ENOMEM : 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct found_log *x = a, *y = b;

	return is_older(y, x) ? -1 : is_older(x, y);
}

void found_logs_sort(struct found_logs *f)
{
	if (f->heap.n)
		qsort(f->heap.at, f->heap.n, sizeof(*f->heap.at), newest_first);
}
