/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_ELF_H
#define VARVE_SYMBOL_ELF_H

#include "symbol/source.h"

/*
 * Reads the structure of an ELF file: 64-bit, little-endian, x86_64 or arm64 (hosts have the same
 * byte order, so fields are read in place). Only the header must be valid. Segments and sections
 * that exceed the file are ignored. Dynamic symbols are found by the dynamic segment in a file
 * without sections.
 *
 * Immutable after elf_read().
 */
struct elf_segment {
	uint64_t address, memory_size; /* the end does not overflow */
	/* within the file, except in debug files, whose segments have no bytes: both are 0 */
	uint64_t offset, file_size;
	bool code; /* executable */
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
	struct elf_segment *segments; /* loadable ones */
	uint32_t segment_count;
	struct elf_section *sections; /* sections[0] is the null section */
	uint32_t section_count;
	uint64_t dynamic_offset, dynamic_size; /* of the dynamic segment; 0: none */
	struct str build_id;		       /* raw; empty: none */
};

/* The location of a symbol table and of its strings; both are within the file. */
struct elf_symbols {
	uint64_t offset, count;
	uint64_t names_offset, names_size;
};

/*
 * Read header, segments, sections and build id into `a`. Return 0, -EBADMSG with the reason in `e`,
 * -ENOMEM, or an errno of reading.
 */
MUST_USE int elf_read(struct elf *elf, struct source *source, struct arena *a, struct err *e);

/* Return the section of that name if it has bytes in the file, else NULL. */
const struct elf_section *elf_find_section(const struct elf *elf, const char *name);

/* Find the symbol table of a section type (SHT_SYMTAB, SHT_DYNSYM). Return false without one. */
bool elf_find_symbols(const struct elf *elf, uint32_t type, struct elf_symbols *out);

/* Find the dynamic symbols without section headers, as the dynamic linker does. (elf_dynamic.c) */
bool elf_find_dynamic_symbols(const struct elf *elf, struct elf_symbols *out);

/* Return the loadable segment with that address, or NULL. */
const struct elf_segment *elf_segment_at(const struct elf *elf, uint64_t address);

/* Return the lowest address of all segments; UINT64_MAX without segments. */
uint64_t elf_lowest_address(const struct elf *elf);

#endif
