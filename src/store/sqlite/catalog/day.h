/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DAY_H
#define VARVE_STORE_SQLITE_DAY_H

#include "base/clock.h"
#include "base/str.h"
#include "store/store.h"

/* Days are counted from 1970-01-01, UTC. The name of a partition is its day as YYYY-MM-DD. */
#define SECONDS_PER_DAY ((uint64_t)86400)
#define NS_PER_HOUR (3600 * NS_PER_SECOND)
#define NS_PER_DAY (24 * NS_PER_HOUR)
#define NS_PER_SLOT (STORE_SLOT_SECONDS * NS_PER_SECOND)

/* Write the day as "2026-11-15". */
void day_format(uint32_t day, char out[24]);

/* Parse such a name. Return false if it is not the name of a day. */
bool day_parse(struct str name, uint32_t *day);

#endif
