/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_VEC_H
#define VARVE_BASE_CONTAINER_VEC_H

#include <errno.h>

#include "base/arena.h"

/*
 * A growing array in an arena: struct { T *at; uint32_t n, cap; }. The capacity doubles, so
 * appending is amortized O(1). Indices are 32 bits and stay below VEC_MAX (OTLP's are int32).
 */
#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *at;                                                                             \
		uint32_t n, cap;                                                                   \
	}

#define VEC_MAX ((uint32_t)INT32_MAX)

/* Reserve room for `more` elements after the first n: 0, -ENOMEM, or -EOVERFLOW beyond VEC_MAX. */
#define vec_reserve(arena, v, more)                                                                \
	(likely((size_t)((v)->cap - (v)->n) >= (size_t)(more))                                     \
		 ? 0                                                                               \
		 : vec_grow((arena), (void **)&(v)->at, (v)->n, &(v)->cap, (more),                 \
			    sizeof(*(v)->at)))

/* The array of a vector with room. The static analyzer cannot infer that room implies memory. */
#ifdef __clang_analyzer__
#define VEC_ARRAY(v) ((v)->at ? (v)->at : (__builtin_unreachable(), (v)->at))
#else
#define VEC_ARRAY(v) ((v)->at)
#endif

/* Append one element. Return 0 or the error of vec_reserve(). */
#define vec_push(arena, v, ...)                                                                    \
	({                                                                                         \
		int rc_ = vec_reserve(arena, v, 1);                                                \
		if (likely(!rc_))                                                                  \
			VEC_ARRAY(v)[(v)->n++] = (__VA_ARGS__);                                    \
		rc_;                                                                               \
	})

/* Release reserved but unused capacity where the arena can: of large arrays. */
#define vec_trim(arena, v) vec_fit((arena), (void **)&(v)->at, (v)->n, &(v)->cap, sizeof(*(v)->at))

/* vec_trim() as a function. */
void vec_fit(struct arena *a, void **at, uint32_t n, uint32_t *cap, size_t size);

/* The slow path of vec_reserve(). */
MUST_USE int vec_grow(struct arena *a, void **at, uint32_t n, uint32_t *cap, size_t more,
		      size_t size);

#endif
