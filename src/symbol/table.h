/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_TABLE_H
#define VARVE_SYMBOL_TABLE_H

#include "symbol/elf.h"

/*
 * The functions of one ELF symbol table, sorted by address: 12 bytes each, and their names.
 *
 * Up to SYMBOL_NAMES_KEPT bytes of names are kept, NUL-terminated, one after the other. When there are more, as in large C++
 * programs, names stay in the file and are read when they are asked for: of a hundred thousand functions
 * a profile shows some hundred.
 *
 * Immutable after symbol_table_read().
 */
struct symbol_entry {
	uint32_t start; /* above table->base */
	uint32_t size;	/* never 0 */
	uint32_t
		name; /* offset of the name in table->names, or in the file's strings; of a stub: which symbol */
};

struct symbol_table {
	struct symbol_entry *entries;
	uint32_t count;
	uint64_t base;
	struct str names;	    /* kept; p is NULL: they are in the file */
	struct source *source;	    /* borrowed */
	struct elf_symbols symbols; /* where it was read from */
	bool stubs;		    /* by which the program calls into other files, not functions */
};

#define SYMBOL_NAMES_KEPT (256 * KIB)
enum { SYMBOL_NAME_MAX = 4096 }; /* bytes of a name; what is longer is cut */

/*
 * Read the functions of `from` (a table of `elf`) that lie in code of `program`: `elf` itself, or the program that it has the
 * symbols of. `kept` is how many bytes of names are kept. The entries live in `a`; a scratch arena with the same budget is
 * given back. 0, -ENOMEM, or an errno of reading; on error the table is empty.
 */
MUST_USE int symbol_table_read(struct symbol_table *t, const struct elf *elf,
			       const struct elf_symbols *from, const struct elf *program,
			       size_t kept, struct arena *a);

/*
 * The same for the stubs by which a program calls functions of other files, named after those; no symbol table has them. Only
 * x86_64; empty where there are none. 0, -ENOMEM, or an errno of reading.
 */
MUST_USE int symbol_table_read_stubs(struct symbol_table *t, const struct elf *elf,
				     struct arena *a);

/* The entry that holds the address (the one that begins last), or NULL. */
const struct symbol_entry *symbol_table_find(const struct symbol_table *t, uint64_t address);

/*
 * Its name without version ("memcpy", not "memcpy@@GLIBC_2.14"), borrowed from the table or copied to `a`. Empty when the
 * file cannot be read any more or memory is out. Opens and closes the source for names that are in the file.
 */
struct str symbol_table_name(const struct symbol_table *t, const struct symbol_entry *entry,
			     struct arena *a);

#endif
