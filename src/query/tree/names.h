/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_NAMES_H
#define VARVE_QUERY_TREE_NAMES_H

#include "base/container/idset.h"
#include "base/container/vec.h"

/*
 * The distinct names that a query groups by, with dense ids in order of first occurrence. Names are
 * compared by content and copied, so that several batches can be added to one tree and each can be
 * freed once it has been added.
 */
struct frame_name {
	struct str text;
	struct str file;   /* first known file; empty: unknown */
	struct str module; /* likewise */
	bool many_files;   /* it occurs in other files too */
	bool many_modules;
	bool line_starts; /* `line` is the function's first line */
	int64_t line;	  /* in `file`: the first line, else the smallest seen; 0: unknown */
};

/*
 * What distinguishes names beside their text. A module is the base name of its file, so that two
 * builds of a program are the same module: see names_module(). If no module is known, the base name
 * of the source file takes its place.
 */
enum names_key {
	NAMES_BY_TEXT,
	NAMES_BY_MODULE,
	/* the module and the whole path of the source file */
	NAMES_BY_FILE,
};

/*
 * A frame as a client names it: "name", or "name<TAB>module" or "name<TAB>module<TAB>file" if the
 * name alone is ambiguous. Without a tab any module matches; an empty module matches frames without
 * a module.
 */
struct frame_ref {
	/* the unparsed text: a name may contain a tab */
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

/* Return the id of a name, added if new. 0, -ENOMEM or -EOVERFLOW; on error nothing changes. */
MUST_USE int names_add(struct names *n, struct str text, struct str file, struct str module,
		       uint32_t *id);

/* Record an occurrence at `line` in a function that starts at line `start`; 0: unknown. */
void names_note_line(struct names *n, uint32_t id, struct str file, int64_t start, int64_t line);

/*
 * Return the part of a module's path that identifies it: the base name, without " (deleted)". Empty
 * for files that only name the process that generated the code (perf-PID.map, jitted-PID-N.so).
 */
struct str names_module(struct str path);

/* Return the last component of a path. */
struct str names_base(struct str path);

/*
 * Return the part of a function's name that identifies its package: up to the last separator before
 * the first argument list or template ("net/http.", "std::"). A name that begins with '<' or '(' is
 * returned whole; all kernel functions belong to the package "_[k]".
 */
struct str names_package(struct str name);

struct frame_ref frame_ref_parse(struct str text);
bool frame_ref_matches(const struct frame_ref *ref, const struct frame_name *name);

/* Compare by text, then file, then module: the order of equal values in every table. */
int names_cmp(const struct names *n, uint32_t a, uint32_t b);

#endif
