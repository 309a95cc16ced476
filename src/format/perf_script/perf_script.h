/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PERF_SCRIPT_H
#define VARVE_FORMAT_PERF_SCRIPT_H

#include "format/format.h"

/* The text that `perf script` prints, with any choice of fields (-F). Decoder only. */
extern const struct format format_perf_script;

#endif
