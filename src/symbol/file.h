/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_FILE_H
#define VARVE_SYMBOL_FILE_H

#include "base/container/map.h"
#include "base/container/vec.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

/* The inside of a symbol file; private to this part. */

enum { SYMBOL_TABLES_MAX = 3 };

/* The names of a function, cached at the first lookup. */
struct symbol_names {
	struct str name, system_name;
};

/* A section that was read. */
struct symbol_section {
	const struct elf_section *section;
	struct str bytes;
};

struct symbol_file {
	struct symbol_options options;
	struct arena arena;
	struct source source;
	struct elf elf;
	struct symbol_table tables[SYMBOL_TABLES_MAX]; /* the most complete first, stubs last */
	uint32_t table_count;
	struct source debug_source; /* the separate debug file; path is NULL: none */
	struct elf debug_elf;
	struct map names; /* table << 32 | entry to struct symbol_names * */
	VEC(struct symbol_section) sections;
	struct symbol_dwarf *dwarf; /* NULL: not available, or not opened yet */
	bool dwarf_tried;
};

#endif
