/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_GLOB_H
#define VARVE_PIPELINE_FILELOG_GLOB_H

#include <sys/types.h>

#include "base/container/vec.h"
#include "base/err.h"
#include "config/settings.h"

/*
 * Patterns of paths: * and ? (not a slash), [a-z], [^a-z], {a,b}, \ before a character, and ** as a
 * whole part of the path for any number of directories. Files that begin with a dot match, too.
 * Symbolic links are followed, but not by **.
 */
enum {
	GLOB_PATTERNS_MAX = 1000, /* after the expansion of {a,b} */
	GLOB_PATTERN_MAX = 4096,
	GLOB_DEPTH_MAX = 64,
	GLOB_PATHS_MAX = 100000,
	GLOB_VISITS_MAX = 2000000, /* names in directories that one search reads */
};

/* Patterns without braces. */
struct glob_list {
	struct arena arena;
	VEC(struct str) patterns;
};

/* Return 0, -ENOMEM, or -EINVAL for a bad pattern. Call glob_list_fini() in every case. */
MUST_USE int glob_list_init(struct glob_list *l, const struct setting_list *from, struct err *e);
void glob_list_fini(struct glob_list *l); /* accepts the zero value */

/* Return whether a pattern of the list matches the whole path. */
bool glob_list_matches(const struct glob_list *l, struct str path);

/* A regular file that was found. */
struct glob_file {
	struct str path; /* with a NUL behind it */
	dev_t dev;
	ino_t ino;
	uint64_t size;
	int64_t modified; /* seconds since 1970 */
};

struct glob_files {
	VEC(struct glob_file) list;
};

/*
 * Append the files that exist for a pattern of the list, in `arena`; a caller sorts them and rids them
 * of duplicates. Directories that cannot be read are left out. Return 0, -ENOMEM, or -E2BIG if there are
 * too many; the paths found so far are in *out then, too.
 */
MUST_USE int glob_find(const struct glob_list *l, struct arena *arena, struct glob_files *out);

#endif
