/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles on demand, for varve_take_profile() and the endpoints. */
#include "sdk/debug/take_profile.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "format/pprof/pprof.h"
#include "sdk/collect/window.h"
#include "sdk/hook/guest.h"

/* Sleep, but end early when the library stops or the profile is cancelled. */
static void sleep_seconds(unsigned seconds, const _Atomic bool *cancelled)
{
	uint64_t end = clock_monotonic_ns() + seconds * NS_PER_SECOND, now;

	while ((now = clock_monotonic_ns()) < end && !sdk_is_stopping() &&
	       !(cancelled && atomic_load(cancelled))) {
		uint64_t rest = end - now;
		struct timespec step = {0, rest < 100000000 ? (long)rest : 100000000};

		nanosleep(&step, NULL);
	}
}

static int take_window(struct sdk *s, enum varve_profile kind, unsigned seconds,
		       const _Atomic bool *cancelled, struct profile_batch *out, struct err *e)
{
	struct window *w;
	int rc = collect_open(s->collector, kind, &w);

	if (rc)
		return err_errno(e, rc, "beginning a profile");
	sleep_seconds(seconds, cancelled);
	collect_end(s->collector, w);
	rc = collect_batch(s->collector, w, kind, out, e);
	collect_close(s->collector, w);
	return rc;
}

int sdk_take_batch(struct sdk *s, enum varve_profile kind, unsigned seconds,
		   const _Atomic bool *cancelled, struct profile_batch *out, struct err *e)
{
	const char *why;

	if (!kind || (kind & (kind - 1)) || kind > VARVE_MMAP)
		return err_set(e, -EINVAL, "expected exactly one kind of profile");
	if (!seconds && (kind == VARVE_CPU || kind == VARVE_WALL))
		return err_set(e, -EINVAL, "a CPU or wall profile needs a duration in seconds");
	if (watch_admit(s->watch, seconds, sdk_memory(s), &why))
		return err_set(e, -EBUSY, "%s", why);
	if (kind == VARVE_THREADS)
		return collect_threads(s->collector, out, e);
	if (!seconds)
		return collect_batch(s->collector, collect_total(s->collector), kind, out, e);
	return take_window(s, kind, seconds, cancelled, out, e);
}

int sdk_take_pprof(struct sdk *s, enum varve_profile kind, unsigned seconds,
		   const _Atomic bool *cancelled, struct buf *out, struct err *e)
{
	struct encode_options options = {0};
	struct profile_batch batch;
	int rc = profile_batch_init(&batch, &s->budget);

	rc = rc ? rc : sdk_take_batch(s, kind, seconds, cancelled, &batch, e);
	rc = rc ? rc : pprof_encode(out, &batch, &options, e);
	profile_batch_fini(&batch);
	return rc;
}

int varve_take_profile(enum varve_profile kind, unsigned seconds, void **pprof, size_t *size)
{
	struct guest_call call = guest_call_begin();
	int rc = -ENOTCONN;
	struct err *e = sdk_clear_error();
	struct sdk *s = sdk_acquire();
	struct buf out = {0};

	if (s) {
		rc = sdk_take_pprof(s, kind, seconds, NULL, &out, e);
		sdk_release(s);
	}
	if (rc) {
		buf_fini(&out);
	} else {
		*pprof = out.p;
		*size = out.n;
	}
	guest_call_end(call);
	return rc;
}
