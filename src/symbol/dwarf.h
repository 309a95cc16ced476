/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DWARF_H
#define VARVE_SYMBOL_DWARF_H

#include "symbol/symbol.h"

/*
 * Finds lines and inlined calls through libdw. The library is loaded at the first lookup; where it
 * is not installed or the file has no DWARF, lookups find nothing. Debug information is read into
 * memory, not mapped, after its size was charged to the budget; no descriptor stays open.
 */
struct symbol_dwarf;

/*
 * Look up the calls at `address` as symbol_lookup() does; return 0 when DWARF does not cover it.
 * Opens f's DWARF at the first call.
 */
uint32_t symbol_dwarf_lookup(struct symbol_file *f, uint64_t address,
			     struct symbol_frame frames[SYMBOL_INLINE_MAX]);

/* Complete the outermost frame of symbol_dwarf_lookup() by the symbol tables' function. */
void symbol_dwarf_merge(struct symbol_frame *frame, const struct symbol_frame *function);

/* Return the bytes of memory held; 0 for NULL. */
size_t symbol_dwarf_bytes(const struct symbol_dwarf *d);
void symbol_dwarf_close(struct symbol_dwarf *d);

#endif
