/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODE_DECODE_LABELS_H
#define VARVE_FORMAT_PPROF_DECODE_DECODE_LABELS_H

#include "format/pprof/decode/decoder.h"

/*
 * Read a label of the current sample. A label that repeats an earlier one becomes an attribute at
 * once; others are collected in d->labels. Return 0 or -errno.
 */
MUST_USE int pprof_read_label(struct pprof_decoder *d, uint32_t sample, struct str body);

/*
 * Convert the labels in d->labels to attributes and a link, at the end of the sample with message
 * `body`. Set *link if they contain one. Return 0 or -errno.
 */
MUST_USE int pprof_end_labels(struct pprof_decoder *d, uint32_t sample, struct str body,
			      uint32_t *link);

/*
 * Set *out to the attribute of a label that is the only one of its sample. Return false if the
 * label is empty, part of a link, or invalid.
 */
bool pprof_label_attribute(struct pprof_decoder *d, struct str body, struct attribute *out);

#endif
