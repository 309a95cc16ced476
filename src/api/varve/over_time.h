/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_OVER_TIME_H
#define VARVE_API_VARVE_OVER_TIME_H

#include "api/request.h"

/*
 * Answer with the values of a label and the total of each, the largest first. Like an api_answer.
 */
MUST_USE int varve_label_totals(struct request *r, struct str name, struct reply *out,
				struct err *e);

#endif
