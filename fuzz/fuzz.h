/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FUZZ_FUZZ_H
#define VARVE_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/*
 * Memory limit of a decoder under test: far below libFuzzer's own limit, so that the budget stops
 * allocations of bogus sizes before the machine does.
 */
#define FUZZ_BUDGET (256 * MIB)

/* Check an invariant. Unlike assert(), this works in a release build, too. */
#define FUZZ_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The entry point for libFuzzer, called once for each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
