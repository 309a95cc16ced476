/* SPDX-License-Identifier: Apache-2.0 */
/* The days of a query, and the selected series of each. */
#include <stdlib.h>

#include "store/sqlite/metrics/metric_query.h"
#include "store/sqlite/read/query.h"

#define NS_PER_MILLISECOND UINT64_C(1000000)

/* Set *out to the union of two ascending lists. */
static int unite(struct metric_ids *out, const struct metric_ids *x, const struct metric_ids *y,
		 struct arena *a)
{
	uint32_t i = 0, k = 0;
	struct metric_ids all = {arena_alloc(a, (size_t)x->n + y->n + 1, sizeof(*all.at)), 0};

	if (!all.at)
		return -ENOMEM;
	while (i < x->n || k < y->n) {
		uint32_t next =
			k == y->n || (i < x->n && x->at[i] < y->at[k]) ? x->at[i] : y->at[k];

		i += i < x->n && x->at[i] == next;
		k += k < y->n && y->at[k] == next;
		all.at[all.n++] = next;
	}
	*out = all;
	return 0;
}

static int select_series(struct metric_day *d, const struct store_metric_select *sel,
			 struct arena *a, struct err *e)
{
	const struct metric_index *x = d->index;
	uint32_t sets = sel->set_count ? sel->set_count : 1;
	int rc = 0;

	pthread_rwlock_rdlock(&d->index->lock);
	for (uint32_t i = 0; i < sets && !rc; i++) {
		struct metric_ids found = {0};

		rc = metric_index_match(x, sel->tenant, sel->set_count ? sel->sets[i].at : NULL,
					sel->set_count ? sel->sets[i].n : 0, a, &found, e);
		if (!rc && i)
			rc = unite(&d->ids, &d->ids, &found, a);
		else if (!rc)
			d->ids = found;
	}
	d->all = d->ids.n == x->n;
	pthread_rwlock_unlock(&d->index->lock);
	return rc == -ENOMEM ? err_errno(e, rc, "select metrics") : rc;
}

static int open_day(struct metric_day *d, struct partition *p,
		    const struct store_metric_select *sel, struct arena *a, struct err *e)
{
	int rc = query_check_limits(&sel->limits, true, e);

	d->partition = p;
	if (!rc)
		rc = reader_begin(&d->reader, p, e);
	if (!rc && d->reader.directory->metrics->n)
		rc = metric_index_open(&d->reader, &d->index, e);
	if (!rc && d->index)
		rc = select_series(d, sel, a, e);
	return rc;
}

static void close_day(struct metric_day *d)
{
	metric_index_unref(d->index);
	reader_end(&d->reader);
	*d = (struct metric_day){0};
}

int metric_days_open(struct metric_days *d, struct store *s, const struct store_metric_select *sel,
		     struct arena *a, struct err *e)
{
	uint64_t from = sel->from > 0 ? (uint64_t)sel->from : 0;
	uint64_t to = sel->to > 0 ? (uint64_t)sel->to : 0;
	int rc = 0;

	*d = (struct metric_days){0};
	from = from < (uint64_t)METRIC_TIME_MAX ? from * NS_PER_MILLISECOND : UINT64_MAX;
	to = to < (uint64_t)METRIC_TIME_MAX ? (to + 1) * NS_PER_MILLISECOND : UINT64_MAX;
	d->list = partitions_between(store_of(s), from, to, &d->partitions);
	d->at = d->list ? calloc(d->partitions + 1, sizeof(*d->at)) : NULL;
	if (!d->at)
		return err_errno(e, -ENOMEM, "select metrics");
	for (uint32_t i = 0; i < d->partitions && !rc; i++) {
		struct metric_day *day = &d->at[d->n];
		struct err own = {0};

		rc = open_day(day, d->list[i], sel, a, &own);
		if (rc == -EUCLEAN)
			partition_damaged(d->list[i], &own);
		if (rc || !day->index)
			close_day(day);
		else
			d->n++;
		if (rc == -EUCLEAN || rc == -ENOENT)
			rc = 0; /* use the others */
		if (rc && e && !e->code)
			*e = own;
	}
	partitions_missing(store_of(s), from, to, sel->limits.missing);
	return rc;
}

void metric_days_close(struct metric_days *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		close_day(&d->at[i]);
	free(d->at);
	partitions_release(d->list, d->partitions);
	*d = (struct metric_days){0};
}
