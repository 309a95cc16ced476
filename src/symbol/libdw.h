/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_LIBDW_H
#define VARVE_SYMBOL_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

#include "symbol/elf.h"

/*
 * libdw, loaded at run time: what we call of it, by the types of its header. Nothing of ours is linked with it.
 *
 * Two habits of it do not fit a guest, and are avoided here: it maps files (so we open them for reading, let it load the debug
 * sections at once, and take the descriptor back), and it ends the process when memory is out (so it gets a handler; see dwarf.c).
 */
#define LIBDW_FUNCTIONS(X)                                                                         \
	X(elf_version)                                                                             \
	X(elf_begin)                                                                               \
	X(elf_cntl)                                                                                \
	X(elf_end)                                                                                 \
	X(dwarf_begin_elf)                                                                         \
	X(dwarf_end)                                                                               \
	X(dwarf_new_oom_handler)                                                                   \
	X(dwarf_setalt)                                                                            \
	X(dwelf_dwarf_gnu_debugaltlink)                                                            \
	X(dwarf_nextcu)                                                                            \
	X(dwarf_offdie)                                                                            \
	X(dwarf_dieoffset)                                                                         \
	X(dwarf_child)                                                                             \
	X(dwarf_siblingof)                                                                         \
	X(dwarf_tag)                                                                               \
	X(dwarf_ranges)                                                                            \
	X(dwarf_haspc)                                                                             \
	X(dwarf_attr)                                                                              \
	X(dwarf_attr_integrate)                                                                    \
	X(dwarf_formstring)                                                                        \
	X(dwarf_formudata)                                                                         \
	X(dwarf_formref_die)                                                                       \
	X(dwarf_getsrc_die)                                                                        \
	X(dwarf_linesrc)                                                                           \
	X(dwarf_lineno)                                                                            \
	X(dwarf_getsrcfiles)                                                                       \
	X(dwarf_filesrc)

struct libdw {
	void *library;
#define LIBDW_POINTER(name) __typeof__(&name) name;
	LIBDW_FUNCTIONS(LIBDW_POINTER)
#undef LIBDW_POINTER
};

/* The debug information of one ELF file. */
struct libdw_file {
	Elf *elf;
	Dwarf *dwarf;
	size_t bytes; /* that were charged to the budget */
};

/* Load it. False where it is not installed, or too old. */
bool libdw_load(struct libdw *l);
void libdw_unload(struct libdw *l);

/* Read the debug sections of `elf`, whose source is open. False: it has none, they are too large, or not what they should be. */
bool libdw_open(const struct libdw *l, struct libdw_file *file, const struct elf *elf,
		struct budget *budget);
void libdw_close(const struct libdw *l, struct libdw_file *file, struct budget *budget);

#endif
