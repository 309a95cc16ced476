/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_LIBDW_H
#define VARVE_SYMBOL_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

#include "symbol/elf.h"

/*
 * libdw, loaded at run time: the functions we call, typed by its headers. Nothing is linked with
 * it.
 *
 * Two of its habits are unacceptable inside another program, and are avoided: it maps files (so we
 * open them for reading, have it load the debug sections at once, and take the descriptor back),
 * and it exits the process when out of memory (so it gets a handler; see dwarf.c).
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
	size_t bytes; /* charged to the budget */
};

/* Load the library. Return false when it is not installed or too old. */
bool libdw_load(struct libdw *l);
void libdw_unload(struct libdw *l);

/*
 * Read the debug sections of `elf`, whose source must be open. Return false when there are none, or
 * they are malformed or exceed the budget.
 */
bool libdw_open(const struct libdw *l, struct libdw_file *file, const struct elf *elf,
		struct budget *budget);
void libdw_close(const struct libdw *l, struct libdw_file *file, struct budget *budget);

#endif
