/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_ANSWERS_H
#define VARVE_API_DRIFT_DRIFT_ANSWERS_H

#include "api/drift/drift_monitor.h"
#include "base/buf.h"

/* What the API shows of drift besides GET /api/v1/drift (varve.h). The monitor may be NULL. */

/* What a caller wants to see, and may. */
struct drift_filter {
	struct str tenant, services; /* of the caller; services: separated by commas, empty: all */
	struct str service, type;    /* empty: all */
	uint64_t from, to;	     /* events that were found in this range of nanoseconds */
	unsigned kinds;		     /* 1 << enum drift_kind; 0: all */
};

/*
 * Append the events to an open array, as events of /api/v1/events: time, service, action, actor,
 * detail, and the page that compares before and after.
 */
void drift_put_marks(struct drift_monitor *m, const struct drift_filter *filter,
		     struct json_writer *w);

/* Append the metrics of the monitor in Prometheus text format. */
void drift_metrics(struct drift_monitor *m, uint64_t now, struct buf *out);

/* Append the member "drift" of the status. */
void drift_put_status(struct drift_monitor *m, struct json_writer *w);

#endif
