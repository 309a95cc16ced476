/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_MODULES_H
#define VARVE_SDK_COLLECT_MODULES_H

#include "base/err.h"
#include "base/str.h"
#include "unwind/unwind.h"

/*
 * What is loaded into this process: the program, its libraries, the vdso; with the unwind table and build id of each.
 *
 * The collector looks every 100 ms whether something was loaded or unloaded (dl_iterate_phdr() counts) and publishes a new immutable space. Rules are
 * first looked up one by one in the mapped .eh_frame (unwind/direct.h): most modules are seldom met, and a start that compiled all of them would take
 * milliseconds. A module that was asked so often that a table would have been cheaper gets one. Walks in signal handlers use the one they found; an old one
 * is freed once every thread was seen outside of all hooks. Modules that are gone are remembered, so that stacks that were taken in
 * them still get names.
 */
struct module {
	uint64_t start, limit; /* of its executable segment */
	uint64_t bias;	       /* address - bias = ELF virtual address */
	uint64_t file_offset;  /* of `start` */
	char *path;	       /* "[vdso]" for the vdso; the program's real path */
	uint8_t build_id[32];
	uint32_t build_id_size;
	struct unwind_table *table;   /* NULL: none yet, or gone */
	struct unwind_direct *direct; /* NULL: none, or gone */
	bool gone;
	bool seen; /* in this look at what is loaded */
};

struct modules;
MUST_USE int modules_new(struct modules **out, struct budget *budget, struct err *e);
void modules_free(struct modules *m);

/* Look again; true when something changed. Collector or start; not for hooks. */
bool modules_update(struct modules *m);

/* How many there are, the program first, gone ones too; and each. Not for hooks. */
uint32_t modules_count(const struct modules *m);
const struct module *modules_at(const struct modules *m, uint32_t index);

/* The space to walk in now. Hook-safe. */
const struct unwind_space *modules_space(const struct modules *m);

/* Which module holds (or last held) the address; NULL: none. Not for hooks. */
const struct module *modules_find(const struct modules *m, uint64_t address);

#endif
