/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of records.
 *
 * A slot's sequence number says whose turn it is: round * count + index when the slot is empty, one
 * more when it is full. It is stored relative to the index, so that zeroed memory is an empty ring
 * and pages are touched only when used.
 */
#include "sdk/hook/record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int record_ring_init(struct record_ring *r, uint32_t count)
{
	struct record_slot *slots;

	if (!count || (count & (count - 1)))
		return -EINVAL;
	slots = mmap(NULL, count * sizeof(*slots), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slots == MAP_FAILED)
		return -ENOMEM;
	r->slots = slots;
	r->mask = count - 1;
	record_ring_clear(r);
	return 0;
}

void record_ring_fini(struct record_ring *r)
{
	if (r->slots)
		munmap(r->slots, (r->mask + 1) * sizeof(*r->slots));
	r->slots = NULL;
}

static uint64_t slot_sequence(const struct record_ring *r, uint64_t position)
{
	return position & ~r->mask;
}

bool record_ring_put(struct record_ring *r, const struct record *in)
{
	uint64_t position = atomic_load_explicit(&r->head, memory_order_relaxed);
	struct record_slot *slot;

	for (;;) {
		uint64_t sequence;

		slot = &r->slots[position & r->mask];
		sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
		if (sequence == slot_sequence(r, position)) {
			if (atomic_compare_exchange_weak_explicit(&r->head, &position, position + 1,
								  memory_order_relaxed,
								  memory_order_relaxed))
				break;
		} else if (sequence < slot_sequence(r, position)) {
			return false; /* full since the round before */
		} else {	      /* another producer reserved it */
			position = atomic_load_explicit(&r->head, memory_order_relaxed);
		}
	}
	slot->record = *in;
	atomic_store_explicit(&slot->sequence, slot_sequence(r, position) + 1,
			      memory_order_release);
	return true;
}

bool record_ring_take(struct record_ring *r, struct record *out)
{
	struct record_slot *slot = &r->slots[r->tail & r->mask];

	if (atomic_load_explicit(&slot->sequence, memory_order_acquire) !=
	    slot_sequence(r, r->tail) + 1)
		return false;
	*out = slot->record;
	atomic_store_explicit(&slot->sequence, slot_sequence(r, r->tail) + r->mask + 1,
			      memory_order_release);
	r->tail++;
	return true;
}

bool record_ring_is_empty(struct record_ring *r)
{
	return atomic_load(&r->head) == r->tail;
}

void record_ring_clear(struct record_ring *r)
{
	if (!atomic_load(&r->head))
		return; /* never used */
	/* Frees the pages too: they read as zero, which is empty. */
	madvise(r->slots, (r->mask + 1) * sizeof(*r->slots), MADV_DONTNEED);
	atomic_store(&r->head, 0);
	r->tail = 0;
}

/* Words, so that a reader may read while they are written; the sequence shows that it did. */
void shared_record_set(struct shared_record *s, const struct record *r)
{
	uint32_t sequence = atomic_load_explicit(&s->sequence, memory_order_relaxed);
	uint64_t words[countof(s->words)];

	memcpy(words, r, sizeof(words));
	atomic_store(&s->sequence, sequence + 1);
	for (size_t i = 0; i < countof(words); i++)
		atomic_store(&s->words[i], words[i]);
	atomic_store(&s->sequence, sequence + 2);
}

bool shared_record_get(struct shared_record *s, struct record *out)
{
	uint32_t sequence = atomic_load(&s->sequence);
	uint64_t words[countof(s->words)];

	if (!sequence || sequence & 1)
		return false;
	for (size_t i = 0; i < countof(words); i++)
		words[i] = atomic_load(&s->words[i]);
	if (atomic_load(&s->sequence) != sequence)
		return false;
	memcpy(out, words, sizeof(words));
	return true;
}
