/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_CACHE_H
#define VARVE_SYMBOL_CACHE_H

#include "symbol/symbol.h"

/*
 * A cache of open symbol files, by path and identity (device, inode, size, mtime). It holds at most
 * max_bytes: the least recently used file is closed. A borrowed file is valid until the next
 * symbol_cache_get(). One thread at a time.
 */
struct symbol_cache;

/* Make a cache whose files are opened with the options `o` (may be NULL). Return 0 or -ENOMEM. */
MUST_USE int symbol_cache_new(struct symbol_cache **out, size_t max_bytes,
			      const struct symbol_options *o);
void symbol_cache_free(struct symbol_cache *c);

/* Return the file at `path`, or NULL when it cannot be opened; a failure is cached for a minute. */
struct symbol_file *symbol_cache_get(struct symbol_cache *c, const char *path);

#endif
