/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/dwarf.h"

uint32_t symbol_dwarf_lookup(struct symbol_file *f, uint64_t address,
			     struct symbol_frame frames[SYMBOL_INLINE_MAX])
{
	(void)f;
	(void)address;
	(void)frames;
	return 0;
}

void symbol_dwarf_merge(struct symbol_frame *frame, const struct symbol_frame *function)
{
	(void)frame;
	(void)function;
}

size_t symbol_dwarf_bytes(const struct symbol_dwarf *d)
{
	(void)d;
	return 0;
}

void symbol_dwarf_close(struct symbol_dwarf *d)
{
	(void)d;
}
