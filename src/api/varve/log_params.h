/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_LOG_PARAMS_H
#define VARVE_API_VARVE_LOG_PARAMS_H

#include "api/selection.h"

/* The parameters of a query of log records (docs/logs.md). */
struct log_params {
	struct selection s; /* for the range and the ids */
	struct texts services, phrases, parts;
	struct store_log_match *matches;
	struct store_log_select select; /* points to the fields above */
};

/* Read all conditions. Return 0, -EINVAL or -ENOMEM. Fini in any case. */
MUST_USE int log_params_read(struct log_params *p, struct request *r, struct err *e);
void log_params_fini(struct log_params *p);

/* Read limit and cursor of a list of records. Return 0 or -EINVAL. */
MUST_USE int log_params_read_page(struct log_params *p, struct request *r, struct err *e);

/*
 * Parse a condition on an attribute: KEY=VALUE, KEY!=VALUE, KEY=~REGEX, KEY!~REGEX. Text borrows.
 * The caller frees out->regex. Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int log_match_parse(struct store_log_match *out, struct str text, struct err *e);

#endif
