/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_NUMBER_TEXT_H
#define VARVE_SIGNAL_METRIC_NUMBER_TEXT_H

#include "base/buf.h"

/*
 * Numbers as text: always the fewest digits that are read as the same double, and "NaN", "+Inf",
 * "-Inf". The styles differ in when an exponent is written.
 */
enum number_style {
	NUMBER_SHORT,	     /* below 0.0001 and from 1e+06 on: Go's %g */
	NUMBER_PLAIN,	     /* never: 1e21 is "1000000000000000000000" */
	NUMBER_JSON,	     /* below 1e-06 and from 1e+21 on: the answers of Prometheus' API */
	NUMBER_OPEN_METRICS, /* as NUMBER_SHORT, with at least one decimal: "1.0" */
};

/* Append a number. */
void number_text(struct buf *b, double value, enum number_style style);

#endif
