/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DWARF_H
#define VARVE_SYMBOL_DWARF_H

#include "symbol/symbol.h"

/*
 * Lines and inlined calls by libdw. It is loaded when a file is first asked for lines; where it is not installed, or the
 * file has no DWARF, there are names only. The debug information is read into memory, not mapped, and charged to
 * the budget before; no descriptor stays open.
 */
struct symbol_dwarf;

/* The calls at `address` as symbol_lookup() has them; 0 when DWARF does not know. Opens f's DWARF at the first call. */
uint32_t symbol_dwarf_lookup(struct symbol_file *f, uint64_t address,
			     struct symbol_frame frames[SYMBOL_INLINE_MAX]);

/* Complete the outermost frame of symbol_dwarf_lookup() by what the symbol table says. */
void symbol_dwarf_merge(struct symbol_frame *frame, const struct symbol_frame *function);

/* Bytes of memory it holds. Takes NULL. */
size_t symbol_dwarf_bytes(const struct symbol_dwarf *d);
void symbol_dwarf_close(struct symbol_dwarf *d);

#endif
