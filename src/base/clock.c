/* SPDX-License-Identifier: Apache-2.0 */
/* clock_gettime() as 64-bit nanoseconds. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t clock_read_ns(clockid_t id)
{
	struct timespec t = {0};

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

const char *clock_format(uint64_t realtime_ns, char out[CLOCK_TEXT_SIZE])
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_SECOND);
	unsigned ms = (unsigned)(realtime_ns % NS_PER_SECOND / NS_PER_MS);
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm); /* never fails: 2^64 ns end in the year 2554 */
	n = strftime(out, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, CLOCK_TEXT_SIZE - n, ".%03uZ", ms);
	return out;
}
