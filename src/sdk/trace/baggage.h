/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_BAGGAGE_H
#define VARVE_SDK_TRACE_BAGGAGE_H

#include "base/err.h"
#include "varve/varve.h"

/*
 * W3C baggage (https://www.w3.org/TR/baggage/). A struct varve_baggage is the header's text,
 * checked and without optional white space, with a count of references; values are decoded when
 * they are read.
 */
enum {
	BAGGAGE_BYTES = 8192,
	BAGGAGE_ENTRIES = 180,
	BAGGAGE_LABELS = 8,
};

/*
 * Set the keys whose entries become labels of samples: "tenant,plan"; NULL: none. 0, -EINVAL or
 * -ENOMEM.
 */
MUST_USE int baggage_set_labels(const char *keys, struct err *e);

#endif
