/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODE_DECODE_SAMPLES_H
#define VARVE_FORMAT_PPROF_DECODE_DECODE_SAMPLES_H

#include "format/pprof/decode/decoder.h"

/*
 * Decode all samples. Resource, scope, profiles and tables are already in the batch. 0 or -errno.
 */
MUST_USE int pprof_decode_samples(struct pprof_decoder *d);

/* Decode one sample, into the batch or for the merge. Return 0 or -errno. */
MUST_USE int pprof_decode_sample(struct pprof_decoder *d, struct str body, uint32_t sample);

#endif
