/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEBUG_FILE_H
#define VARVE_SYMBOL_DEBUG_FILE_H

#include "symbol/inside.h"

/*
 * Find and open the separate debug file of `f`, if it has one and needs it (no .symtab, or lines are asked for and it has no
 * .debug_info): f->debug_source and f->debug_elf. By build id below the debug directory, else by .gnu_debuglink beside the file, in
 * .debug beside it, and below the debug directory. It must have the same build id, or the CRC that the link says. Not
 * finding one is no error. A file in memory has none.
 */
void symbol_find_debug_file(struct symbol_file *f);

/*
 * Open the file that debug files share (dwz), by build id below f's debug directory, or by the name that the link has. `source`
 * may be open in either case and is paused by the caller. False: there is none with that build id.
 */
bool symbol_open_shared(const struct symbol_file *f, struct str id, const char *name,
			struct source *source, struct elf *elf, struct arena *a);

/*
 * The ELF file in .gnu_debugdata, unpacked into `a` by liblzma, which is loaded for it. 0; -ENOENT: no such section or no
 * liblzma; -EBADMSG: not xz, or larger than it may be; -ENOMEM.
 */
MUST_USE int symbol_read_debugdata(const struct elf *elf, struct arena *a, struct str *out);

#endif
