/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_PROFILE_SORT_H
#define VARVE_TEST_PROFILE_SORT_H

#include "signal/profile/profile.h"

/*
 * Normalize `src` into `dst`, an empty batch, with tables and samples sorted by content instead of
 * by first use: two batches with the same content in any order become byte-identical. 0, -ENOMEM or
 * -EOVERFLOW.
 */
MUST_USE int profile_sort(struct profile_batch *dst, const struct profile_batch *src);

#endif
