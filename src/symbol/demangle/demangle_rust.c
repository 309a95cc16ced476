/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rust's v0 names (RFC 2603), a grammar with back references.
 *
 * libiberty's reader of v0 is not used because it counts the lifetimes of a binder one by one even
 * without output, so that a name of twenty bytes can keep it busy forever. Here depth, steps and
 * output are bounded. The output is that of rustc's own tools in their short form: no hashes, no
 * crate ids, integer constants without their type.
 */
#include "symbol/demangle/demangle_rust.h"

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

/* Read a binder, for<'a, 'b>; the caller restores r->lifetimes. */
static void read_binder(struct rust *r)
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

static void read_path(struct rust *r, bool in_value);
static void read_type(struct rust *r);
static void read_const(struct rust *r);
static bool read_open_path(struct rust *r);

/*
 * Jump to an earlier position; *back is where to return. Return false when nothing is to be read.
 */
static bool jump_back(struct rust *r, size_t *back)
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

static void read_generic_argument(struct rust *r)
{
	if (rust_take(r, 'L'))
		put_lifetime(r, rust_number_62(r));
	else if (rust_take(r, 'K'))
		read_const(r);
	else
		read_type(r);
}

/* Read items up to E, separated by commas. Return their number. */
static uint32_t read_list(struct rust *r, void (*read_item)(struct rust *r))
{
	uint32_t n = 0;

	while (!r->failed && r->length < r->size && !rust_take(r, 'E')) {
		if (n++)
			put(r, ", ");
		read_item(r);
	}
	return n;
}

/* Skip the path of an impl block. */
static void skip_impl_path(struct rust *r)
{
	bool silent = r->silent;

	(void)rust_optional_62(r, 's');
	r->silent = true;
	read_path(r, false);
	r->silent = silent;
}

/* Read a path with a further component: a::b, or a::{closure#0}. */
static void read_nested_path(struct rust *r, bool in_value)
{
	char space = rust_next(r);
	uint64_t which;
	struct rust_identifier id;

	read_path(r, in_value);
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

/* Read <T as Trait> or <T>. */
static void read_qualified_path(struct rust *r, bool trait)
{
	put(r, "<");
	read_type(r);
	if (trait) {
		put(r, " as ");
		read_path(r, false);
	}
	put(r, ">");
}

static void read_path(struct rust *r, bool in_value)
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
		read_nested_path(r, in_value);
		break;
	case 'M':
		skip_impl_path(r);
		read_qualified_path(r, false);
		break;
	case 'X':
		skip_impl_path(r);
		read_qualified_path(r, true);
		break;
	case 'Y':
		read_qualified_path(r, true);
		break;
	case 'I':
		read_path(r, in_value);
		if (in_value)
			put(r, "::");
		put(r, "<");
		(void)read_list(r, read_generic_argument);
		put(r, ">");
		break;
	case 'B':
		if (jump_back(r, &back)) {
			read_path(r, in_value);
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

static bool read_basic_type(struct rust *r, char tag)
{
	for (size_t i = 0; i < countof(basic_types); i++) {
		if (basic_types[i].tag == tag) {
			rust_put(r, basic_types[i].name);
			return true;
		}
	}
	return false;
}

static void read_reference(struct rust *r, bool mutable)
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
	read_type(r);
}

static void read_abi(struct rust *r)
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

static void read_function_type(struct rust *r)
{
	uint64_t lifetimes = r->lifetimes;

	read_binder(r);
	if (rust_take(r, 'U'))
		put(r, "unsafe ");
	if (rust_take(r, 'K'))
		read_abi(r);
	put(r, "fn(");
	(void)read_list(r, read_type);
	put(r, ")");
	if (!rust_take(r, 'u')) { /* a return type of () is omitted */
		put(r, " -> ");
		read_type(r);
	}
	r->lifetimes = lifetimes;
}

/* Read Trait<A, Item = B>. */
static void read_dyn_trait(struct rust *r)
{
	bool open = read_open_path(r);

	while (!r->failed && rust_take(r, 'p')) {
		if (open)
			put(r, ", ");
		else
			put(r, "<");
		open = true;
		rust_put_identifier(r, rust_read_identifier(r));
		put(r, " = ");
		read_type(r);
	}
	if (open)
		put(r, ">");
}

static void read_dyn_type(struct rust *r)
{
	uint64_t lifetimes = r->lifetimes, index;

	put(r, "dyn ");
	read_binder(r);
	for (uint32_t n = 0; !r->failed && r->length < r->size && !rust_take(r, 'E'); n++) {
		if (n)
			put(r, " + ");
		read_dyn_trait(r);
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

/* Read a path and leave its list of generic arguments open. Return whether it has one. */
static bool read_open_path(struct rust *r)
{
	bool open = false;
	size_t back;

	if (!rust_enter(r)) {
		rust_leave(r);
		return false;
	}
	if (rust_take(r, 'B')) {
		if (jump_back(r, &back)) {
			open = read_open_path(r);
			r->at = back;
		}
	} else if (rust_take(r, 'I')) {
		read_path(r, false);
		put(r, "<");
		(void)read_list(r, read_generic_argument);
		open = true;
	} else {
		read_path(r, false);
	}
	rust_leave(r);
	return open;
}

static void read_array(struct rust *r, bool sized)
{
	put(r, "[");
	read_type(r);
	if (sized) {
		put(r, "; ");
		read_const(r);
	}
	put(r, "]");
}

static void read_tuple(struct rust *r)
{
	put(r, "(");
	if (read_list(r, read_type) == 1)
		put(r, ",");
	put(r, ")");
}

static void read_pointer(struct rust *r, struct str kind)
{
	rust_put(r, kind);
	read_type(r);
}

static void read_type(struct rust *r)
{
	size_t back;
	char tag;

	if (!rust_enter(r))
		goto out;
	tag = rust_next(r);
	if (r->failed || read_basic_type(r, tag))
		goto out;
	switch (tag) {
	case 'R':
	case 'Q':
		read_reference(r, tag == 'Q');
		break;
	case 'P':
		read_pointer(r, STR("*const "));
		break;
	case 'O':
		read_pointer(r, STR("*mut "));
		break;
	case 'A':
	case 'S':
		read_array(r, tag == 'A');
		break;
	case 'T':
		read_tuple(r);
		break;
	case 'F':
		read_function_type(r);
		break;
	case 'D':
		read_dyn_type(r);
		break;
	case 'B':
		if (jump_back(r, &back)) {
			read_type(r);
			r->at = back;
		}
		break;
	default:
		r->at--;
		read_path(r, false);
		break;
	}
out:
	rust_leave(r);
}

/* Read hexadecimal digits up to "_"; *value is valid for up to 16 of them. */
static struct str read_hex(struct rust *r, uint64_t *value)
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

static void read_integer(struct rust *r)
{
	uint64_t value;
	struct str digits = read_hex(r, &value);

	if (digits.n > 16) {
		put(r, "0x");
		rust_put(r, digits);
	} else {
		rust_put_number(r, value);
	}
}

static void read_character(struct rust *r)
{
	uint64_t value;

	(void)read_hex(r, &value);
	if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000) || value < 0x20)
		r->failed = true;
	put(r, "'");
	if (!r->failed)
		rust_put_code_point(r, (uint32_t)value);
	put(r, "'");
}

static void read_boolean(struct rust *r)
{
	uint64_t value;

	(void)read_hex(r, &value);
	if (value > 1)
		r->failed = true;
	rust_put(r, value ? STR("true") : STR("false"));
}

static void read_const(struct rust *r)
{
	size_t back;
	char tag;

	if (!rust_enter(r))
		goto out;
	tag = rust_next(r);
	if (r->failed) {
		goto out;
	} else if (tag == 'B') {
		if (jump_back(r, &back)) {
			read_const(r);
			r->at = back;
		}
	} else if (tag == 'p') {
		put(r, "_");
	} else if (tag == 'b') {
		read_boolean(r);
	} else if (tag == 'c') {
		read_character(r);
	} else if (strchr("aslxni", tag)) {
		if (rust_take(r, 'n'))
			put(r, "-");
		read_integer(r);
	} else if (strchr("htmyoj", tag)) {
		read_integer(r);
	} else {
		r->failed = true; /* structures etc. are not stable yet */
	}
out:
	rust_leave(r);
}

static int demangle_v0(struct str name, char *out, size_t size)
{
	struct rust r = {.in = name.p + 2, .n = name.n - 2, .out = out, .size = size};

	read_path(&r, true);
	if (r.length == size)
		return (int)size; /* truncated, not read to the end */
	if (r.failed)
		return 0;
	/* the crate that instantiated the function follows */
	if (rust_peek(&r) && rust_peek(&r) != '.' && rust_peek(&r) != '$') {
		r.silent = true;
		read_path(&r, false);
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
