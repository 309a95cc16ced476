/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PROMETHEUS_PROMETHEUS_REQUEST_H
#define VARVE_API_PROMETHEUS_PROMETHEUS_REQUEST_H

#include "api/request.h"
#include "query/promql/promql.h"
#include "store/metric_store.h"
#include "wire/json_write.h"

/* What the requests of Prometheus' API have in common: parameters, selectors, times, envelopes. */

/* Of the paths, because our own API has /api/v1/labels and /api/v1/series. */
#define PROMETHEUS_PREFIX "/prometheus"
#define PROMETHEUS_API PROMETHEUS_PREFIX "/api/v1/"

/* A selection of series, which lives in the request's arena. */
struct prometheus_selection {
	struct store_metric_select select;
	struct promql_expr *selectors; /* of select.sets */
	uint32_t selector_count;
	uint64_t limit; /* of results; 0: none */
};

/*
 * Take the parameters of a form in the body, too, if there is one. Call it first. Return 0 or
 * -ENOMEM.
 */
MUST_USE int prometheus_read_form(struct request *r);

/*
 * Get a time in seconds with a fraction, or as RFC 3339: milliseconds since 1970. `initial` if it is
 * absent. Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int prometheus_time(struct request *r, const char *name, int64_t initial, int64_t *out,
			     struct err *e);

/*
 * Read match[], start, end and limit. Without start the last hour is selected, and without end the
 * present. Call prometheus_selection_fini() in any case. Return 0 or -errno.
 */
MUST_USE int prometheus_selection_read(struct prometheus_selection *s, struct request *r,
				       struct err *e);
void prometheus_selection_fini(struct prometheus_selection *s);

/* Return the store's metrics, or NULL with -ENOTSUP in `e`. */
const struct store_metric_ops *prometheus_store(struct request *r, struct err *e);

/* Begin {"status":"success","data": of a response. */
struct json_writer prometheus_open(struct reply *out);

/*
 * End the response, with warnings: those of an evaluation (`notes` of `query`, may be NULL), that
 * results were cut off at the limit, and what is missing. Return 0 or -ENOMEM.
 */
MUST_USE int prometheus_close_notes(struct json_writer *w, const struct request *r, bool cut,
				    const struct promql_annotations *notes, struct str query);
MUST_USE int prometheus_close(struct json_writer *w, const struct request *r, bool cut);

/*
 * Get a duration in seconds with a fraction, or as 1m30s: nanoseconds, 0 if it is absent or empty.
 * Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int prometheus_duration(struct request *r, const char *name, int64_t *ns, struct err *e);

/* Parse the parameter `query`; free *expr in any case. Return 0 or -errno. */
MUST_USE int prometheus_read_query(struct request *r, struct promql_expr *expr, struct err *e);

/* Read start and end; without start the last hour, without end the present. Return 0 or -errno. */
MUST_USE int prometheus_read_times(struct request *r, int64_t *from, int64_t *to, struct err *e);

/* The endpoints, each in the file of its subject; their paths are in prometheus_endpoints.c. */
api_answer prometheus_query, prometheus_query_range, prometheus_query_exemplars;
api_answer prometheus_format_query, prometheus_parse_query;
api_answer prometheus_labels, prometheus_label_values, prometheus_series, prometheus_metadata;
api_answer prometheus_build_info, prometheus_tsdb_status, prometheus_runtime_info;
api_answer prometheus_config, prometheus_flags, prometheus_wal_replay;
api_answer prometheus_healthy, prometheus_ready;
api_answer prometheus_targets, prometheus_target_metadata, prometheus_scrape_pools;
api_answer prometheus_federate, prometheus_read;

/* rules, alerts and alertmanagers. */
api_answer prometheus_rules, prometheus_alerts, prometheus_alertmanagers;

#endif
