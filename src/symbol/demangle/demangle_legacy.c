/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rust's legacy mangling: _ZN, identifiers preceded by their lengths, "17h" and 16 digits of a
 * hash, E. Characters that C++ names cannot have are escaped.
 */
#include "symbol/demangle/demangle_rust.h"
#include "symbol/demangle/punycode.h"

static const struct {
	struct str escape, text;
} escapes[] = {
	{STR_INIT("$SP$"), STR_INIT("@")}, {STR_INIT("$BP$"), STR_INIT("*")},
	{STR_INIT("$RF$"), STR_INIT("&")}, {STR_INIT("$LT$"), STR_INIT("<")},
	{STR_INIT("$GT$"), STR_INIT(">")}, {STR_INIT("$LP$"), STR_INIT("(")},
	{STR_INIT("$RP$"), STR_INIT(")")}, {STR_INIT("$C$"), STR_INIT(",")},
	{STR_INIT(".."), STR_INIT("::")},
};

enum { HASH_LENGTH = 17 };

struct rust_output {
	char *p;
	size_t n, size;
};

static void append_text(struct rust_output *o, struct str text)
{
	size_t n = min_size(text.n, o->size - o->n);

	memcpy(o->p + o->n, text.p, n);
	o->n += n;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "17h" is not rare in C++: require hexadecimal digits with at least five different ones. */
static bool is_hash(struct str id)
{
	uint64_t seen = 0;

	if (id.n != HASH_LENGTH || id.p[0] != 'h')
		return false;
	for (size_t i = 1; i < id.n; i++) {
		if (!is_hex(id.p[i]))
			return false;
		seen |= (uint64_t)1 << (id.p[i] & 31);
	}
	return __builtin_popcountll(seen) >= 5;
}

/* Read the next identifier. Return false when there is none. */
static bool next_identifier(struct str *rest, struct str *id)
{
	size_t n = 0, digits = 0;

	while (digits < rest->n && rest->p[digits] >= '0' && rest->p[digits] <= '9' && digits < 6)
		n = n * 10 + (size_t)(rest->p[digits++] - '0');
	if (!digits || !n || n > rest->n - digits)
		return false;
	*id = str_of(rest->p + digits, n);
	*rest = str_from_at(*rest, digits + n);
	return true;
}

/* Decode "$u7e$" as "~". Return the length of the escape; 0: not a printable character's. */
static size_t append_unicode(struct rust_output *o, struct str in)
{
	uint64_t value;
	size_t end = in.n > 2 ? 2 + str_find(str_from_at(in, 2), '$') : in.n;
	char text[4];

	if (!str_starts(in, STR("$u")) || end >= in.n ||
	    str_to_u64(str_of(in.p + 2, end - 2), 16, &value) || value < 0x20 || value == 0x7f ||
	    value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	append_text(o, str_of(text, symbol_utf8((uint32_t)value, text)));
	return end + 1;
}

/* Append one escape or one character. Return the input bytes used. */
static size_t append_one(struct rust_output *o, struct str in)
{
	char c = in.p[0];
	size_t n;

	for (size_t i = 0; (c == '$' || c == '.') && i < countof(escapes); i++) {
		if (str_starts(in, escapes[i].escape)) {
			append_text(o, escapes[i].text);
			return escapes[i].escape.n;
		}
	}
	n = append_unicode(o, in);
	if (n)
		return n;
	append_text(o, str_of(&c, 1));
	return 1;
}

static void append_identifier(struct rust_output *o, struct str id)
{
	/* an underscore precedes an escape at the start of an identifier */
	if (str_starts(id, STR("_$")))
		id = str_from_at(id, 1);
	while (id.n)
		id = str_from_at(id, append_one(o, id));
}

int symbol_demangle_rust_legacy(struct str name, char *out, size_t size)
{
	struct rust_output o = {.p = out, .size = size};
	struct str rest = str_from_at(name, 3), id = {0}, body = rest;

	while (next_identifier(&rest, &id))
		;
	/* after E only a suffix of LLVM may follow (.llvm.123) */
	if (!is_hash(id) || !str_starts(rest, STR("E")) || (rest.n > 1 && rest.p[1] != '.'))
		return 0;
	body = str_head(body, (size_t)(id.p - 2 - body.p));
	while (next_identifier(&body, &id)) {
		if (o.n)
			append_text(&o, STR("::"));
		append_identifier(&o, id);
	}
	return (int)o.n;
}
