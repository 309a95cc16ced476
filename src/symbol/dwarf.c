/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up lines and inlined calls.
 *
 * libdw finds the unit of an address only by .debug_aranges, which clang does not write, and walks
 * a unit from its beginning for each address. Therefore we keep two indexes of ranges: one of all
 * units, made when the file is opened, and one of the functions of a unit, made at the first lookup
 * in that unit. From the function to the innermost inlined call is a short walk.
 *
 * Names are cached by the DIE that has them (the abstract function of all inlined copies), so that
 * memory grows with the functions seen, not with the addresses.
 */
#include "symbol/dwarf.h"

#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>

#include "symbol/debug_file.h"
#include "symbol/demangle/demangle.h"
#include "symbol/dwarf_index.h"
#include "symbol/file.h"

struct symbol_dwarf {
	struct libdw lib;
	struct budget *budget;
	struct libdw_file main;
	struct libdw_file alternative; /* the supplementary file of debug files (dwz) */
	struct dwarf_index index;
	struct arena arena;
	struct map functions; /* address of the DIE to struct dwarf_function * */
	bool mangled, broken;
};

/* The name and line of a function, or of the abstract origin of inlined calls. */
struct dwarf_function {
	struct str name, system_name;
	int64_t line;
};

/* libdw reports lack of memory by a handler without argument, which must not return. */
static _Thread_local jmp_buf *oom_recovery;

static void __attribute__((noreturn)) on_libdw_out_of_memory(void)
{
	longjmp(*oom_recovery, 1);
}

static struct str attribute_string(const struct symbol_dwarf *d, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *text = NULL;

	if (d->lib.dwarf_attr_integrate(die, name, &attribute))
		text = d->lib.dwarf_formstring(&attribute);
	return text ? str_of(text, strnlen(text, SYMBOL_NAME_MAX)) : (struct str){0};
}

static int64_t attribute_number(const struct symbol_dwarf *d, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!d->lib.dwarf_attr_integrate(die, name, &attribute) ||
	    d->lib.dwarf_formudata(&attribute, &value) || value > INT32_MAX)
		return 0;
	return (int64_t)value;
}

static void read_function_die(struct symbol_dwarf *d, Dwarf_Die *die, struct dwarf_function *f)
{
	f->system_name = attribute_string(d, die, DW_AT_linkage_name);
	if (!f->system_name.n)
		f->system_name = attribute_string(d, die, DW_AT_MIPS_linkage_name);
	if (!f->system_name.n)
		f->system_name = attribute_string(d, die, DW_AT_name);
	f->name = d->mangled ? f->system_name : symbol_demangle(&d->arena, f->system_name);
	f->line = attribute_number(d, die, DW_AT_decl_line);
}

/* Return name and line of a function by its DIE or that of an inlined call. */
static struct dwarf_function cached_function(struct symbol_dwarf *d, Dwarf_Die *die)
{
	struct dwarf_function f = {0}, *memo;
	Dwarf_Attribute attribute;
	Dwarf_Die origin = *die;
	uint64_t value;

	if (d->lib.dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	    !d->lib.dwarf_formref_die(&attribute, &origin))
		origin = *die;
	if (map_get(&d->functions, (uint64_t)(uintptr_t)origin.addr, &value))
		return *(const struct dwarf_function *)(uintptr_t)value;
	read_function_die(d, &origin, &f);
	memo = arena_alloc(&d->arena, 1, sizeof(*memo));
	if (memo) {
		*memo = f;
		if (map_set(&d->functions, (uint64_t)(uintptr_t)origin.addr,
			    (uint64_t)(uintptr_t)memo))
			return f; /* not cached: read again next time */
	}
	return f;
}

/* Find the first child of `scope` that is an inlined call or a block and contains the address. */
static bool find_scope_at(const struct symbol_dwarf *d, Dwarf_Die *scope, uint64_t address,
			  Dwarf_Die *out)
{
	uint32_t left = DWARF_CHILDREN_MAX;
	Dwarf_Die die;

	if (d->lib.dwarf_child(scope, &die))
		return false;
	do {
		int tag = d->lib.dwarf_tag(&die);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    d->lib.dwarf_haspc(&die, address) == 1) {
			*out = die;
			return true;
		}
	} while (left-- && d->lib.dwarf_siblingof(&die, &die) == 0);
	return false;
}

enum { DEPTH_MAX = 256 }; /* of nested blocks and calls */

struct chain {
	Dwarf_Die dies[SYMBOL_INLINE_MAX]; /* the function first, then inlined calls inwards */
	uint32_t n;
};

/* Find the inlined calls in `function`, inwards, as many as fit. */
static void find_inline_chain(const struct symbol_dwarf *d, Dwarf_Die function, uint64_t address,
			      struct chain *c)
{
	Dwarf_Die scope = function, next;

	c->dies[0] = function;
	c->n = 1;
	for (uint32_t depth = 0; depth < DEPTH_MAX && find_scope_at(d, &scope, address, &next);
	     depth++) {
		if (d->lib.dwarf_tag(&next) == DW_TAG_inlined_subroutine) {
			if (c->n == SYMBOL_INLINE_MAX)
				break;
			c->dies[c->n++] = next;
		}
		scope = next;
	}
}

static void set_filename(struct symbol_frame *frame, const char *path)
{
	/* libdw uses ??? for an unknown file */
	if (path && strcmp(path, "???") != 0)
		frame->filename = str_of(path, strnlen(path, SYMBOL_NAME_MAX));
}

/* Set where `inlined` was called from in the frame of its caller. */
static void set_call(const struct symbol_dwarf *d, Dwarf_Die *unit, Dwarf_Die *inlined,
		     struct symbol_frame *caller)
{
	int64_t file = attribute_number(d, inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	caller->line = attribute_number(d, inlined, DW_AT_call_line);
	if (d->lib.dwarf_getsrcfiles(unit, &files, &count) == 0 && (size_t)file < count)
		set_filename(caller, d->lib.dwarf_filesrc(files, (size_t)file, NULL, NULL));
}

static void set_line(const struct symbol_dwarf *d, Dwarf_Die *unit, uint64_t address,
		     struct symbol_frame *frame)
{
	Dwarf_Line *line = d->lib.dwarf_getsrc_die(unit, address);
	int number;

	if (!line)
		return;
	set_filename(frame, d->lib.dwarf_linesrc(line, NULL, NULL));
	if (d->lib.dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = number;
}

static uint32_t look_up_frames(struct symbol_dwarf *d, uint64_t address,
			       struct symbol_frame frames[SYMBOL_INLINE_MAX])
{
	Dwarf_Die unit, function;
	struct chain c = {.n = 0};
	uint64_t start = 0;

	if (!dwarf_index_unit(&d->index, address, &unit))
		return 0;
	if (dwarf_index_function(&d->index, address, &function, &start))
		find_inline_chain(d, function, address, &c);
	if (!c.n) { /* a line without a function: assembly code */
		frames[0] = (struct symbol_frame){0};
		set_line(d, &unit, address, &frames[0]);
		return frames[0].line > 0;
	}
	for (uint32_t i = 0; i < c.n; i++) {
		Dwarf_Die *die = &c.dies[c.n - 1 - i];
		struct dwarf_function f = cached_function(d, die);

		frames[i] = (struct symbol_frame){
			.name = f.name,
			.system_name = f.system_name,
			.start_line = f.line,
		};
		if (i == 0)
			set_line(d, &unit, address, &frames[0]);
		else
			set_call(d, &unit, &c.dies[c.n - i], &frames[i]);
	}
	frames[c.n - 1].start = start;
	return c.n;
}

/* Open the supplementary debug file, if the link names one. */
static void open_alternative(struct symbol_dwarf *d, const struct symbol_file *f)
{
	struct source source = {.fd = -1};
	struct arena scratch;
	struct elf elf;
	const char *name;
	const void *id;
	ssize_t n = d->lib.dwelf_dwarf_gnu_debugaltlink(d->main.dwarf, &name, &id);

	if (n <= 0)
		return;
	arena_init(&scratch, d->budget);
	if (symbol_open_shared(f, str_of(id, (size_t)n), name, &source, &elf, &scratch) &&
	    libdw_open(&d->lib, &d->alternative, &elf, d->budget))
		d->lib.dwarf_setalt(d->main.dwarf, d->alternative.dwarf);
	source_pause(&source);
	arena_fini(&scratch);
}

static bool open_main(struct symbol_dwarf *d, struct symbol_file *f)
{
	bool own = elf_find_section(&f->elf, ".debug_info") || !f->debug_source.path;
	struct elf *elf = own ? &f->elf : &f->debug_elf;
	bool opened;

	if (elf->source->bytes.p || source_resume(elf->source))
		return false;
	opened = libdw_open(&d->lib, &d->main, elf, d->budget);
	source_pause(elf->source);
	return opened;
}

static struct symbol_dwarf *dwarf_new(struct symbol_file *f)
{
	struct symbol_dwarf *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->budget = f->options.budget;
	d->mangled = f->options.mangled;
	arena_init(&d->arena, d->budget);
	if (!libdw_load(&d->lib) || !open_main(d, f) || map_init(&d->functions, &d->arena, 64)) {
		symbol_dwarf_close(d);
		return NULL;
	}
	d->lib.dwarf_new_oom_handler(d->main.dwarf, on_libdw_out_of_memory);
	open_alternative(d, f);
	if (d->alternative.dwarf)
		d->lib.dwarf_new_oom_handler(d->alternative.dwarf, on_libdw_out_of_memory);
	return d;
}

/* Look up with recovery from libdw's lack of memory. */
static uint32_t look_up_guarded(struct symbol_dwarf *d, uint64_t address,
				struct symbol_frame frames[SYMBOL_INLINE_MAX])
{
	jmp_buf here;
	uint32_t n;

	if (setjmp(here)) {
		d->broken = true; /* libdw's state is inconsistent: no further lookups */
		return 0;
	}
	oom_recovery = &here;
	if (!d->index.ready)
		dwarf_index_init(&d->index, &d->lib, d->main.dwarf, &d->arena);
	n = look_up_frames(d, address, frames);
	oom_recovery = NULL;
	return n;
}

uint32_t symbol_dwarf_lookup(struct symbol_file *f, uint64_t address,
			     struct symbol_frame frames[SYMBOL_INLINE_MAX])
{
	if (!f->dwarf_tried) {
		f->dwarf_tried = true;
		if (!f->options.own_lines || elf_find_section(&f->elf, ".debug_info"))
			f->dwarf = dwarf_new(f);
	}
	if (!f->dwarf || f->dwarf->broken)
		return 0;
	return look_up_guarded(f->dwarf, address, frames);
}

/*
 * Return whether `clone` is `of` or a part of it: "f.cold", "f.isra.0"; but not "f2" or an alias.
 */
static bool is_clone_of(struct str clone, struct str of)
{
	return of.n && str_starts(clone, of) && (clone.n == of.n || clone.p[of.n] == '.');
}

void symbol_dwarf_merge(struct symbol_frame *frame, const struct symbol_frame *function)
{
	frame->start = function->start;
	if (is_clone_of(function->system_name, frame->system_name))
		return;
	frame->name = function->name;
	frame->system_name = function->system_name;
}

size_t symbol_dwarf_bytes(const struct symbol_dwarf *d)
{
	return d ? sizeof(*d) + arena_bytes(&d->arena) + d->main.bytes + d->alternative.bytes : 0;
}

void symbol_dwarf_close(struct symbol_dwarf *d)
{
	if (!d)
		return;
	if (d->lib.library) {
		libdw_close(&d->lib, &d->main, d->budget);
		libdw_close(&d->lib, &d->alternative, d->budget);
	}
	libdw_unload(&d->lib);
	arena_fini(&d->arena);
	free(d);
}
