/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ names are demangled by libiberty through its callback interface, which allocates nothing;
 * xmalloc(), which exits the process on failure, is not even linked. The output is what flame
 * graphs show: the qualified name with template arguments, without parameters and return type;
 * overloads differ by the system name.
 *
 * Names are untrusted. libiberty rejects more than 1,024 bytes and bounds its recursion; two risks
 * are handled here. Substitutions let the output grow exponentially, so we leave by longjmp() when
 * enough is written (its state is on the stack only). The arrays it puts on the stack grow with the
 * product of two counts, which is checked first.
 */
#include "symbol/demangle/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

#include "base/arena.h"
#include "symbol/demangle/demangle_rust.h"

enum {
	MANGLED_MAX = 1024,
	STACK_PAIRS_MAX = 4096, /* templates * parameter references: 64 bytes of stack each */
};

struct cpp_output {
	char text[SYMBOL_DEMANGLED_MAX];
	size_t n;
	jmp_buf full;
};

static void append_piece(const char *piece, size_t n, void *arg)
{
	struct cpp_output *o = arg;

	if (n > sizeof(o->text) - o->n) {
		memcpy(o->text + o->n, piece, sizeof(o->text) - o->n);
		o->n = sizeof(o->text);
		longjmp(o->full, 1);
	}
	memcpy(o->text + o->n, piece, n);
	o->n += n;
}

/* Return whether libiberty's stack array of saved scopes * templates stays small for this name. */
static bool fits_the_stack(struct str name)
{
	size_t templates = 0, references = 0;

	for (size_t i = 0; i + 1 < name.n; i++) {
		templates += name.p[i] == 'I';
		references += (name.p[i] == 'R' || name.p[i] == 'O') && name.p[i + 1] == 'T';
	}
	return templates * references <= STACK_PAIRS_MAX;
}

static bool demangle_cpp(struct cpp_output *o, struct str name)
{
	char mangled[MANGLED_MAX + 1];

	if (name.n > MANGLED_MAX || !fits_the_stack(name))
		return false;
	memcpy(mangled, name.p, name.n);
	mangled[name.n] = 0;
	o->n = 0;
	if (setjmp(o->full))
		return true; /* the output is full */
	return cplus_demangle_v3_callback(mangled, DMGL_ANSI, append_piece, o) && o->n;
}

/* Return the text. A full one ends in dots, after a whole character. */
static struct str finish_text(struct cpp_output *o)
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
	struct cpp_output o;
	struct str copy;

	o.n = 0;
	if (name.n < 3 || name.p[0] != '_')
		return name;
	if (name.p[1] == 'Z' || name.p[1] == 'R') {
		int n = symbol_demangle_rust(name, o.text, sizeof(o.text));

		if (n > 0)
			o.n = (size_t)n;
		else if (name.p[1] != 'Z' || !demangle_cpp(&o, name))
			return name;
	} else {
		return name;
	}
	if (arena_copy_str(a, finish_text(&o), &copy))
		return name;
	return copy;
}
