/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's thread: drains the ring, ends export intervals, and renews full tables of stacks.
 */
#include "sdk/collect/collect.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/collect/conditional.h"
#include "sdk/collect/own_cond.h"
#include "sdk/collect/profile_maker.h"
#include "sdk/collect/wall.h"
#include "sdk/export/redact.h"
#include "sdk/hook/cpu.h"
#include "sdk/hook/guest.h"
#include "sdk/hook/heap.h"
#include "sdk/hook/lock.h"
#include "sdk/hook/stack_ids.h"
#include "sdk/labels.h"

enum {
	TICK_MS = 100,
	SCAN_MS = 1000,
	CHILD_MS = 20,	     /* the age at which a forked child is profiled */
	RING_RECORDS = 4096, /* 288 KiB once it was full */
};

#define SYMBOL_BYTES (32 * MIB) /* of open symbol files */

/* The kinds whose totals since the start are kept. */
#define TOTAL_KINDS (VARVE_HEAP | VARVE_MUTEX | VARVE_BLOCK | VARVE_THREADCREATE | VARVE_MMAP)

struct collector {
	struct collect_options o;
	struct thread thread;
	pthread_mutex_t mu; /* guards all fields below */
	pthread_cond_t wake, exported;
	bool stop, export_now;
	bool fresh_child; /* forked, and begin_child() has not finished */
	uint64_t exports, interval_ns;
	unsigned kinds; /* enabled by option */
	unsigned cpu_hz, wall_hz;
	struct modules *modules;
	struct symbol_cache *symbols;
	struct window *windows; /* open; a list */
	struct window *ended;	/* ended but still in use; a list */
	/* the kind whose table of stacks is being renewed: old and new one both exist */
	enum varve_profile renewing;
	uint64_t cut; /* samples of ended intervals whose stacks were truncated */
	struct window *total, *interval;
	struct conditional *conditional; /* NULL: no conditional profiling */
};

static void lock_collector(struct collector *c)
{
	pthread_mutex_lock(&c->mu);
}

static void unlock_collector(struct collector *c)
{
	pthread_mutex_unlock(&c->mu);
}

static void add_to_windows(void *arg, const struct record *r)
{
	struct collector *c = arg;

	for (struct window *w = c->windows; w; w = w->next)
		window_add(w, r);
}

/* Move all records from the ring to the windows. Requires the mutex. */
static void drain_ring(struct collector *c)
{
	struct record r;

	while (guest_take_record(&r)) {
		if (conditional_is_unwanted(&r))
			continue;
		r.flags &= (uint8_t)~RECORD_UNWANTED;
		if (c->conditional)
			conditional_add(c->conditional, &r, add_to_windows, c);
		else
			add_to_windows(c, &r);
	}
	heap_take_overflow(add_to_windows, c);
	heap_table_relax();
}

/* Enable the kinds set by option and those that windows need. Requires the mutex. */
static void apply_kinds(struct collector *c)
{
	unsigned kinds = c->kinds;

	for (struct window *w = c->windows; w; w = w->next)
		if (w != c->interval && w != c->total)
			kinds |= w->kinds & (VARVE_CPU | VARVE_WALL | VARVE_THREADS | VARVE_MUTEX |
					     VARVE_BLOCK);
	atomic_store(&guest.on, kinds);
	if (lock_config_changed)
		lock_config_changed();
	cpu_set_hz(kinds & VARVE_CPU ? c->cpu_hz : 0);
	wall_set_hz(kinds & VARVE_WALL ? c->wall_hz : 0);
}

/* Limit the samples of one kind so that there is memory for making a profile of them. */
static uint32_t max_samples(const struct collector *c)
{
	/* in a window and in the profile made of it, with deep stacks */
	enum { BYTES_A_SAMPLE = 4096 };

	return (uint32_t)min_size(c->o.o->max_samples_per_export,
				  c->o.budget->limit / BYTES_A_SAMPLE);
}

static int open_window(struct collector *c, unsigned kinds, struct window **out)
{
	struct window *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	rc = window_init(w, kinds, max_samples(c), c->o.budget);
	if (rc) {
		window_fini(w);
		free(w);
		return rc;
	}
	w->next = c->windows;
	c->windows = w;
	*out = w;
	return 0;
}

int collect_open_thread(struct collector *c, unsigned kinds, pid_t tid, struct window **out)
{
	int rc;

	lock_collector(c);
	drain_ring(c); /* earlier records belong to the other windows only */
	rc = open_window(c, kinds, out);
	if (!rc)
		(*out)->only_tid = (uint32_t)tid;
	apply_kinds(c);
	unlock_collector(c);
	return rc;
}

int collect_open(struct collector *c, unsigned kinds, struct window **out)
{
	return collect_open_thread(c, kinds, 0, out);
}

/* Unlink the window. Return false when it is not in the list. Requires the mutex. */
static bool unlink_window(struct window **list, struct window *w)
{
	while (*list && *list != w)
		list = &(*list)->next;
	if (!*list)
		return false;
	*list = w->next;
	return true;
}

/* Move a window to the list of ended ones; no effect on an ended one. Requires the mutex. */
static void move_to_ended(struct collector *c, struct window *w)
{
	if (!unlink_window(&c->windows, w))
		return;
	w->next = c->ended;
	c->ended = w;
	w->end_ns = clock_monotonic_ns();
}

/* Free a window that has ended and is not in use. */
static void free_window(struct collector *c, struct window *w)
{
	lock_collector(c);
	unlink_window(&c->ended, w);
	unlock_collector(c);
	window_fini(w);
	free(w);
}

void collect_end(struct collector *c, struct window *w)
{
	lock_collector(c);
	drain_ring(c);
	move_to_ended(c, w);
	apply_kinds(c);
	unlock_collector(c);
}

void collect_close(struct collector *c, struct window *w)
{
	if (!w)
		return;
	collect_end(c, w);
	free_window(c, w);
}

struct window *collect_total(struct collector *c)
{
	return c->total;
}

void collect_drain(struct collector *c)
{
	lock_collector(c);
	drain_ring(c);
	unlock_collector(c);
}

static struct profile_maker make_profile_maker(const struct collector *c)
{
	return (struct profile_maker){
		.modules = c->modules,
		.symbols = c->symbols,
		.resource = c->o.resource,
		.resource_count = c->o.resource_count,
		.label_text = labels_text,
		.heap_interval = atomic_load(&guest.heap_interval),
		.cpu_period_ns = c->cpu_hz ? 1000000000u / c->cpu_hz : 0,
		.wall_period_ns = c->wall_hz ? 1000000000u / c->wall_hz : 0,
	};
}

int collect_batch(struct collector *c, struct window *w, enum varve_profile kind,
		  struct profile_batch *out, struct err *e)
{
	struct profile_maker maker;
	int rc;

	lock_collector(c);
	if (!w->end_ns)
		drain_ring(c);
	modules_update(c->modules);
	maker = make_profile_maker(c);
	rc = profile_make(&maker, w, kind, w->end_ns ? w->end_ns : clock_monotonic_ns(), out);
	unlock_collector(c);
	rc = rc ? rc : redact_batch(c->o.sanitizer, out);
	return rc ? err_errno(e, rc, "making a profile") : 0;
}

size_t collect_name(struct collector *c, uint64_t address, char *out, size_t size)
{
	struct profile_maker maker;
	size_t n;

	lock_collector(c);
	maker = make_profile_maker(c);
	n = profile_name_address(&maker, address, out, size);
	unlock_collector(c);
	return n;
}

void collect_set_profiles(struct collector *c, unsigned kinds)
{
	lock_collector(c);
	c->kinds = kinds;
	apply_kinds(c);
	unlock_collector(c);
}

void collect_set_cpu_hz(struct collector *c, unsigned hz)
{
	lock_collector(c);
	c->cpu_hz = hz;
	apply_kinds(c);
	unlock_collector(c);
}

void collect_set_rates(struct collector *c, unsigned wall_hz, uint64_t heap_interval,
		       uint64_t block_interval_ns)
{
	lock_collector(c);
	c->wall_hz = wall_hz;
	atomic_store(&guest.heap_interval, heap_interval);
	atomic_store(&guest.block_interval_ns, block_interval_ns);
	apply_kinds(c);
	unlock_collector(c);
}

void collect_set_thresholds(struct collector *c, uint64_t slow_ns, double busy_share)
{
	lock_collector(c);
	if (c->conditional)
		conditional_set_thresholds(c->conditional, slow_ns, busy_share);
	unlock_collector(c);
}

void collect_set_interval(struct collector *c, uint64_t ms)
{
	lock_collector(c);
	c->interval_ns = ms * NS_PER_MS;
	unlock_collector(c);
}

void collect_export_now(struct collector *c)
{
	uint64_t before;

	lock_collector(c);
	before = c->exports;
	c->export_now = true;
	pthread_cond_signal(&c->wake);
	while (!c->stop && c->exports == before)
		pthread_cond_wait(&c->exported, &c->mu);
	unlock_collector(c);
}

int collect_export_within(struct collector *c, uint64_t timeout_ms)
{
	uint64_t end = clock_monotonic_ns() + timeout_ms * NS_PER_MS, before;
	struct timespec until = {.tv_sec = (time_t)(end / NS_PER_SECOND),
				 .tv_nsec = (long)(end % NS_PER_SECOND)};
	int rc = -pthread_mutex_clocklock(&c->mu, CLOCK_MONOTONIC, &until);

	if (rc)
		return rc;
	before = c->exports;
	c->export_now = true;
	pthread_cond_signal(&c->wake);
	while (!rc && !c->stop && c->exports == before)
		rc = -pthread_cond_timedwait(&c->exported, &c->mu, &until);
	unlock_collector(c);
	return rc;
}

/* End the interval and begin the next. The mutex is released during callbacks. */
static void export_interval(struct collector *c)
{
	struct window *ended = c->interval, *next;

	c->export_now = false;
	drain_ring(c);
	if (open_window(c, ~0u, &next))
		return; /* without memory the interval continues */
	c->interval = next;
	c->cut += ended->over;
	move_to_ended(c, ended);
	unlock_collector(c);
	if (c->o.on_export)
		c->o.on_export(c->o.arg, ended);
	free_window(c, ended);
	lock_collector(c);
	c->exports++;
	pthread_cond_broadcast(&c->exported);
}

static void wait_for_wake(struct collector *c, uint32_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&c->wake, &c->mu, &until);
}

static void forget_wall_stack(void *arg, struct guest_thread *t)
{
	(void)arg;
	atomic_store(&t->wall_known, false);
	atomic_store(&t->wall_slept, false);
}

/*
 * Replace a table of stacks that is nearly full by one with only the stacks still in use. Live
 * blocks come first: stacks that do not fit any more are truncated. Requires the mutex.
 */
static void renew_stacks(struct collector *c, uint64_t now)
{
	if (!c->renewing) {
		enum varve_profile kind = stack_ids_nearly_full(now);

		if (!kind || stack_ids_begin_renewal(kind, now))
			return;
		c->renewing = kind;
		guest_wait_for_hooks();
	}
	if (!guest_hooks_left())
		return; /* a hook may hold an old id: retry at the next tick */
	guest_each_thread(forget_wall_stack, NULL);
	drain_ring(c);
	heap_renew_stacks(stack_ids_renew);
	for (struct window *w = c->windows; w; w = w->next)
		window_renew_stacks(w, stack_ids_renew);
	for (struct window *w = c->ended; w; w = w->next)
		window_renew_stacks(w, stack_ids_renew);
	stack_ids_end_renewal(c->renewing);
	c->renewing = 0;
}

uint64_t collect_cut_count(struct collector *c)
{
	uint64_t cut;

	lock_collector(c);
	cut = c->cut + c->interval->over;
	unlock_collector(c);
	return cut + stack_ids_cut_count();
}

/* Wait until a forked child is worth profiling. The mutex is released during the callback. */
static void begin_child(struct collector *c)
{
	if (!c->stop && !c->export_now)
		wait_for_wake(c, CHILD_MS);
	c->fresh_child = false;
	if (c->stop)
		return;
	unlock_collector(c);
	if (c->o.on_child)
		c->o.on_child(c->o.arg);
	lock_collector(c);
}

static void run_collector(void *arg)
{
	struct collector *c = arg;
	uint64_t now = clock_monotonic_ns(), next_scan = now;
	uint64_t last_export = now;

	guest_own_begin();
	lock_collector(c);
	if (c->fresh_child)
		begin_child(c);
	while (!c->stop) {
		drain_ring(c);
		modules_update(c->modules);
		now = clock_monotonic_ns();
		renew_stacks(c, now);
		if (now >= next_scan) {
			guest_scan_threads();
			next_scan = now + SCAN_MS * NS_PER_MS;
		}
		if (c->o.on_tick) {
			unlock_collector(c);
			c->o.on_tick(c->o.arg, now);
			lock_collector(c);
		}
		if (c->export_now || now - last_export >= c->interval_ns) {
			export_interval(c);
			last_export = now;
		}
		if (!c->stop && !c->export_now)
			wait_for_wake(c, c->o.tick_ms ? c->o.tick_ms : TICK_MS);
	}
	unlock_collector(c);
	guest_own_end();
}

static void init_collector_locks(struct collector *c)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&c->mu, NULL);
	pthread_cond_init(&c->wake, &monotonic);
	pthread_cond_init(&c->exported, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static int start_conditional(struct collector *c)
{
	struct conditional_options o = {.slow_ns = c->o.o->slow_span_ms * NS_PER_MS,
					.busy_share = c->o.o->busy_span_share,
					.no_failed = c->o.o->no_failed_spans != 0};

	return c->o.o->conditional ? conditional_new(&c->conditional, &o) : 0;
}

/* Start everything except the thread; guest.on is still 0. */
static int start_profilers(struct collector *c, struct err *e)
{
	struct symbol_options symbols = {
		.budget = c->o.budget, .lines = c->o.o->lines, .own_lines = true};
	struct guest_options guest_options = {.ring_records = RING_RECORDS,
					      .stack_bytes = c->o.stack_bytes};
	int rc = modules_new(&c->modules, c->o.budget, e);

	rc = rc ? rc : symbol_cache_new(&c->symbols, SYMBOL_BYTES, &symbols);
	guest_options.modules = c->modules;
	rc = rc ? rc : guest_start(&guest_options);
	if (rc)
		return err_errno(e, rc, "starting the profilers");
	lock_start();
	rc = start_conditional(c);
	rc = rc ? rc : heap_start(c->o.o->heap_interval, c->o.table_bytes);
	rc = rc ? rc : open_window(c, c->o.keep_all ? ~0u : TOTAL_KINDS, &c->total);
	rc = rc ? rc : open_window(c, ~0u, &c->interval);
	rc = rc ? rc : signal_start(e);
	if (rc)
		return err_errno(e, rc, "starting the profilers");
	atomic_store(&guest.max_depth, c->o.o->max_stack_depth);
	atomic_store(&guest.block_interval_ns, c->o.o->block_interval_ns);
	atomic_store(&guest.heap_interval, c->o.o->heap_interval);
	return 0;
}

int collect_new(struct collector **out, const struct collect_options *o, struct err *e)
{
	struct collector *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_errno(e, -ENOMEM, "starting the profilers");
	c->o = *o;
	c->kinds = o->kinds;
	c->cpu_hz = o->o->cpu_hz;
	c->wall_hz = o->o->wall_hz;
	c->interval_ns = o->o->export_interval_ms * NS_PER_MS;
	init_collector_locks(c);
	rc = start_profilers(c, e);
	if (!rc) {
		lock_collector(c);
		apply_kinds(c);
		unlock_collector(c);
		*out = c; /* callbacks may use it at once */
		rc = guest_own_start(&c->thread, "varve-collect", run_collector, c, e);
	}
	if (rc) {
		collect_free(c);
		*out = NULL;
	}
	return rc;
}

void collect_free(struct collector *c)
{
	if (!c)
		return;
	lock_collector(c);
	c->stop = true;
	pthread_cond_broadcast(&c->wake);
	pthread_cond_broadcast(&c->exported);
	unlock_collector(c);
	thread_join(&c->thread);
	wall_set_hz(0);
	cpu_set_hz(0);
	guest_stop();
	if (lock_config_changed)
		lock_config_changed();
	heap_stop();
	while (c->windows) {
		struct window *next = c->windows->next;

		window_fini(c->windows);
		free(c->windows);
		c->windows = next;
	}
	conditional_free(c->conditional);
	symbol_cache_free(c->symbols);
	modules_free(c->modules);
	pthread_mutex_destroy(&c->mu);
	pthread_cond_destroy(&c->wake);
	pthread_cond_destroy(&c->exported);
	free(c);
}

void collect_before_fork(struct collector *c)
{
	lock_collector(c);
	heap_before_fork();
}

void collect_after_fork(struct collector *c)
{
	heap_after_fork();
	unlock_collector(c);
}

int collect_in_child(struct collector *c)
{
	int rc = 0;

	heap_after_fork();
	init_collector_locks(c); /* threads that held or waited for them do not exist here */
	c->thread = (struct thread){0};
	c->export_now = false;
	c->fresh_child = true;
	for (struct window *w = c->windows; w; w = w->next)
		rc = rc ? rc : window_reset(w);
	if (c->conditional)
		conditional_reset(c->conditional);
	cpu_forked();
	wall_forked();
	rc = rc ? rc : guest_own_start(&c->thread, "varve-collect", run_collector, c, NULL);
	if (rc)
		c->stop = true; /* so that nobody waits for the missing thread */
	return rc;
}

bool collect_is_idle_child(struct collector *c)
{
	bool idle;

	lock_collector(c);
	idle = c->fresh_child && guest_rings_are_empty();
	unlock_collector(c);
	return idle;
}

void collect_abandon(struct collector *c)
{
	atomic_store(&guest.on, 0);
	lock_collector(c);
	c->stop = true;
	pthread_cond_signal(&c->wake);
	unlock_collector(c);
}
