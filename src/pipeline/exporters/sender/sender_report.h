/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_REPORT_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_REPORT_H

#include "base/buf.h"
#include "pipeline/exporters/sender/sender_list.h"
#include "wire/json_write.h"

/* The statistics of exporters, for /metrics and for status pages. Any thread. */

/* Append them in Prometheus' text format: varve_exporter_*. */
void sender_report_metrics(struct sender_list *l, struct buf *out);

/* Write them as a list of objects. */
void sender_report_json(struct sender_list *l, struct json_writer *w);

#endif
