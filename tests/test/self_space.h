/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SELF_SPACE_H
#define VARVE_TEST_SELF_SPACE_H

#include "unwind/unwind.h"

enum { SELF_MODULES_MAX = 64 };

/* Everything that is mapped in this process, compiled from memory: programs and libraries by dl_iterate_phdr(), the vdso too. */
struct self_space {
	struct unwind_range ranges[SELF_MODULES_MAX];
	struct unwind_table *tables[SELF_MODULES_MAX];
	struct unwind_space space;
};

/* 0 or the error of the first module that could not be compiled. */
MUST_USE int self_space_init(struct self_space *s, struct budget *budget, struct err *e);
void self_space_fini(struct self_space *s);

/* Where the rules of this very program are. */
bool self_source(struct unwind_source *source);

/* The stack of the calling thread. */
struct unwind_memory self_stack(void);

#endif
