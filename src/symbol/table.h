/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_TABLE_H
#define VARVE_SYMBOL_TABLE_H

#include "symbol/elf.h"

/*
 * The functions of one ELF symbol table, sorted by address, at 12 bytes each, and their names.
 *
 * Up to `kept` bytes of names are held in memory, NUL-terminated and contiguous. If there are more,
 * as in large C++ programs, names stay in the file and are read on demand: of a hundred thousand
 * functions, a profile shows a few hundred.
 *
 * Immutable after symbol_table_read().
 */
struct symbol_entry {
	uint32_t start; /* relative to table->base */
	uint32_t size;	/* never 0 */
	/* offset in table->names or in the file's strings; for a stub, the index of its symbol */
	uint32_t name;
};

struct symbol_table {
	struct symbol_entry *entries;
	uint32_t count;
	uint64_t base;
	struct str names;	    /* p is NULL: names are in the file */
	struct source *source;	    /* borrowed */
	struct elf_symbols symbols; /* where the table was read from */
	bool stubs;		    /* entries are PLT stubs, not functions */
};

#define SYMBOL_NAMES_KEPT (256 * KIB)
enum { SYMBOL_NAME_MAX = 4096 }; /* bytes; longer names are truncated */

/*
 * Read the functions of `from`, a symbol table of `elf`, that lie in code of `program`: `elf`
 * itself, or the program whose symbols `elf` has. Keep up to `kept` bytes of names in memory.
 * Entries are allocated in `a`; temporary memory is charged to the same budget. Return 0, -ENOMEM,
 * or an errno of reading; on error the table is empty.
 */
MUST_USE int symbol_table_read(struct symbol_table *t, const struct elf *elf,
			       const struct elf_symbols *from, const struct elf *program,
			       size_t kept, struct arena *a);

/*
 * The same for PLT stubs, by which a program calls functions of other files; they are in no symbol
 * table and get the names of those functions. x86_64 only; empty when there are none. Return 0,
 * -ENOMEM, or an errno of reading. (plt.c)
 */
MUST_USE int symbol_table_read_stubs(struct symbol_table *t, const struct elf *elf,
				     struct arena *a);

/* Return the entry that contains the address, the one with the highest start, or NULL. */
const struct symbol_entry *symbol_table_find(const struct symbol_table *t, uint64_t address);

/*
 * Return an entry's name without its version ("memcpy", not "memcpy@@GLIBC_2.14"), borrowed from
 * the table or copied to `a`. Return an empty slice when the file cannot be read any more or
 * without memory. Names that are in the file are read with source_resume() and source_pause().
 */
struct str symbol_table_name(const struct symbol_table *t, const struct symbol_entry *entry,
			     struct arena *a);

#endif
