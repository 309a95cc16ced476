/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_ELF_H
#define VARVE_SYMBOL_ELF_H

#include "symbol/source.h"

/*
 * The tables of contents of an ELF file: 64 bits, little-endian, x86_64 or arm64 (as our hosts are, so that fields are read
 * as they stand). Only the header must be right. Segments and sections that point outside of the file are as if they were
 * not there, and a file without sections still has its dynamic symbols by way of the dynamic segment.
 *
 * Immutable after elf_read().
 */
struct elf_segment {
	uint64_t address, memory_size; /* the end does not overflow */
	uint64_t offset,
		file_size; /* inside of the file, but in debug files, whose segments are empty */
	bool code;	   /* may be executed */
};

struct elf_section {
	struct str name;
	uint32_t type, link;
	uint64_t flags, address, offset, size, entry_size;
};

enum { ELF_SEGMENTS_MAX = 128, ELF_SECTIONS_MAX = 1 << 16 };

struct elf {
	struct source *source; /* borrowed */
	uint16_t machine;
	struct elf_segment *segments; /* those that are loaded */
	uint32_t segment_count;
	struct elf_section *sections; /* sections[0] is the null section */
	uint32_t section_count;
	uint64_t dynamic_offset, dynamic_size; /* of the dynamic segment; 0: none */
	struct str build_id;		       /* raw; empty: none */
};

/* Where a symbol table and its strings stand in the file; both inside of it. */
struct elf_symbols {
	uint64_t offset, count;
	uint64_t names_offset, names_size;
};

/* Read header, segments, sections and build id into `a`. 0; -EBADMSG with the reason in `e`; -ENOMEM; an errno of reading. */
MUST_USE int elf_read(struct elf *elf, struct source *source, struct arena *a, struct err *e);

/* The section of that name that has bytes in the file, or NULL. */
const struct elf_section *elf_find_section(const struct elf *elf, const char *name);

/* The symbol table of that section type (SHT_SYMTAB, SHT_DYNSYM). False: there is none. */
bool elf_find_symbols(const struct elf *elf, uint32_t type, struct elf_symbols *out);

/* The dynamic symbols without section headers, as the dynamic linker finds them. */
bool elf_find_dynamic_symbols(const struct elf *elf, struct elf_symbols *out);

/* The loaded segment with that address, or NULL. */
const struct elf_segment *elf_segment_at(const struct elf *elf, uint64_t address);

/* Where the first of them begins; UINT64_MAX: there are none. */
uint64_t elf_lowest_address(const struct elf *elf);

#endif
