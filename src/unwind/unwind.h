/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_UNWIND_H
#define VARVE_UNWIND_UNWIND_H

#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"
#include "unwind/row.h"

/*
 * Walks stacks without frame pointers. This is the face of the part; each function names its file.
 *
 * The call frame information of a module (.eh_frame) is compiled once into a **table**: sorted
 * 4-byte rows, an index by 4 KB page of text, and a few rules that do not fit a row. A **space**
 * describes the mappings of one process: ranges of addresses, each with its table. A **walk** takes
 * registers, a space and a way to read memory, and returns the addresses of the stack, the leaf
 * first.
 *
 * Compiling allocates within a budget and reads untrusted input. A table is immutable after that.
 * Walking is async-signal-safe: it allocates nothing, takes no lock, does not set errno, and reads
 * only through unwind_memory. The row format and the step are in unwind/row.h and unwind/step.h,
 * written so that BPF programs can share them.
 *
 * Supports x86_64; the row format leaves room for arm64.
 */

/*
 * The input of a compilation. The bytes are borrowed during the call only. Addresses are the
 * module's (ELF virtual addresses).
 */
struct unwind_source {
	struct str eh_frame; /* the section, or from its start to the end of its segment */
	uint64_t eh_frame_address;
	/* the executable segment, in which PLT and sigreturn are recognised; may be empty */
	struct str text;
	uint64_t text_address;
	uint64_t text_limit; /* no row is at or above this address */
};

struct unwind_table; /* immutable */

struct unwind_table_stats {
	uint32_t functions, rows, rules, pages;
	/* functions with a rule that cannot be expressed; a walk tries frame pointers there */
	uint32_t invalid;
	size_t bytes;
};

/*
 * Compile a table. Return 0, -ENOMEM (memory or budget), -E2BIG (more rows than the format can
 * hold), or -EBADMSG for a malformed section: *out then has the rules of the entries before the
 * malformed one, which `e` names. The caller owns *out after 0 or -EBADMSG; otherwise it is NULL.
 * (compile.c)
 */
MUST_USE int unwind_table_compile(struct unwind_table **out, const struct unwind_source *source,
				  struct budget *budget, struct err *e);
/* Free a table, NULL included. (build.c) */
void unwind_table_free(struct unwind_table *t);
struct unwind_table_stats unwind_table_stats(const struct unwind_table *t);

/* One executable mapping, [start, limit). A module address is a process address - bias. */
struct unwind_range {
	uint64_t start, limit;
	uint64_t bias;
	const struct unwind_table *table; /* NULL: frame pointers only (JIT, no .eh_frame) */
	/* used without a table: looks rules up in memory (unwind/direct.h); may be NULL */
	struct unwind_direct *direct;
};

/* Ranges sorted by start, disjoint. Immutable while a walk uses it. The caller owns the tables. */
struct unwind_space {
	const struct unwind_range *ranges;
	uint32_t count;
	/*
	 * Optional: a cache of recently found rules, shared by all threads and signal handlers that
	 * walk in this space. A power of two of zeroed words, UNWIND_CACHE_MIN or more; 4096 words
	 * make a frame three times cheaper. The cache is valid for this space only: a new space,
	 * made because modules were loaded or unloaded, needs a zeroed cache.
	 */
	_Atomic uint64_t *cache;
	uint32_t cache_size; /* in words; 0: none */
	uint64_t number;     /* set by the owner, unique per space */
};

enum { UNWIND_CACHE_MIN = 256 };

/*
 * What the result of a walk depends on besides its space: the words that it read, and whether it
 * used the frame pointer that it began with. A frame pointer that was read but never used is left
 * out. Covers only walks that applied nothing but rows and read nothing but the stack; for others
 * `n` is UNWIND_TRACE_VOID.
 */
enum { UNWIND_TRACE_WORDS = 32, UNWIND_TRACE_VOID = UNWIND_TRACE_WORDS + 1 };
struct unwind_trace {
	uint32_t n;
	bool fp_used;
	bool fp_open;	/* during the walk: the frame pointer was not used since it was read */
	uint32_t fp_at; /* during the walk: index + 1 of its word; 0: it is the initial one */
	struct unwind_word {
		uint64_t address, value;
	} words[UNWIND_TRACE_WORDS];
};

/*
 * The memory that a walk may read: words in [low, high), the stack, are loaded directly; all others
 * by `read`, if not NULL, which sets *word and returns true, or returns false. When the stack is a
 * copy, the bytes are `shift` away from the addresses they stand for.
 */
struct unwind_memory {
	uint64_t low, high;
	ptrdiff_t shift; /* added to a stack address before the load */
	bool (*read)(void *arg, uint64_t address, uint64_t *word);
	void *arg;
	/*
	 * For ranges that have `direct` but no table: `copy` copies bytes of the process or returns
	 * false; `scratch` is UNWIND_SCRATCH bytes, aligned to 8, for the exclusive use of this
	 * walk. NULL: such ranges have no rules.
	 */
	bool (*copy)(void *arg, uint64_t address, void *to, size_t n);
	void *scratch;
	struct unwind_trace *trace; /* written if not NULL */
};

enum { UNWIND_SCRATCH = 4096 };

/* How a walk ended. */
enum unwind_end {
	UNWIND_ROOT,	    /* the outermost frame: its rule says so, or its return address is 0 */
	UNWIND_FULL,	    /* max frames were found; there are more */
	UNWIND_NO_RULE,	    /* the last address has no rule and no frame pointer to follow */
	UNWIND_NO_MEMORY,   /* a word is outside of the readable memory */
	UNWIND_NO_PROGRESS, /* the stack pointer did not grow or was misaligned */
};

/*
 * Walk from *regs. pcs[0] is regs->pc; the others are return addresses minus 1 (inside the call),
 * except those of frames that a signal interrupted, which are exact. Return the number of addresses
 * written (at least 1 if max is) and set *end. *regs are then the registers of the last frame (its
 * gpr are undefined), so that a walk can be continued with other memory or after UNWIND_FULL.
 * (walk.c)
 *
 * Where no rule is known, frame pointers are followed as long as they are plausible: above the
 * stack pointer and not far from it, with a return address inside a range. A leaf without a valid
 * frame pointer is left by the first word on its stack that is the return address of a call
 * instruction; this needs memory->read to inspect the code. Signal frames lead back to the
 * interrupted registers, on whichever stack.
 */
uint32_t unwind_walk(const struct unwind_space *space, struct unwind_regs *regs,
		     const struct unwind_memory *memory, uint64_t *pcs, uint32_t max,
		     enum unwind_end *end);

/*
 * Find .eh_frame by the bytes of .eh_frame_hdr (PT_GNU_EH_FRAME), which is at `address`. Return
 * true and set *eh_frame, or return false. *eh_frame is a module address or a process address, as
 * `address` is. (space.c)
 */
bool unwind_find_eh_frame(struct str hdr, uint64_t address, uint64_t *eh_frame);

/* Return the range that holds the address, or NULL. Async-signal-safe. (space.c) */
const struct unwind_range *unwind_find_range(const struct unwind_space *space, uint64_t address);

#endif
