/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_JFR_H
#define VARVE_FORMAT_JFR_JFR_H

#include "format/format.h"

/* The format of JDK Flight Recorder and async-profiler. Decoder only. Implemented by jfr.c. */
extern const struct format format_jfr;

#endif
