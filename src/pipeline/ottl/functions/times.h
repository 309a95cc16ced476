/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_TIMES_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_TIMES_H

#include "pipeline/ottl/ottl_call.h"

/* Points in time and durations: Now, Time, FormatTime, Duration, Hour ... */
extern const struct ottl_function ottl_time_functions[];

#endif
