/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_LEGACY_H
#define VARVE_FORMAT_PPROF_LEGACY_H

#include "format/format.h"
#include "signal/profile/profile_builder.h"

/*
 * What the readers of pprof's older forms share. All of them hold stacks of bare addresses, a
 * few numbers each, and then the memory map of the process. A reader gathers samples and
 * symbols; legacy_finish() reads the map, gives each address its mapping and fills the batch.
 * What they mean is what google/pprof makes of them. Private to format/pprof.
 */
enum { LEGACY_MAX_VALUES = 4 };

struct legacy_type {
	const char *type, *unit;
};

struct legacy_sample {
	struct list stack; /* of addresses */
	int64_t values[LEGACY_MAX_VALUES];
	int64_t block; /* bytes of one object; if has_blocks */
};

struct legacy_mapping {
	uint64_t start, limit, offset;
	struct str file, build_id;
};

/* A name for an address, from the comments that Go's text profiles have. */
struct legacy_symbol {
	uint64_t address;
	struct str name, file;
	int64_t line;
};

struct legacy {
	struct profile_batch *out;
	struct profile_builder builder;
	struct arena *arena; /* the batch's */
	struct err *e;

	struct str rest;      /* of the input */
	struct str line;      /* at hand, without white space at its ends */
	uint64_t line_number; /* of it, from 1 */

	const struct legacy_type *types;
	uint32_t type_count;
	struct legacy_type period_type;
	int64_t period, duration; /* the latter in nanoseconds */
	bool has_blocks;
	bool has_fallback; /* the last mapping is made up, for addresses that are in none */
	const char *drop_frames, *keep_frames;

	VEC(uint64_t) addresses;
	VEC(struct legacy_sample) samples;
	VEC(struct legacy_mapping) mappings;
	VEC(struct legacy_symbol) symbols;
};

/* Begin with the whole input of a text form: it must be UTF-8. 0, -EBADMSG or -ENOMEM. */
MUST_USE int legacy_init(struct legacy *l, struct profile_batch *out, struct str in, struct err *e);

/* The text of the input begins at byte `from`. 0, or -EBADMSG when it is not UTF-8. */
MUST_USE int legacy_begin_text(struct legacy *l, struct str in, size_t from);

/* Step to the next line; false at the end, where l->line is empty with p == NULL. */
bool legacy_next_line(struct legacy *l);

/* Is the line blank or a comment? */
bool legacy_is_comment(struct str line);

/* Does the line begin the memory map? */
bool legacy_is_map_start(struct str line);

/* "line N: expected WHAT, found the line". Returns -EBADMSG. */
int legacy_fail(struct legacy *l, const char *what);

/*
 * Append the addresses "0x..." in `text` to l->addresses, each with `adjust` subtracted: return
 * addresses point behind the call. `leaf_adjust` is for the first of them.
 */
MUST_USE int legacy_add_addresses(struct legacy *l, struct str text, unsigned leaf_adjust,
				  unsigned adjust);

/* Append a sample whose addresses have come since `stack_at`. 0 or -ENOMEM. */
MUST_USE int legacy_add_sample(struct legacy *l, uint32_t stack_at, const int64_t *values,
			       int64_t block);

/* Take the symbol that a comment "# 0x1234 name+0x5 file:7" tells; other comments are passed. */
MUST_USE int legacy_take_symbol(struct legacy *l);

/* legacy_maps.c: what is left of the input is a memory map, behind its heading if there is one. */
MUST_USE int legacy_read_maps(struct legacy *l);

/* Give each address of the samples its mapping; *mapping is an index into l->mappings or NO_MAPPING. */
MUST_USE int legacy_find_mapping(struct legacy *l, uint64_t address, uint32_t *mapping);
#define NO_MAPPING UINT32_MAX

/* Take the second address out of the stack of a sample, which has one. */
void legacy_remove_second(struct legacy *l, struct legacy_sample *s);

/* The leaf may stand twice, once from the signal and once from the walk: take the second away. */
void legacy_drop_double_leaves(struct legacy *l);

/* All is gathered: fill the batch. */
MUST_USE int legacy_finish(struct legacy *l);

/* Numbers at the beginning of *text, which is moved behind them. */
bool legacy_take_u64(struct str *text, uint64_t *out);
bool legacy_take_i64(struct str *text, int64_t *out);
bool legacy_take_char(struct str *text, char c);
void legacy_skip_blanks(struct str *text);

#endif
