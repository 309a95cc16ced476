/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SERVER_ITEMS_COUNT_H
#define VARVE_TESTS_SERVER_ITEMS_COUNT_H

#include <stdint.h>

#include "signal/signal_kind.h"

/*
 * Compare the items in `outputs`, files of the exporter `file` in protobuf, with the numbers of
 * requests in the file `acknowledged` (may be NULL), each of `per_request` items. Print a line of
 * JSON. Return 1 if acknowledged items are missing, 2 on an error.
 */
int items_count(enum signal_kind signal, uint64_t base, uint32_t per_request,
		const char *acknowledged, char *const *outputs, int output_count);

#endif
