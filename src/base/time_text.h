/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_TIME_TEXT_H
#define VARVE_BASE_TIME_TEXT_H

#include "base/err.h"
#include "base/str.h"

/*
 * Parse a point in time as people and clients write it:
 *
 *	now, now-1h, now-1d12h, -30m, now+5m		units ns us ms s m h d w, mon (30 d), y (365 d)
 *	1763199420, ...123, ...123456, ...123456789	since 1970 in s, ms, us or ns, by magnitude
 *	20261115					midnight UTC
 *	2026-11-15, 2026-11-15T09:37:00.5Z, ...+01:00	RFC 3339; without an offset: UTC
 *
 * Return 0 and nanoseconds since 1970, or -EINVAL with the expected syntax in `e`; *ns is unchanged
 * then.
 */
MUST_USE int time_parse(struct str text, uint64_t now_ns, uint64_t *ns, struct err *e);

/*
 * Parse "15s", "1h30m", "500ms"; a number without a unit is seconds and may have a fraction. Return
 * 0 or -EINVAL.
 */
MUST_USE int duration_parse(struct str text, uint64_t *ns, struct err *e);

#endif
