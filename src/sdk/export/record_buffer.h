/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_RECORD_BUFFER_H
#define VARVE_SDK_EXPORT_RECORD_BUFFER_H

#include <stdatomic.h>

#include "base/str.h"

/*
 * Encoded spans or log records between their making and their export. Many threads write without a
 * lock: they reserve room in the active one of two halves by compare-and-swap. The reader makes the
 * other half active, closes this one and waits for threads that still write to it.
 */
#define RECORD_BUFFER_CLOSED ((uint64_t)1 << 63)

struct record_half {
	_Atomic uint64_t reserved; /* highest bit: closed */
	_Atomic uint64_t written;
	uint8_t *data;
};

struct record_buffer {
	struct record_half halves[2];
	size_t half_size;
	_Atomic uint32_t active; /* index of the half that is written to */
};

/* Allocate `size` bytes in all. 0 or -ENOMEM; call record_buffer_fini() in each case. */
MUST_USE int record_buffer_init(struct record_buffer *b, size_t size);
void record_buffer_fini(struct record_buffer *b);

/* Drop the contents, in a forked child, where no other thread runs. */
void record_buffer_clear(struct record_buffer *b);

/* Return the bytes that wait. */
size_t record_buffer_pending(struct record_buffer *b);

/*
 * Reserve `n` bytes, to be filled and then given to record_buffer_commit() with *into. NULL: full.
 * Hook-safe.
 */
static inline uint8_t *record_buffer_reserve(struct record_buffer *b, size_t n,
					     struct record_half **into)
{
	for (;;) {
		struct record_half *half =
			&b->halves[atomic_load_explicit(&b->active, memory_order_acquire)];
		uint64_t at = atomic_load_explicit(&half->reserved, memory_order_relaxed);

		while (!(at & RECORD_BUFFER_CLOSED)) {
			if (at + n > b->half_size)
				return NULL;
			if (atomic_compare_exchange_weak_explicit(&half->reserved, &at, at + n,
								  memory_order_acquire,
								  memory_order_relaxed)) {
				*into = half;
				return half->data + at;
			}
		}
		/* just closed: the other half is active */
	}
}

static inline void record_buffer_commit(struct record_half *into, size_t n)
{
	atomic_fetch_add_explicit(&into->written, n, memory_order_release);
}

/*
 * Take the contents of each half with any: `take` gets the bytes, which are valid during the call,
 * and returns 0 or -errno, which ends the taking. Bytes that were passed are gone in each case. A
 * half whose writer is too slow is left for the next call. One reader.
 */
MUST_USE int record_buffer_take(struct record_buffer *b, int (*take)(void *arg, struct str bytes),
				void *arg);

#endif
