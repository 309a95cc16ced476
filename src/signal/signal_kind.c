/* SPDX-License-Identifier: Apache-2.0 */
/* The names of signals. */
#include "signal/signal_kind.h"

const char *const signal_names[SIGNALS] = {"profiles", "traces", "metrics", "logs"};
const char *const signal_items[SIGNALS] = {"profile_samples", "spans", "metric_points",
					   "log_records"};
