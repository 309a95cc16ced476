/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SELF_SPACE_H
#define VARVE_TEST_SELF_SPACE_H

#include "unwind/unwind.h"

enum { SELF_MODULES_MAX = 64 };

/*
 * The unwind rules of all modules of this process (program, libraries, vdso), compiled from memory.
 */
struct self_space {
	struct unwind_range ranges[SELF_MODULES_MAX];
	struct unwind_table *tables[SELF_MODULES_MAX];
	struct unwind_space space;
};

/*
 * Compile the modules listed by dl_iterate_phdr(). Return 0 or the error of the first module that
 * failed.
 */
MUST_USE int self_space_init(struct self_space *s, struct budget *budget, struct err *e);
void self_space_fini(struct self_space *s);

/* Find the unwind rules of the program itself. */
bool self_source(struct unwind_source *source);

/* Return the stack memory of the calling thread. */
struct unwind_memory self_stack(void);

#endif
