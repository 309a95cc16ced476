/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_UNWIND_H
#define VARVE_UNWIND_UNWIND_H

#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"
#include "unwind/row.h"

/*
 * Walking stacks without frame pointers.
 *
 * The call frame information of a module (.eh_frame) is compiled once into a **table**: sorted 4-byte rows, an index by
 * 4 KB page of text, and a few rules that do not fit a row. A **space** is what is mapped in one process: ranges of
 * addresses, each with its table. A **walk** takes registers, a space and a way to read memory, and gives
 * the addresses of the stack, the leaf first.
 *
 * Compiling allocates and is bounded by a budget; what it reads is untrusted. A table never changes after that. Walking is
 * async-signal-safe: no allocation, no lock, no errno, and it reads only through unwind_memory. The row format and the step
 * itself are in unwind/row.h and unwind/step.h, written so that BPF programs can share them.
 *
 * x86_64 first; the row format leaves room for arm64.
 */

/* Where the rules of a module come from. Bytes are borrowed while compiling only. */
struct unwind_source {
	struct str eh_frame; /* the section, or from its start to the end of its segment */
	uint64_t
		eh_frame_address; /* of its first byte, as the module counts (ELF virtual address) */
	struct str
		text; /* of the executable segment, to tell PLT and sigreturn by its bytes; may be empty */
	uint64_t text_address;
	uint64_t text_limit; /* no row is at or above it */
};

struct unwind_table; /* immutable */

struct unwind_table_stats {
	uint32_t functions, rows, rules, pages;
	uint32_t
		invalid; /* functions whose rules we cannot say; a walk tries frame pointers there */
	size_t bytes;
};

/*
 * Compile. 0, -ENOMEM (memory or budget), -E2BIG (more rows than the format holds), -EBADMSG when the section is
 * malformed: what was understood before the bad entry is still in *out then, and the entry is named in `e`.
 * *out is the caller's when 0 or -EBADMSG was returned, else it is NULL.
 */
MUST_USE int unwind_table_compile(struct unwind_table **out, const struct unwind_source *source,
				  struct budget *budget, struct err *e);
void unwind_table_free(struct unwind_table *t);
struct unwind_table_stats unwind_table_stats(const struct unwind_table *t);

/* One executable mapping: [start, limit) of the process; address - bias is what the table counts in. */
struct unwind_range {
	uint64_t start, limit;
	uint64_t bias;
	const struct unwind_table *table; /* NULL: frame pointers only (JIT, no .eh_frame) */
	struct unwind_direct *
		direct; /* without a table: where to look a rule up (unwind/direct.h); may be NULL */
};

/* Sorted by start, not overlapping. Immutable while anybody walks in it; who owns the tables is the caller's business. */
struct unwind_space {
	const struct unwind_range *ranges;
	uint32_t count;
	/*
	 * Optional: the rules that were found lately, shared by all who walk in this space, whatever thread or handler they are in. Zeroed words,
	 * as many as a power of two from UNWIND_CACHE_MIN on; 4096 of them make a frame three times cheaper. It belongs to this very space:
	 * another one, made because modules came or went, needs a zeroed one.
	 */
	_Atomic uint64_t *cache;
	uint32_t cache_size; /* in words; 0: none */
	uint64_t number;     /* the owner's, who gives each space another one */
};

enum { UNWIND_CACHE_MIN = 256 };

/*
 * What a walk depended on beside its space: the words that it read, and whether it made use of the frame pointer that it began with. Frame pointers that
 * it read and found no use for are left out. Only for walks that followed nothing but rows and read nothing but the stack; else `n` is UNWIND_TRACE_VOID.
 */
enum { UNWIND_TRACE_WORDS = 32, UNWIND_TRACE_VOID = UNWIND_TRACE_WORDS + 1 };
struct unwind_trace {
	uint32_t n;
	bool fp_used;
	bool fp_open;	/* while it walks: the frame pointer was not used since it was read */
	uint32_t fp_at; /* the same: word + 1; 0: it is the one that the walk began with */
	struct unwind_word {
		uint64_t address, value;
	} words[UNWIND_TRACE_WORDS];
};

/*
 * What may be read: words in [low, high), the stack, straight from memory; for all else `read`, if not NULL: true and *word,
 * or false. Bytes that are a copy of another stack lie `shift` away from the addresses they stand for.
 */
struct unwind_memory {
	uint64_t low, high;
	ptrdiff_t shift; /* to be added to an address to get where to read */
	bool (*read)(void *arg, uint64_t address, uint64_t *word);
	void *arg;
	/*
	 * For ranges that have no table but `direct`: copies bytes of the process, or says false; and UNWIND_SCRATCH bytes, aligned to 8, of which
	 * nobody else makes use meanwhile. NULL: such ranges have no rules.
	 */
	bool (*copy)(void *arg, uint64_t address, void *to, size_t n);
	void *scratch;
	struct unwind_trace *trace; /* if not NULL: written */
};

enum { UNWIND_SCRATCH = 4096 };

/* How a walk ended. */
enum unwind_end {
	UNWIND_ROOT,	    /* the outermost frame: the rules say so, or its return address is 0 */
	UNWIND_FULL,	    /* max frames were found; there are more */
	UNWIND_NO_RULE,	    /* no rule for the last address, and frame pointers led nowhere */
	UNWIND_NO_MEMORY,   /* a word outside of what may be read */
	UNWIND_NO_PROGRESS, /* the stack pointer did not grow, or left its alignment */
};

/*
 * Walk from *regs. pcs[0] is regs->pc; the others are return addresses minus 1 (inside the call), but for those that a signal
 * interrupted, which are exact. Returns how many were written (at least 1 if max is), and how it ended.
 * *regs is that of the last frame (its gpr are undefined), so that a walk can go on with other memory or where it was full.
 *
 * Where no rule is known, frame pointers are followed as long as they look right: above the stack pointer and not far from it, with
 * a return address into a range. A leaf that has none is left by the first return address behind a call on its stack, which needs
 * memory->read to look at the code. Signal frames lead back to the registers that were interrupted, on whichever stack.
 */
uint32_t unwind_walk(const struct unwind_space *space, struct unwind_regs *regs,
		     const struct unwind_memory *memory, uint64_t *pcs, uint32_t max,
		     enum unwind_end *end);

/*
 * Where .eh_frame is, by the .eh_frame_hdr that PT_GNU_EH_FRAME points to, `address` being where it is itself: true and
 * *eh_frame, or false. Both as the module counts, or both as the process does.
 */
bool unwind_find_eh_frame(struct str hdr, uint64_t address, uint64_t *eh_frame);

/* The range that holds the address, or NULL. Async-signal-safe. */
const struct unwind_range *unwind_find_range(const struct unwind_space *space, uint64_t address);

#endif
