/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CLOCK_H
#define VARVE_BASE_CLOCK_H

#include <sys/types.h>
#include <time.h>

#include "base/base.h"

#define NS_PER_SECOND ((uint64_t)1000000000)
#define NS_PER_MS ((uint64_t)1000000)

/* Return nanoseconds since an arbitrary point; never goes back. For durations and timeouts. */
uint64_t clock_monotonic_ns(void);

/* Return nanoseconds since 1970. For timestamps. */
uint64_t clock_realtime_ns(void);

/* Return the time of any other clock in nanoseconds, 0 if the clock does not exist (any more). */
uint64_t clock_read_ns(clockid_t id);

/* Return the clock of a thread's CPU time, by the kernel's numbering. */
static inline clockid_t clock_of_thread(pid_t tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 6);
}

enum { CLOCK_TEXT_SIZE = 32 };

/* Format as "2026-11-15T09:37:00.123Z"; milliseconds are truncated. Return `out`. */
const char *clock_format(uint64_t realtime_ns, char out[CLOCK_TEXT_SIZE]);

#endif
