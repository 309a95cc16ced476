/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DWARF_INDEX_H
#define VARVE_SYMBOL_DWARF_INDEX_H

#include "base/container/vec.h"
#include "symbol/libdw.h"

/*
 * Which unit, and which function of it, an address belongs to. Ranges are sorted; of several that hold the address the one that
 * begins last is taken. Limits are far beyond what compilers write: what is over them is not found.
 */
enum {
	DWARF_CHILDREN_MAX = 1 << 22, /* of a DIE; a sibling that points back would never end */
	DWARF_RANGES_MAX = 1 << 16,   /* of a DIE */
};

struct dwarf_range {
	uint64_t start, end;
	uint64_t die; /* the unit: index into units; a function: its offset */
};

struct dwarf_ranges {
	VEC(struct dwarf_range) list;
};

struct dwarf_unit {
	uint64_t die; /* offset */
	struct dwarf_ranges functions;
	bool indexed;
};

struct dwarf_index {
	const struct libdw *lib; /* borrowed, as all below */
	Dwarf *dwarf;
	struct arena *arena;
	VEC(struct dwarf_unit) units;
	struct dwarf_ranges ranges;
	bool ready;
};

/* Read the ranges of all units. When memory is out, those are there that were read. */
void dwarf_index_init(struct dwarf_index *x, const struct libdw *lib, Dwarf *dwarf,
		      struct arena *a);

/* The unit that holds the address. False: none. */
bool dwarf_index_unit(const struct dwarf_index *x, uint64_t address, Dwarf_Die *out);

/* The function that holds it, and where it begins. */
bool dwarf_index_function(struct dwarf_index *x, uint64_t address, Dwarf_Die *out, uint64_t *start);

#endif
