/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_ENCODE_ENCODE_ROWS_H
#define VARVE_FORMAT_PPROF_ENCODE_ENCODE_ROWS_H

#include "format/pprof/encode/encoder.h"

/* Plan the samples of the file from those of the batch, after the columns. Return 0 or -errno. */
MUST_USE int pprof_plan_rows(struct pprof_encoder *x);

#endif
