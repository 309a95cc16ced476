/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODE_DECODE_FAST_PATH_H
#define VARVE_FORMAT_PPROF_DECODE_DECODE_FAST_PATH_H

#include "format/pprof/decode/decoder.h"

/* Add all samples to the merge. Return 0 or -errno. */
MUST_USE int pprof_merge_samples(struct pprof_decoder *d);

#endif
