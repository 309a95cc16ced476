/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEBUGDATA_H
#define VARVE_SYMBOL_DEBUGDATA_H

#include "symbol/elf.h"

/*
 * Unpack the ELF file in .gnu_debugdata into `a` by liblzma, which is loaded for it. Return 0;
 * -ENOENT without such a section or without liblzma; -EBADMSG when the section is not xz or exceeds
 * the size limits; -ENOMEM; or an error of reading.
 */
MUST_USE int symbol_read_debugdata(const struct elf *elf, struct arena *a, struct str *out);

#endif
