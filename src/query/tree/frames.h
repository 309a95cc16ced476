/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_FRAMES_H
#define VARVE_QUERY_TREE_FRAMES_H

#include "base/err.h"
#include "base/regex.h"
#include "query/tree/names.h"
#include "query/tree/prune.h"
#include "signal/profile/profile.h"

/*
 * From the stacks of a batch to lists of names: inlined calls are expanded in order, frames are
 * grouped, and the filters of `go tool pprof` are applied. Each location is worked out once, when
 * a stack first needs it; each string is held against each regular expression at most once.
 *
 * A frame that has no name is never dropped: it is "module+0xoffset" or "0xaddress".
 */

enum group_by {
	/* functions of one name in one module; where no module is known, in files of one name */
	GROUP_FUNCTION,
	/* functions of one name in different files are different */
	GROUP_FILE_FUNCTION,
	GROUP_FILE,
	GROUP_MODULE,
	GROUP_LINE,
	GROUP_ADDRESS,
	/* functions of one name, wherever they are: for formats that have nothing but names */
	GROUP_NAME,
};

/* Borrowed, each may be NULL. They look at function name, file name and module of a frame. */
struct frame_filters {
	struct regex *focus;	 /* keep stacks with a matching frame */
	struct regex *ignore;	 /* drop stacks with a matching frame */
	struct regex *hide;	 /* remove matching frames */
	struct regex *show;	 /* keep only matching frames */
	struct regex *show_from; /* cut what called the outermost matching frame */
};

enum { FRAME_FILTERS = 5 };

struct location_frames {
	struct list names; /* of frames.pool, innermost first */
	uint32_t
		keep_from; /* of these, how many are left where show_from cuts here; 0: it does not match */
	bool known; /* worked out already */
	bool focus, ignore;
	bool pruned;	    /* all of it is to be dropped, where a frame to keep calls it */
	bool prune_beneath; /* what it calls is to be dropped; of its own lines that has been done */
};

/* The name that a string was last given, and with which file and module (strings). */
struct cached_name {
	uint32_t name; /* + 1; 0: none yet */
	uint32_t file, module;
};

struct frames {
	const struct profile_batch *batch; /* borrowed, as are the next three */
	const struct frame_filters *filters;
	struct arena *arena;
	struct names *names;
	struct prune *prune; /* the profile's own; may be set after frames_init(), NULL: none */
	enum group_by group;
	struct location_frames *locations; /* one a location of the batch */
	uint32_t location_n, string_n;	   /* for how many there is room here */
	uint8_t *matches[FRAME_FILTERS];   /* one a string: 0 unknown, 1 no, 2 yes */
	struct cached_name *cached;	   /* one a string, where names are those of functions */
	VEC(uint32_t) pool;
	VEC(uint32_t) path; /* what frames_of_stack() returns */
};

/* What `names` must tell apart for this grouping. */
enum names_key frames_key(enum group_by group);

/* Ready to work on the batch; memory is the arena's. 0 or -ENOMEM. */
MUST_USE int frames_init(struct frames *f, const struct profile_batch *batch,
			 const struct frame_filters *filters, enum group_by group,
			 struct names *names, struct arena *arena);

/*
 * The names on the stack, the leaf first, valid until the next call. 1: they are f->path;
 * 0: the filters drop this stack; or -errno.
 */
MUST_USE int frames_of_stack(struct frames *f, uint32_t stack, struct err *e);

/* The slow half of the next: work the location out. */
MUST_USE int frames_work_out(struct frames *f, uint32_t location, struct err *e);

/* What one location gives; valid until the batch's locations grow. 0 or -errno. The names are f->pool's. */
static inline int frames_of_location(struct frames *f, uint32_t location,
				     const struct location_frames **out, struct err *e)
{
	*out = &f->locations[location];
	return likely((*out)->known) ? 0 : frames_work_out(f, location, e);
}

/* The batch has more locations or strings than before: make room for them. 0 or -ENOMEM. */
MUST_USE int frames_extend(struct frames *f);

/* Are equal neighbours on a stack one frame? */
bool frames_join(enum group_by group);

/* The name for samples without any frame, if the filters keep those: 1, 0, or -errno. */
MUST_USE int frames_no_stack(struct frames *f, uint32_t *name);

#endif
