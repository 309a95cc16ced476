/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_ENCODE_ENCODE_LABELS_H
#define VARVE_FORMAT_PPROF_ENCODE_ENCODE_LABELS_H

#include "format/pprof/encode/encoder.h"

/*
 * Set *id to the id of a string in the file, adding it if it is new. `s` must live in or outlive
 * the encoder's arena. Return 0 or -errno.
 */
MUST_USE int pprof_out_string(struct pprof_encoder *x, struct str s, uint32_t *id);

/* Do the same for a string of the batch. */
MUST_USE int pprof_out_batch_string(struct pprof_encoder *x, uint32_t string, uint32_t *id);

/*
 * Set *out to the text of a value, in the arena or borrowed: strings as they are, bytes in hex,
 * other values as JSON. Return 0 or -errno.
 */
MUST_USE int pprof_value_text(struct pprof_encoder *x, const struct value *v, struct str *out);

/* Create the labels of an attribute, of a link, or of all resources. Return 0 or -errno. */
MUST_USE int pprof_make_attribute_labels(struct pprof_encoder *x, uint32_t attribute);
MUST_USE int pprof_make_link_labels(struct pprof_encoder *x, uint32_t link);
MUST_USE int pprof_make_resource_labels(struct pprof_encoder *x);

/* Return whether all resources have this attribute with the same value. */
bool pprof_is_common_attribute(const struct profile_batch *b, const struct keyvalue *pair);

#endif
