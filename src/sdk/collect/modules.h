/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_MODULES_H
#define VARVE_SDK_COLLECT_MODULES_H

#include "base/err.h"
#include "base/str.h"
#include "unwind/unwind.h"

/*
 * The modules of this process: the program, its libraries and the vdso, with unwind table and build
 * id.
 *
 * The collector checks every 100 ms whether a module was loaded or unloaded (by the counters of
 * dl_iterate_phdr()) and publishes a new immutable space. Rules are at first looked up singly in
 * the mapped .eh_frame (unwind/direct.h): most modules are rarely seen, and compiling all at the
 * start would take milliseconds. A module gets a table once it had so many lookups that the table
 * would have been cheaper. A walk in a signal handler uses the space it found; an old space is
 * freed once every thread was seen outside of all hooks. Unloaded modules are remembered to name
 * stacks taken in them.
 */
struct module {
	uint64_t start, limit; /* of the executable segment */
	uint64_t bias;	       /* address - bias = ELF virtual address */
	uint64_t file_offset;  /* of `start` */
	char *path;	       /* "[vdso]" for the vdso; the program's real path */
	uint8_t build_id[32];
	uint32_t build_id_size;
	struct unwind_table *table;   /* NULL: not compiled, or unloaded */
	struct unwind_direct *direct; /* NULL: not available, or unloaded */
	bool gone;		      /* unloaded */
	bool seen;		      /* in the current iteration */
};

struct modules;
MUST_USE int modules_new(struct modules **out, struct budget *budget, struct err *e);
void modules_free(struct modules *m);

/*
 * Check for changes and return whether there were any. Collector's thread or start; not for hooks.
 */
bool modules_update(struct modules *m);

/* Return the number of modules, unloaded ones included; the program is the first. Not for hooks. */
uint32_t modules_count(const struct modules *m);
const struct module *modules_at(const struct modules *m, uint32_t index);

/* Return the current space. Hook-safe. */
const struct unwind_space *modules_space(const struct modules *m);

/* Return the module that has, or last had, the address, or NULL. Not for hooks. */
const struct module *modules_find(const struct modules *m, uint64_t address);

#endif
