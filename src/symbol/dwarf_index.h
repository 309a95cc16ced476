/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DWARF_INDEX_H
#define VARVE_SYMBOL_DWARF_INDEX_H

#include "base/container/vec.h"
#include "symbol/libdw.h"

/*
 * Maps an address to its unit and to a function of that unit. Ranges are sorted; of several that
 * contain the address, the one with the highest start wins. The limits are far beyond what
 * compilers write; entries above them are ignored.
 */
enum {
	DWARF_CHILDREN_MAX = 1 << 22, /* of a DIE; stops a sibling chain that loops */
	DWARF_RANGES_MAX = 1 << 16,   /* of a DIE */
};

struct dwarf_range {
	uint64_t start, end;
	uint64_t die; /* of a unit: index into units; of a function: its offset */
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
	const struct libdw *lib; /* borrowed, as are dwarf and arena */
	Dwarf *dwarf;
	struct arena *arena;
	VEC(struct dwarf_unit) units;
	struct dwarf_ranges ranges;
	bool ready;
};

/* Read the ranges of all units; without memory, the index has those read so far. */
void dwarf_index_init(struct dwarf_index *x, const struct libdw *lib, Dwarf *dwarf,
		      struct arena *a);

/* Find the unit that contains the address. Return false when there is none. */
bool dwarf_index_unit(const struct dwarf_index *x, uint64_t address, Dwarf_Die *out);

/* Find the function that contains the address, and the start of that range. False: none. */
bool dwarf_index_function(struct dwarf_index *x, uint64_t address, Dwarf_Die *out, uint64_t *start);

#endif
