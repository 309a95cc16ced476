/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a stack. Everything here may run in a signal handler: plain loads and stores, no libc. */
#include "unwind/unwind.h"

#include "unwind/direct.h"
#include "unwind/table.h"

/* Functions that read the stack directly, where the sanitizers' red zones lie. */
#define STACK_READER __attribute__((no_sanitize("address", "thread")))

struct stack {
	uint64_t low, span; /* words begin in [low, low + span) */
	uint64_t shift;
	const struct unwind_memory *memory;
};

STACK_READER static inline uint64_t load_word(uint64_t address)
{
	struct __attribute__((packed, may_alias)) word {
		uint64_t value;
	};

	return ((const struct word *)(uintptr_t)address)->value;
}

static inline bool read_word(const struct stack *s, uint64_t address, uint64_t *word)
{
	const struct unwind_memory *m = s->memory;

	if (likely(address - s->low < s->span)) {
		*word = load_word(address + s->shift);
		return true;
	}
	return m->read && m->read(m->arg, address, word);
}

#define UNWIND_MEMORY const struct stack *
#define UNWIND_LOAD(memory, address, word) read_word(memory, address, word)
#include "unwind/step.h"

/*
 * The largest plausible distance of a frame pointer from the stack pointer, and the number of words
 * searched in a leaf's frame.
 */
enum { GUESS_DISTANCE = 1 << 20, GUESS_WORDS = 32 };

struct walk {
	const struct unwind_space *space;
	const struct unwind_range *range; /* of the last lookup: callers are often in the same */
	struct stack stack;
	struct unwind_found found; /* the last rule that was found without a table */
	/* where rbx was last known: the leaf, or the frame that a signal interrupted */
	struct origin {
		uint64_t pc, sp, fp, rbx;
		bool rbx_known, pc_is_return;
	} origin;
};

static inline const struct unwind_range *find_range_from_last(struct walk *w, uint64_t address)
{
	if (likely(w->range && address - w->range->start < w->range->limit - w->range->start))
		return w->range;
	return w->range = unwind_find_range(w->space, address);
}

/* Return whether the instruction before `address` is a call. */
static bool is_after_call(const struct stack *s, uint64_t address)
{
	const struct unwind_memory *m = s->memory;
	uint64_t word;

	/* a call has two to seven bytes, so the eight bytes before it are enough */
	if (!m->read || !m->read(m->arg, address - 8, &word))
		return false;

	const uint8_t *code = (const uint8_t *)&word;

	if (code[3] == 0xe8) /* call relative */
		return true;
	for (unsigned size = 2; size <= 7; size++) /* ff /2: call *register, *memory */
		if (code[8 - size] == 0xff && (code[9 - size] >> 3 & 7) == 2)
			return true;
	return false;
}

/* Step by the frame pointer. */
static enum unwind_step step_by_fp(struct walk *w, struct unwind_regs *r)
{
	uint64_t pc, fp;

	if (!r->fp && r->pc_is_return)
		return UNWIND_STEP_ROOT; /* the ABI marks the outermost frame by rbp = 0 */
	if (r->fp < r->sp || r->fp - r->sp > GUESS_DISTANCE || r->fp & 7)
		return UNWIND_STEP_GUESS;
	if (!read_word(&w->stack, r->fp, &fp) || !read_word(&w->stack, r->fp + 8, &pc))
		return UNWIND_STEP_GUESS;
	if (fp && fp <= r->fp)
		return UNWIND_STEP_GUESS;
	if (!unwind_find_range(w->space, pc - 1))
		return UNWIND_STEP_GUESS;
	return unwind_return(r, pc, r->fp + 16, fp);
}

/* Step out of a leaf with few pushed words: the first word after a call is its return address. */
static enum unwind_step step_by_words(struct walk *w, struct unwind_regs *r, uint32_t words)
{
	uint64_t pc;

	if (r->pc_is_return || r->sp & 7)
		return UNWIND_STEP_GUESS;
	for (uint32_t i = 0; i < words; i++) {
		uint64_t at = r->sp + 8 * i;

		if (!read_word(&w->stack, at, &pc))
			return UNWIND_STEP_GUESS;
		if (unwind_find_range(w->space, pc - 1) && is_after_call(&w->stack, pc))
			return unwind_return(r, pc, at + 8, r->fp);
	}
	return UNWIND_STEP_GUESS;
}

/* Step without a rule. If pc is unmapped, it was called by mistake and nothing was pushed. */
static NO_INLINE enum unwind_step step_without_rule(struct walk *w, struct unwind_regs *r)
{
	enum unwind_step step = UNWIND_STEP_GUESS;

	if (!unwind_find_range(w->space, r->pc))
		step = step_by_words(w, r, 1);
	if (step == UNWIND_STEP_GUESS)
		step = step_by_fp(w, r);
	if (step == UNWIND_STEP_GUESS)
		step = step_by_words(w, r, GUESS_WORDS);
	return step;
}

/* Find the rule at an address in the tables, and its entry in the dictionary. */
static NO_INLINE uint32_t find_in_tables(struct walk *w, uint64_t pc,
					 const struct unwind_rule **entry)
{
	const struct unwind_range *range = find_range_from_last(w, pc);
	uint32_t rule = UNWIND_RULE_GUESS;

	*entry = NULL;
	if (range && range->table) {
		rule = unwind_table_find(range->table, pc - range->bias);
		if (rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY)
			*entry = &range->table->rules[rule & UNWIND_INDEX_MAX];
	} else if (range && range->direct) {
		unwind_direct_find(range, pc, w->stack.memory, &w->found);
		rule = w->found.rule;
		if (rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY)
			*entry = &w->found.entry;
	}
	return rule;
}

/*
 * The rule cache. One word holds the low 44 bits of an address and its rule, so that concurrent
 * writers never tear an entry. The address bits from the 44th on are implied by the slot, which
 * they help to select. Rules of dictionaries are not cached, since they need their table as well.
 */
enum { CACHED_BITS = 44, CACHEABLE_BITS = 52 };

/* Return the cache's word for an address; NULL without a cache. */
static inline _Atomic uint64_t *cache_place(const struct unwind_space *space, uint64_t pc)
{
	if (space->cache_size < UNWIND_CACHE_MIN || pc >> CACHEABLE_BITS)
		return NULL;
	return &space->cache[(pc ^ pc >> 9 ^ pc >> CACHED_BITS) & (space->cache_size - 1)];
}

static inline uint32_t find_rule(struct walk *w, uint64_t pc, const struct unwind_rule **entry)
{
	_Atomic uint64_t *place = cache_place(w->space, pc);
	uint64_t cached = place ? atomic_load_explicit(place, memory_order_relaxed) : 0;
	uint32_t rule;

	*entry = NULL;
	if (likely(cached &&
		   cached >> UNWIND_RULE_BITS == pc << (64 - CACHED_BITS) >> (64 - CACHED_BITS)))
		return (uint32_t)cached & UNWIND_RULE_MASK;
	rule = find_in_tables(w, pc, entry);
	if (place && rule >> UNWIND_KIND_SHIFT != UNWIND_KIND_DICTIONARY)
		atomic_store_explicit(place, pc << UNWIND_RULE_BITS | rule, memory_order_relaxed);
	return rule;
}

static inline void set_origin(struct walk *w, const struct unwind_regs *r)
{
	w->origin = (struct origin){
		.pc = r->pc,
		.sp = r->sp,
		.fp = r->fp,
		.rbx = r->gpr[UNWIND_REG_RBX],
		.rbx_known = r->gpr_known,
		.pc_is_return = r->pc_is_return,
	};
}

/*
 * Find where rbx is saved in the frame whose rule was found last. Return false when it is unknown.
 */
static bool find_rbx(const struct walk *w, uint64_t pc, uint32_t *slot)
{
	const struct unwind_range *range = w->range;

	if (!range || (range->table ? !range->table->rbx : !range->direct))
		return false;
	*slot = range->table ? unwind_table_find(range->table->rbx, pc - range->bias)
			     : w->found.rbx;
	return *slot != UNWIND_RULE_GUESS;
}

/* Step towards the frame that needs rbx, and follow the value of rbx. */
static bool follow_rbx(struct walk *w, struct unwind_regs *r, uint64_t *rbx)
{
	uint64_t pc = r->pc - r->pc_is_return;
	const struct unwind_rule *entry;
	uint32_t rule = find_in_tables(w, pc, &entry), slot;

	if (!find_rbx(w, pc, &slot) || unwind_step(r, rule, entry, &w->stack) != UNWIND_STEP_DONE)
		return false;
	return !slot || read_word(&w->stack, r->sp - 8 * (uint64_t)slot, rbx);
}

/*
 * Recover rbx for a frame whose CFA is computed from it. Frames below may have saved rbx, so walk
 * to the frame again from the origin and follow rbx. Needed for the dynamic loader's lazy binding.
 */
static bool recover_rbx(struct walk *w, struct unwind_regs *r)
{
	struct unwind_regs again = {
		.pc = w->origin.pc,
		.sp = w->origin.sp,
		.fp = w->origin.fp,
		.pc_is_return = w->origin.pc_is_return,
	};
	uint64_t rbx = w->origin.rbx;

	if (!w->origin.rbx_known)
		return false;
	while (again.sp < r->sp)
		if (!follow_rbx(w, &again, &rbx))
			return false;
	r->gpr[UNWIND_REG_RBX] = rbx;
	return again.sp == r->sp && again.pc == r->pc;
}

static bool needs_rbx(const struct unwind_rule *entry)
{
	return entry && entry->cfa_register == UNWIND_REG_RBX &&
	       entry->ra_place == UNWIND_PLACE_AT_CFA;
}

/* Step by any rule that is not a row's. Rare, so kept out of the loop. */
static NO_INLINE enum unwind_step step_slow(struct walk *w, struct unwind_regs *r, uint32_t rule,
					    const struct unwind_rule *entry)
{
	enum unwind_step step = unwind_step(r, rule, entry, &w->stack);

	if (step == UNWIND_STEP_GUESS && needs_rbx(entry)) {
		struct unwind_rule saved = *entry; /* recover_rbx() overwrites w->found */

		if (!recover_rbx(w, r))
			return step_without_rule(w, r);
		r->gpr_known = true;
		step = unwind_step(r, rule, &saved, &w->stack);
		r->gpr_known = false;
	}
	if (step == UNWIND_STEP_DONE && !r->pc_is_return)
		set_origin(w, r); /* stepped over a signal frame */
	return step == UNWIND_STEP_GUESS ? step_without_rule(w, r) : step;
}

static enum unwind_end end_of_step(enum unwind_step step)
{
	static const uint8_t ends[] = {
		[UNWIND_STEP_DONE] = UNWIND_FULL,
		[UNWIND_STEP_ROOT] = UNWIND_ROOT,
		[UNWIND_STEP_GUESS] = UNWIND_NO_RULE,
		[UNWIND_STEP_NO_MEMORY] = UNWIND_NO_MEMORY,
		[UNWIND_STEP_NO_PROGRESS] = UNWIND_NO_PROGRESS,
	};

	return ends[step];
}

static void trace_begin(struct unwind_trace *t)
{
	t->n = t->fp_at = 0;
	t->fp_used = false;
	t->fp_open = true;
}

static NO_INLINE void trace_word(struct walk *w, uint64_t address, uint64_t value, uint32_t at)
{
	struct unwind_trace *t = w->stack.memory->trace;

	if (at >= UNWIND_TRACE_WORDS || address - w->stack.low >= w->stack.span) {
		t->n = UNWIND_TRACE_VOID;
		return;
	}
	t->words[at] = (struct unwind_word){address, value};
	if (at == t->n)
		t->n++;
}

/* Record the step by `rule` to *r. A frame pointer replaces the previous one if that was unused. */
static NO_INLINE void trace_step(struct walk *w, uint32_t rule, const struct unwind_regs *r)
{
	struct unwind_trace *t = w->stack.memory->trace;
	uint64_t slot = rule & UNWIND_FP_MAX;

	if (rule >> UNWIND_KIND_SHIFT > UNWIND_KIND_FP)
		t->n = UNWIND_TRACE_VOID;
	if (t->n == UNWIND_TRACE_VOID)
		return;
	if (rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_FP) {
		t->fp_used |= !t->fp_at;
		t->fp_open = false;
	}
	trace_word(w, r->sp - 8, r->pc, t->n);
	if (slot) {
		uint32_t at = t->fp_open && t->fp_at ? t->fp_at - 1 : t->n;

		trace_word(w, r->sp - 8 * slot, r->fp, at);
		t->fp_at = at + 1;
		t->fp_open = true;
	}
}

static NO_INLINE void trace_end(struct unwind_trace *t, uint32_t rule, enum unwind_step step)
{
	if (step != UNWIND_STEP_DONE && rule != UNWIND_RULE_STOP)
		t->n = UNWIND_TRACE_VOID;
	if (t->n != UNWIND_TRACE_VOID && t->fp_open && t->fp_at)
		t->words[t->fp_at - 1] = t->words[--t->n];
}

uint32_t unwind_walk(const struct unwind_space *space, struct unwind_regs *regs,
		     const struct unwind_memory *memory, uint64_t *pcs, uint32_t max,
		     enum unwind_end *end)
{
	struct walk w = {
		.space = space,
		.stack = {.low = memory->low,
			  .span = memory->high - memory->low >= 8 && memory->high > memory->low
					  ? memory->high - memory->low - 7
					  : 0,
			  .shift = (uint64_t)memory->shift,
			  .memory = memory},
	};
	struct unwind_trace *trace = memory->trace;
	enum unwind_step step = UNWIND_STEP_DONE;
	uint32_t n = 0, rule = UNWIND_RULE_STOP;

	set_origin(&w, regs);
	if (trace)
		trace_begin(trace);
	while (n < max) {
		const struct unwind_rule *entry;
		uint64_t pc = regs->pc - regs->pc_is_return;

		rule = find_rule(&w, pc, &entry);
		pcs[n++] = pc;
		if (n == max && rule != UNWIND_RULE_STOP)
			break;
		step = likely(rule >> UNWIND_KIND_SHIFT <= UNWIND_KIND_FP)
			       ? unwind_step_row(regs, rule, &w.stack)
			       : step_slow(&w, regs, rule, entry);
		if (step != UNWIND_STEP_DONE)
			break;
		if (unlikely(trace))
			trace_step(&w, rule, regs);
	}
	if (trace)
		trace_end(trace, rule, step);
	*end = end_of_step(step);
	return n;
}
