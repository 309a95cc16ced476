/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_CHECK_CHECK_ROWS_H
#define VARVE_FORMAT_OTLP_CHECK_CHECK_ROWS_H

#include "format/otlp/check/checker.h"

/*
 * Report equal rows of tables. Sorts the attribute lists, which are sets, so positions in them must
 * not be reported afterwards. Return 0 or -ENOMEM.
 */
MUST_USE int check_equal_rows(struct otlp_checker *c);

/* Report samples of a profile with equal stack, attributes and link. Return 0 or -ENOMEM. */
MUST_USE int check_equal_samples(struct otlp_checker *c, const struct profile *p);

/* Report rows that nothing refers to. */
void check_orphans(struct otlp_checker *c);

#endif
