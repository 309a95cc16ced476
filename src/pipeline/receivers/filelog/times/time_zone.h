/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_TIME_ZONE_H
#define VARVE_PIPELINE_FILELOG_TIME_ZONE_H

#include "base/err.h"
#include "base/str.h"

/*
 * A time zone of the system's database (RFC 9636, TZif), which is not bound to the process like that
 * of localtime(3). Immutable after it is loaded; any thread.
 */
struct time_zone;

/*
 * Load a zone: "UTC", "Local" (the environment variable TZ, or /etc/localtime), or a name of the
 * database, such as "Europe/Berlin". Return 0, -ENOMEM, or -EINVAL with text in `e`.
 */
MUST_USE int time_zone_load(struct time_zone **out, struct str name, struct err *e);
void time_zone_free(struct time_zone *z); /* takes NULL */

/*
 * Parse the content of a TZif file, or the text of TZ ("CET-1CEST,M3.5.0,M10.5.0/3"). Return 0,
 * -ENOMEM or -EBADMSG.
 */
MUST_USE int time_zone_parse(struct time_zone **out, struct str file);
MUST_USE int time_zone_parse_rule(struct time_zone **out, struct str rule);

/* Return the seconds east of Greenwich at a point in time, in seconds since 1970 UTC. */
int64_t time_zone_offset(const struct time_zone *z, int64_t utc);

/*
 * The same for the reading of a local clock, as if it were UTC. A reading that occurs twice or never
 * gets one of the two offsets.
 */
int64_t time_zone_offset_of_local(const struct time_zone *z, int64_t local);

#endif
