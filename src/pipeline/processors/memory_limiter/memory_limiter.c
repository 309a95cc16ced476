/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hard limit is on resident memory, because that is what runs out; admission looks at the part
 * of it that is in use. Between two measurements, GROWTH times the size of each admitted body is
 * added: a body is held as received, uncompressed and decoded.
 */
#include "pipeline/processors/memory_limiter/memory_limiter.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

struct limiter_settings {
	uint64_t check_interval_ns;
	int64_t limit_mib, spike_limit_mib, limit_percentage, spike_limit_percentage;
	bool has_limit, has_percentage;
};

enum { GROWTH = 3, RETRY_MS = 1000 };
#define TRIM_INTERVAL_NS NS_PER_SECOND
#define CALM_NS (10 * NS_PER_SECOND)
#define PROGRAM_BYTES (8 * MIB) /* code, stacks and other memory not owned by the allocator */

struct limiter {
	struct consumer *next;
	const struct log *log;
	uint64_t interval_ns, soft, hard;
	_Atomic uint64_t held; /* at the last measurement */
	_Atomic uint64_t measured_ns, trimmed_ns, refused_ns;
	_Atomic uint64_t admitted; /* since the last measurement */
	_Atomic bool refusing;
	struct telemetry_value *accepted, *refused;
};

/* Return the number after `skip` words of a small file, or `fallback`. */
static uint64_t read_proc_number(const char *path, size_t skip, uint64_t fallback)
{
	char text[512];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	struct str rest = str_of(text, n > 0 ? (size_t)n : 0);
	uint64_t value;

	if (fd >= 0)
		close(fd);
	for (; skip && rest.p; skip--) {
		(void)str_cut(&rest, ' ');
		while (rest.n && rest.p[0] == ' ')
			rest = str_from_at(rest, 1);
	}
	rest = str_trim(str_head(rest, str_find(rest, ' ')));
	rest = str_trim(str_head(rest, str_find(rest, '\n')));
	return str_to_u64(rest, 10, &value) ? fallback : value;
}

uint64_t memory_limiter_resident(void)
{
	return read_proc_number("/proc/self/statm", 1, 0) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t memory_limiter_machine(void)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t group = read_proc_number("/sys/fs/cgroup/memory.max", 0, UINT64_MAX);
	uint64_t old_group =
		read_proc_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", 0, UINT64_MAX);

	group = group < old_group ? group : old_group;
	return group < machine ? group : machine;
}

uint64_t memory_limiter_default(void)
{
	uint64_t quarter = memory_limiter_machine() / 4;

	return quarter < GIB ? quarter : GIB;
}

/*
 * Return the memory in use: the allocated part of the allocator's memory. Memory that the allocator
 * holds free will be reused and is no reason to refuse data, unless resident memory is near the
 * hard limit: then free memory may be too fragmented, and admitted data is still growing.
 */
static uint64_t measure_usage(struct limiter *l, uint64_t now)
{
	uint64_t resident = memory_limiter_resident(), trimmed = atomic_load(&l->trimmed_ns);
	struct mallinfo2 info;

	if (resident >= l->soft && now - trimmed >= TRIM_INTERVAL_NS &&
	    atomic_compare_exchange_strong(&l->trimmed_ns, &trimmed, now)) {
		malloc_trim(0);
		resident = memory_limiter_resident();
	}
	if (resident >= l->hard - (l->hard - l->soft) / 2)
		return resident;
	info = mallinfo2();
	return min_size(resident, info.uordblks + info.hblkhd + PROGRAM_BYTES);
}

/* Measure again if the interval has passed; one thread does so, the others use the old value. */
static void refresh_usage(struct limiter *l)
{
	uint64_t now = clock_monotonic_ns(), last = atomic_load(&l->measured_ns);

	if (last && now - last < l->interval_ns)
		return;
	if (!atomic_compare_exchange_strong(&l->measured_ns, &last, now))
		return;
	atomic_store(&l->admitted, 0);
	atomic_store(&l->held, measure_usage(l, now));
}

/*
 * Log when refusing begins, and when it has been over for CALM_NS: it may flap many times a second.
 */
static void log_refusing(struct limiter *l, bool refusing, uint64_t held)
{
	uint64_t now;

	if (!refusing && !atomic_load(&l->refusing))
		return;
	now = clock_monotonic_ns();
	if (refusing) {
		atomic_store(&l->refused_ns, now);
		if (!atomic_exchange(&l->refusing, true))
			log_warn(l->log, "memory is above the soft limit, refusing data",
				 LOG_U64("held", held), LOG_U64("soft_limit", l->soft));
	} else if (now - atomic_load(&l->refused_ns) > CALM_NS &&
		   atomic_exchange(&l->refusing, false)) {
		log_info(l->log, "memory is back within the limit", LOG_U64("held", held));
	}
}

/* Return whether `bytes` more fit below the limit, and count them as admitted. */
static bool limiter_reserve(struct limiter *l, uint64_t bytes, uint64_t limit)
{
	uint64_t held, more = bytes < UINT64_MAX / 8 ? bytes * GROWTH : UINT64_MAX / 2;

	refresh_usage(l);
	held = atomic_load(&l->held) + atomic_load(&l->admitted);
	if (held + more > limit) {
		log_refusing(l, true, held);
		return false;
	}
	atomic_fetch_add(&l->admitted, more);
	log_refusing(l, false, held);
	return true;
}

static const char refusal[] = "data refused due to high memory usage (memory_limiter)";

static bool limiter_admit(void *instance, uint64_t bytes, struct delivery_result *why)
{
	struct limiter *l = instance;

	if (limiter_reserve(l, bytes, l->soft))
		return true;
	telemetry_add(l->refused, 1); /* what was not read counts as one item */
	*why = (struct delivery_result){.rc = -EAGAIN, .retry_after_ms = RETRY_MS};
	memcpy(why->reason, refusal, sizeof(refusal));
	return false;
}

static bool limiter_consume(void *instance, struct delivery *d)
{
	struct limiter *l = instance;

	int64_t items = (int64_t)delivery_items(d);

	/* The data is in memory already: only the hard limit applies. */
	if (limiter_reserve(l, 0, l->hard)) {
		telemetry_add(l->accepted, items);
		return consumer_consume(l->next, d);
	}
	telemetry_add(l->refused, items);
	delivery_fail(d, -EAGAIN, RETRY_MS, "%s", refusal);
	return false;
}

static int limiter_check(const void *settings, struct err *e)
{
	const struct limiter_settings *s = settings;

	if (!s->check_interval_ns)
		return err_set(e, -EINVAL, "\"check_interval\" has to be greater than zero");
	if (s->limit_mib && s->spike_limit_mib >= s->limit_mib)
		return err_set(e, -EINVAL,
			       "\"spike_limit_mib\" has to be smaller than \"limit_mib\"");
	if (s->limit_percentage && s->spike_limit_percentage >= s->limit_percentage)
		return err_set(e, -EINVAL,
			       "\"spike_limit_percentage\" has to be smaller than "
			       "\"limit_percentage\"");
	if (!s->has_limit && !s->has_percentage)
		return err_set(e, -EINVAL,
			       "neither \"limit_mib\" nor \"limit_percentage\" is set: set "
			       "limit_mib (0: a quarter of the machine's memory, at most 1 GiB)");
	return 0;
}

/* Return otelcol_processor_memory_limiter_accepted_spans{processor}, or refused. */
static struct telemetry_value *limiter_metric(const struct component_env *env, const char *what,
					      unsigned signal)
{
	const struct telemetry_label label = {"processor", env->id};
	char name[96], help[96];

	snprintf(name, sizeof(name), "otelcol_processor_memory_limiter_%s_%s", what,
		 signal_items[signal]);
	snprintf(help, sizeof(help), "Number of %s %s by the memory limiter.", signal_items[signal],
		 what);
	return telemetry_get(&env->host->telemetry, TELEMETRY_COUNTER, name, help, &label, 1);
}

static int limiter_create(void **instance, const struct component_env *env, const void *settings,
			  struct err *e)
{
	const struct limiter_settings *s = settings;
	struct limiter *l = calloc(1, sizeof(*l));
	unsigned signal = 0;
	uint64_t spike;

	if (!l)
		return err_errno(e, -ENOMEM, "memory_limiter");
	l->hard = memory_limiter_default();
	if (s->limit_percentage)
		l->hard = memory_limiter_machine() / 100 * (uint64_t)s->limit_percentage;
	if (s->limit_mib)
		l->hard = (uint64_t)s->limit_mib * MIB;
	spike = l->hard / 5;
	if (s->limit_percentage && s->spike_limit_percentage)
		spike = memory_limiter_machine() / 100 * (uint64_t)s->spike_limit_percentage;
	if (s->spike_limit_mib)
		spike = (uint64_t)s->spike_limit_mib * MIB;
	l->soft = spike < l->hard ? l->hard - spike : l->hard / 2;
	/* Measuring is cheap; a short interval detects sudden load early. */
	l->interval_ns =
		s->check_interval_ns < 50 * NS_PER_MS ? s->check_interval_ns : 50 * NS_PER_MS;
	while (signal < SIGNALS - 1 && !env->next[signal])
		signal++;
	l->next = env->next[signal];
	l->accepted = limiter_metric(env, "accepted", signal);
	l->refused = limiter_metric(env, "refused", signal);
	l->log = env->log;
	*instance = l;
	return 0;
}

#define NO_COLLECTION "there is no garbage collector"

static const struct setting settings[] = {
	SET_DURATION(
		struct limiter_settings, check_interval_ns, "check_interval", "1s",
		"Measure memory at least this often; it is measured up to 20 times per second."),
	SET_FIELD(SETTING_INT, struct limiter_settings, limit_mib, "limit_mib", "0",
		  "Hard limit of memory; 0: limit_percentage applies, or without it a quarter of "
		  "the machine's memory, at most 1 GiB.",
		  .max = 1 << 30, .unit = "MiB",
		  .present = offsetof(struct limiter_settings, has_limit)),
	SET_INT(struct limiter_settings, spike_limit_mib, "spike_limit_mib", "0", 0, 1 << 30, "MiB",
		"Refuse data when memory is this close to the limit; 0: a fifth of the limit."),
	SET_FIELD(SETTING_INT, struct limiter_settings, limit_percentage, "limit_percentage", "0",
		  "Hard limit as a share of the memory of the machine or control group.",
		  .max = 100, .unit = "%",
		  .present = offsetof(struct limiter_settings, has_percentage)),
	SET_INT(struct limiter_settings, spike_limit_percentage, "spike_limit_percentage", "0", 0,
		100, "%", "Spike limit as a share of the same memory."),
	SET_IGNORED("min_gc_interval_when_soft_limited", NO_COLLECTION),
	SET_IGNORED("max_gc_interval_when_soft_limited", NO_COLLECTION),
	SET_IGNORED("min_gc_interval_when_hard_limited", NO_COLLECTION),
	SET_IGNORED("max_gc_interval_when_hard_limited", NO_COLLECTION),
	SET_END,
};

const struct component memory_limiter_processor = {
	.name = "memory_limiter",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_ANY,
	.help = "Refuses data, before it is read, while the process uses too much memory.",
	.settings = settings,
	.settings_size = sizeof(struct limiter_settings),
	.check = limiter_check,
	.create = limiter_create,
	.consume = limiter_consume,
	.admit = limiter_admit,
	.destroy = free,
};
