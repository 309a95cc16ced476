/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rust's names. Legacy: _ZN, identifiers with escapes, a hash, E. v0: RFC 2603, a grammar with back references.
 *
 * We read them ourselves, and not by libiberty, because its reader of v0 counts lifetimes of a binder one by one, in places
 * where it prints nothing and nobody can stop it: a name of twenty bytes can keep it busy for ever. Here
 * depth, steps and output are bounded. Shown as rustc's own tools do without their verbose form: no hashes, no crate ids,
 * integers of constants without their type.
 */
#include "symbol/demangle/rust_reader.h"

enum { BINDER_MAX = 64 };

#define put(r, literal) rust_put((r), STR(literal))

static void put_lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth = r->lifetimes - index;

	put(r, "'");
	if (!index) {
		put(r, "_");
	} else if (index > r->lifetimes) {
		r->failed = true;
	} else if (depth < 26) {
		char c = (char)('a' + depth);

		rust_put(r, str_of(&c, 1));
	} else {
		put(r, "_");
		rust_put_number(r, depth);
	}
}

/* for<'a, 'b>; the caller sets r->lifetimes back. */
static void binder(struct rust *r)
{
	uint64_t count = rust_optional_62(r, 'G');

	if (count > BINDER_MAX)
		r->failed = true;
	if (!count || r->failed)
		return;
	put(r, "for<");
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			put(r, ", ");
		r->lifetimes++;
		put_lifetime(r, 1);
	}
	put(r, "> ");
}

static void path(struct rust *r, bool in_value);
static void type(struct rust *r);
static void constant(struct rust *r);
static bool open_path(struct rust *r);

/* Go where a back reference points, if that is before it. False: nothing to be read there. */
static bool jump(struct rust *r, size_t *back)
{
	size_t here = r->at - 1; /* of the B */
	uint64_t to = rust_number_62(r);

	*back = r->at;
	if (to >= here)
		r->failed = true;
	if (r->failed || r->silent)
		return false;
	r->at = (size_t)to;
	return true;
}

static void generic_argument(struct rust *r)
{
	if (rust_take(r, 'L'))
		put_lifetime(r, rust_number_62(r));
	else if (rust_take(r, 'K'))
		constant(r);
	else
		type(r);
}

/* Up to E, with commas. Returns how many. */
static uint32_t list(struct rust *r, void (*item)(struct rust *r))
{
	uint32_t n = 0;

	while (!r->failed && r->length < r->size && !rust_take(r, 'E')) {
		if (n++)
			put(r, ", ");
		item(r);
	}
	return n;
}

/* The place of an impl block; it is read over. */
static void impl_path(struct rust *r)
{
	bool silent = r->silent;

	(void)rust_optional_62(r, 's');
	r->silent = true;
	path(r, false);
	r->silent = silent;
}

static void nested(struct rust *r, bool in_value)
{
	char space = rust_next(r);
	uint64_t which;
	struct rust_identifier id;

	path(r, in_value);
	which = rust_optional_62(r, 's');
	id = rust_read_identifier(r);
	if (space >= 'A' && space <= 'Z') {
		put(r, "::{");
		if (space == 'C')
			put(r, "closure");
		else if (space == 'S')
			put(r, "shim");
		else
			rust_put(r, str_of(&space, 1));
		if (id.text.n) {
			put(r, ":");
			rust_put_identifier(r, id);
		}
		put(r, "#");
		rust_put_number(r, which);
		put(r, "}");
	} else if (space >= 'a' && space <= 'z') {
		if (id.text.n)
			put(r, "::");
		rust_put_identifier(r, id);
	} else {
		r->failed = true;
	}
}

/* <T as Trait> */
static void qualified(struct rust *r, bool trait)
{
	put(r, "<");
	type(r);
	if (trait) {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

static void path(struct rust *r, bool in_value)
{
	size_t back;

	if (!rust_enter(r))
		goto out;
	switch (rust_next(r)) {
	case 'C':
		(void)rust_optional_62(r, 's');
		rust_put_identifier(r, rust_read_identifier(r));
		break;
	case 'N':
		nested(r, in_value);
		break;
	case 'M':
		impl_path(r);
		qualified(r, false);
		break;
	case 'X':
		impl_path(r);
		qualified(r, true);
		break;
	case 'Y':
		qualified(r, true);
		break;
	case 'I':
		path(r, in_value);
		if (in_value)
			put(r, "::");
		put(r, "<");
		(void)list(r, generic_argument);
		put(r, ">");
		break;
	case 'B':
		if (jump(r, &back)) {
			path(r, in_value);
			r->at = back;
		}
		break;
	default:
		r->failed = true;
		break;
	}
out:
	rust_leave(r);
}

static const struct {
	char tag;
	struct str name;
} basic_types[] = {
	{'a', STR_INIT("i8")},	 {'b', STR_INIT("bool")},  {'c', STR_INIT("char")},
	{'d', STR_INIT("f64")},	 {'e', STR_INIT("str")},   {'f', STR_INIT("f32")},
	{'h', STR_INIT("u8")},	 {'i', STR_INIT("isize")}, {'j', STR_INIT("usize")},
	{'l', STR_INIT("i32")},	 {'m', STR_INIT("u32")},   {'n', STR_INIT("i128")},
	{'o', STR_INIT("u128")}, {'p', STR_INIT("_")},	   {'s', STR_INIT("i16")},
	{'t', STR_INIT("u16")},	 {'u', STR_INIT("()")},	   {'v', STR_INIT("...")},
	{'x', STR_INIT("i64")},	 {'y', STR_INIT("u64")},   {'z', STR_INIT("!")},
};

static bool basic_type(struct rust *r, char tag)
{
	for (size_t i = 0; i < countof(basic_types); i++) {
		if (basic_types[i].tag == tag) {
			rust_put(r, basic_types[i].name);
			return true;
		}
	}
	return false;
}

static void reference(struct rust *r, bool mutable)
{
	put(r, "&");
	if (rust_take(r, 'L')) {
		uint64_t index = rust_number_62(r);

		if (index) {
			put_lifetime(r, index);
			put(r, " ");
		}
	}
	if (mutable)
		put(r, "mut ");
	type(r);
}

static void abi(struct rust *r)
{
	struct rust_identifier id;

	put(r, "extern \"");
	if (rust_take(r, 'C')) {
		put(r, "C");
	} else {
		id = rust_read_identifier(r);
		for (size_t i = 0; i < id.text.n; i++)
			rust_put(r, id.text.p[i] == '_' ? STR("-") : str_of(id.text.p + i, 1));
	}
	put(r, "\" ");
}

static void function_type(struct rust *r)
{
	uint64_t lifetimes = r->lifetimes;

	binder(r);
	if (rust_take(r, 'U'))
		put(r, "unsafe ");
	if (rust_take(r, 'K'))
		abi(r);
	put(r, "fn(");
	(void)list(r, type);
	put(r, ")");
	if (!rust_take(r, 'u')) { /* () is not written */
		put(r, " -> ");
		type(r);
	}
	r->lifetimes = lifetimes;
}

/* Trait<A, Item = B> */
static void dyn_trait(struct rust *r)
{
	bool open = open_path(r);

	while (!r->failed && rust_take(r, 'p')) {
		if (open)
			put(r, ", ");
		else
			put(r, "<");
		open = true;
		rust_put_identifier(r, rust_read_identifier(r));
		put(r, " = ");
		type(r);
	}
	if (open)
		put(r, ">");
}

static void dyn_type(struct rust *r)
{
	uint64_t lifetimes = r->lifetimes, index;

	put(r, "dyn ");
	binder(r);
	for (uint32_t n = 0; !r->failed && r->length < r->size && !rust_take(r, 'E'); n++) {
		if (n)
			put(r, " + ");
		dyn_trait(r);
	}
	r->lifetimes = lifetimes;
	if (!rust_take(r, 'L')) {
		r->failed = true;
		return;
	}
	index = rust_number_62(r);
	if (index) {
		put(r, " + ");
		put_lifetime(r, index);
	}
}

/* A path whose list of generic arguments is left open for more. True when it is. */
static bool open_path(struct rust *r)
{
	bool open = false;
	size_t back;

	if (!rust_enter(r)) {
		rust_leave(r);
		return false;
	}
	if (rust_take(r, 'B')) {
		if (jump(r, &back)) {
			open = open_path(r);
			r->at = back;
		}
	} else if (rust_take(r, 'I')) {
		path(r, false);
		put(r, "<");
		(void)list(r, generic_argument);
		open = true;
	} else {
		path(r, false);
	}
	rust_leave(r);
	return open;
}

static void array(struct rust *r, bool sized)
{
	put(r, "[");
	type(r);
	if (sized) {
		put(r, "; ");
		constant(r);
	}
	put(r, "]");
}

static void tuple(struct rust *r)
{
	put(r, "(");
	if (list(r, type) == 1)
		put(r, ",");
	put(r, ")");
}

static void pointer(struct rust *r, struct str kind)
{
	rust_put(r, kind);
	type(r);
}

static void type(struct rust *r)
{
	size_t back;
	char tag;

	if (!rust_enter(r))
		goto out;
	tag = rust_next(r);
	if (r->failed || basic_type(r, tag))
		goto out;
	switch (tag) {
	case 'R':
	case 'Q':
		reference(r, tag == 'Q');
		break;
	case 'P':
		pointer(r, STR("*const "));
		break;
	case 'O':
		pointer(r, STR("*mut "));
		break;
	case 'A':
	case 'S':
		array(r, tag == 'A');
		break;
	case 'T':
		tuple(r);
		break;
	case 'F':
		function_type(r);
		break;
	case 'D':
		dyn_type(r);
		break;
	case 'B':
		if (jump(r, &back)) {
			type(r);
			r->at = back;
		}
		break;
	default:
		r->at--;
		path(r, false);
		break;
	}
out:
	rust_leave(r);
}

/* Hexadecimal digits up to "_"; those that fit a number are one. */
static struct str hex(struct rust *r, uint64_t *value)
{
	size_t start = r->at;

	*value = 0;
	while (!r->failed && !rust_take(r, '_')) {
		char c = rust_next(r);
		int digit = rust_digit_62(c);

		if (digit < 0 || digit > 15 || (c >= 'A' && c <= 'Z'))
			r->failed = true;
		*value = *value << 4 | ((uint64_t)digit & 15);
	}
	return r->failed ? (struct str){0} : str_of(r->in + start, r->at - 1 - start);
}

static void integer(struct rust *r)
{
	uint64_t value;
	struct str digits = hex(r, &value);

	if (digits.n > 16) {
		put(r, "0x");
		rust_put(r, digits);
	} else {
		rust_put_number(r, value);
	}
}

static void character(struct rust *r)
{
	uint64_t value;

	(void)hex(r, &value);
	if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000) || value < 0x20)
		r->failed = true;
	put(r, "'");
	if (!r->failed)
		rust_put_code_point(r, (uint32_t)value);
	put(r, "'");
}

static void boolean(struct rust *r)
{
	uint64_t value;

	(void)hex(r, &value);
	if (value > 1)
		r->failed = true;
	rust_put(r, value ? STR("true") : STR("false"));
}

static void constant(struct rust *r)
{
	size_t back;
	char tag;

	if (!rust_enter(r))
		goto out;
	tag = rust_next(r);
	if (r->failed) {
		goto out;
	} else if (tag == 'B') {
		if (jump(r, &back)) {
			constant(r);
			r->at = back;
		}
	} else if (tag == 'p') {
		put(r, "_");
	} else if (tag == 'b') {
		boolean(r);
	} else if (tag == 'c') {
		character(r);
	} else if (strchr("aslxni", tag)) {
		if (rust_take(r, 'n'))
			put(r, "-");
		integer(r);
	} else if (strchr("htmyoj", tag)) {
		integer(r);
	} else {
		r->failed = true; /* structures and the like: not stable yet */
	}
out:
	rust_leave(r);
}

static int demangle_v0(struct str name, char *out, size_t size)
{
	struct rust r = {.in = name.p + 2, .n = name.n - 2, .out = out, .size = size};

	path(&r, true);
	if (r.length == size)
		return (int)size; /* cut, and not read to its end */
	if (r.failed)
		return 0;
	if (rust_peek(&r) && rust_peek(&r) != '.' &&
	    rust_peek(&r) != '$') { /* the crate that made this instance */
		r.silent = true;
		path(&r, false);
	}
	if (r.failed || (rust_peek(&r) && rust_peek(&r) != '.' && rust_peek(&r) != '$'))
		return 0;
	return (int)r.length;
}

int symbol_demangle_rust(struct str name, char *out, size_t size)
{
	if (str_starts(name, STR("_ZN")))
		return symbol_demangle_rust_legacy(name, out, size);
	if (str_starts(name, STR("_R")) && name.n > 2)
		return demangle_v0(name, out, size);
	return 0;
}
