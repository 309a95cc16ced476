/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_MEMORY_STORE_H
#define VARVE_TEST_MEMORY_STORE_H

#include "store/store.h"

/*
 * A store that keeps everything in memory as it came and answers by looking at all of it: slow,
 * and right by construction. Tests of queries run on it, and it is the oracle of the real ones.
 *
 * put() calls done() before it returns. A stored profile is one profile of one series that has at
 * least one sample; stats and remove count those.
 */
MUST_USE int memory_store_open(struct store **out);

#endif
