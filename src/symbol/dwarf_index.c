/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted ranges with binary search; the functions of a unit are indexed at its first lookup. */
#include "symbol/dwarf_index.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	DEPTH_MAX = 64, /* of nested namespaces and types */
	WALK_BACK = 64, /* ranges that may begin between an address and the start of its range */
	UNITS_MAX = 1 << 20,
};

/* Add the ranges of a DIE. Ranges at address 0 are code that the linker discarded. */
static int add_ranges(const struct dwarf_index *x, struct dwarf_ranges *to, Dwarf_Die *die,
		      uint64_t value)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < DWARF_RANGES_MAX; i++) {
		at = x->lib->dwarf_ranges(die, at, &base, &start, &end);
		if (at <= 0)
			break;
		if (start && start < end)
			rc = vec_push(x->arena, &to->list, (struct dwarf_range){start, end, value});
	}
	return rc;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct dwarf_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* the wider range first: lookups walk backwards and meet the narrower one first */
	return x->end > y->end ? -1 : x->end < y->end;
}

static void sort_dwarf_ranges(struct dwarf_ranges *r)
{
	if (r->list.n)
		qsort(r->list.at, r->list.n, sizeof(*r->list.at), compare_ranges);
}

static const struct dwarf_range *find_dwarf_range(const struct dwarf_ranges *r, uint64_t address)
{
	uint32_t low = 0, high = r->list.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->list.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t steps = 0; low && steps < WALK_BACK; steps++) {
		if (address < r->list.at[--low].end)
			return &r->list.at[low];
	}
	return NULL;
}

void dwarf_index_init(struct dwarf_index *x, const struct libdw *lib, Dwarf *dwarf, struct arena *a)
{
	Dwarf_Off at = 0, next;
	size_t header;

	*x = (struct dwarf_index){.lib = lib, .dwarf = dwarf, .arena = a, .ready = true};
	while (x->units.n < UNITS_MAX &&
	       lib->dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
		Dwarf_Die die;

		if (lib->dwarf_offdie(dwarf, at + header, &die) &&
		    lib->dwarf_tag(&die) != DW_TAG_partial_unit) {
			if (vec_push(a, &x->units, (struct dwarf_unit){.die = at + header}) ||
			    add_ranges(x, &x->ranges, &die, x->units.n - 1))
				break;
		}
		at = next;
	}
	sort_dwarf_ranges(&x->ranges);
}

/* Return whether functions can be nested in a DIE of that tag. */
static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

static int add_unit_functions(struct dwarf_index *x, struct dwarf_unit *unit, Dwarf_Die *parent,
			      uint32_t depth)
{
	uint32_t left = DWARF_CHILDREN_MAX;
	Dwarf_Die die;
	int rc = 0;

	if (depth > DEPTH_MAX || x->lib->dwarf_child(parent, &die))
		return 0;
	do {
		int tag = x->lib->dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			rc = add_ranges(x, &unit->functions, &die, x->lib->dwarf_dieoffset(&die));
		if (!rc && may_hold_functions(tag))
			rc = add_unit_functions(x, unit, &die, depth + 1);
	} while (!rc && left-- && x->lib->dwarf_siblingof(&die, &die) == 0);
	return rc;
}

static bool unit_die(const struct dwarf_index *x, const struct dwarf_unit *unit, Dwarf_Die *out)
{
	return x->lib->dwarf_offdie(x->dwarf, unit->die, out) != NULL;
}

bool dwarf_index_unit(const struct dwarf_index *x, uint64_t address, Dwarf_Die *out)
{
	const struct dwarf_range *r = find_dwarf_range(&x->ranges, address);

	return r && unit_die(x, &x->units.at[r->die], out);
}

bool dwarf_index_function(struct dwarf_index *x, uint64_t address, Dwarf_Die *out, uint64_t *start)
{
	const struct dwarf_range *r = find_dwarf_range(&x->ranges, address);
	struct dwarf_unit *unit;
	Dwarf_Die die;

	if (!r)
		return false;
	unit = &x->units.at[r->die];
	if (!unit->indexed) {
		unit->indexed = true;
		/* without memory, the functions added so far are used */
		if (unit_die(x, unit, &die) && add_unit_functions(x, unit, &die, 0))
			(void)0;
		sort_dwarf_ranges(&unit->functions);
	}
	r = find_dwarf_range(&unit->functions, address);
	if (!r || !x->lib->dwarf_offdie(x->dwarf, r->die, out))
		return false;
	*start = r->start;
	return true;
}
