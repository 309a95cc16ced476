/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds PLT stubs of x86_64: `jmp *slot(%rip)`, possibly after endbr64 or bnd, in entries of 8 or
 * 16 bytes. Linkers order the entries freely, so the called function is identified by the GOT slot
 * that the stub jumps through: the relocation for that slot has the symbol.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/container/vec.h"
#include "symbol/table.h"

enum { STUBS_MAX = 1 << 16, ENTRY_SIZE = 16, RELOCATIONS_AT_A_TIME = 512 };

/* A GOT slot and the symbol that its relocation refers to. */
struct got_slot {
	uint64_t address;
	uint32_t symbol;
};

struct stubs {
	const struct elf *elf;
	uint64_t base;
	struct arena scratch;
	VEC(struct got_slot) slots; /* sorted by address */
	VEC(struct symbol_entry) found;
};

static int compare_slots(const void *a, const void *b)
{
	const struct got_slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_symbol_entries(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Collect the GOT slots of called functions from one relocation section. */
static int read_got_slots(struct stubs *s, const char *name)
{
	const struct elf_section *section = elf_find_section(s->elf, name);
	uint64_t count =
		section && section->type == SHT_RELA ? section->size / sizeof(Elf64_Rela) : 0;
	Elf64_Rela chunk[RELOCATIONS_AT_A_TIME];
	int rc = 0;

	for (uint64_t done = 0; !rc && done < count;) {
		size_t n = min_size(count - done, countof(chunk));

		rc = source_read(s->elf->source, section->offset + done * sizeof(*chunk), chunk,
				 n * sizeof(*chunk));
		for (size_t i = 0; !rc && i < n; i++) {
			uint64_t type = ELF64_R_TYPE(chunk[i].r_info);

			if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
			    s->slots.n == STUBS_MAX)
				continue;
			rc = vec_push(&s->scratch, &s->slots,
				      (struct got_slot){chunk[i].r_offset,
							(uint32_t)ELF64_R_SYM(chunk[i].r_info)});
		}
		done += n;
	}
	return rc;
}

/*
 * Decode the jump of a stub: *slot is the address it jumps through. Return false when it is none.
 */
static bool decode_stub(const uint8_t *code, size_t size, uint64_t address, uint64_t *slot)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = size > sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)) ? 4 : 0;
	int32_t distance;

	if (at < size && code[at] == 0xf2) /* bnd */
		at++;
	if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*slot = address + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

static int add_stub(struct stubs *s, const uint8_t *code, size_t size, uint64_t address)
{
	struct got_slot key = {0}, *slot;

	if (!decode_stub(code, size, address, &key.address) || s->found.n == STUBS_MAX)
		return 0;
	slot = bsearch(&key, s->slots.at, s->slots.n, sizeof(key), compare_slots);
	if (!slot || address < s->base || address - s->base > UINT32_MAX)
		return 0;
	return vec_push(
		&s->scratch, &s->found,
		(struct symbol_entry){(uint32_t)(address - s->base), (uint32_t)size, slot->symbol});
}

static int read_stubs(struct stubs *s, const char *name)
{
	const struct elf_section *section = elf_find_section(s->elf, name);
	size_t size = section && section->entry_size == 8 ? 8 : ENTRY_SIZE;
	struct str bytes;
	int rc;

	if (!section || section->size > STUBS_MAX * ENTRY_SIZE)
		return 0;
	rc = source_read_new(s->elf->source, section->offset, section->size, &s->scratch, &bytes);
	for (size_t at = 0; !rc && at + size <= bytes.n; at += size)
		rc = add_stub(s, (const uint8_t *)bytes.p + at, size, section->address + at);
	return rc;
}

static int fill_stub_table(struct symbol_table *t, const struct stubs *s, struct arena *a)
{
	struct symbol_entry *entries = arena_alloc(a, s->found.n, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	memcpy(entries, s->found.at, s->found.n * sizeof(*entries));
	qsort(entries, s->found.n, sizeof(*entries), compare_symbol_entries);
	t->entries = entries;
	t->count = s->found.n;
	return 0;
}

int symbol_table_read_stubs(struct symbol_table *t, const struct elf *elf, struct arena *a)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	struct stubs s = {.elf = elf, .base = elf_lowest_address(elf)};
	struct elf_symbols symbols;
	int rc;

	*t = (struct symbol_table){.base = s.base, .source = elf->source};
	if (elf->machine != EM_X86_64 || !elf_find_symbols(elf, SHT_DYNSYM, &symbols))
		return 0;
	t->stubs = true;
	t->symbols = symbols;
	arena_init(&s.scratch, a->budget);
	rc = read_got_slots(&s, ".rela.plt");
	if (!rc && elf_find_section(elf, ".plt.got"))
		rc = read_got_slots(&s, ".rela.dyn");
	if (!rc && s.slots.n)
		qsort(s.slots.at, s.slots.n, sizeof(*s.slots.at), compare_slots);
	for (size_t i = 0; !rc && s.slots.n && i < countof(sections); i++)
		rc = read_stubs(&s, sections[i]);
	if (!rc && s.found.n)
		rc = fill_stub_table(t, &s, a);
	arena_fini(&s.scratch);
	return rc;
}
