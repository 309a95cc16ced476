/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_RESOLVE_H
#define VARVE_FORMAT_JFR_RESOLVE_H

#include "base/buf.h"
#include "format/jfr/constant_pool.h"
#include "signal/profile/profile_builder.h"

/*
 * Constants of one chunk -> rows of the batch, each once: an event costs a look at an array for
 * each constant that it names.
 */
struct jfr_thread {
	uint32_t name, id; /* attributes; 0: none */
};

struct jfr_state {
	uint32_t attribute;
	bool sleeping, runnable;
};

/* A frame that was seen before, by what the recording says of it. */
struct jfr_frame {
	uint64_t method, kind;
	uint32_t line, location;
};

/* The same by its bytes, when it has four integers in at most eight of them: as nearly all have. */
struct jfr_raw_frame {
	uint64_t bytes;
	uint32_t location; /* + 1; 0: free */
};

#define JFR_WANTED (1u << 31) /* beside the index of a constant in the pool's array by id */

struct jfr_resolver {
	struct profile_builder *builder; /* borrowed */
	struct jfr_pools *pools;	 /* borrowed: of this chunk */
	struct buf name;		 /* a function's, while it is put together */
	VEC(struct jfr_thread) threads;
	VEC(struct jfr_state) states;
	VEC(struct jfr_frame) frames;
	struct idset frame_index;
	struct jfr_raw_frame *raw_frames; /* by a hash of the bytes, one place for each */
	uint32_t raw_mask;
	struct jfr_record frame; /* that was read last */
	VEC(uint32_t) locations; /* of the stack in work */
};

/* For one chunk: rows live in the pools' arena. 0 or -ENOMEM. Fini it in every case. */
MUST_USE int jfr_resolver_init(struct jfr_resolver *r, struct profile_builder *builder,
			       struct jfr_pools *pools);
void jfr_resolver_fini(struct jfr_resolver *r);

/* Mark a stack that an event names, for jfr_resolve_stacks(). */
static inline void jfr_want_stack(struct jfr_resolver *r, uint64_t id)
{
	const struct jfr_pool *pool = &r->pools->pool[JFR_POOL_STACK];

	if (likely(id < pool->dense_size && pool->dense[id]))
		pool->dense[id] |= JFR_WANTED;
}

/*
 * Make all stack traces of the chunk stacks, or only those that are wanted if their ids are close together, in the
 * order they stand in: measured 10 to 30 % faster than each when an event names it, which jumps about in memory. Those that
 * no sample names stay in the batch as rows that nobody uses. From then on the pool's array by id
 * holds stacks (+ 1) instead of constants: events name them at random, and this is one wait for memory less. 0 or -errno.
 */
MUST_USE int jfr_resolve_stacks(struct jfr_resolver *r, bool only_wanted);

/* The stack of that id; 0, the empty one, when the chunk has none. After jfr_resolve_stacks(). */
static inline uint32_t jfr_stack_of(struct jfr_resolver *r, uint64_t id)
{
	struct jfr_pool *pool = &r->pools->pool[JFR_POOL_STACK];

	if (likely(id < pool->dense_size))
		return pool->dense[id] ? pool->dense[id] - 1 : 0;

	const struct jfr_constant *c = jfr_pool_find(pool, id);

	return c && c->cached ? c->cached - 1 : 0;
}

/* It will be asked for: have it in the cache by then. */
static inline void jfr_expect_stack(const struct jfr_resolver *r, uint64_t id)
{
	const struct jfr_pool *pool = &r->pools->pool[JFR_POOL_STACK];

	if (likely(id < pool->dense_size))
		__builtin_prefetch(&pool->dense[id]);
}

/* Attributes thread.name and thread.id. */
MUST_USE int jfr_resolve_thread(struct jfr_resolver *r, uint64_t id, struct jfr_thread *thread);

/* Attribute thread.state, and what the state means. */
MUST_USE int jfr_resolve_state(struct jfr_resolver *r, uint64_t id, struct jfr_state *state);

/* Attribute object.class: "java.lang.String", "byte[]". */
MUST_USE int jfr_resolve_class(struct jfr_resolver *r, uint64_t id, uint32_t *attribute);

#endif
