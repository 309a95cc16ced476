/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser. It does not recurse: open containers are kept on a stack of node indices, which takes
 * four bytes per level. Strings are scanned eight bytes at a time; strings without escapes (nearly
 * all) are slices of the input. UTF-8 is validated only in strings with non-ASCII bytes.
 */
#include "wire/json.h"

#include <stdio.h>

struct parser {
	struct json *doc;
	const char *at, *end;
	struct err *e;
	uint32_t depth;
	uint32_t open[JSON_DEPTH_MAX]; /* the enclosing containers */
};

#define EACH_BYTE(c) (0x0101010101010101u * (c))
#define HIGH_BITS EACH_BYTE(0x80u)

const char *json_kind_name(enum json_kind kind)
{
	static const char *const names[] = {
		[JSON_MISSING] = "nothing", [JSON_NULL] = "null",	 [JSON_FALSE] = "false",
		[JSON_TRUE] = "true",	    [JSON_NUMBER] = "a number",	 [JSON_STRING] = "a string",
		[JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
	};

	return names[kind];
}

static int fail_at(struct str in, const char *at, struct err *e, const char *expected,
		   const char *found)
{
	size_t line = 1;
	const char *start = in.p, *newline;

	while (start < at && (newline = memchr(start, '\n', (size_t)(at - start)))) {
		start = newline + 1;
		line++;
	}
	return err_set(e, -EBADMSG, "at byte %zu (line %zu, column %zu): expected %s, found %s",
		       (size_t)(at - in.p), line, (size_t)(at - start) + 1, expected, found);
}

/* Report that the input at `at` is not what was expected. */
static NO_INLINE int fail(struct parser *p, const char *at, const char *expected)
{
	char found[16];

	if (at >= p->end)
		snprintf(found, sizeof(found), "the end");
	else if (*at > ' ' && *at < 0x7f)
		snprintf(found, sizeof(found), "'%c'", *at);
	else
		snprintf(found, sizeof(found), "byte 0x%02x", (unsigned char)*at);
	return fail_at(p->doc->in, at, p->e, expected, found);
}

static inline bool is_space(char c)
{
	return (unsigned char)c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
}

static inline void skip_space(struct parser *p)
{
	const char *at = p->at, *end = p->end;

	while (at < end && is_space(*at))
		at++;
	p->at = at;
}

static inline int add_value_node(struct parser *p, enum json_kind kind, const char *text, size_t n)
{
	struct json *doc = p->doc;
	int rc = doc->nodes.n < JSON_NODES_MAX ? vec_reserve(doc->arena, &doc->nodes, 1)
					       : -EOVERFLOW;

	if (unlikely(rc))
		return err_errno(p->e, rc, "json");
	doc->nodes.at[doc->nodes.n++] =
		(struct json_value){text, (uint32_t)n, 1u << JSON_KIND_BITS | (uint32_t)kind};
	return 0;
}

/* Parse four hex digits; return -1 for anything else. */
static int32_t read_hex4(const char *at, const char *end)
{
	uint64_t value;

	if (end - at < 4 || at[1] == 'x' || at[1] == 'X' || str_to_u64(str_of(at, 4), 16, &value))
		return -1;
	return (int32_t)value;
}

static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*out++ = (char)(0xe0 | c >> 12);
		} else {
			*out++ = (char)(0xf0 | c >> 18);
			*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (c & 0x3f));
	return out;
}

/*
 * Decode the \u escape whose digits are at *at, with the second half of a surrogate pair. Lone
 * surrogates become U+FFFD.
 */
static char *decode_unicode(char *out, const char **at, const char *end)
{
	uint32_t c = (uint32_t)read_hex4(*at, end);

	*at += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
		int32_t low = read_hex4(*at + 2, end);

		if (low >= 0xdc00 && low < 0xe000) {
			*at += 6;
			return put_utf8(out,
					0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00));
		}
	}
	return put_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
}

/* Return the character that the escape stands for; 0 if there is none (or for 'u'). */
static char escape_value(char c)
{
	static const char values[128] = {
		['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
		['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
	};

	return c > 0 ? values[(unsigned char)c] : '\0';
}

/* Decode the escapes of a string that has been validated; the result is never longer. */
static size_t decode_escapes(char *out, const char *at, const char *end)
{
	const char *begin = out;

	while (at < end) {
		const char *plain = at;

		at = memchr(at, '\\', (size_t)(end - at));
		at = at ? at : end;
		memcpy(out, plain, (size_t)(at - plain));
		out += at - plain;
		if (at == end)
			break;
		at += 2;
		if (at[-1] == 'u')
			out = decode_unicode(out, &at, end);
		else
			*out++ = escape_value(at[-1]);
	}
	return (size_t)(out - begin);
}

/*
 * Advance to the next quote, backslash or control character, or the end. Return whether there were
 * non-ASCII bytes.
 */
static inline bool scan_plain(struct parser *p)
{
	const char *at = p->at, *end = p->end;
	uint64_t high = 0;

	while (end - at >= 8) {
		uint64_t x, quote, slash, special;

		memcpy(&x, at, sizeof(x));
		quote = x ^ EACH_BYTE('"');
		slash = x ^ EACH_BYTE('\\');
		special = ((quote - EACH_BYTE(1)) & ~quote) | ((slash - EACH_BYTE(1)) & ~slash) |
			  ((x - EACH_BYTE(0x20)) & ~x);
		/* the lowest flag is exact; those above it may come from borrows */
		special &= HIGH_BITS;
		if (special) {
			int bits = __builtin_ctzll(special) & ~7;

			p->at = at + bits / 8;
			return ((high | (x & ((1ull << bits) - 1))) & HIGH_BITS) != 0;
		}
		high |= x;
		at += 8;
	}
	while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
		high |= (unsigned char)*at++;
	p->at = at;
	return (high & HIGH_BITS) != 0;
}

/* Validate and skip the escape at p->at. */
static int check_escape(struct parser *p)
{
	const char *at = p->at + 1;

	if (at < p->end && *at == 'u') {
		if (read_hex4(at + 1, p->end) < 0)
			return fail(p, at + 1, "four hex digits");
		p->at = at + 5;
		return 0;
	}
	if (at >= p->end || !escape_value(*at))
		return fail(p, at, "an escape (one of \"\\/bfnrtu)");
	p->at = at + 1;
	return 0;
}

/* Read the string whose opening quote is at p->at. */
static int parse_string(struct parser *p)
{
	const char *begin = ++p->at, *text = begin;
	bool escaped = false, high = false;
	size_t n, valid;

	for (;;) {
		high |= scan_plain(p);
		if (unlikely(p->at >= p->end || (unsigned char)*p->at < 0x20))
			return fail(p, p->at, "the end of a string");
		if (likely(*p->at == '"'))
			break;
		escaped = true;
		if (check_escape(p))
			return -EBADMSG;
	}
	n = (size_t)(p->at++ - begin);
	if (high && (valid = str_utf8_valid(str_of(begin, n))) < n)
		return fail(p, begin + valid, "UTF-8");
	if (escaped) {
		char *copy = arena_alloc(p->doc->arena, n, 1);

		if (!copy)
			return err_errno(p->e, -ENOMEM, "json");
		n = decode_escapes(copy, begin, begin + n);
		text = copy;
	}
	return add_value_node(p, JSON_STRING, text, n);
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Skip at least one digit. Return the position after the digits, or NULL after reporting an error.
 */
static inline const char *skip_digits(struct parser *p, const char *at)
{
	const char *begin = at;

	while (at < p->end && is_digit(*at))
		at++;
	if (likely(at > begin))
		return at;
	fail(p, at, "a digit");
	return NULL;
}

/* Skip fraction and exponent, if any. */
static const char *skip_fraction(struct parser *p, const char *at)
{
	if (at < p->end && *at == '.')
		at = skip_digits(p, at + 1);
	if (at && at < p->end && (*at | 0x20) == 'e') {
		at++;
		if (at < p->end && (*at == '+' || *at == '-'))
			at++;
		at = skip_digits(p, at);
	}
	return at;
}

static int parse_number(struct parser *p)
{
	const char *begin = p->at, *at = begin + (*begin == '-');
	const char *digits = at;

	at = skip_digits(p, at);
	if (unlikely(!at))
		return -EBADMSG;
	if (unlikely(*digits == '0' && at > digits + 1))
		return fail(p, digits + 1, "no digit after a leading zero");
	if (at < p->end && (*at == '.' || (*at | 0x20) == 'e')) {
		at = skip_fraction(p, at);
		if (!at)
			return -EBADMSG;
	}
	p->at = at;
	return add_value_node(p, JSON_NUMBER, begin, (size_t)(at - begin));
}

static int parse_word(struct parser *p, struct str word, enum json_kind kind)
{
	if (!str_starts(str_of(p->at, (size_t)(p->end - p->at)), word))
		return fail(p, p->at, "a value");
	p->at += word.n;
	return add_value_node(p, kind, p->at - word.n, 0);
}

static int parse_open(struct parser *p, enum json_kind kind)
{
	if (p->depth == JSON_DEPTH_MAX)
		return fail(p, p->at, "at most 512 levels");
	p->open[p->depth++] = p->doc->nodes.n;
	return add_value_node(p, kind, p->at++, 0);
}

/* Read a scalar, or open a container. */
static int parse_value(struct parser *p)
{
	skip_space(p);
	if (p->at >= p->end)
		return fail(p, p->at, "a value");
	switch (*p->at) {
	case '"':
		return parse_string(p);
	case '{':
		return parse_open(p, JSON_OBJECT);
	case '[':
		return parse_open(p, JSON_ARRAY);
	case 't':
		return parse_word(p, STR("true"), JSON_TRUE);
	case 'f':
		return parse_word(p, STR("false"), JSON_FALSE);
	case 'n':
		return parse_word(p, STR("null"), JSON_NULL);
	default:
		if (*p->at != '-' && !is_digit(*p->at))
			return fail(p, p->at, "a value");
		return parse_number(p);
	}
}

static int parse_key(struct parser *p)
{
	int rc;

	skip_space(p);
	if (p->at >= p->end || *p->at != '"')
		return fail(p, p->at, "a key");
	rc = parse_string(p);
	if (rc)
		return rc;
	skip_space(p);
	if (p->at >= p->end || *p->at != ':')
		return fail(p, p->at, "':'");
	p->at++;
	return 0;
}

/* Read the next member of the innermost container, or close it. */
static int parse_member(struct parser *p)
{
	uint32_t index = p->open[p->depth - 1];
	struct json_value *open = &p->doc->nodes.at[index];
	bool object = json_kind(open) == JSON_OBJECT;
	int rc = 0;

	skip_space(p);
	if (p->at < p->end && *p->at == (object ? '}' : ']')) {
		p->at++;
		p->depth--;
		open->tag += (p->doc->nodes.n - index - 1) << JSON_KIND_BITS;
		return 0;
	}
	if (open->n) {
		if (p->at >= p->end || *p->at != ',')
			return fail(p, p->at, object ? "',' or '}'" : "',' or ']'");
		p->at++;
	}
	open->n++;
	if (object)
		rc = parse_key(p);
	return rc ? rc : parse_value(p);
}

void json_init(struct json *doc, struct arena *arena)
{
	*doc = (struct json){.arena = arena};
}

int json_parse_next(struct json *doc, struct str in, size_t *at, struct err *e)
{
	struct parser p;
	int rc;

	if (in.n >= UINT32_MAX)
		return err_set(e, -EFBIG, "json: expected less than 4 GiB, found %zu bytes", in.n);
	doc->in = in;
	doc->nodes.n = 0;
	if (*at >= in.n)
		return 0;
	p.doc = doc;
	p.e = e;
	p.depth = 0;
	p.end = in.p + in.n;
	p.at = in.p + *at;
	if (!*at && str_starts(in, STR("\xef\xbb\xbf")))
		p.at += 3;
	skip_space(&p);
	if (p.at == p.end)
		return 0;
	rc = parse_value(&p);
	while (!rc && p.depth)
		rc = parse_member(&p);
	if (rc) {
		doc->nodes.n = 0;
		return rc;
	}
	*at = (size_t)(p.at - in.p);
	return 1;
}

int json_parse(struct json *doc, struct str in, struct err *e)
{
	struct parser p = {.doc = doc, .e = e};
	size_t at = 0;
	int rc;

	if (!in.p)
		in = STR(""); /* avoid arithmetic on NULL */
	rc = json_parse_next(doc, in, &at, e);
	if (rc < 0)
		return rc;
	p.end = in.p + in.n;
	if (!rc)
		return fail(&p, p.end, "a value");
	p.at = in.p + at;
	skip_space(&p);
	if (p.at == p.end)
		return 0;
	doc->nodes.n = 0;
	return fail(&p, p.at, "the end");
}

size_t json_offset(const struct json *doc, const struct json_value *v)
{
	if (!v)
		return doc->in.n;
	/* a string with escapes is not in the input: use the value before it */
	while (v > doc->nodes.at && (v->p < doc->in.p || v->p > doc->in.p + doc->in.n))
		v--;
	if (v->p < doc->in.p || v->p > doc->in.p + doc->in.n)
		return 0;
	return (size_t)(v->p - doc->in.p) - (json_kind(v) == JSON_STRING);
}

int json_fail(const struct json *doc, const struct json_value *v, struct err *e,
	      const char *expected)
{
	return fail_at(doc->in, doc->in.p + json_offset(doc, v), e, expected,
		       json_kind_name(json_kind(v)));
}
