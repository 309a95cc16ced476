/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_NAMES_H
#define VARVE_QUERY_TREE_NAMES_H

#include "base/container/idset.h"
#include "base/container/vec.h"

/*
 * The distinct names that a query groups by, with dense ids in order of first sight. They are
 * found by what they say and copied, so that several batches can meet in one tree, and each can go
 * once it has been added.
 */
struct frame_name {
	struct str text;
	struct str file;   /* where it was seen first; empty: unknown */
	struct str module; /* likewise */
	bool many_files;   /* and it was seen in others */
	bool many_modules;
	bool line_starts; /* `line` is where the function begins */
	int64_t line; /* in that file: where it begins, else the least that was seen; 0: unknown */
};

/*
 * What tells two names apart beside their text. A module is the base name of its file, so that two builds of a
 * program are one: see names_module(). Where no module is known, the base name of the source file takes its place.
 */
enum names_key {
	NAMES_BY_TEXT,
	NAMES_BY_MODULE,
	/* the module and the whole path of the source file */
	NAMES_BY_FILE,
};

/*
 * A frame as a client names it: "name", or "name<TAB>module", or "name<TAB>module<TAB>file" where the name alone is
 * ambiguous. Without a tab any module matches; an empty module is that of frames without one.
 */
struct frame_ref {
	/* all of it: a name may contain a tab */
	struct str whole;
	struct str name, module, file;
	bool has_module, has_file;
};

struct names {
	struct arena *arena; /* borrowed */
	enum names_key key;
	VEC(struct frame_name) rows;
	struct idset index;
};

MUST_USE int names_init(struct names *n, struct arena *arena, enum names_key key);

/* The id of that name, added if new. 0, -ENOMEM or -EOVERFLOW; on error nothing changes. */
MUST_USE int names_add(struct names *n, struct str text, struct str file, struct str module,
		       uint32_t *id);

/* It was seen at that line of the file, in a function that begins at line `start`; 0: unknown. */
void names_note_line(struct names *n, uint32_t id, struct str file, int64_t start, int64_t line);

/*
 * Return the part of a module's path by which it is identified: the base name, without " (deleted)". Files that only say
 * which process generated the code (perf-PID.map, jitted-PID-N.so) are no module: empty.
 */
struct str names_module(struct str path);

/* Return the last component of a path. */
struct str names_base(struct str path);

struct frame_ref frame_ref_parse(struct str text);
bool frame_ref_matches(const struct frame_ref *ref, const struct frame_name *name);

/* Order by text, then file, then module: the order of equal values in every table. */
int names_cmp(const struct names *n, uint32_t a, uint32_t b);

#endif
