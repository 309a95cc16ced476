/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_TEXT_BATCH_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_TEXT_BATCH_H

#include "signal/metric/metric_batch.h"

/* Metrics in Prometheus' text format as a batch, for text of this process. */
struct text_batch_options {
	int64_t time; /* of samples without one: milliseconds since 1970 */
	/* Labels that every series gets; they replace its own of the same name. */
	const struct label *labels;
	uint32_t label_count;
	bool metadata; /* add types and help texts */
};

/*
 * Add the samples of the text to the batch. Series whose labels are not valid are counted in
 * batch->rejected. Return 0, -ENOMEM, or -EBADMSG with the line in `e`.
 */
MUST_USE int text_batch_add(struct metric_batch *b, struct str text,
			    const struct text_batch_options *o, struct err *e);

#endif
