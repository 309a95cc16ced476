/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads symbol tables. Addresses commonly have several names: read, __read, __libc_read. One is
 * kept, by rank: functions before labels, names with a size before those without, global and weak
 * before local, then fewer leading underscores (glibc's public name is often the weak one), then
 * shorter names.
 */
#include "symbol/table.h"

#include <elf.h>
#include <errno.h>

#include "base/container/sort.h"
#include "base/container/vec.h"

enum {
	CHUNK = 1024,	/* symbols read at a time */
	WALK_BACK = 32, /* functions that may begin between an address and its function's start */
	UNDERSCORES_MAX = 15,
	CODE_SECTIONS_MAX = 64,
	LENGTH_BITS = 24,
	RANK_LABEL = 1 << 6,
	RANK_NO_SIZE = 1 << 5,
	RANK_LOCAL = 1 << 4,
};

struct candidate {
	uint32_t start, size, name;
	uint8_t info; /* st_info */
};

struct table_reader {
	const struct elf *program;
	struct str names;
	uint64_t base;
	struct arena scratch;
	const struct elf_segment *segment; /* of the last lookup */
	const struct elf_section *code[CODE_SECTIONS_MAX];
	uint32_t code_count;
	VEC(struct candidate) found;
};

/* Return whether the symbol has a meaningful name. $x, $d, $x.12 mark code and data on arm64. */
static bool has_meaningful_name(struct str names, uint32_t at)
{
	struct str name = str_head(str_from_at(names, at), 3);

	if (!name.n || !name.p[0])
		return false;
	return name.p[0] != '$' || name.n < 2 || !name.p[1] || !strchr("xdat", name.p[1]) ||
	       (name.n == 3 && name.p[2] && name.p[2] != '.');
}

/* Return the name at `at` of the string table; empty when there is none. */
static struct str name_at(struct str names, uint32_t at)
{
	struct str rest = str_from_at(names, at);

	return rest.n ? str_of(rest.p, strnlen(rest.p, min_size(rest.n, SYMBOL_NAME_MAX)))
		      : (struct str){0};
}

/* Return the rank of a name; the lowest wins. */
static uint32_t rank_of(const struct table_reader *r, const struct candidate *c)
{
	struct str name = name_at(r->names, c->name);
	uint32_t rank = 0, underscores = 0;

	if (ELF64_ST_TYPE(c->info) == STT_NOTYPE)
		rank |= RANK_LABEL;
	if (!c->size)
		rank |= RANK_NO_SIZE;
	if (ELF64_ST_BIND(c->info) == STB_LOCAL)
		rank |= RANK_LOCAL;
	while (underscores < min_size(name.n, UNDERSCORES_MAX) && name.p[underscores] == '_')
		underscores++;
	/* the single underscore of a mangled name does not mark a private name */
	if (underscores == 1 && name.n > 2 && (name.p[1] == 'Z' || name.p[1] == 'R'))
		underscores = 0;
	return (rank | underscores) << LENGTH_BITS | (uint32_t)name.n; /* fits: SYMBOL_NAME_MAX */
}

static bool may_be_function(const Elf64_Sym *s)
{
	uint32_t type = ELF64_ST_TYPE(s->st_info);

	/* absolute symbols have no address in the file; SHN_XINDEX: a section with a high number */
	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
	       s->st_shndx != SHN_UNDEF &&
	       (s->st_shndx < SHN_LORESERVE || s->st_shndx == SHN_XINDEX);
}

static int add_candidate(struct table_reader *r, const Elf64_Sym *s)
{
	const struct elf_segment *segment = r->segment;
	uint64_t end;

	if (!may_be_function(s) || !has_meaningful_name(r->names, s->st_name))
		return 0;
	if (!segment || s->st_value - segment->address >= segment->memory_size)
		r->segment = segment = elf_segment_at(r->program, s->st_value);
	if (!segment || !segment->code || s->st_value - r->base > UINT32_MAX)
		return 0;
	end = segment->address + segment->memory_size;
	return vec_push(&r->scratch, &r->found,
			(struct candidate){
				.start = (uint32_t)(s->st_value - r->base),
				.size = (uint32_t)min_size(min_size(s->st_size, end - s->st_value),
							   UINT32_MAX),
				.name = s->st_name,
				.info = s->st_info,
			});
}

static int read_candidates(struct table_reader *r, const struct source *source,
			   const struct elf_symbols *from)
{
	Elf64_Sym *chunk = arena_alloc(&r->scratch, CHUNK, sizeof(*chunk));
	int rc = chunk ? 0 : -ENOMEM;

	for (uint64_t done = 0; !rc && done < from->count;) {
		size_t n = min_size(from->count - done, CHUNK);

		rc = source_read(source, from->offset + done * sizeof(*chunk), chunk,
				 n * sizeof(*chunk));
		for (size_t i = 0; !rc && i < n; i++)
			rc = add_candidate(r, &chunk[i]);
		done += n;
	}
	return rc;
}

static bool is_better(const struct table_reader *r, const struct candidate *a,
		      const struct candidate *b)
{
	uint32_t x = rank_of(r, a), y = rank_of(r, b);

	return x != y ? x < y : a->name < b->name;
}

static struct sort_pair *sort_by_address(struct table_reader *r)
{
	uint32_t n = r->found.n;
	struct sort_pair *pairs = arena_alloc(&r->scratch, n, 2 * sizeof(*pairs));

	if (!pairs)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		pairs[i] = (struct sort_pair){r->found.at[i].start, i};
	return sort_pairs(pairs, pairs + n, n);
}

/* Sort by address. Keep the best name of each address; drop labels inside a sized function. */
static int keep_best(struct table_reader *r)
{
	const struct sort_pair *pairs = sort_by_address(r);
	struct candidate *found = r->found.at, *kept;
	uint64_t function_end = 0;
	uint32_t n = 0;

	kept = arena_alloc(&r->scratch, r->found.n, sizeof(*kept));
	if (!pairs || !kept)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->found.n; i++) {
		const struct candidate *best = &found[pairs[i].value];

		for (; i + 1 < r->found.n && pairs[i + 1].key == best->start; i++)
			if (is_better(r, &found[pairs[i + 1].value], best))
				best = &found[pairs[i + 1].value];
		if (!best->size && best->start < function_end)
			continue;
		if (best->size && (uint64_t)best->start + best->size > function_end)
			function_end = (uint64_t)best->start + best->size;
		kept[n++] = *best;
	}
	r->found.at = kept;
	r->found.n = n;
	return 0;
}

static void find_code_sections(struct table_reader *r)
{
	for (uint32_t i = 0; i < r->program->section_count; i++) {
		const struct elf_section *s = &r->program->sections[i];

		if (s->flags & SHF_EXECINSTR && r->code_count < countof(r->code))
			r->code[r->code_count++] = s;
	}
}

/*
 * Return the bytes from an address to the end of its section, or of its segment without sections.
 */
static uint64_t bytes_to_section_end(const struct table_reader *r, uint64_t address)
{
	const struct elf_segment *segment = elf_segment_at(r->program, address);

	for (uint32_t i = 0; i < r->code_count; i++)
		if (address >= r->code[i]->address &&
		    address - r->code[i]->address < r->code[i]->size)
			return r->code[i]->size - (address - r->code[i]->address);
	return segment ? segment->address + segment->memory_size - address : 1;
}

/* Return the size of a function; without one, to the next function or the end of the section. */
static uint32_t function_size(const struct table_reader *r, uint32_t i)
{
	const struct candidate *c = &r->found.at[i];
	uint64_t size;

	if (c->size)
		return c->size;
	size = bytes_to_section_end(r, r->base + c->start);
	if (i + 1 < r->found.n)
		size = min_size(size, c[1].start - c->start);
	return (uint32_t)min_size(size, UINT32_MAX);
}

/* Return the bytes of all names with their NUL; any value above `max` when there are more. */
static size_t names_bytes(const struct table_reader *r, size_t max)
{
	size_t n = 0;

	for (uint32_t i = 0; n <= max && i < r->found.n; i++)
		n += name_at(r->names, r->found.at[i].name).n + 1;
	return n;
}

/* Copy the names of the kept functions, contiguously. */
static int keep_names(struct symbol_table *t, const struct table_reader *r, size_t bytes,
		      struct arena *a)
{
	char *pool = arena_alloc(a, bytes, 1);
	size_t at = 0;

	if (!pool)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->found.n; i++) {
		struct str name = name_at(r->names, r->found.at[i].name);

		t->entries[i].name = (uint32_t)at;
		memcpy(pool + at, name.p, name.n);
		at += name.n;
		pool[at++] = 0;
	}
	t->names = str_of(pool, at);
	return 0;
}

static int fill_function_table(struct symbol_table *t, const struct table_reader *r, size_t kept,
			       struct arena *a)
{
	struct symbol_entry *entries = arena_alloc(a, r->found.n, sizeof(*entries));
	size_t bytes = names_bytes(r, kept);

	if (!entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->found.n; i++) {
		const struct candidate *c = &r->found.at[i];

		entries[i] = (struct symbol_entry){c->start, function_size(r, i), c->name};
	}
	t->entries = entries;
	if (bytes <= kept) {
		int rc = keep_names(t, r, bytes, a);

		if (rc)
			return rc;
	} else if (t->source->bytes.p) {
		/* copy the string table: entries can share strings, so copies could be larger */
		int rc = arena_copy_str(a, r->names, &t->names);

		if (rc)
			return rc;
	}
	t->count = r->found.n;
	return 0;
}

int symbol_table_read(struct symbol_table *t, const struct elf *elf, const struct elf_symbols *from,
		      const struct elf *program, size_t kept, struct arena *a)
{
	struct table_reader r = {.program = program, .base = elf_lowest_address(program)};
	int rc;

	*t = (struct symbol_table){
		.base = r.base,
		.source = elf->source,
		.symbols = *from,
	};
	arena_init(&r.scratch, a->budget);
	rc = source_read_new(elf->source, from->names_offset,
			     min_size(from->names_size, UINT32_MAX), &r.scratch, &r.names);
	if (!rc)
		rc = read_candidates(&r, elf->source, from);
	if (!rc && r.found.n) {
		rc = keep_best(&r);
		find_code_sections(&r);
		rc = rc ? rc : fill_function_table(t, &r, kept, a);
	}
	arena_fini(&r.scratch);
	return rc;
}

const struct symbol_entry *symbol_table_find(const struct symbol_table *t, uint64_t address)
{
	uint32_t low = 0, high = t->count, start;

	if (address < t->base || address - t->base > UINT32_MAX)
		return NULL;
	start = (uint32_t)(address - t->base);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->entries[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t steps = 0; low && steps < WALK_BACK; steps++) {
		const struct symbol_entry *entry = &t->entries[--low];

		if (start - entry->start < entry->size)
			return entry;
	}
	return NULL;
}

/* Cut the version that linkers append to names. */
static struct str without_version(struct str name)
{
	size_t at = str_find(name, '@');

	return at ? str_head(name, at) : name;
}

/* Read a name from the file: the string at `at`, or for stubs the name of symbol `at`. */
static int read_name(const struct symbol_table *t, uint32_t at, char bytes[SYMBOL_NAME_MAX],
		     struct str *name)
{
	size_t n;
	int rc;

	if (t->stubs) {
		Elf64_Sym symbol;

		if (at >= t->symbols.count)
			return -EBADMSG;
		rc = source_read(t->source, t->symbols.offset + at * sizeof(symbol), &symbol,
				 sizeof(symbol));
		if (rc)
			return rc;
		at = symbol.st_name;
	}
	if (at >= t->symbols.names_size)
		return -EBADMSG;
	n = min_size(t->symbols.names_size - at, SYMBOL_NAME_MAX);
	rc = source_read(t->source, t->symbols.names_offset + at, bytes, n);
	*name = str_of(bytes, rc ? 0 : strnlen(bytes, n));
	return rc;
}

struct str symbol_table_name(const struct symbol_table *t, const struct symbol_entry *entry,
			     struct arena *a)
{
	char bytes[SYMBOL_NAME_MAX];
	struct str name, copy = {0};
	int rc;

	if (t->names.p)
		return without_version(name_at(t->names, entry->name));
	if (source_resume(t->source))
		return copy;
	rc = read_name(t, entry->name, bytes, &name);
	source_pause(t->source);
	if (rc || arena_copy_str(a, without_version(name), &copy))
		return (struct str){0};
	return copy;
}
