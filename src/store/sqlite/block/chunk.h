/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_H
#define VARVE_STORE_SQLITE_CHUNK_H

#include "base/clock.h"
#include "store/store.h"

/*
 * The format of chunks; chunk_encode.h writes them, chunk_decode.h reads them.
 *
 * A chunk has the samples of one hour of one group (tenant, profile type, service), sorted and
 * compressed. Profiles are ordered by series and time. The profiles of one series in one slot of
 * ten minutes are a section; where sections would have few profiles, a section has those of the
 * whole hour. The samples of a section are ordered by stack, and those of one stack are a run: a
 * count and a sum. A sum over whole sections reads only the runs.
 *
 *	points	per profile: series, time, duration, total, number of samples, id
 *	runs	per section: stack, number of samples, sum. Large ones are compressed in pieces of a
 *		few sections each, so that a query of one series decompresses little else
 *	detail	per sample: its profile, and (except for the last sample of a run) its value
 *	linked	samples that have a time or link of their own: stack, profile, value
 *	links	time and link of each linked sample. A chunk from before format 3 has them at the
 *		end of `linked`
 *	filter	a Bloom filter of the spans and traces in `links`
 *	rollup	the sum by stack alone; for gauges also the sum of the means: rollup_block.h
 *	series	of a roll-up: its series, and the first and last time of each: series_times.h
 *
 * Values are divided by their greatest common divisor (10 ms of CPU time become 1), and so are
 * times. Each part is a block of its own, so that a query reads only what it needs.
 */
enum { SLOTS_IN_HOUR = 6 };

/* Flags of the points. */
enum { POINTS_HAVE_IDS = 1, POINTS_BY_HOUR = 2 };

/* Return which section of its series a profile is in; with `by_hour` there is only one. */
static inline uint32_t section_slot(bool by_hour, uint64_t time)
{
	uint64_t slot = time / (STORE_SLOT_SECONDS * NS_PER_SECOND) % SLOTS_IN_HOUR;

	return by_hour ? 0 : (uint32_t)slot;
}

#endif
