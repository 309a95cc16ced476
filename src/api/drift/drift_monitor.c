/* SPDX-License-Identifier: Apache-2.0 */
#include "api/drift/drift_monitor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/drift/drift_explain.h"
#include "api/drift/drift_series.h"
#include "base/clock.h"
#include "base/container/hash.h"
#include "base/thread.h"
#include "query/drift/drift_watch.h"
#include "signal/profile/profile_type.h"

#define DAY_NS (86400 * NS_PER_SECOND)
#define SLOT_NS (DRIFT_SLOT_SECONDS * NS_PER_SECOND)
/* How often a service that was refused is tried again. */
#define RETRY_NS DAY_NS
/* How often the file is written if there are no new events. */
#define SAVE_NS (3600 * NS_PER_SECOND)

/* How often the series of active events get a sample. */
#define WRITE_NS (60 * NS_PER_SECOND)

enum {
	STEP_SLOTS = 36, /* read of one service before it is the turn of the next */
	WAIT_MS = 10000,
	NICE = 10
};

/* One service and profile type. Monitor thread only. */
struct watched {
	struct str tenant, service, type; /* of the monitor's arena */
	struct drift_watch *watch;	  /* NULL: refused */
	uint64_t known;			  /* findings before this slot are in the log */
	uint64_t last_day;		  /* the begin of the last day with data */
	uint64_t retry;			  /* when a refused one is tried again */
};

struct drift_monitor {
	struct drift_monitor_options options;
	struct drift_log *events;
	struct budget memory, queries;
	struct arena arena; /* of `all` */
	struct idset index;
	VEC(struct watched) all;
	uint32_t turn;		 /* the entry that is read next */
	uint64_t discovered;	 /* until when services are known */
	uint64_t saved, written; /* the file; the series of active events */
	/* Events were added that are not in the file yet, or in the series. */
	bool changed, fresh;
	struct thread thread;
	pthread_mutex_t mu; /* guards `stats`, and with `wake` the sleep */
	pthread_cond_t wake;
	_Atomic bool stopping;
	struct drift_monitor_stats stats;
};

/* ---- services ---- */

/* CPU time, and allocated bytes: what code costs, whatever it waits for. */
static bool is_watched_type(struct str type)
{
	struct profile_type t;

	if (!profile_type_parse(&t, type) || profile_type_is_gauge(type))
		return false;
	if (str_eq(t.name, STR("process_cpu")))
		return str_eq(t.sample_unit, STR("nanoseconds"));
	return str_eq(t.name, STR("memory")) && str_eq(t.sample_unit, STR("bytes")) &&
	       (str_starts(t.sample_type, STR("alloc")) ||
		str_starts(t.sample_type, STR("malloc")));
}

static uint32_t hash_of(const struct store_group *g)
{
	return hash32(g->service) ^ 31 * hash32(g->type) ^ 961 * hash32(g->tenant);
}

static struct watched *find_watched(struct drift_monitor *m, const struct store_group *g)
{
	struct idset_cursor at = idset_seek(&m->index, hash_of(g));
	uint32_t id;

	while (idset_next(&m->index, &at, &id)) {
		struct watched *w = &m->all.at[id];

		if (str_eq(w->service, g->service) && str_eq(w->type, g->type) &&
		    str_eq(w->tenant, g->tenant))
			return w;
	}
	return NULL;
}

static uint64_t slot_of(uint64_t ns)
{
	return ns / SLOT_NS;
}

/* Make the detector of a service whose data begins with `day`. */
static void begin_watch(struct drift_monitor *m, struct watched *w, uint64_t day, uint64_t now)
{
	uint64_t oldest = slot_of(now) - DRIFT_HISTORY_SLOTS;

	w->watch = drift_watch_new(w->tenant, w->service, w->type, &m->memory);
	w->retry = now + RETRY_NS;
	if (w->watch)
		w->watch->next = slot_of(day) > oldest ? slot_of(day) : oldest;
}

struct discovery {
	struct drift_monitor *monitor;
	uint64_t now;
};

static int add_watched(struct drift_monitor *m, const struct store_group *g, uint64_t now)
{
	struct watched w = {.last_day = g->day};
	int rc = arena_copy_str(&m->arena, g->tenant, &w.tenant);

	rc = rc ? rc : arena_copy_str(&m->arena, g->service, &w.service);
	rc = rc ? rc : arena_copy_str(&m->arena, g->type, &w.type);
	if (rc)
		return rc;
	w.known = drift_log_checked(m->events,
				    &(struct drift_checked){w.tenant, w.service, w.type, 0});
	begin_watch(m, &w, g->day, now);
	rc = idset_add(&m->index, hash_of(g), m->all.n);
	return rc ? rc : vec_push(&m->arena, &m->all, w);
}

static int discover_group(void *ctx, const struct store_group *g)
{
	struct discovery *d = ctx;
	struct drift_monitor *m = d->monitor;
	struct watched *w;

	if (!is_watched_type(g->type) || g->day > d->now)
		return 0;
	w = find_watched(m, g);
	if (!w)
		return m->all.n < DRIFT_WATCHES_MAX ? add_watched(m, g, d->now) : 0;
	if (w->watch && g->day > w->last_day + DAY_NS && w->watch->next < slot_of(g->day))
		w->watch->next = slot_of(g->day); /* days without data need not be read */
	w->last_day = g->day > w->last_day ? g->day : w->last_day;
	if (!w->watch && d->now >= w->retry)
		begin_watch(m, w, g->day, d->now);
	return 0;
}

/* Look for services in the days since the last time; at first in all days of the history. */
static void discover(struct drift_monitor *m, uint64_t now)
{
	struct store *s = m->options.store;
	struct discovery d = {m, now};
	uint64_t from = m->discovered ? m->discovered - m->discovered % DAY_NS
				      : now - DRIFT_HISTORY_SLOTS * SLOT_NS;
	struct err e = {0};

	if (!s->ops->groups || slot_of(now) == slot_of(m->discovered))
		return;
	if (s->ops->groups(s, from, now, discover_group, &d, &e))
		log_warn(m->options.log, "drift: cannot list services", LOG_ERR(&e));
	else
		m->discovered = now;
}

/* ---- findings ---- */

static void count_event(struct drift_monitor *m, enum drift_kind kind, int rc)
{
	pthread_mutex_lock(&m->mu);
	if (rc > 0)
		m->stats.events[kind]++;
	pthread_mutex_unlock(&m->mu);
	m->changed = m->fresh = true;
}

static int larger_first(const void *a, const void *b)
{
	const struct drift_finding *x = a, *y = b;
	double left = fabs(x->after - x->before), right = fabs(y->after - y->before);

	return (left < right) - (left > right);
}

static void log_event(struct drift_monitor *m, const struct drift_event *event)
{
	struct buf text = {0};

	drift_event_text(&text, event);
	log_info(m->options.log, "drift", LOG_STR("kind", drift_kind_name(event->kind)),
		 LOG_STR("service", event->service), LOG_STR("what", buf_str(&text)));
	buf_fini(&text);
}

struct found_context {
	struct drift_monitor *monitor;
	struct watched *of;
	const struct drift_step *step;
};

static int add_finding(struct found_context *c, struct drift_watch *w,
		       const struct drift_finding *f, uint32_t more)
{
	struct drift_monitor *m = c->monitor;
	struct drift_event event;
	struct arena arena;
	int rc;

	arena_init(&arena, &m->queries);
	rc = drift_explain(w, c->step, f, &arena, &event, NULL);
	if (rc > 0) {
		event.more = more;
		rc = drift_log_add(m->events, &event);
		if (rc >= 0)
			count_event(m, event.kind, rc);
		if (rc > 0)
			log_event(m, &event);
	} else if (!rc) {
		pthread_mutex_lock(&m->mu);
		m->stats.moved++;
		pthread_mutex_unlock(&m->mu);
	}
	arena_fini(&arena);
	return rc < 0 ? rc : 0;
}

/* Add the findings of a slot: those with the largest gain first, and the number of the others. */
static int add_findings(void *ctx, struct drift_watch *w)
{
	struct found_context *c = ctx;
	uint32_t n = w->finding_n;
	int rc = 0;

	if (w->findings[0].found < c->of->known)
		return 0;
	qsort(w->findings, n, sizeof(*w->findings), larger_first);
	for (uint32_t i = 0; i < n && i < DRIFT_EVENT_FUNCTIONS && rc != -ECANCELED; i++)
		rc = add_finding(c, w, &w->findings[i],
				 i || n <= DRIFT_EVENT_FUNCTIONS ? 0 : n - DRIFT_EVENT_FUNCTIONS);
	return rc == -ECANCELED ? rc : 0;
}

/* ---- reading ---- */

static uint64_t end_of(const struct drift_monitor *m, const struct watched *w, uint64_t now)
{
	uint64_t closed = slot_of(now - m->options.delay_ns), day = slot_of(w->last_day + DAY_NS);

	return closed < day ? closed : day;
}

static void refuse(struct drift_monitor *m, struct watched *w)
{
	drift_watch_free(w->watch);
	w->watch = NULL;
	log_warn(m->options.log, "drift: out of memory, this service is not watched",
		 LOG_STR("service", w->service), LOG_STR("type", w->type),
		 LOG_U64("limit", m->memory.limit));
}

static void step_watched(struct drift_monitor *m, struct watched *w, uint64_t now)
{
	struct drift_step step = {.store = m->options.store,
				  .memory = &m->queries,
				  .cancelled = &m->stopping,
				  .found = add_findings};
	struct found_context context = {m, w, &step};
	uint64_t before = w->watch->next;
	struct err e = {0};
	int rc;

	step.ctx = &context;
	rc = drift_watch_step(w->watch, &step, end_of(m, w, now), STEP_SLOTS, &e);
	pthread_mutex_lock(&m->mu);
	m->stats.slots += w->watch->next - before;
	m->stats.failures += rc && rc != -ECANCELED;
	pthread_mutex_unlock(&m->mu);
	if (!rc || rc == -ECANCELED)
		return;
	if (w->watch->full) {
		refuse(m, w);
		return;
	}
	log_warn(m->options.log, "drift: cannot read a service", LOG_STR("service", w->service),
		 LOG_ERR(&e));
	if (w->watch->next == before)
		w->watch->next++; /* it may be that slot */
}

static void save(struct drift_monitor *m, uint64_t now)
{
	struct drift_checked *checked = calloc(m->all.n + 1, sizeof(*checked));
	struct err e = {0};
	int rc = checked ? 0 : err_set(&e, -ENOMEM, "out of memory");
	uint32_t n = 0;

	for (uint32_t i = 0; !rc && i < m->all.n; i++) {
		const struct watched *w = &m->all.at[i];
		uint64_t next = w->watch && w->watch->next > w->known ? w->watch->next : w->known;

		if (next)
			checked[n++] = (struct drift_checked){w->tenant, w->service, w->type, next};
	}
	rc = rc ? rc : drift_log_save(m->events, checked, n, &e);
	if (rc)
		log_warn(m->options.log, "drift: cannot write the events", LOG_ERR(&e));
	m->saved = now;
	m->changed = false;
	free(checked);
}

static void update_stats(struct drift_monitor *m, uint64_t now)
{
	struct drift_monitor_stats s = {.memory = atomic_load(&m->memory.used),
					.memory_limit = m->memory.limit};

	for (uint32_t i = 0; i < m->all.n; i++) {
		const struct watched *w = &m->all.at[i];

		if (!w->watch) {
			s.refused++;
			continue;
		}
		s.watching++;
		s.functions += drift_monitored(w->watch->drift);
		s.learning +=
			!w->watch->first || w->watch->next - w->watch->first < DRIFT_SLOTS_PER_WEEK;
		s.reading += w->watch->next < end_of(m, w, now);
	}
	pthread_mutex_lock(&m->mu);
	s.slots = m->stats.slots;
	s.failures = m->stats.failures;
	s.moved = m->stats.moved;
	s.cpu_ns = m->stats.cpu_ns;
	memcpy(s.events, m->stats.events, sizeof(s.events));
	m->stats = s;
	pthread_mutex_unlock(&m->mu);
}

static void write_series(struct drift_monitor *m, uint64_t now)
{
	struct err e = {0};

	m->written = now;
	m->fresh = false;
	if (drift_series_write(m->events, m->options.store, now, &e))
		log_warn(m->options.log, "drift: cannot write series", LOG_ERR(&e));
}

int drift_monitor_run(struct drift_monitor *m, uint64_t now)
{
	uint64_t retention = m->options.retention_ns;
	bool read = false;

	discover(m, now);
	if (now - m->written >= WRITE_NS || m->fresh)
		write_series(m, now);
	for (uint32_t i = 0; i < m->all.n && !read && !atomic_load(&m->stopping); i++) {
		struct watched *w = &m->all.at[m->turn++ % m->all.n];

		read = w->watch && w->watch->next < end_of(m, w, now);
		if (read)
			step_watched(m, w, now);
	}
	if (read)
		return 1;
	update_stats(m, now);
	if (retention && now > retention)
		drift_log_expire(m->events, now - retention);
	if (m->changed || now - m->saved >= SAVE_NS)
		save(m, now);
	return 0;
}

/* ---- the thread ---- */

static void sleep_ns(struct drift_monitor *m, uint64_t ns)
{
	struct timespec until;
	uint64_t at = clock_monotonic_ns() + ns;

	until.tv_sec = (time_t)(at / NS_PER_SECOND);
	until.tv_nsec = (long)(at % NS_PER_SECOND);
	pthread_mutex_lock(&m->mu);
	while (!atomic_load(&m->stopping) &&
	       pthread_cond_timedwait(&m->wake, &m->mu, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&m->mu);
}

static void run_thread(void *arg)
{
	struct drift_monitor *m = arg;
	unsigned percent = m->options.cpu_percent;
	uint64_t used = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), shown = 0;

	(void)!setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	while (!atomic_load(&m->stopping)) {
		uint64_t before = used, now = clock_realtime_ns();
		int more = drift_monitor_run(m, now);

		used = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		pthread_mutex_lock(&m->mu);
		m->stats.cpu_ns = used;
		pthread_mutex_unlock(&m->mu);
		if (more && now - shown > 5 * NS_PER_SECOND) {
			update_stats(m, now);
			if (m->changed)
				save(m, now);
			shown = now;
		}
		sleep_ns(m,
			 more ? (used - before) * (100 - percent) / percent : WAIT_MS * NS_PER_MS);
	}
}

int drift_monitor_new(struct drift_monitor **out, const struct drift_monitor_options *o)
{
	struct drift_monitor *m = calloc(1, sizeof(*m));
	pthread_condattr_t clock;
	int rc;

	if (!m)
		return -ENOMEM;
	m->options = *o;
	m->options.file = NULL; /* the log has a copy */
	m->memory = (struct budget){.limit = o->memory, .rest = o->rest};
	m->queries = (struct budget){.limit = o->query_memory, .rest = o->rest};
	arena_init(&m->arena, NULL);
	pthread_mutex_init(&m->mu, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &clock);
	pthread_condattr_destroy(&clock);
	rc = idset_init(&m->index, &m->arena, 64);
	if (!rc)
		rc = drift_log_new(&m->events, o->file, o->keys, o->log);
	if (rc)
		drift_monitor_free(m);
	else
		*out = m;
	return rc;
}

int drift_monitor_start(struct drift_monitor *m, struct err *e)
{
	return thread_start(&m->thread, "drift", run_thread, m, e);
}

void drift_monitor_stop(struct drift_monitor *m)
{
	if (!m || atomic_load(&m->stopping))
		return;
	pthread_mutex_lock(&m->mu);
	atomic_store(&m->stopping, true);
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->mu);
	thread_join(&m->thread);
	if (m->all.n || m->changed)
		save(m, clock_realtime_ns());
}

void drift_monitor_free(struct drift_monitor *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->all.n; i++)
		drift_watch_free(m->all.at[i].watch);
	drift_log_free(m->events);
	arena_fini(&m->arena);
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->mu);
	free(m);
}

struct drift_log *drift_monitor_log(struct drift_monitor *m)
{
	return m->events;
}

void drift_monitor_stats(struct drift_monitor *m, struct drift_monitor_stats *out)
{
	pthread_mutex_lock(&m->mu);
	*out = m->stats;
	pthread_mutex_unlock(&m->mu);
}
