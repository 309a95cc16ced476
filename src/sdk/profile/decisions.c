/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling decisions that the program asks for: varve_sampling_rate() and its relatives. */
#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "sdk/hook/guest.h"
#include "sdk/sdk.h"

double varve_sampling_rate(void)
{
	struct guest_call call = guest_call_begin();
	struct sdk *s = sdk_acquire();
	double share = s ? watch_rate_share(s->watch) : 0;

	sdk_release(s);
	guest_call_end(call);
	return share;
}

/* Return a random number of this thread in [0, 1). */
static double random_share(void)
{
	static __thread uint64_t x __attribute__((tls_model("initial-exec")));

	if (!x)
		x = (clock_monotonic_ns() ^ (uint64_t)(uintptr_t)&x << 16) | 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return (double)(x * UINT64_C(0x2545F4914F6CDD1D) >> 11) * 0x1p-53;
}

int varve_should_profile(void)
{
	return random_share() < varve_sampling_rate();
}

int varve_set_load(double load)
{
	struct guest_call call = guest_call_begin();
	struct sdk *s = sdk_acquire();
	int rc = -ENOTCONN;

	if (isnan(load) || load > 1)
		rc = -EINVAL;
	else if (s)
		rc = 0;
	if (!rc)
		watch_set_program_load(s->watch, load);
	sdk_release(s);
	guest_call_end(call);
	return rc;
}
