/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ by libiberty, through its callback: that form takes no memory, and xmalloc(), which ends the process, is not linked at all.
 * What flame graphs show is the qualified name with template arguments, without parameters and return type:
 * overloads are told apart by the system name.
 *
 * Names are hostile. libiberty itself refuses more than 1,024 bytes and bounds its recursion, but two things are
 * left to us: substitutions make the output grow exponentially, so we leave by longjmp once enough is written (all its state is
 * on the stack); and the arrays that it puts on the stack grow with the product of two counts, which are counted before.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>

#include "base/arena.h"
#include "symbol/demangle/demangle.h"
#include "symbol/symbol.h"

enum {
	MANGLED_MAX = 1024,
	STACK_PAIRS_MAX =
		4096, /* templates times references to parameters: 64 bytes of stack each */
};

struct output {
	char text[SYMBOL_DEMANGLED_MAX];
	size_t n;
	jmp_buf full;
};

static void put(const char *piece, size_t n, void *arg)
{
	struct output *o = arg;

	if (n > sizeof(o->text) - o->n) {
		memcpy(o->text + o->n, piece, sizeof(o->text) - o->n);
		o->n = sizeof(o->text);
		longjmp(o->full, 1);
	}
	memcpy(o->text + o->n, piece, n);
	o->n += n;
}

/* Does libiberty's array of saved scopes times templates stay small for this name? */
static bool fits_the_stack(struct str name)
{
	size_t templates = 0, references = 0;

	for (size_t i = 0; i + 1 < name.n; i++) {
		templates += name.p[i] == 'I';
		references += (name.p[i] == 'R' || name.p[i] == 'O') && name.p[i + 1] == 'T';
	}
	return templates * references <= STACK_PAIRS_MAX;
}

static bool cpp(struct output *o, struct str name)
{
	char mangled[MANGLED_MAX + 1];

	if (name.n > MANGLED_MAX || !fits_the_stack(name))
		return false;
	memcpy(mangled, name.p, name.n);
	mangled[name.n] = 0;
	o->n = 0;
	if (setjmp(o->full))
		return true; /* as much as there is room for */
	return cplus_demangle_v3_callback(mangled, DMGL_ANSI, put, o) && o->n;
}

/* What is too long ends in dots, at a whole character. */
static struct str cut(struct output *o)
{
	static const char dots[] = "...";
	size_t n = o->n;

	if (n < sizeof(o->text))
		return str_of(o->text, n);
	n -= sizeof(dots) - 1;
	while (n && ((unsigned char)o->text[n] & 0xc0) == 0x80)
		n--;
	memcpy(o->text + n, dots, sizeof(dots) - 1);
	return str_of(o->text, n + sizeof(dots) - 1);
}

struct str symbol_demangle(struct arena *a, struct str name)
{
	struct output o;
	struct str copy;

	o.n = 0;
	if (name.n < 3 || name.p[0] != '_')
		return name;
	if (name.p[1] == 'Z' || name.p[1] == 'R') {
		int n = symbol_demangle_rust(name, o.text, sizeof(o.text));

		if (n > 0)
			o.n = (size_t)n;
		else if (name.p[1] != 'Z' || !cpp(&o, name))
			return name;
	} else {
		return name;
	}
	if (arena_copy_str(a, cut(&o), &copy))
		return name;
	return copy;
}
