/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps: sleeping threads are read from outside, running ones are asked by a signal. */
#include <time.h>

#include "base/clock.h"
#include "sdk/collect/collect.h"
#include "sdk/collect/sleeper.h"
#include "sdk/collect/window.h"
#include "sdk/hook/cpu.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span_thread.h"

/* With more runnable threads than processors, a thread may have to wait for its turn. */
enum { ANSWER_MS = 1000 };

struct dump {
	uint32_t expected; /* records */
};

/* Record a sleeping thread. Return false when it runs or its stack cannot be read. */
static bool record_sleeper(struct guest_thread *t, struct dump *d)
{
	struct record r = {.kind = RECORD_THREAD,
			   .tid = (uint32_t)atomic_load(&t->tid),
			   .labels = t->labels,
			   .value = 1,
			   .weight = 1,
			   .time_ns = clock_monotonic_ns()};
	bool found;

	span_ids_of(atomic_load(&t->spans), r.trace_id, r.span_id);
	guest_pin_begin();
	found = sleeper_stack(t, VARVE_THREADS, &r.stack);
	if (found)
		d->expected += guest_put_record(&r);
	guest_pin_end();
	return found;
}

static void dump_thread(void *arg, struct guest_thread *t)
{
	struct dump *d = arg;

	/* a thread that blocks the signal or sleeps uninterruptibly is missing in the dump */
	if (!record_sleeper(t, d))
		d->expected += !signal_send(atomic_load(&t->tid), SIGNAL_THREAD, 1);
}

int collect_threads(struct collector *c, struct profile_batch *out, struct err *e)
{
	struct timespec pause = {0, 2000000};
	struct dump dump = {0};
	struct window *w;
	uint64_t deadline = clock_monotonic_ns() + ANSWER_MS * NS_PER_MS;
	int rc = collect_open(c, VARVE_THREADS, &w);

	if (rc)
		return err_errno(e, rc, "dumping the threads");
	guest_scan_threads();
	guest_each_thread(dump_thread, &dump);
	while (w->samples < dump.expected && clock_monotonic_ns() < deadline) {
		nanosleep(&pause, NULL);
		collect_drain(c);
	}
	collect_end(c, w);
	rc = collect_batch(c, w, VARVE_THREADS, out, e);
	collect_close(c, w);
	return rc;
}
