/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_STACK_MEMO_H
#define VARVE_SDK_HOOK_STACK_MEMO_H

#include "unwind/unwind.h"

/*
 * Stacks that a thread has walked lately. What a walk finds is told by the registers it began with, the words that it read and the space it
 * was in: where these are the same, so is the stack. A program that allocates much does it at few places, and to compare a few words
 * touches a fifth of the cache lines that a walk and the table of stacks do.
 *
 * A thread's own, inside of a hook only (never in a signal handler). Its memory needs no beginning but `known`, which is 0.
 */
enum { STACK_MEMOS = 8 };

struct stack_memo {
	uint64_t pc, sp, fp;
	uint64_t space; /* its number */
	uint32_t stack,
		renewals; /* the id, sdk/hook/stack_ids.h, and how often there were new ones before it */
	struct unwind_trace trace;
};

/*
 * The id of the stack that a walk from *regs in `space` would find, or STACK_NONE: walk. *out is then the memo whose trace the walk writes, for
 * stack_memo_keep() after it; or NULL: the last one at this place began elsewhere, so this one may well be the only one of its kind. `known` has a bit for
 * each of the memos that is complete. Hook-safe.
 */
uint32_t stack_memo_find(struct stack_memo *memos, uint32_t *known, const struct unwind_regs *regs,
			 const struct unwind_space *space, struct stack_memo **out);
void stack_memo_keep(struct stack_memo *memos, uint32_t *known, struct stack_memo *m,
		     uint32_t stack);

#endif
