/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SEALED_VFS_H
#define VARVE_STORE_SQLITE_SEALED_VFS_H

#include <sqlite3.h>

#include "seal/key_block.h"

/*
 * A layer of SQLite's VFS that encrypts database files and write-ahead logs with AES-256-GCM.
 * docs/encryption.md describes the files, docs/adr/0016 the decision.
 *
 * A database file that has no key block is read and written as it is. A file that is created while
 * there are keys is encrypted. Without keys, an encrypted file is not opened (-ENOKEY).
 *
 * Of an encrypted file, the database file begins with a key block; each page of 4,096 bytes follows
 * at its place, with nonce and tag in the 32 bytes that SQLite reserves at the end of a page. A
 * page is authenticated with the id of the file and its number. The log is described in
 * sealed_log.h. Other files of SQLite are refused: rollback journals and temporary files, whose
 * content would be in clear. db_open() has SQLite keep both in memory.
 *
 * Any thread; each file is used by one thread at a time, as SQLite does.
 */
struct sealed_vfs;

/*
 * Register a layer. `keys` may be NULL; a reference is taken. `log` is borrowed; NULL: silent.
 * Return 0 or -ENOMEM.
 */
MUST_USE int sealed_vfs_new(struct sealed_vfs **out, struct key_ring *keys, const struct log *log);
void sealed_vfs_free(struct sealed_vfs *v); /* no file may be open; takes NULL */

/* Return the name for sqlite3_open_v2(). */
const char *sealed_vfs_name(const struct sealed_vfs *v);

/* Return whether files that are created are encrypted. */
bool sealed_vfs_has_keys(const struct sealed_vfs *v);

/* Return whether the open database is encrypted and has no page yet. */
bool sealed_vfs_is_new(sqlite3 *db);

enum { SEALED_PAGE = 4096, SEALED_RESERVE = 32 };

/*
 * Copy the reason of the last failure in a layer on this thread to `e` and forget it. Return the
 * negative errno, or 0 if there was none.
 */
int sealed_vfs_take_error(struct err *e);
void sealed_vfs_forget_error(void);

/*
 * Check the key block of a database file that this process does not have open. Return 0 for one
 * that can be opened or is not encrypted or does not exist, -ENOKEY, or -EUCLEAN. Set *encrypted.
 */
MUST_USE int sealed_vfs_check(const char *path, struct key_ring *keys, bool *encrypted,
			      struct err *e);

#endif
