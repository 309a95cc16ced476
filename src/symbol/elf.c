/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF headers, following the System V ABI (gABI), chapters 4 and 5. */
#include "symbol/elf.h"

#include <elf.h>
#include <errno.h>

#include "base/container/vec.h"

/* Far beyond what linkers write; larger sections are ignored. */
#define SECTION_NAMES_MAX MIB
#define NOTES_MAX (64 * KIB)
enum { BUILD_ID_MAX = 64, SECTION_NAME_MAX = 256 };

static int read_elf_header(const struct source *s, Elf64_Ehdr *h, struct err *e)
{
	int rc;

	if (s->size < sizeof(*h))
		return err_set(e, -EBADMSG,
			       "%s: at byte %llu: expected an ELF header, found the end", s->path,
			       (unsigned long long)s->size);
	rc = source_read(s, 0, h, sizeof(*h));
	if (rc)
		return err_set(e, rc, "%s: %s", s->path, strerror(-rc));
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(e, -EBADMSG,
			       "%s: at byte 0: expected \\x7fELF, found %02x%02x%02x%02x", s->path,
			       h->e_ident[0], h->e_ident[1], h->e_ident[2], h->e_ident[3]);
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(e, -EBADMSG, "%s: at byte 4: expected class 2 (64 bits), found %u",
			       s->path, h->e_ident[EI_CLASS]);
	if (h->e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(e, -EBADMSG,
			       "%s: at byte 5: expected order 1 (little-endian), found %u", s->path,
			       h->e_ident[EI_DATA]);
	if (h->e_machine != EM_X86_64 && h->e_machine != EM_AARCH64)
		return err_set(
			e, -EBADMSG,
			"%s: at byte 18: expected machine 62 (x86_64) or 183 (arm64), found %u",
			s->path, h->e_machine);
	return 0;
}

static bool note_is_build_id(const Elf64_Nhdr *n, struct str rest)
{
	return n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz &&
	       n->n_descsz <= BUILD_ID_MAX && rest.n >= 4 + (size_t)n->n_descsz &&
	       memcmp(rest.p, "GNU", 4) == 0;
}

/* Search the notes at `offset` for the build id. */
static int find_build_id(struct elf *elf, uint64_t offset, uint64_t size, struct arena *a)
{
	char bytes[1024]; /* the build id comes first; property notes are small */
	struct str rest = {bytes, min_size(size, sizeof(bytes))};
	Elf64_Nhdr n;

	if (elf->build_id.n || size > NOTES_MAX || source_read(elf->source, offset, bytes, rest.n))
		return 0;
	while (rest.n > sizeof(n)) {
		memcpy(&n, rest.p, sizeof(n));
		rest = str_from_at(rest, sizeof(n));
		if (note_is_build_id(&n, rest))
			return arena_copy_str(a, str_of(rest.p + 4, n.n_descsz), &elf->build_id);
		rest = str_from_at(rest, ((size_t)n.n_namesz + 3) / 4 * 4);
		rest = str_from_at(rest, ((size_t)n.n_descsz + 3) / 4 * 4);
	}
	return 0;
}

static int add_segment(struct elf *elf, const Elf64_Phdr *p, struct arena *a)
{
	bool inside = source_has(elf->source, p->p_offset, p->p_filesz);
	uint64_t end;

	if (p->p_type == PT_NOTE && inside)
		return find_build_id(elf, p->p_offset, p->p_filesz, a);
	if (p->p_type == PT_DYNAMIC && inside) {
		elf->dynamic_offset = p->p_offset;
		elf->dynamic_size = p->p_filesz;
	}
	if (p->p_type != PT_LOAD || __builtin_add_overflow(p->p_vaddr, p->p_memsz, &end))
		return 0;
	/* a debug file has the addresses of the segments but not their bytes */
	elf->segments[elf->segment_count++] = (struct elf_segment){
		.address = p->p_vaddr,
		.memory_size = p->p_memsz,
		.offset = inside ? p->p_offset : 0,
		.file_size = inside ? p->p_filesz : 0,
		.code = p->p_flags & PF_X,
	};
	return 0;
}

static int read_elf_segments(struct elf *elf, const Elf64_Ehdr *h, struct arena *a)
{
	uint32_t count = (uint32_t)min_size(h->e_phnum, ELF_SEGMENTS_MAX);
	struct str bytes;
	Elf64_Phdr p;
	int rc;

	if (!count || h->e_phentsize != sizeof(p) ||
	    !source_has(elf->source, h->e_phoff, (uint64_t)count * sizeof(p)))
		return 0;
	elf->segments = arena_alloc(a, count, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	rc = source_read_new(elf->source, h->e_phoff, count * sizeof(p), a, &bytes);
	for (uint32_t i = 0; !rc && i < count; i++) {
		memcpy(&p, bytes.p + i * sizeof(p), sizeof(p));
		rc = add_segment(elf, &p, a);
	}
	return rc;
}

/*
 * Return the number of sections, which is in the header or, if too large for it, in the null
 * section; 0 without sections. *names is the section of names.
 */
static uint32_t count_sections(const struct elf *elf, const Elf64_Ehdr *h, uint32_t *names)
{
	Elf64_Shdr null;
	uint64_t count = h->e_shnum;

	if (!h->e_shoff || h->e_shentsize != sizeof(null) ||
	    source_read(elf->source, h->e_shoff, &null, sizeof(null)))
		return 0;
	if (!count)
		count = null.sh_size;
	*names = h->e_shstrndx == SHN_XINDEX ? null.sh_link : h->e_shstrndx;
	if (count > ELF_SECTIONS_MAX ||
	    !source_has(elf->source, h->e_shoff, count * sizeof(Elf64_Shdr)))
		return 0;
	return (uint32_t)count;
}

/* Return the NUL-terminated string at `at`; empty when there is none. */
static struct str string_at(struct str strings, uint64_t at)
{
	struct str rest = at < strings.n ? str_from_at(strings, at) : (struct str){0};
	size_t n = strnlen(rest.n ? rest.p : "", min_size(rest.n, SECTION_NAME_MAX));

	return n < rest.n ? str_of(rest.p, n) : (struct str){0};
}

static void fill_section(struct elf_section *to, const Elf64_Shdr *from, struct str names)
{
	*to = (struct elf_section){
		.name = string_at(names, from->sh_name),
		.type = from->sh_type,
		.link = from->sh_link,
		.flags = from->sh_flags,
		.address = from->sh_addr,
		.offset = from->sh_offset,
		.size = from->sh_size,
		.entry_size = from->sh_entsize,
	};
}

static int read_elf_sections(struct elf *elf, const Elf64_Ehdr *h, struct arena *a)
{
	struct str bytes, names = {0};
	uint32_t names_index = 0, count = count_sections(elf, h, &names_index);
	Elf64_Shdr s;
	int rc;

	if (!count)
		return 0;
	rc = source_read_new(elf->source, h->e_shoff, count * sizeof(s), a, &bytes);
	if (rc)
		return rc;
	if (names_index < count) {
		memcpy(&s, bytes.p + names_index * sizeof(s), sizeof(s));
		if (s.sh_type == SHT_STRTAB && s.sh_size <= SECTION_NAMES_MAX)
			rc = source_read_new(elf->source, s.sh_offset, s.sh_size, a, &names);
		if (rc == -ENOMEM)
			return rc;
	}
	elf->sections = arena_alloc(a, count, sizeof(*elf->sections));
	if (!elf->sections)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&s, bytes.p + i * sizeof(s), sizeof(s));
		fill_section(&elf->sections[i], &s, names);
	}
	elf->section_count = count;
	return 0;
}

/* Search note sections: in debug files the note segments have no bytes. */
static int read_note_sections(struct elf *elf, struct arena *a)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && !elf->build_id.n && i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];

		if (s->type == SHT_NOTE)
			rc = find_build_id(elf, s->offset, s->size, a);
	}
	return rc;
}

int elf_read(struct elf *elf, struct source *source, struct arena *a, struct err *e)
{
	Elf64_Ehdr h;
	int rc = read_elf_header(source, &h, e);

	if (rc)
		return rc;
	*elf = (struct elf){.source = source, .machine = h.e_machine};
	rc = read_elf_segments(elf, &h, a);
	if (!rc)
		rc = read_elf_sections(elf, &h, a);
	if (!rc)
		rc = read_note_sections(elf, a);
	if (rc)
		return err_set(e, rc, "%s: %s", source->path, strerror(-rc));
	return 0;
}

const struct elf_section *elf_find_section(const struct elf *elf, const char *name)
{
	struct str wanted = str_from(name);

	for (uint32_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];

		if (str_eq(s->name, wanted) && s->type != SHT_NOBITS &&
		    source_has(elf->source, s->offset, s->size))
			return s;
	}
	return NULL;
}

bool elf_find_symbols(const struct elf *elf, uint32_t type, struct elf_symbols *out)
{
	for (uint32_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i], *names;

		if (s->type != type || s->entry_size != sizeof(Elf64_Sym) ||
		    s->link >= elf->section_count || !source_has(elf->source, s->offset, s->size))
			continue;
		names = &elf->sections[s->link];
		if (names->type != SHT_STRTAB ||
		    !source_has(elf->source, names->offset, names->size))
			continue;
		*out = (struct elf_symbols){
			.offset = s->offset,
			.count = s->size / sizeof(Elf64_Sym),
			.names_offset = names->offset,
			.names_size = names->size,
		};
		return true;
	}
	return false;
}

const struct elf_segment *elf_segment_at(const struct elf *elf, uint64_t address)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (address >= s->address && address - s->address < s->memory_size)
			return s;
	}
	return NULL;
}

uint64_t elf_lowest_address(const struct elf *elf)
{
	uint64_t lowest = UINT64_MAX;

	for (uint32_t i = 0; i < elf->segment_count; i++)
		lowest = min_size(lowest, elf->segments[i].address);
	return lowest;
}
