/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of a thread's stack walks: direct-mapped by pc and sp. */
#include "sdk/hook/stack_memo.h"

#include "sdk/hook/stack_ids.h"

/*
 * Has every word of the trace its old value? Not sanitized, because the stack contains the
 * sanitizers' red zones.
 */
__attribute__((no_sanitize("address", "thread"))) static bool
words_unchanged(const struct unwind_trace *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (*(const volatile uint64_t *)(uintptr_t)t->words[i].address != t->words[i].value)
			return false;
	return true;
}

uint32_t stack_memo_find(struct stack_memo *memos, uint32_t *valid, const struct unwind_regs *regs,
			 const struct unwind_space *space, struct stack_memo **out)
{
	uint32_t i = (uint32_t)(regs->pc ^ regs->pc >> 5 ^ regs->sp >> 4) % STACK_MEMOS;
	struct stack_memo *m = &memos[i];
	uint32_t renewals = stack_ids_renewals();
	bool same = m->pc == regs->pc && m->sp == regs->sp && m->space == space->number;

	if (same && *valid >> i & 1 && m->renewals == renewals &&
	    (m->fp == regs->fp || !m->trace.fp_used) && words_unchanged(&m->trace))
		return m->stack;
	*valid &= ~(UINT32_C(1) << i);
	*out = same ? m : NULL;
	m->pc = regs->pc;
	m->sp = regs->sp;
	m->fp = regs->fp;
	m->space = space->number;
	m->renewals = renewals;
	return STACK_NONE;
}

void stack_memo_keep(struct stack_memo *memos, uint32_t *valid, struct stack_memo *m,
		     uint32_t stack)
{
	if (m->trace.n > UNWIND_TRACE_WORDS || stack < STACK_FIRST)
		return;
	m->stack = stack;
	*valid |= UINT32_C(1) << (m - memos);
}
