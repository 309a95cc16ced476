/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COMMIT_H
#define VARVE_STORE_SQLITE_COMMIT_H

#include "store/sqlite/write/writer_side.h"

/*
 * A commit has three steps: seal the pending rows, write them durably, and publish or discard them.
 * The writer thread does all three; it holds map_mu for the first and the last.
 */

/* Move the pending rows to `sealed`, and encode the new rows of books. Return 0 or -errno. */
MUST_USE int writer_seal(struct partition *p, struct err *e);

/* Write the sealed rows in one transaction, and publish the new directory. Return 0 or -errno. */
MUST_USE int writer_commit(struct partition *p, struct err *e);

/* End the commit: release its rows; `rc` is its result. On error discard the pending rows too. */
void writer_commit_end(struct partition *p, int rc);

/* Insert a blob, inside a transaction, and set *id. Return 0 or -errno. */
MUST_USE int writer_put_blob(struct writer_side *side, enum frame_kind kind, struct str frame,
			     uint64_t *id, struct err *e);

#endif
