/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FUZZ_FUZZ_H
#define VARVE_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* What a decoder under test may hold: far below libFuzzer's own limit, so that a lie about a size
 * is found by the budget and not by the machine. */
#define FUZZ_BUDGET (256 * MIB)

/* An invariant. Unlike assert() it also holds in a release build. */
#define FUZZ_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* libFuzzer's entry point, called once an input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
