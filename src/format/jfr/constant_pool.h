/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_CONSTANT_POOL_H
#define VARVE_FORMAT_JFR_CONSTANT_POOL_H

#include "format/jfr/layout.h"

/*
 * The constant pools of one chunk: what events name by id. A constant is passed over once, to
 * find where it ends, and its place is kept; it is read when something asks for it, and what it
 * became then is remembered in `cached`. Nothing is copied out of the input.
 */
enum jfr_pool_kind {
	JFR_POOL_STRING,
	JFR_POOL_SYMBOL,
	JFR_POOL_THREAD,
	JFR_POOL_CLASS,
	JFR_POOL_METHOD,
	JFR_POOL_STACK,
	JFR_POOL_FRAME_TYPE,
	JFR_POOL_STATE,
	JFR_POOLS,
};

enum { JFR_FRAME_INTEGERS = 8 }; /* of a frame that is read the fast way; real ones have 4 */

struct jfr_constant {
	uint64_t id;
	const uint8_t *at; /* its fields; of a stack trace its frames, NULL when it has none */
	uint32_t cached;   /* + 1; 0: not asked for yet. Whoever resolves it says what it means */
};

struct jfr_pool {
	struct jfr_layout layout;
	VEC(struct jfr_constant) constants;
	uint32_t *dense; /* by id: index + 1; NULL when ids are too far apart */
	uint64_t dense_size;
	struct idset index;	  /* instead of dense */
	struct jfr_record record; /* of the constant that was read last */
	bool is_text;		  /* a constant is one string and nothing else */
};

struct jfr_pools {
	struct arena *arena;
	const struct jfr_chunk *chunk;
	const struct jfr_metadata *metadata;
	struct jfr_pool pool[JFR_POOLS];
	struct jfr_layout frame;		 /* of the stack traces' frames */
	uint8_t frame_slots[JFR_FRAME_INTEGERS]; /* the same, when frames are integers only */
	unsigned frame_integers;
};

/*
 * Read all checkpoints of the chunk. Everything lives in `arena`; chunk and metadata are
 * borrowed. 0, -EBADMSG, -ENOMEM.
 */
MUST_USE int jfr_pools_read(struct jfr_pools *pools, struct arena *arena,
			    const struct jfr_chunk *chunk, const struct jfr_metadata *metadata,
			    struct err *e);

/* The half of the next that looks into the hash table. */
struct jfr_constant *jfr_pool_find_far(struct jfr_pool *pool, uint64_t id);

/* The constant with that id, or NULL. */
static inline struct jfr_constant *jfr_pool_find(struct jfr_pool *pool, uint64_t id)
{
	if (likely(id < pool->dense_size)) {
		uint32_t i = pool->dense[id];

		return i ? &pool->constants.at[i - 1] : NULL;
	}
	return pool->dense ? NULL : jfr_pool_find_far(pool, id);
}

/*
 * Its fields; slots that the type does not have are zero. Valid until another constant of the
 * same pool is read.
 */
const struct jfr_record *jfr_constant_read(struct jfr_pools *pools, enum jfr_pool_kind kind,
					   const struct jfr_constant *constant);

/*
 * The text of a slot: a string that stands in the record, or is named by it. Without one: {NULL, 0}.
 * The bytes live in the input or the chunk's arena. 0 or -ENOMEM.
 */
MUST_USE int jfr_record_text(struct jfr_pools *pools, const struct jfr_record *record,
			     enum jfr_slot slot, struct str *out);

/* The text of a symbol by its id; {NULL, 0} when there is none. 0 or -ENOMEM. */
MUST_USE int jfr_symbol_text(struct jfr_pools *pools, uint64_t id, struct str *out);

#endif
