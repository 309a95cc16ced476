/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_MEMORY_STORE_H
#define VARVE_TEST_MEMORY_STORE_H

#include "store/store.h"

/*
 * A store that keeps all data unprocessed in memory and scans all of it for each query: slow, but
 * simple enough to be correct. Query tests run on it, and it is the oracle for real stores.
 *
 * * put() calls done() before it returns. A stored profile is one profile of one series that has at
 * least one sample; stats and remove count those.
 */
MUST_USE int memory_store_open(struct store **out);

#endif
