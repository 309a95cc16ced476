/* SPDX-License-Identifier: Apache-2.0 */
/* Load is computed from the difference of two sets of counters. */
#include "sdk/collect/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/hook/guest.h"

enum {
	LOOK_SECONDS = 1,
	RATE_SECONDS = 10, /* interval of the adaptive rate's decisions */
};

/* Totals since the start; the difference of two readings is the load between them. */
struct counters {
	uint64_t at_ns, machine_busy, machine_total, process_ns, own_ns;
};

struct watch {
	const struct varve_options *o;
	struct counters before;
	uint64_t next_look_ns, next_rate_ns;
	pthread_mutex_t mu; /* guards the fields below */
	struct varve_guard_options guards;
	unsigned base_hz;    /* requested */
	unsigned rate_hz;    /* of the adaptive rate */
	double program_load; /* negative: none */
	struct guard_state guard;
	struct watch_state state;
};

static ssize_t read_proc_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = 0;
	return n;
}

/* Read the first line of /proc/stat: "cpu user nice system idle iowait irq softirq steal ...". */
static void read_machine(struct counters *c)
{
	char text[512], *at = text + 3;
	uint64_t idle = 0;

	if (read_proc_file("/proc/stat", text, sizeof(text)) < 4)
		return;
	c->machine_total = 0;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t ticks = strtoull(at, &at, 10);

		c->machine_total += ticks;
		if (i == 3 || i == 4)
			idle += ticks;
	}
	c->machine_busy = c->machine_total - idle;
}

static struct counters read_counters(uint64_t now_ns)
{
	struct counters c = {.at_ns = now_ns};

	read_machine(&c);
	c.process_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	c.own_ns = guest_own_cpu_ns() + atomic_load(&guest.hook_ns);
	return c;
}

static uint64_t read_resident(void)
{
	char text[128], *at = text;

	if (read_proc_file("/proc/self/statm", text, sizeof(text)) <= 0)
		return 0;
	strtoull(at, &at, 10);
	return strtoull(at, &at, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Return the memory limit of this process: the control group's, else the machine's memory. */
static uint64_t read_memory_limit(void)
{
	static const char *const files[] = {"/sys/fs/cgroup/memory.max",
					    "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
	struct sysinfo info;
	uint64_t all = sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit;
	char text[64];

	for (size_t i = 0; i < countof(files); i++) {
		uint64_t limit;

		if (read_proc_file(files[i], text, sizeof(text)) <= 0)
			continue;
		limit = strtoull(text, NULL, 10);
		if (limit && limit < all)
			return limit;
	}
	return all;
}

/* Return the increase; 0 for a decrease, as when a thread of the library has exited. */
static uint64_t increase(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

static double ratio(uint64_t part, uint64_t whole)
{
	return part >= whole ? (part ? 1 : 0) : (double)part / (double)whole;
}

static struct watch_load load_between(const struct counters *a, const struct counters *b)
{
	uint64_t elapsed = b->at_ns - a->at_ns;
	uint64_t cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	return (struct watch_load){
		.machine_cpu = ratio(increase(a->machine_busy, b->machine_busy),
				     increase(a->machine_total, b->machine_total)),
		.process_cpu = ratio(increase(a->process_ns, b->process_ns), elapsed * cores),
		.own_cpu = ratio(increase(a->own_ns, b->own_ns), elapsed),
		.overhead = ratio(increase(a->own_ns, b->own_ns),
				  increase(a->process_ns, b->process_ns)),
		.resident = read_resident(),
	};
}

/* Return the load that the program reports or, without one, that of the machine. */
static double load_of(const struct watch *w, const struct watch_load *load)
{
	return w->program_load < 0 ? load->machine_cpu : w->program_load;
}

/* Compute the rate of CPU samples that all guards allow. Requires the mutex. */
static unsigned compute_hz(struct watch *w, const struct watch_load *load, uint64_t now_ns)
{
	const struct varve_guard_options *g = &w->guards;
	unsigned hz = w->base_hz;
	uint64_t memory = g->memory_threshold ? g->memory_threshold : load->memory_limit / 10 * 8;

	if (!hz)
		return 0;
	if (g->adaptive_rate && now_ns >= w->next_rate_ns) {
		double cpu = w->program_load < 0 ? load->process_cpu : w->program_load;
		bool over = cpu > g->cpu_threshold || load->resident > memory;

		w->rate_hz = guard_next_hz(w->rate_hz, hz, over, w->o->keep_halving != 0);
		w->next_rate_ns = now_ns + RATE_SECONDS * NS_PER_SECOND;
	}
	if (g->adaptive_rate && w->rate_hz < hz)
		hz = w->rate_hz;
	if (g->adaptive_sampler)
		hz = guard_adaptive_hz(hz, g->floor_hz, g->load_threshold, load_of(w, load));
	return hz;
}

/* Apply the guards to a load, and set the collector's rates. */
static void apply_guards(struct watch *w, struct collector *c, const struct watch_load *load,
			 uint64_t now_ns)
{
	unsigned hz;
	bool change;

	pthread_mutex_lock(&w->mu);
	hz = compute_hz(w, load, now_ns);
	w->state.load = *load;
	change = hz != w->state.cpu_hz;
	w->state.cpu_hz = hz;
	if (w->guards.overhead_monitor)
		w->state.interval_ms =
			guard_next_interval(w->state.interval_ms, w->o->export_interval_ms,
					    load->overhead, w->guards.overhead_target);
	pthread_mutex_unlock(&w->mu);
	if (change)
		collect_set_cpu_hz(c, hz);
	collect_set_interval(c, w->state.interval_ms);
}

void watch_tick(struct watch *w, struct collector *c, uint64_t now_ns)
{
	struct counters now;
	struct watch_load load;

	if (now_ns < w->next_look_ns)
		return;
	w->next_look_ns = now_ns + LOOK_SECONDS * NS_PER_SECOND;
	now = read_counters(now_ns);
	if (w->before.at_ns) {
		load = load_between(&w->before, &now);
		load.memory_limit = w->state.load.memory_limit;
		apply_guards(w, c, &load, now_ns);
	}
	w->before = now;
}

void watch_set_cpu_hz(struct watch *w, unsigned hz)
{
	pthread_mutex_lock(&w->mu);
	w->base_hz = w->rate_hz = w->state.cpu_hz = hz;
	pthread_mutex_unlock(&w->mu);
}

void watch_set_program_load(struct watch *w, double load)
{
	pthread_mutex_lock(&w->mu);
	w->program_load = load;
	w->next_rate_ns = 0; /* decide at the next look */
	pthread_mutex_unlock(&w->mu);
}

/* Requires the mutex. */
static bool sheds_now(const struct watch *w)
{
	return w->guards.load_shedding &&
	       guard_shed(load_of(w, &w->state.load), w->guards.shed_cpu);
}

double watch_rate_share(struct watch *w)
{
	double share = 1;

	pthread_mutex_lock(&w->mu);
	if (sheds_now(w))
		share = 0;
	else if (w->base_hz && w->state.cpu_hz < w->base_hz)
		share = (double)w->state.cpu_hz / w->base_hz;
	pthread_mutex_unlock(&w->mu);
	return share;
}

void watch_set_guards(struct watch *w, const struct varve_guard_options *guards)
{
	pthread_mutex_lock(&w->mu);
	w->guards = *guards;
	pthread_mutex_unlock(&w->mu);
}

struct varve_guard_options watch_guards(struct watch *w)
{
	struct varve_guard_options guards;

	pthread_mutex_lock(&w->mu);
	guards = w->guards;
	pthread_mutex_unlock(&w->mu);
	return guards;
}

bool watch_sheds(struct watch *w)
{
	bool sheds;

	pthread_mutex_lock(&w->mu);
	sheds = sheds_now(w);
	w->state.shed += sheds;
	pthread_mutex_unlock(&w->mu);
	return sheds;
}

int watch_admit(struct watch *w, unsigned seconds, uint64_t own_memory, const char **why)
{
	const struct varve_guard_options *g = &w->guards;
	struct guard_limits limits;
	int rc;

	pthread_mutex_lock(&w->mu);
	limits = (struct guard_limits){.max_cpu = g->max_cpu,
				       .max_memory = g->max_memory,
				       .max_per_minute = g->max_per_minute,
				       .max_seconds = g->max_seconds};
	rc = guard_admit(&w->guard, &limits, clock_monotonic_ns(), w->state.load.own_cpu,
			 own_memory, seconds, why);
	w->state.refused = w->guard.refused;
	pthread_mutex_unlock(&w->mu);
	return rc;
}

void watch_state(struct watch *w, struct watch_state *out)
{
	pthread_mutex_lock(&w->mu);
	*out = w->state;
	pthread_mutex_unlock(&w->mu);
}

void watch_forked(struct watch *w)
{
	pthread_mutex_init(&w->mu, NULL); /* its owner does not exist in the child */
	w->before = (struct counters){0};
}

int watch_new(struct watch **out, const struct varve_options *o)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->o = o;
	w->guards = o->guards;
	w->base_hz = w->rate_hz = o->cpu_hz;
	w->program_load = -1;
	w->state.cpu_hz = o->cpu_hz;
	w->state.interval_ms = o->export_interval_ms;
	w->state.load.memory_limit = read_memory_limit();
	pthread_mutex_init(&w->mu, NULL);
	*out = w;
	return 0;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	pthread_mutex_destroy(&w->mu);
	free(w);
}
