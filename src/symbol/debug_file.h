/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEBUG_FILE_H
#define VARVE_SYMBOL_DEBUG_FILE_H

#include "symbol/file.h"

/*
 * Find and open the separate debug file of `f`, if `f` needs it (no .symtab, or `lines` is set and
 * there is no .debug_info), and set f->debug_source and f->debug_elf. Search by build id below the
 * debug directory, then by .gnu_debuglink next to the file, in .debug next to it, and below the
 * debug directory. The debug file must have the same build id or the CRC of the link. Finding none
 * is no error. A file in memory has none.
 */
void symbol_find_debug_file(struct symbol_file *f);

/*
 * Open the supplementary debug file that debug files share (dwz), by build id below f's debug
 * directory, or by the name in the link. The caller must call source_pause() on `source` whatever
 * is returned. Return false when no file has that build id.
 */
bool symbol_open_shared(const struct symbol_file *f, struct str id, const char *name,
			struct source *source, struct elf *elf, struct arena *a);

#endif
