/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading what a write needs, and the loader threads. A write is mapped, and what it needs is
 * loaded, in a loop until the mapping succeeds; the number of rounds is bounded.
 */
#include "store/sqlite/write/writer_load.h"

#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"
#include "store/sqlite/write/writer_map.h"
#include "store/sqlite/write/writer_quota.h"

/* ---- loading ---- */

static int load_need(struct partition *p, struct writer_need *need, struct err *e)
{
	int rc;

	switch (need->kind) {
	case NEED_BOOK:
		return writer_book_load(p, need->number, e);
	case NEED_LEVEL0_IDS:
	case NEED_GROUP_IDS:
		return writer_ids_load(p, need, e);
	case NEED_COMPARISON:
		return writer_ids_compare(p, need, e);
	case NEED_DAY:
		pthread_mutex_unlock(&p->store->map_mu);
		rc = writer_attach(p, e);
		pthread_mutex_lock(&p->store->map_mu);
		return rc ? rc : writer_ready(p, e);
	case NEED_NOTHING:
		break;
	}
	return 0;
}

int writer_load(struct partition *p, struct writer_need *need, struct err *e)
{
	struct partition *other;
	struct err ignored = {0};

	if (need->day == p->day)
		return load_need(p, need, e);
	other = partition_get(p->store, need->day, false);
	/* storing a profile twice is better than losing it */
	if (!other || load_need(other, need, &ignored))
		need->not_elsewhere = true;
	if (other)
		partition_unref(other);
	return 0;
}

/*
 * Return the maximum number of loads for a write. It needs the book of each series and the keys of
 * its group, in this and in other days; each of them may be evicted once.
 */
static uint64_t most_loads(const struct sqlite_store *s, const struct store_write *w)
{
	return (4 + 2 * (uint64_t)s->open_days) * (w->series->series.n + (uint64_t)1);
}

int writer_map_loading(struct partition *p, struct store_write *w, struct err *e)
{
	struct writer_need need = {0};
	uint64_t loads = 0, most = most_loads(p->store, w);
	int rc;

	while ((rc = writer_map(p, w, &need, e)) == -EINPROGRESS) {
		rc = loads++ < most ? writer_load(p, &need, e) : -ENOMEM;
		if (rc)
			return err_errno(e, rc, "store a profile");
	}
	return rc;
}

/* ---- the threads ---- */

/*
 * Return whether a loader thread may load it. Keys of level 0 have to be read between two commits,
 * by the writer thread.
 */
static bool is_for_loaders(const struct store_write *w, const struct writer_need *need)
{
	return need->day == w->day && (need->kind == NEED_BOOK || need->kind == NEED_GROUP_IDS ||
				       need->kind == NEED_COMPARISON);
}

/*
 * Map the write, unless the writer thread has to do that: then w->mapped stays false. Return 0 or
 * -errno. map_mu is held, and released while reading.
 */
static int map_loaded(struct sqlite_store *s, struct store_write *w, struct err *e)
{
	struct writer_need need = {0};
	uint64_t loads = 0, most = most_loads(s, w);
	int rc = -EINPROGRESS;

	while (rc == -EINPROGRESS && loads++ < most) {
		struct partition *p = writer_ready_partition(s, w->day);

		if (!p)
			return 0;
		rc = writer_map_ready(p, w, &need, e);
		if (rc == -EINPROGRESS && !is_for_loaders(w, &need))
			loads = most;
		else if (rc == -EINPROGRESS)
			rc = writer_load(p, &need, e) ?: -EINPROGRESS;
		partition_unref(p);
	}
	/* without memory the writer thread maps it, since it can wait for a commit */
	return rc == -EINPROGRESS || rc == -ENOMEM ? 0 : rc;
}

static void load_write(struct sqlite_store *s, struct store_write *w)
{
	struct err e = {0};
	int rc;

	pthread_mutex_lock(&s->map_mu);
	rc = map_loaded(s, w, &e);
	if (!rc)
		writer_queue(s, w);
	else
		writer_settle(w);
	pthread_mutex_unlock(&s->map_mu);
	if (rc)
		w->done(w, rc, &e);
}

static void loader_run(void *arg)
{
	struct sqlite_store *s = arg;

	pthread_mutex_lock(&s->queue_mu);
	for (;;) {
		struct store_write *w = s->loads;

		if (!w && s->closing)
			break;
		if (!w) {
			pthread_cond_wait(&s->loads_wake, &s->queue_mu);
			continue;
		}
		s->loads = w->next;
		if (!s->loads)
			s->loads_last = &s->loads;
		s->loads_waiting--;
		w->next = NULL;
		pthread_mutex_unlock(&s->queue_mu);
		load_write(s, w);
		pthread_mutex_lock(&s->queue_mu);
	}
	pthread_mutex_unlock(&s->queue_mu);
}

void loader_queue(struct sqlite_store *s, struct store_write *w)
{
	pthread_mutex_lock(&s->queue_mu);
	*s->loads_last = w;
	s->loads_last = &w->next;
	s->loads_waiting++;
	pthread_cond_signal(&s->loads_wake);
	pthread_mutex_unlock(&s->queue_mu);
}

int loaders_start(struct sqlite_store *s, struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < LOADERS; i++)
		rc = thread_start(&s->loaders[i], "store-loader", loader_run, s, e);
	return rc;
}

void loaders_join(struct sqlite_store *s)
{
	for (unsigned i = 0; i < LOADERS; i++)
		thread_join(&s->loaders[i]);
}
