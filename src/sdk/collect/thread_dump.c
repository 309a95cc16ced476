/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "base/clock.h"
#include "sdk/collect/collect.h"
#include "sdk/collect/sleeper.h"
#include "sdk/collect/window.h"
#include "sdk/hook/cpu.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span.h"

/* Where there is more to do than processors, one that runs may wait for its turn. All others answer at once. */
enum { ANSWER_MS = 1000 };

struct asking {
	uint32_t asked;
};

/* Found without its help: it sleeps. False: it runs, or cannot be seen. */
static bool put_sleeper(struct guest_thread *t, struct asking *a)
{
	struct record r = {.kind = RECORD_THREAD,
			   .tid = (uint32_t)atomic_load(&t->tid),
			   .labels = t->labels,
			   .value = 1,
			   .weight = 1,
			   .time_ns = clock_monotonic_ns()};
	bool found;

	span_ids_of(atomic_load(&t->spans), r.trace_id, r.span_id);
	guest_visit_begin();
	found = sleeper_stack(t, VARVE_THREADS, &r.stack);
	if (found)
		a->asked += guest_put(&r);
	guest_visit_end();
	return found;
}

static void ask(void *arg, struct guest_thread *t)
{
	struct asking *a = arg;

	/* Whoever does not answer (it blocks the signal, or sleeps deep in the kernel) is not in the dump. */
	if (!put_sleeper(t, a))
		a->asked += !signal_ask(atomic_load(&t->tid), SIGNAL_THREAD, 1);
}

int collect_threads(struct collector *c, struct profile_batch *out, struct err *e)
{
	struct timespec pause = {0, 2000000};
	struct asking asking = {0};
	struct window *w;
	uint64_t deadline = clock_monotonic_ns() + ANSWER_MS * NS_PER_MS;
	int rc = collect_open(c, VARVE_THREADS, &w);

	if (rc)
		return err_errno(e, rc, "ask the threads");
	guest_scan_threads();
	guest_each_thread(ask, &asking);
	while (w->samples < asking.asked && clock_monotonic_ns() < deadline) {
		nanosleep(&pause, NULL);
		collect_drain(c);
	}
	collect_end(c, w);
	rc = collect_batch(c, w, VARVE_THREADS, out, e);
	collect_close(c, w);
	return rc;
}
