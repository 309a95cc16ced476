/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_HTTP_CHECK_H
#define VARVE_PIPELINE_RECEIVERS_HTTP_CHECK_H

#include "pipeline/receivers/httpcheck/httpcheck_settings.h"
#include "signal/otlp/payload.h"

/* The check of one address: a request, and metrics of its result. Used by one thread at a time. */
struct http_check;

/* Return 0, or a negative errno with text in `e`. The settings outlive the check. */
MUST_USE int http_check_new(struct http_check **out, const struct component_env *env,
			    const struct httpcheck_target *target, struct str endpoint,
			    const struct httpcheck_metrics *metrics, struct err *e);
void http_check_free(struct http_check *c); /* takes NULL */

/*
 * Send the request, following redirects, and return metrics with the time `time`; NULL without
 * memory. Blocks for at most the timeout of the target or `timeout_ns`.
 */
struct payload *http_check_run(struct http_check *c, uint64_t time, uint64_t timeout_ns);

#endif
