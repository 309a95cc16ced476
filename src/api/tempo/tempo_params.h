/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_TEMPO_PARAMS_H
#define VARVE_API_TEMPO_PARAMS_H

#include "api/request.h"

/* Parameters that several calls of Tempo's API have. Errors name the parameter. */

/*
 * Read start and end: seconds, milliseconds, nanoseconds or RFC 3339. Without both, the range is
 * the last `past_ns`, or all times if that is 0. Return 0 or -EINVAL.
 */
MUST_USE int tempo_read_range(struct request *r, uint64_t past_ns, uint64_t *from, uint64_t *to,
			      struct err *e);

/* Read a time; *ns is unchanged if the parameter is absent. */
MUST_USE int tempo_read_time(struct request *r, const char *name, uint64_t *ns, struct err *e);

/* Read a duration ("1.5s", "100us", seconds); *ns is unchanged if the parameter is absent. */
MUST_USE int tempo_read_duration(struct request *r, const char *name, uint64_t *ns, struct err *e);

#endif
