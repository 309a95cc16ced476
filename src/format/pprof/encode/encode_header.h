/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_ENCODE_ENCODE_HEADER_H
#define VARVE_FORMAT_PPROF_ENCODE_ENCODE_HEADER_H

#include "format/pprof/encode/encoder.h"

/* Plan the columns: the sample types of the file, and the column of each profile. 0 or -errno. */
MUST_USE int pprof_plan_columns(struct pprof_encoder *x);

/* Plan the fields that occur once per file: comments, period, times, etc. Return 0 or -errno. */
MUST_USE int pprof_plan_header(struct pprof_encoder *x);

#endif
