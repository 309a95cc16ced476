/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks one function's rules up in .eh_frame. Everything except init and fini may run in a signal
 * handler: the buffers are the caller's scratch memory, and the input is a copy, bounded and
 * checked like any untrusted input.
 */
#include "unwind/direct.h"

#include <errno.h>
#include <stdlib.h>

#include "unwind/program.h"
#include "unwind/rules.h"

enum {
	ENCODING_SORTED = 0x3b, /* of the list: four-byte values, relative to the header */
	PADDING_MAX = 15,	/* as in compile.c */
	ENTRY_HEAD = 8,		/* length and id */
	FIRST_BYTES = 256,	/* copied at once; most entries are shorter */
};

/* A row of the list: the start of a function and its entry, both relative to the header. */
struct hdr_row {
	int32_t start, entry;
};

struct scratch {
	struct hdr_row list[UNWIND_STRIDE + 1];
	uint8_t cie[FIRST_BYTES];
	uint8_t fde[UNWIND_SCRATCH - sizeof(struct hdr_row) * (UNWIND_STRIDE + 1) - FIRST_BYTES];
};
_Static_assert(sizeof(struct scratch) == UNWIND_SCRATCH, "scratch memory is used exactly");

int unwind_direct_init(struct unwind_direct *d, struct str hdr, uint64_t hdr_address,
		       uint64_t eh_frame_limit, uint64_t text_limit)
{
	const uint8_t *bytes = (const uint8_t *)hdr.p;
	struct cfi_cursor c = cfi_cursor_of(bytes, hdr.n);
	uint64_t eh_frame, count;

	if (!unwind_find_eh_frame(hdr, hdr_address, &eh_frame) || hdr.n < 12 ||
	    bytes[3] != ENCODING_SORTED)
		return -ENOTSUP;
	(void)cfi_fixed(&c, 4);
	(void)cfi_pointer_value(&c, bytes[1]);
	count = cfi_pointer_value(&c, bytes[2]);
	if (c.failed || !count || count > cfi_left(&c) / sizeof(struct hdr_row) ||
	    eh_frame_limit < eh_frame)
		return -ENOTSUP;
	*d = (struct unwind_direct){
		.table_address = hdr_address + (uint64_t)(c.at - bytes),
		.hdr_address = hdr_address,
		.eh_frame_address = eh_frame,
		.eh_frame_limit = eh_frame_limit,
		.text_limit = text_limit,
		.count = (uint32_t)count,
	};
	d->index = malloc((count / UNWIND_STRIDE + 1) * sizeof(*d->index));
	if (!d->index)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i += UNWIND_STRIDE)
		memcpy(&d->index[i / UNWIND_STRIDE], c.at + i * sizeof(struct hdr_row),
		       sizeof(*d->index));
	return 0;
}

void unwind_direct_fini(struct unwind_direct *d)
{
	free(d->index);
	d->index = NULL;
}

/* One lookup. Addresses are the module's. */
struct lookup {
	const struct unwind_direct *d;
	const struct unwind_memory *memory;
	uint64_t bias, address;
	struct scratch *scratch;
	uint64_t start; /* of the last function that begins at or before the address */
	uint64_t next;	/* the start of the function after it */
	uint64_t fde;	/* the address of its entry */
	struct cfi_cie cie;
	struct cfi_function function;
	struct cfi_state state;
	bool last;  /* no function follows */
	bool found; /* `state` is set */
};

static bool copy_memory(const struct lookup *l, uint64_t address, void *to, size_t n)
{
	return l->memory->copy(l->memory->arg, address + l->bias, to, n);
}

/* Return the index of the last of `count` numbers, `step` words apart, <= key, or count. */
static uint32_t last_below(const int32_t *first, uint32_t step, uint32_t count, int64_t key)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (first[middle * step] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : count;
}

/* Find the row of the list for the address: set start, next, fde and last. */
static bool find_hdr_row(struct lookup *l)
{
	const struct unwind_direct *d = l->d;
	int64_t key = (int64_t)(l->address - d->hdr_address);
	uint32_t blocks = (d->count + UNWIND_STRIDE - 1) / UNWIND_STRIDE, n, i;
	uint32_t block = last_below(d->index, 1, blocks, key);
	struct hdr_row *list = l->scratch->list;

	if (block == blocks)
		return false;
	n = d->count - block * UNWIND_STRIDE;
	if (n > UNWIND_STRIDE + 1)
		n = UNWIND_STRIDE + 1;
	if (!copy_memory(l, d->table_address + (uint64_t)block * UNWIND_STRIDE * sizeof(*list),
			 list, n * sizeof(*list)))
		return false;
	i = last_below(&list->start, 2, n, key);
	if (i == n)
		return false; /* the memory has changed: the module was unloaded */
	l->start = d->hdr_address + (uint64_t)(int64_t)list[i].start;
	l->fde = d->hdr_address + (uint64_t)(int64_t)list[i].entry;
	l->last = i + 1 == n;
	l->next = !l->last ? d->hdr_address + (uint64_t)(int64_t)list[i + 1].start : d->text_limit;
	return true;
}

/*
 * Copy the entry at `address` and return its bytes after the id. Return false when the entry
 * exceeds the section or `room`.
 */
static bool copy_entry(const struct lookup *l, uint64_t address, uint8_t *to, size_t room,
		       uint32_t *id, struct cfi_cursor *body)
{
	uint64_t left = l->d->eh_frame_limit - address;
	size_t first = min_size(left, min_size(room, FIRST_BYTES));
	uint32_t length;

	if (address < l->d->eh_frame_address || address >= l->d->eh_frame_limit ||
	    first < ENTRY_HEAD || !copy_memory(l, address, to, first))
		return false;
	memcpy(&length, to, 4);
	memcpy(id, to + 4, 4);
	if (length < 4 || length > left - 4 || length > room - 4)
		return false;
	if (length + 4 > first && !copy_memory(l, address + first, to + first, length + 4 - first))
		return false;
	*body = cfi_cursor_of(to + ENTRY_HEAD, length - 4);
	return true;
}

static bool read_listed_function(struct lookup *l)
{
	struct cfi_section section = {.bytes = l->scratch->fde, .address = l->fde};
	struct cfi_cursor body, fde;
	uint32_t id, cie_id;

	if (!copy_entry(l, l->fde, l->scratch->fde, sizeof(l->scratch->fde), &id, &fde) || !id ||
	    id > l->fde + 4)
		return false;
	if (!copy_entry(l, l->fde + 4 - id, l->scratch->cie, sizeof(l->scratch->cie), &cie_id,
			&body) ||
	    cie_id || !cfi_read_cie(&l->cie, body))
		return false;
	return cfi_read_function(&section, &l->cie, fde, &l->function) &&
	       l->function.start == l->start;
}

static void keep_state(void *arg, uint64_t address, const struct cfi_state *state)
{
	struct lookup *l = arg;

	if (address <= l->address && address < l->next) {
		l->state = *state;
		l->found = true;
	}
}

/* Compute the state at the address. Return false when .eh_frame does not cover the address. */
static bool find_state(struct lookup *l)
{
	uint64_t end;

	if (!find_hdr_row(l) || !read_listed_function(l))
		return false;
	end = l->start + l->function.size;
	if (end > l->next && l->next > l->start)
		end = l->next;
	if (l->address >= end && (l->last || l->next < end || l->next - end > PADDING_MAX))
		return false;
	(void)cfi_run(&l->function, keep_state, l);
	return l->found;
}

void unwind_direct_find(const struct unwind_range *range, uint64_t pc,
			const struct unwind_memory *memory, struct unwind_found *found)
{
	struct lookup l = {.d = range->direct,
			   .memory = memory,
			   .bias = range->bias,
			   .address = pc - range->bias,
			   .scratch = memory->scratch};
	bool understood = false;

	*found = (struct unwind_found){.rule = UNWIND_RULE_GUESS, .rbx = UNWIND_RULE_GUESS};
	if (!memory->copy || !memory->scratch)
		return;
	if (find_state(&l)) {
		understood = true;
		found->rbx = unwind_rbx_rule(&l.state);
		found->rule = l.cie.signal && unwind_is_kernel_frame(&l.state)
				      ? UNWIND_RULE_SIGNAL
				      : unwind_rule_of(&l.state, &found->entry);
	}
	atomic_fetch_add_explicit(&range->direct->lookups, understood ? 1 : UNWIND_LOOKUPS_MANY,
				  memory_order_relaxed);
}
