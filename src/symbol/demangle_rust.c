/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rust's names. Legacy: _ZN, identifiers with escapes, a hash, E. v0: RFC 2603, a grammar with back references.
 *
 * We read them ourselves, and not by libiberty, because its reader of v0 counts lifetimes of a binder one by one, in places
 * where it prints nothing and nobody can stop it: a name of twenty bytes can keep it busy for ever. Here
 * depth, steps and output are bounded. Shown as rustc's own tools do without their verbose form: no hashes, no crate ids,
 * integers of constants without their type.
 */
#include "symbol/demangle.h"

enum { DEPTH_MAX = 200, STEPS_MAX = 20000, BINDER_MAX = 64 };

struct rust {
	const char *in; /* behind the prefix, where back references count from */
	size_t n, at;
	char *out;
	size_t size, length;
	uint32_t depth, steps;
	uint64_t lifetimes; /* bound around here */
	bool failed, silent;
};

static void put_text(struct rust *r, struct str text)
{
	size_t n = min_size(text.n, r->size - r->length);

	if (r->silent || r->failed)
		return;
	if (n)
		memcpy(r->out + r->length, text.p, n);
	r->length += n;
}

#define put(r, literal) put_text((r), STR(literal))

static void put_number(struct rust *r, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_text(r, str_of(text + at, sizeof(text) - at));
}

static char peek(const struct rust *r)
{
	return r->at < r->n ? r->in[r->at] : 0;
}

static bool take(struct rust *r, char c)
{
	if (peek(r) != c || !c)
		return false;
	r->at++;
	return true;
}

static char next(struct rust *r)
{
	char c = peek(r);

	if (c)
		r->at++;
	else
		r->failed = true;
	return c;
}

/* Count what is done; false when it is too much, and when the output is full. */
static bool enter(struct rust *r)
{
	if (++r->depth > DEPTH_MAX || ++r->steps > STEPS_MAX)
		r->failed = true;
	return !r->failed && r->length < r->size;
}

static void leave(struct rust *r)
{
	r->depth--;
}

/* Digits, decimal, without leading zeros. */
static size_t decimal(struct rust *r)
{
	size_t value = 0;

	if (peek(r) < '0' || peek(r) > '9')
		r->failed = true;
	if (take(r, '0'))
		return 0;
	while (peek(r) >= '0' && peek(r) <= '9') {
		value = value * 10 + (size_t)(next(r) - '0');
		if (value > r->n) {
			r->failed = true;
			return 0;
		}
	}
	return value;
}

static int digit_62(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 36;
	return -1;
}

/* "_" is 0, "0_" is 1, and so on. */
static uint64_t number_62(struct rust *r)
{
	uint64_t value = 0;

	if (take(r, '_'))
		return 0;
	while (!take(r, '_')) {
		int digit = digit_62(next(r));

		if (digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value)) {
			r->failed = true;
			return 0;
		}
	}
	if (value == UINT64_MAX)
		r->failed = true;
	return value + 1;
}

static uint64_t optional_62(struct rust *r, char tag)
{
	uint64_t value;

	if (!take(r, tag))
		return 0;
	value = number_62(r);
	if (value == UINT64_MAX)
		r->failed = true;
	return value + 1;
}

struct identifier {
	struct str text;
	bool unicode; /* in Punycode */
};

static struct identifier identifier(struct rust *r)
{
	struct identifier id = {.unicode = take(r, 'u')};
	size_t n = decimal(r);

	(void)take(r, '_');
	if (r->failed || n > r->n - r->at) {
		r->failed = true;
		return id;
	}
	id.text = str_of(r->in + r->at, n);
	r->at += n;
	return id;
}

static void put_code_point(struct rust *r, uint32_t c)
{
	char text[4];

	put_text(r, str_of(text, symbol_utf8(c, text)));
}

static void put_identifier(struct rust *r, struct identifier id)
{
	uint32_t points[SYMBOL_PUNYCODE_MAX];
	int n;

	if (!id.unicode) {
		put_text(r, id.text);
		return;
	}
	n = symbol_punycode(id.text, points);
	if (n < 0) {
		put(r, "punycode{");
		put_text(r, id.text);
		put(r, "}");
		return;
	}
	for (int i = 0; i < n; i++)
		put_code_point(r, points[i]);
}

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

		put_text(r, str_of(&c, 1));
	} else {
		put(r, "_");
		put_number(r, depth);
	}
}

/* for<'a, 'b>; the caller sets r->lifetimes back. */
static void binder(struct rust *r)
{
	uint64_t count = optional_62(r, 'G');

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
	uint64_t to = number_62(r);

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
	if (take(r, 'L'))
		put_lifetime(r, number_62(r));
	else if (take(r, 'K'))
		constant(r);
	else
		type(r);
}

/* Up to E, with commas. Returns how many. */
static uint32_t list(struct rust *r, void (*item)(struct rust *r))
{
	uint32_t n = 0;

	while (!r->failed && r->length < r->size && !take(r, 'E')) {
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

	(void)optional_62(r, 's');
	r->silent = true;
	path(r, false);
	r->silent = silent;
}

static void nested(struct rust *r, bool in_value)
{
	char space = next(r);
	uint64_t which;
	struct identifier id;

	path(r, in_value);
	which = optional_62(r, 's');
	id = identifier(r);
	if (space >= 'A' && space <= 'Z') {
		put(r, "::{");
		if (space == 'C')
			put(r, "closure");
		else if (space == 'S')
			put(r, "shim");
		else
			put_text(r, str_of(&space, 1));
		if (id.text.n) {
			put(r, ":");
			put_identifier(r, id);
		}
		put(r, "#");
		put_number(r, which);
		put(r, "}");
	} else if (space >= 'a' && space <= 'z') {
		if (id.text.n)
			put(r, "::");
		put_identifier(r, id);
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

	if (!enter(r))
		goto out;
	switch (next(r)) {
	case 'C':
		(void)optional_62(r, 's');
		put_identifier(r, identifier(r));
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
	leave(r);
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
			put_text(r, basic_types[i].name);
			return true;
		}
	}
	return false;
}

static void reference(struct rust *r, bool mutable)
{
	put(r, "&");
	if (take(r, 'L')) {
		uint64_t index = number_62(r);

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
	struct identifier id;

	put(r, "extern \"");
	if (take(r, 'C')) {
		put(r, "C");
	} else {
		id = identifier(r);
		for (size_t i = 0; i < id.text.n; i++)
			put_text(r, id.text.p[i] == '_' ? STR("-") : str_of(id.text.p + i, 1));
	}
	put(r, "\" ");
}

static void function_type(struct rust *r)
{
	uint64_t lifetimes = r->lifetimes;

	binder(r);
	if (take(r, 'U'))
		put(r, "unsafe ");
	if (take(r, 'K'))
		abi(r);
	put(r, "fn(");
	(void)list(r, type);
	put(r, ")");
	if (!take(r, 'u')) { /* () is not written */
		put(r, " -> ");
		type(r);
	}
	r->lifetimes = lifetimes;
}

/* Trait<A, Item = B> */
static void dyn_trait(struct rust *r)
{
	bool open = open_path(r);

	while (!r->failed && take(r, 'p')) {
		if (open)
			put(r, ", ");
		else
			put(r, "<");
		open = true;
		put_identifier(r, identifier(r));
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
	for (uint32_t n = 0; !r->failed && r->length < r->size && !take(r, 'E'); n++) {
		if (n)
			put(r, " + ");
		dyn_trait(r);
	}
	r->lifetimes = lifetimes;
	if (!take(r, 'L')) {
		r->failed = true;
		return;
	}
	index = number_62(r);
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

	if (!enter(r)) {
		leave(r);
		return false;
	}
	if (take(r, 'B')) {
		if (jump(r, &back)) {
			open = open_path(r);
			r->at = back;
		}
	} else if (take(r, 'I')) {
		path(r, false);
		put(r, "<");
		(void)list(r, generic_argument);
		open = true;
	} else {
		path(r, false);
	}
	leave(r);
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
	put_text(r, kind);
	type(r);
}

static void type(struct rust *r)
{
	size_t back;
	char tag;

	if (!enter(r))
		goto out;
	tag = next(r);
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
	leave(r);
}

/* Hexadecimal digits up to "_"; those that fit a number are one. */
static struct str hex(struct rust *r, uint64_t *value)
{
	size_t start = r->at;

	*value = 0;
	while (!r->failed && !take(r, '_')) {
		char c = next(r);
		int digit = digit_62(c);

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
		put_text(r, digits);
	} else {
		put_number(r, value);
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
		put_code_point(r, (uint32_t)value);
	put(r, "'");
}

static void boolean(struct rust *r)
{
	uint64_t value;

	(void)hex(r, &value);
	if (value > 1)
		r->failed = true;
	put_text(r, value ? STR("true") : STR("false"));
}

static void constant(struct rust *r)
{
	size_t back;
	char tag;

	if (!enter(r))
		goto out;
	tag = next(r);
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
		if (take(r, 'n'))
			put(r, "-");
		integer(r);
	} else if (strchr("htmyoj", tag)) {
		integer(r);
	} else {
		r->failed = true; /* structures and the like: not stable yet */
	}
out:
	leave(r);
}

static int demangle_v0(struct str name, char *out, size_t size)
{
	struct rust r = {.in = name.p + 2, .n = name.n - 2, .out = out, .size = size};

	path(&r, true);
	if (r.length == size)
		return (int)size; /* cut, and not read to its end */
	if (r.failed)
		return 0;
	if (peek(&r) && peek(&r) != '.' &&
	    peek(&r) != '$') { /* the crate that made this instance */
		r.silent = true;
		path(&r, false);
	}
	if (r.failed || (peek(&r) && peek(&r) != '.' && peek(&r) != '$'))
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
