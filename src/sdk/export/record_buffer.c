/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's side of buffers of encoded records, and their memory. */
#include "sdk/export/record_buffer.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

int record_buffer_init(struct record_buffer *b, size_t size)
{
	*b = (struct record_buffer){.half_size = size / 2};
	for (size_t i = 0; i < countof(b->halves); i++) {
		void *p = mmap(NULL, b->half_size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return -ENOMEM;
		b->halves[i].data = p;
	}
	return 0;
}

void record_buffer_fini(struct record_buffer *b)
{
	for (size_t i = 0; i < countof(b->halves); i++)
		if (b->halves[i].data)
			munmap(b->halves[i].data, b->half_size);
	*b = (struct record_buffer){0};
}

void record_buffer_clear(struct record_buffer *b)
{
	for (size_t i = 0; i < countof(b->halves); i++) {
		atomic_store(&b->halves[i].reserved, 0);
		atomic_store(&b->halves[i].written, 0);
	}
}

size_t record_buffer_pending(struct record_buffer *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < countof(b->halves); i++)
		n += atomic_load(&b->halves[i].reserved) & ~RECORD_BUFFER_CLOSED;
	return n;
}

/*
 * Close the half and wait until all reserved bytes are written. False: a writer takes too long; the
 * next call takes the half.
 */
static bool close_half(struct record_half *half, uint64_t *size)
{
	enum { WAITS_MAX = 1000 };
	struct timespec pause = {0, 10000};

	*size = atomic_fetch_or(&half->reserved, RECORD_BUFFER_CLOSED) & ~RECORD_BUFFER_CLOSED;
	for (unsigned i = 0; atomic_load_explicit(&half->written, memory_order_acquire) != *size;
	     i++) {
		if (i == WAITS_MAX)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Empty and open the half, freeing the pages of a burst. */
static void reopen_half(const struct record_buffer *b, struct record_half *half, uint64_t size)
{
	enum { KEPT = 512 << 10 };

	if (size > KEPT)
		madvise(half->data + KEPT, b->half_size - KEPT, MADV_DONTNEED);
	atomic_store(&half->written, 0);
	atomic_store(&half->reserved, 0);
}

int record_buffer_take(struct record_buffer *b, int (*take)(void *arg, struct str bytes), void *arg)
{
	uint32_t active = atomic_load(&b->active);
	int rc = 0;

	/* The inactive half first: it is empty unless a writer was too slow last time. */
	for (unsigned i = 0; !rc && i < countof(b->halves); i++) {
		struct record_half *half = &b->halves[i ? active : !active];
		uint64_t size;

		if (i)
			atomic_store(&b->active, !active);
		if (!close_half(half, &size))
			return 0; /* if it was the inactive half, the other stays active */
		if (size)
			rc = take(arg, str_of((const char *)half->data, size));
		reopen_half(b, half, size);
	}
	return rc;
}
