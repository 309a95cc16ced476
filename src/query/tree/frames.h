/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_FRAMES_H
#define VARVE_QUERY_TREE_FRAMES_H

#include "base/err.h"
#include "base/regex.h"
#include "query/tree/names.h"
#include "query/tree/prune.h"
#include "signal/profile/profile.h"

/*
 * Converts the stacks of a batch to lists of names: expands inlined calls in order, groups frames,
 * and applies the filters of `go tool pprof`. Each location is resolved once, when a stack first
 * needs it; each string is matched against each regular expression at most once.
 *
 * A frame without a name is not dropped; it is shown as "module+0xoffset" or "0xaddress".
 */

enum group_by {
	/* by name and module; if no module is known, by name and base name of the file */
	GROUP_FUNCTION,
	/* by name, module and path of the file */
	GROUP_FILE_FUNCTION,
	GROUP_FILE,
	GROUP_MODULE,
	GROUP_LINE,
	GROUP_ADDRESS,
	/* by name only: for formats that have nothing else */
	GROUP_NAME,
};

/* Match the function name, file name and module of a frame. Borrowed; each may be NULL. */
struct frame_filters {
	struct regex *focus;	 /* keep stacks with a matching frame */
	struct regex *ignore;	 /* drop stacks with a matching frame */
	struct regex *hide;	 /* remove matching frames */
	struct regex *show;	 /* keep only matching frames */
	struct regex *show_from; /* drop the callers of the outermost matching frame */
};

enum { FRAME_FILTERS = 5 };

struct location_frames {
	struct list names; /* of frames.pool, innermost first */
	/* How many of the names remain if show_from cuts here; 0: it does not match. */
	uint32_t keep_from;
	bool known; /* resolved already */
	bool focus, ignore;
	/* Drop the location with its callees if a frame that is not dropped calls it. */
	bool pruned;
	/* Drop its callees likewise; its own pruned lines are removed already. */
	bool prune_beneath;
};

/* The name last created for a string, and the file and module strings it was created for. */
struct cached_name {
	uint32_t name; /* + 1; 0: none yet */
	uint32_t file, module;
};

struct frames {
	const struct profile_batch *batch; /* borrowed, as are the next three */
	const struct frame_filters *filters;
	struct arena *arena;
	struct names *names;
	/* The profile's own filter; may be set after frames_init(). NULL: none. */
	struct prune *prune;
	enum group_by group;
	struct location_frames *locations; /* one per location of the batch */
	uint32_t location_n, string_n;	   /* capacity of the arrays per location and string */
	uint8_t *matches[FRAME_FILTERS];   /* one per string: 0 unknown, 1 no, 2 yes */
	struct cached_name *cached;	   /* one per string, if names are function names */
	VEC(uint32_t) pool;
	VEC(uint32_t) path; /* result of frames_of_stack() */
};

/* Return the key by which `names` must distinguish names for this grouping. */
enum names_key frames_key(enum group_by group);

/* Prepare to convert the batch; memory is allocated in the arena. 0 or -ENOMEM. */
MUST_USE int frames_init(struct frames *f, const struct profile_batch *batch,
			 const struct frame_filters *filters, enum group_by group,
			 struct names *names, struct arena *arena);

/*
 * Convert a stack to names in f->path, leaf first, valid until the next call. Return 1, or 0 if the
 * filters drop the stack, or -errno.
 */
MUST_USE int frames_of_stack(struct frames *f, uint32_t stack, struct err *e);

/* Resolve a location: the slow path of frames_of_location(). 0 or -errno. */
MUST_USE int frames_resolve(struct frames *f, uint32_t location, struct err *e);

/*
 * Return the resolved location in *out, with names in f->pool; valid until the batch's locations
 * grow. 0 or -errno.
 */
static inline int frames_of_location(struct frames *f, uint32_t location,
				     const struct location_frames **out, struct err *e)
{
	*out = &f->locations[location];
	return likely((*out)->known) ? 0 : frames_resolve(f, location, e);
}

/* Make room for locations and strings that were added to the batch. 0 or -ENOMEM. */
MUST_USE int frames_extend(struct frames *f);

/* Return whether equal neighbours on a stack are merged into one frame. */
bool frames_join(enum group_by group);

/* Return the name for samples without frames: 1, or 0 if the filters drop them, or -errno. */
MUST_USE int frames_no_stack(struct frames *f, uint32_t *name);

#endif
