/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_CONSTANT_POOL_H
#define VARVE_FORMAT_JFR_CONSTANT_POOL_H

#include "format/jfr/layout.h"

/*
 * The constant pools of one chunk: values that events refer to by id. The first pass only finds
 * where each constant ends and keeps its address. A constant is decoded when it is first used, and
 * the result is kept in `cached`. Nothing is copied out of the input.
 */
enum jfr_constant_pool_kind {
	JFR_CONSTANT_POOL_STRING,
	JFR_CONSTANT_POOL_SYMBOL,
	JFR_CONSTANT_POOL_THREAD,
	JFR_CONSTANT_POOL_CLASS,
	JFR_CONSTANT_POOL_METHOD,
	JFR_CONSTANT_POOL_STACK,
	JFR_CONSTANT_POOL_FRAME_TYPE,
	JFR_CONSTANT_POOL_STATE,
	JFR_CONSTANT_POOLS,
};

/* Maximum number of fields of a frame on the fast path; frames of real recordings have 4. */
enum { JFR_FRAME_INTEGERS = 8 };

struct jfr_constant {
	uint64_t id;
	/* Its fields; for a stack trace its array of frames, NULL if it has none. */
	const uint8_t *at;
	/*
	 * Result + 1, 0 if not resolved yet. Its meaning is up to the code that resolves the pool.
	 */
	uint32_t cached;
};

struct jfr_constant_pool {
	struct jfr_layout layout;
	VEC(struct jfr_constant) constants;
	/* Index + 1 by id; NULL if the ids are too sparse, then `index` is used. */
	uint32_t *dense;
	uint64_t dense_size;
	struct idset index;
	/* The constant that was decoded last. */
	struct jfr_record record;
	/* A constant is one string and nothing else. */
	bool is_text;
};

struct jfr_constant_pools {
	struct arena *arena;
	const struct jfr_chunk *chunk;
	const struct jfr_metadata *metadata;
	struct jfr_constant_pool pool[JFR_CONSTANT_POOLS];
	/* Layout of the frames of stack traces. */
	struct jfr_layout frame;
	/* Slots of the frame's fields if all of them are integers. */
	uint8_t frame_slots[JFR_FRAME_INTEGERS];
	unsigned frame_integers;
};

/*
 * Read all checkpoints of the chunk. All memory comes from `arena`; chunk and metadata are
 * borrowed. Return 0, -EBADMSG or -ENOMEM.
 */
MUST_USE int jfr_constant_pools_read(struct jfr_constant_pools *pools, struct arena *arena,
				     const struct jfr_chunk *chunk,
				     const struct jfr_metadata *metadata, struct err *e);

/* The slow path of jfr_constant_pool_find(): look the id up in the hash table. */
struct jfr_constant *jfr_constant_pool_find_sparse(struct jfr_constant_pool *pool, uint64_t id);

/* Return the constant with that id, or NULL. */
static inline struct jfr_constant *jfr_constant_pool_find(struct jfr_constant_pool *pool,
							  uint64_t id)
{
	if (likely(id < pool->dense_size)) {
		uint32_t i = pool->dense[id];

		return i ? &pool->constants.at[i - 1] : NULL;
	}
	return pool->dense ? NULL : jfr_constant_pool_find_sparse(pool, id);
}

/*
 * Decode the fields of a constant; slots that its type does not have are zero. The record is valid
 * until another constant of the same pool is decoded.
 */
const struct jfr_record *jfr_constant_read(struct jfr_constant_pools *pools,
					   enum jfr_constant_pool_kind kind,
					   const struct jfr_constant *constant);

/*
 * Get the text of a slot: an inline string, or the string constant that the slot refers to; {NULL,
 * 0} if there is none. The bytes live in the input or the chunk's arena. Return 0 or -ENOMEM.
 */
MUST_USE int jfr_record_text(struct jfr_constant_pools *pools, const struct jfr_record *record,
			     enum jfr_slot slot, struct str *out);

/* Get the text of the symbol with that id; {NULL, 0} if there is none. Return 0 or -ENOMEM. */
MUST_USE int jfr_symbol_text(struct jfr_constant_pools *pools, uint64_t id, struct str *out);

#endif
