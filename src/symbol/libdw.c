/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libdw, and opens debug information with memory charged before it is read. */
#include "symbol/libdw.h"

#include <dlfcn.h>
#include <elf.h>

#define DEBUG_BYTES_MAX (2 * GIB)
#define RATIO_MAX 1100 /* deflate's is 1,032 */

bool libdw_load(struct libdw *l)
{
	/* RTLD_NODELETE: libdw has thread-local variables and must not be unloaded */
	int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

	*l = (struct libdw){.library = dlopen("libdw.so.1", flags)};
	if (!l->library)
		return false;
#define LIBDW_FIND(name)                                                                           \
	l->name = (__typeof__(&name))dlsym(l->library, #name);                                     \
	if (!l->name)                                                                              \
		goto missing;
	LIBDW_FUNCTIONS(LIBDW_FIND)
#undef LIBDW_FIND
	return l->elf_version(EV_CURRENT) != EV_NONE;
missing:
	return false;
}

void libdw_unload(struct libdw *l)
{
	if (l->library)
		dlclose(l->library);
	l->library = NULL;
}

/* Add the memory that a section needs. Return false when it is implausible or too large. */
static bool add_section_memory(const struct elf *elf, const struct elf_section *s, size_t *total)
{
	uint64_t size = s->size;
	Elf64_Chdr h;

	if (s->flags & SHF_COMPRESSED) {
		if (size < sizeof(h) || source_read(elf->source, s->offset, &h, sizeof(h)) ||
		    h.ch_size / RATIO_MAX > size)
			return false;
		size += h.ch_size;
	} else if (str_starts(s->name, STR(".zdebug_"))) {
		size *= 8; /* old compression without a size: an estimate */
	}
	*total += size;
	return size <= DEBUG_BYTES_MAX && *total <= DEBUG_BYTES_MAX;
}

static bool is_debug_section(const struct elf_section *s)
{
	return s->type != SHT_NOBITS &&
	       (str_starts(s->name, STR(".debug_")) || str_starts(s->name, STR(".zdebug_")));
}

/* Add up the memory of all debug sections. False: no .debug_info, or a malformed section. */
static bool debug_memory(const struct elf *elf, size_t *total)
{
	bool info = false;

	*total = 0;
	for (uint32_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];

		if (!is_debug_section(s))
			continue;
		if (!source_has(elf->source, s->offset, s->size) ||
		    !add_section_memory(elf, s, total))
			return false;
		info = info || str_ends(s->name, STR("debug_info"));
	}
	return info;
}

bool libdw_open(const struct libdw *l, struct libdw_file *file, const struct elf *elf,
		struct budget *budget)
{
	size_t bytes;

	*file = (struct libdw_file){0};
	if (elf->source->fd < 0 || !debug_memory(elf, &bytes) || !budget_take(budget, bytes))
		return false;
	file->bytes = bytes;
	file->elf = l->elf_begin(elf->source->fd, ELF_C_READ, NULL); /* reads, does not map */
	if (file->elf)
		file->dwarf = l->dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (file->elf)
		(void)l->elf_cntl(file->elf, ELF_C_FDDONE); /* everything has been read */
	if (file->dwarf)
		return true;
	libdw_close(l, file, budget);
	return false;
}

void libdw_close(const struct libdw *l, struct libdw_file *file, struct budget *budget)
{
	if (file->dwarf)
		(void)l->dwarf_end(file->dwarf);
	if (file->elf)
		(void)l->elf_end(file->elf);
	budget_give(budget, file->bytes);
	*file = (struct libdw_file){0};
}
