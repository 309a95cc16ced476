/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_STACK_MEMO_H
#define VARVE_SDK_HOOK_STACK_MEMO_H

#include "unwind/unwind.h"

/*
 * A cache of the stacks that a thread has walked lately. The result of a walk depends only on the
 * registers it started with, the words it read and the unwind space: if these are unchanged, so is
 * the stack. Programs allocate mostly at few places, and comparing a few words touches a fifth of
 * the cache lines that a walk and the stack table do.
 *
 * Owned by a thread and used only inside its hooks, never in a signal handler. `valid`, which is
 * initially 0, has a bit for each complete entry; the entries themselves need no initialization.
 */
enum { STACK_MEMOS = 8 };

struct stack_memo {
	uint64_t pc, sp, fp;
	uint64_t space; /* number of the unwind space */
	/* the stack's id, and stack_ids_renewals() before it was added */
	uint32_t stack, renewals;
	struct unwind_trace trace;
};

/*
 * Return the id of the stack that a walk from *regs in `space` would find, or STACK_NONE on a miss.
 * On a miss *out is the entry to fill: the caller walks with its trace and then calls
 * stack_memo_keep(). *out is NULL if the entry's last walk had started elsewhere, because most
 * stacks that are seen once are not seen again. Hook-safe.
 */
uint32_t stack_memo_find(struct stack_memo *memos, uint32_t *valid, const struct unwind_regs *regs,
			 const struct unwind_space *space, struct stack_memo **out);

/* Complete entry `m` with the id of the walked stack, unless its trace overflowed. Hook-safe. */
void stack_memo_keep(struct stack_memo *memos, uint32_t *valid, struct stack_memo *m,
		     uint32_t stack);

#endif
