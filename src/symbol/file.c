/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbol files. Names are taken from, in this order: .symtab of the file; .symtab of its separate
 * debug file; .symtab in .gnu_debugdata together with .dynsym, since .gnu_debugdata omits what
 * .dynsym has. PLT stubs, which are in no symbol table, are added to each of them.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbol/debug_file.h"
#include "symbol/debugdata.h"
#include "symbol/demangle/demangle.h"
#include "symbol/dwarf.h"
#include "symbol/file.h"

static int add_table(struct symbol_file *f, const struct elf *elf, const struct elf_symbols *from)
{
	struct symbol_table *t = &f->tables[f->table_count];
	size_t kept = f->options.names_kept ? f->options.names_kept : SYMBOL_NAMES_KEPT;
	int rc = symbol_table_read(t, elf, from, &f->elf, kept, &f->arena);

	if (!rc && t->count)
		f->table_count++;
	return rc;
}

/*
 * Add the table of that section type if it has functions. Return 1 if added, 0 if not, or -ENOMEM.
 */
static int try_table(struct symbol_file *f, const struct elf *elf, uint32_t type)
{
	uint32_t before = f->table_count;
	struct elf_symbols from;

	if (!elf_find_symbols(elf, type, &from))
		return 0;
	if (add_table(f, elf, &from) == -ENOMEM)
		return -ENOMEM;
	return f->table_count > before;
}

/* Add the .symtab of the ELF file in .gnu_debugdata. Return as try_table(). */
static int try_debugdata(struct symbol_file *f)
{
	struct arena scratch;
	struct source source;
	struct elf elf;
	struct str bytes;
	int rc;

	arena_init(&scratch, f->options.budget);
	rc = symbol_read_debugdata(&f->elf, &scratch, &bytes);
	if (!rc)
		rc = source_open_bytes(&source, bytes, f->source.path, &scratch);
	if (!rc)
		rc = elf_read(&elf, &source, &scratch, NULL);
	rc = rc ? (rc == -ENOMEM ? rc : 0) : try_table(f, &elf, SHT_SYMTAB);
	if (rc > 0)
		f->tables[f->table_count - 1].source = NULL; /* all names were copied */
	arena_fini(&scratch);
	return rc;
}

/* Add .dynsym by its section or, without sections, the dynamic segment. -ENOMEM or >= 0. */
static int read_dynamic_symbols(struct symbol_file *f)
{
	struct elf_symbols from;
	int rc = try_table(f, &f->elf, SHT_DYNSYM);

	if (rc || f->elf.section_count || !elf_find_dynamic_symbols(&f->elf, &from))
		return rc;
	return add_table(f, &f->elf, &from) == -ENOMEM ? -ENOMEM : 0;
}

/* Add the tables of functions. A table beyond the budget is skipped if there is another one. */
static int read_functions(struct symbol_file *f)
{
	int own = try_table(f, &f->elf, SHT_SYMTAB), debug = 0, packed, dynamic;

	if (own <= 0 && f->debug_source.path)
		debug = try_table(f, &f->debug_elf, SHT_SYMTAB);
	if (own > 0 || debug > 0)
		return 0;
	packed = try_debugdata(f);
	dynamic = read_dynamic_symbols(f);
	if (f->table_count)
		return 0;
	return own < 0 || debug < 0 || packed < 0 || dynamic < 0 ? -ENOMEM : 0;
}

/* Add all tables. Stubs are skipped without memory for them. */
static int read_tables(struct symbol_file *f)
{
	int rc = read_functions(f);
	struct symbol_table *stubs = &f->tables[f->table_count];

	if (!rc && symbol_table_read_stubs(stubs, &f->elf, &f->arena) == 0 && stubs->count)
		f->table_count++;
	return rc;
}

static struct symbol_file *symbol_file_new(const struct symbol_options *o)
{
	struct symbol_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	if (o)
		f->options = *o;
	f->source.fd = f->debug_source.fd = -1;
	arena_init(&f->arena, f->options.budget);
	return f;
}

/* Complete the opening of a file with a source. Takes ownership of `f`. */
static int symbol_file_read(struct symbol_file **out, struct symbol_file *f, struct err *e)
{
	int rc = elf_read(&f->elf, &f->source, &f->arena, e);

	if (rc)
		goto out;
	symbol_find_debug_file(f);
	rc = map_init(&f->names, &f->arena, 16);
	if (!rc)
		rc = read_tables(f);
	if (rc) {
		err_set(e, rc, "%s: %s", f->source.path, strerror(-rc));
		goto out;
	}
	source_pause(&f->source);
	source_pause(&f->debug_source);
	*out = take_ptr(&f);
out:
	symbol_file_close(f);
	return rc;
}

int symbol_file_open(struct symbol_file **out, const char *path, const struct symbol_options *o,
		     struct err *e)
{
	struct symbol_file *f = symbol_file_new(o);
	int rc;

	if (!f)
		return err_errno(e, -ENOMEM, path);
	rc = source_open(&f->source, path, &f->arena, e);
	if (rc) {
		symbol_file_close(f);
		return rc;
	}
	return symbol_file_read(out, f, e);
}

int symbol_file_open_bytes(struct symbol_file **out, struct str bytes, const char *path,
			   const struct symbol_options *o, struct err *e)
{
	struct symbol_file *f = symbol_file_new(o);
	int rc;

	if (!f)
		return err_errno(e, -ENOMEM, path);
	rc = source_open_bytes(&f->source, bytes, path, &f->arena);
	if (rc) {
		symbol_file_close(f);
		return err_errno(e, rc, path);
	}
	return symbol_file_read(out, f, e);
}

void symbol_file_close(struct symbol_file *f)
{
	if (!f)
		return;
	symbol_dwarf_close(f->dwarf);
	source_pause(&f->source);
	source_pause(&f->debug_source);
	arena_fini(&f->arena);
	free(f);
}

size_t symbol_file_bytes(const struct symbol_file *f)
{
	return sizeof(*f) + arena_bytes(&f->arena) + symbol_dwarf_bytes(f->dwarf);
}

struct str symbol_file_build_id(const struct symbol_file *f)
{
	return f->elf.build_id;
}

bool symbol_file_offset_to_address(const struct symbol_file *f, uint64_t offset, uint64_t *address)
{
	for (uint32_t i = 0; i < f->elf.segment_count; i++) {
		const struct elf_segment *s = &f->elf.segments[i];

		if (offset >= s->offset && offset - s->offset < s->file_size) {
			*address = s->address + (offset - s->offset);
			return true;
		}
	}
	return false;
}

struct str symbol_file_section(struct symbol_file *f, const char *name, uint64_t *address)
{
	const struct elf_section *s = elf_find_section(&f->elf, name);
	struct str bytes = {0};

	if (!s || s->flags & SHF_COMPRESSED)
		return bytes;
	if (address)
		*address = s->address;
	for (uint32_t i = 0; i < f->sections.n; i++) {
		if (f->sections.at[i].section == s)
			return f->sections.at[i].bytes;
	}
	if (source_resume(&f->source))
		return bytes;
	/* reserve first: bytes that cannot be listed would be read again at each call */
	if (vec_reserve(&f->arena, &f->sections, 1) == 0 &&
	    source_read_new(&f->source, s->offset, s->size, &f->arena, &bytes) == 0)
		f->sections.at[f->sections.n++] = (struct symbol_section){s, bytes};
	source_pause(&f->source);
	return bytes;
}

/* Return "strlen@plt", binutils' name of strlen's stub; "strlen" without memory. */
static struct str stub_name(struct symbol_file *f, struct str function)
{
	static const struct str mark = STR_INIT("@plt");
	char *name = arena_alloc(&f->arena, function.n + mark.n, 1);

	if (!name)
		return function;
	memcpy(name, function.p, function.n);
	memcpy(name + function.n, mark.p, mark.n);
	return str_of(name, function.n + mark.n);
}

/* Return the names of an entry, from the cache if possible. Return false without memory or file. */
static bool cached_names(struct symbol_file *f, uint32_t table, const struct symbol_entry *entry,
			 struct symbol_names *out)
{
	const struct symbol_table *t = &f->tables[table];
	uint64_t key = (uint64_t)table << 32 | (uint64_t)(entry - t->entries);
	struct symbol_names *memo;
	uint64_t value;

	if (map_get(&f->names, key, &value)) {
		*out = *(const struct symbol_names *)(uintptr_t)value;
		return true;
	}
	out->system_name = symbol_table_name(t, entry, &f->arena);
	if (!out->system_name.n)
		return false;
	out->name = f->options.mangled ? out->system_name
				       : symbol_demangle(&f->arena, out->system_name);
	if (t->stubs) {
		out->name = stub_name(f, out->name);
		out->system_name = stub_name(f, out->system_name);
	}
	memo = arena_alloc(&f->arena, 1, sizeof(*memo));
	if (memo) {
		*memo = *out;
		if (map_set(&f->names, key, (uint64_t)(uintptr_t)memo))
			return true; /* not cached: read again next time */
	}
	return true;
}

/* Find the function at `address` in the symbol tables: the one with the highest start wins. */
static bool find_symbol_function(struct symbol_file *f, uint64_t address,
				 struct symbol_frame *frame)
{
	const struct symbol_entry *best = NULL;
	struct symbol_names names;
	uint32_t table = 0;

	for (uint32_t i = 0; i < f->table_count; i++) {
		const struct symbol_entry *entry = symbol_table_find(&f->tables[i], address);

		if (entry && (!best || entry->start > best->start)) {
			best = entry;
			table = i;
		}
	}
	if (!best || !cached_names(f, table, best, &names))
		return false;
	*frame = (struct symbol_frame){
		.name = names.name,
		.system_name = names.system_name,
		.start = f->tables[table].base + best->start,
	};
	return true;
}

uint32_t symbol_lookup(struct symbol_file *f, uint64_t address,
		       struct symbol_frame frames[SYMBOL_INLINE_MAX])
{
	struct symbol_frame function;
	bool found = find_symbol_function(f, address, &function);
	uint32_t n = f->options.lines ? symbol_dwarf_lookup(f, address, frames) : 0;

	if (!n && !found)
		return 0;
	if (!n) {
		frames[0] = function;
		return 1;
	}
	if (found)
		symbol_dwarf_merge(&frames[n - 1], &function);
	return frames[n - 1].name.n ? n : 0; /* a frame needs a name, not only a line */
}

size_t symbol_unknown(char *out, size_t size, struct str path, uint64_t address)
{
	size_t slash = str_find_last(path, '/');
	struct str module = slash < path.n ? str_from_at(path, slash + 1) : path;
	char number[24];
	int digits = snprintf(number, sizeof(number), "+0x%" PRIx64, address);
	size_t n;

	if (!size)
		return 0;
	if (!module.n)
		module = STR("unknown");
	/* truncate the module, not the address */
	n = min_size(module.n, size - 1 > (size_t)digits ? size - 1 - (size_t)digits : 0);
	memcpy(out, module.p, n);
	digits = (int)min_size((size_t)digits, size - 1 - n);
	memcpy(out + n, number, (size_t)digits);
	out[n + (size_t)digits] = 0;
	return n + (size_t)digits;
}
