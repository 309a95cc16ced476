/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_SCAN_H
#define VARVE_FORMAT_OTLP_DECODE_SCAN_H

#include "format/otlp/decode/decoder.h"

/*
 * Count the rows of all tables of the message, record where they are, append its strings to the
 * batch, and set d->rows, d->parts and d->has_profiles. Return 0 or -errno.
 */
MUST_USE int otlp_scan_dictionary(struct otlp_decoder *d, struct str message);

/*
 * Report missing tables, and tables that do not begin with the zero row, as repairs. 0 or -errno.
 */
MUST_USE int otlp_report_tables(struct otlp_decoder *d);

#endif
