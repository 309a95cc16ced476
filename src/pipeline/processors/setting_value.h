/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_SETTING_VALUE_H
#define VARVE_PIPELINE_PROCESSORS_SETTING_VALUE_H

#include "config/settings.h"
#include "signal/value.h"

/*
 * A setting whose type is that of the value in YAML: text, a number, true or false. Numbers in
 * quotes are text.
 */
struct setting_value {
	bool set;
	struct value value; /* borrows text of the configuration */
};

/* Fill a struct setting_value. */
setting_reader setting_value_read;

#endif
