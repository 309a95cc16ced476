/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_LEGACY_LEGACY_H
#define VARVE_FORMAT_PPROF_LEGACY_LEGACY_H

#include "format/format.h"
#include "signal/profile/profile_builder.h"

/*
 * Shared by the readers of pprof's older forms. All forms hold stacks of plain addresses with a few
 * numbers each, followed by the memory map of the process. A reader collects samples, symbols and
 * the map (legacy_maps.h); legacy_finish() finds the mapping of each address and fills the batch.
 * The interpretation follows google/pprof. Private to format/pprof.
 */
enum { LEGACY_MAX_VALUES = 4 };

struct legacy_type {
	const char *type, *unit;
};

struct legacy_sample {
	struct list stack; /* in l->addresses, leaf first */
	int64_t values[LEGACY_MAX_VALUES];
	int64_t block; /* bytes per object; only if l->has_blocks */
};

struct legacy_mapping {
	uint64_t start, limit, offset;
	struct str file, build_id;
};

/* The symbol of an address, from the comments in Go's text profiles. */
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

	struct str rest;      /* unread input */
	struct str line;      /* current line, trimmed */
	uint64_t line_number; /* from 1 */

	const struct legacy_type *types;
	uint32_t type_count;
	struct legacy_type period_type;
	int64_t period, duration; /* duration in nanoseconds */
	bool has_blocks;
	bool has_fallback; /* the last mapping is artificial, for addresses outside all others */
	const char *drop_frames, *keep_frames;

	VEC(uint64_t) addresses;
	VEC(struct legacy_sample) samples;
	VEC(struct legacy_mapping) mappings;
	VEC(struct legacy_symbol) symbols;
};

/* Initialize with the whole input of a text form, which must be UTF-8. 0, -EBADMSG or -ENOMEM. */
MUST_USE int legacy_init(struct legacy *l, struct profile_batch *out, struct str in, struct err *e);

/* Continue with the text from byte `from` of the input on. Return 0, or -EBADMSG if not UTF-8. */
MUST_USE int legacy_begin_text(struct legacy *l, struct str in, size_t from);

/* Advance to the next line. At the end return false and set l->line to empty with p == NULL. */
bool legacy_next_line(struct legacy *l);

/* Return whether the line is blank or a comment. */
bool legacy_is_comment(struct str line);

/* Return whether the line is the heading of the memory map. */
bool legacy_is_map_start(struct str line);

/* Set the error "line N: expected WHAT, found LINE". Return -EBADMSG. */
int legacy_fail(struct legacy *l, const char *what);

/*
 * Append the addresses "0x..." in `text` to l->addresses. Subtract `leaf_adjust` from the first and
 * `adjust` from the others, because return addresses point after the call. Return 0 or -errno.
 */
MUST_USE int legacy_add_addresses(struct legacy *l, struct str text, unsigned leaf_adjust,
				  unsigned adjust);

/* Append a sample whose stack is l->addresses from `stack_at` on. Return 0 or -ENOMEM. */
MUST_USE int legacy_add_sample(struct legacy *l, uint32_t stack_at, const int64_t *values,
			       int64_t block);

/*
 * Append the symbol in a comment "# 0x1234 name+0x5 file:7"; ignore other comments. 0 or -ENOMEM.
 */
MUST_USE int legacy_take_symbol(struct legacy *l);

/* Remove the second address of a stack, which must have at least two. */
void legacy_remove_second(struct legacy *l, struct legacy_sample *s);

/*
 * Remove the second address of stacks whose leaf occurs twice, from the signal and from the walk.
 */
void legacy_drop_double_leaves(struct legacy *l);

/* Fill the batch, after samples, symbols and the map are read. Return 0 or -errno. */
MUST_USE int legacy_finish(struct legacy *l);

/*
 * Read a number, a given character or blanks at the beginning of *text and advance *text. If *text
 * does not begin with one, return false and leave it unchanged.
 */
bool legacy_take_u64(struct str *text, uint64_t *out);
bool legacy_take_i64(struct str *text, int64_t *out);
bool legacy_take_char(struct str *text, char c);
void legacy_skip_blanks(struct str *text);

#endif
