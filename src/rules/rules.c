/* SPDX-License-Identifier: Apache-2.0 */
/* When groups are evaluated, and the threads that do it. */
#include "rules/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "rules/rules_internal.h"

enum {
	THREADS = 4,
	WAITING = RULE_GROUPS_MAX,
	WAKE_MS = 1000,	 /* the clock may have been set */
	PAUSE_MS = 2000, /* then evaluations are cancelled */
};

static int64_t now_ms(void)
{
	return (int64_t)(clock_realtime_ns() / NS_PER_MS);
}

/* ---- schedule ---- */

/* FNV-1a: the same after a restart, so that a group keeps its times. */
static uint64_t hash_name(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
	return h * UINT64_C(0x100000001b3);
}

int64_t rules_next_time(const struct rule_group *g, int64_t time_ms)
{
	int64_t interval = rule_group_interval(g->def, g->settings->interval_ms);
	uint64_t h = hash_name(hash_name(UINT64_C(0xcbf29ce484222325), g->def->file), g->def->name);
	int64_t offset = (int64_t)(h % (uint64_t)interval);

	return (time_ms - offset) / interval * interval + offset + interval;
}

/* Remove an ended slot. The caller holds mu. */
static void remove_slot(struct rules *r, struct slot *s)
{
	uint32_t i = 0;

	while (i < r->n && r->slots[i] != s)
		i++;
	for (r->n--; i < r->n; i++)
		r->slots[i] = r->slots[i + 1];
	rule_group_free(s->group);
	free(s);
}

static void run_slot(struct work *work)
{
	struct slot *s = (struct slot *)work;
	struct rules *r = s->owner;
	struct rule_group *g = s->group;

	if (s->ended) {
		rule_group_end(g, &r->io.io, s->run_ms);
	} else {
		rule_group_eval(g, &r->io.io, s->run_ms, r->notifier);
		/* not after the first run: data may have arrived since the start */
		if (rule_group_needs_restore(g) && ++s->runs >= 2)
			rule_group_restore(g, &r->io.io, now_ms(), r->log);
	}
	pthread_mutex_lock(&r->mu);
	s->running = false;
	r->running--;
	if (s->ended)
		remove_slot(r, s);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->mu);
}

static void start_slot(struct rules *r, struct slot *s, int64_t time_ms)
{
	struct rule_group *g = s->group;
	int64_t interval = rule_group_interval(g->def, g->settings->interval_ms);
	int64_t missed = s->ended ? 0 : (time_ms - s->next_ms) / interval;

	pthread_mutex_lock(&g->mu);
	g->stats.missed += (uint64_t)missed;
	pthread_mutex_unlock(&g->mu);
	s->run_ms = s->next_ms + missed * interval;
	s->next_ms = s->run_ms + interval;
	s->work.run = run_slot;
	s->running = true;
	r->running++;
	if (workers_submit(&r->workers, &s->work, 0)) {
		s->running = false;
		r->running--;
	}
}

/* Start what is due. Return when the next group will be. */
static int64_t start_due(struct rules *r)
{
	int64_t time_ms = now_ms(), wake = time_ms + WAKE_MS;

	for (uint32_t i = 0; i < r->n && !r->paused; i++) {
		struct slot *s = r->slots[i];
		int64_t latest;

		if (s->running)
			continue;
		latest = time_ms +
			 2 * rule_group_interval(s->group->def, s->group->settings->interval_ms);
		if (s->next_ms > latest) /* the clock was set back */
			s->next_ms = rules_next_time(s->group, time_ms);
		if (s->next_ms <= time_ms)
			start_slot(r, s, time_ms);
		if (s->next_ms < wake)
			wake = s->next_ms;
	}
	return wake;
}

static void wait_until(struct rules *r, int64_t ms)
{
	struct timespec at = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * (long)NS_PER_MS};

	pthread_cond_timedwait(&r->changed, &r->mu, &at);
}

static void schedule(void *arg)
{
	struct rules *r = arg;

	pthread_mutex_lock(&r->mu);
	while (!r->stopping) {
		int64_t wake = start_due(r);

		if (wake > now_ms())
			wait_until(r, wake);
	}
	pthread_mutex_unlock(&r->mu);
}

void rules_pause(struct rules *r)
{
	int64_t latest = now_ms() + PAUSE_MS;

	r->paused = true;
	while (r->running) {
		if (now_ms() >= latest)
			atomic_store(&r->io.io.cancelled, true);
		wait_until(r, now_ms() + PAUSE_MS / 20);
	}
}

void rules_resume(struct rules *r)
{
	atomic_store(&r->io.io.cancelled, r->stopping);
	r->paused = false;
	pthread_cond_broadcast(&r->changed);
}

void rules_hold(struct rules *r)
{
	pthread_mutex_lock(&r->mu);
	rules_pause(r);
	pthread_mutex_unlock(&r->mu);
}

void rules_release(struct rules *r)
{
	pthread_mutex_lock(&r->mu);
	rules_resume(r);
	pthread_mutex_unlock(&r->mu);
}

/* ---- life ---- */

int rules_new(struct rules **out, const struct rules_options *o, struct err *e)
{
	struct rules *r = calloc(1, sizeof(*r));

	if (!r)
		return err_set(e, -ENOMEM, "out of memory for rules");
	pthread_mutex_init(&r->mu, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->store = o->store;
	r->log = o->log;
	r->budget.limit = o->memory ? o->memory : 256 * MIB;
	r->budget.own = r->budget.limit / 8;
	r->budget.rest = o->rest;
	r->default_url =
		str_of(strndup(o->external_url.p ? o->external_url.p : "", o->external_url.n),
		       o->external_url.n);
	if (!r->default_url.p) {
		rules_free(r);
		return err_set(e, -ENOMEM, "out of memory for rules");
	}
	*out = r;
	return 0;
}

int rules_start(struct rules *r, struct query_pool *pool, struct err *e)
{
	int rc;

	rule_store_init(&r->io, r->store, pool, &r->budget);
	r->io.timeout_ns = r->config->settings.timeout_ns;
	rc = workers_init(&r->workers, WAITING);
	for (unsigned i = 0; i < THREADS && !rc; i++)
		rc = workers_add(&r->workers, "rules", e);
	if (!rc) {
		int64_t time_ms = now_ms();

		for (uint32_t i = 0; i < r->n; i++)
			r->slots[i]->next_ms = rules_next_time(r->slots[i]->group, time_ms);
		r->started = true;
		rc = thread_start(&r->scheduler, "rules-schedule", schedule, r, e);
	}
	return rc;
}

void rules_stop(struct rules *r)
{
	if (!r || !r->started)
		return;
	pthread_mutex_lock(&r->mu);
	r->stopping = true;
	atomic_store(&r->io.io.cancelled, true);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->mu);
	thread_join(&r->scheduler);
	workers_stop(&r->workers);
	r->started = false;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	rules_stop(r);
	notifier_free(r->notifier);
	for (uint32_t i = 0; i < r->n; i++) {
		rule_group_free(r->slots[i]->group);
		free(r->slots[i]);
	}
	free(r->slots);
	free(r->external_labels);
	rules_config_free(r->config);
	free((char *)r->default_url.p);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->mu);
	free(r);
}

/* ---- readers ---- */

void rules_lock(struct rules *r)
{
	pthread_mutex_lock(&r->mu);
}

void rules_unlock(struct rules *r)
{
	pthread_mutex_unlock(&r->mu);
}

uint32_t rules_count(const struct rules *r)
{
	return r->active;
}

struct rule_group *rules_group(const struct rules *r, uint32_t i)
{
	return r->slots[i]->group;
}

struct str rules_alertmanager_url(const struct rules *r, uint32_t i)
{
	return r->notifier ? notifier_alertmanager_url(r->notifier, i) : (struct str){0};
}
