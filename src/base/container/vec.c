/* SPDX-License-Identifier: Apache-2.0 */
/* Growing and shrinking of vectors by arena_resize(). */
#include "base/container/vec.h"

enum { FIRST_CAPACITY = 16 };

int vec_grow(struct arena *a, void **at, uint32_t n, uint32_t *cap, size_t more, size_t size)
{
	size_t want, room = max_size(FIRST_CAPACITY, 2 * (size_t)*cap);
	void *grown;

	if (__builtin_add_overflow((size_t)n, more, &want) || want > VEC_MAX)
		return -EOVERFLOW;
	room = min_size(max_size(room, want), VEC_MAX);
	grown = arena_resize(a, *at, *cap, room, size);
	if (!grown)
		return -ENOMEM;
	*at = grown;
	*cap = (uint32_t)room;
	return 0;
}

void vec_fit(struct arena *a, void **at, uint32_t n, uint32_t *cap, size_t size)
{
	void *fitting;

	if (n == *cap || n * size < ARENA_LARGE)
		return;
	fitting = arena_resize(a, *at, *cap, n, size);
	if (!fitting)
		return;
	*at = fitting;
	*cap = n;
}
