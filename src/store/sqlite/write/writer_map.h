/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_MAP_H
#define VARVE_STORE_SQLITE_WRITER_MAP_H

#include "store/sqlite/write/writer_side.h"

/*
 * Add the profiles of the write that lie in the partition's day to the pending rows. Reads nothing
 * from the disk. Return 0; -EINPROGRESS: *need has to be loaded (writer_load()) and this function
 * called again with the same *need, which is zero at first; or -errno. On error nothing is added.
 * map_mu is held.
 */
MUST_USE int writer_map(struct partition *p, struct store_write *w, struct writer_need *need,
			struct err *e);

#endif
