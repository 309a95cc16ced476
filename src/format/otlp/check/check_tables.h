/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_CHECK_CHECK_TABLES_H
#define VARVE_FORMAT_OTLP_CHECK_CHECK_TABLES_H

#include "format/otlp/check/checker.h"

/* Check the rows of all tables: row 0 is zero, indices are in range, numbers are valid. */
void check_dictionary(struct otlp_checker *c);

#endif
