/* SPDX-License-Identifier: Apache-2.0 */
/* The lexical level of Rust's v0 names. */
#include "symbol/demangle/rust_reader.h"

#include "symbol/demangle/punycode.h"

enum { DEPTH_MAX = 200, STEPS_MAX = 20000 };

void rust_put(struct rust *r, struct str text)
{
	size_t n = min_size(text.n, r->size - r->length);

	if (r->silent || r->failed)
		return;
	if (n)
		memcpy(r->out + r->length, text.p, n);
	r->length += n;
}

void rust_put_number(struct rust *r, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	rust_put(r, str_of(text + at, sizeof(text) - at));
}

char rust_peek(const struct rust *r)
{
	return r->at < r->n ? r->in[r->at] : 0;
}

bool rust_take(struct rust *r, char c)
{
	if (rust_peek(r) != c || !c)
		return false;
	r->at++;
	return true;
}

char rust_next(struct rust *r)
{
	char c = rust_peek(r);

	if (c)
		r->at++;
	else
		r->failed = true;
	return c;
}

/* Count depth and steps; return false at a limit and when the output is full. */
bool rust_enter(struct rust *r)
{
	if (++r->depth > DEPTH_MAX || ++r->steps > STEPS_MAX)
		r->failed = true;
	return !r->failed && r->length < r->size;
}

void rust_leave(struct rust *r)
{
	r->depth--;
}

/* Read a decimal number without leading zeros. */
static size_t read_decimal(struct rust *r)
{
	size_t value = 0;

	if (rust_peek(r) < '0' || rust_peek(r) > '9')
		r->failed = true;
	if (rust_take(r, '0'))
		return 0;
	while (rust_peek(r) >= '0' && rust_peek(r) <= '9') {
		value = value * 10 + (size_t)(rust_next(r) - '0');
		if (value > r->n) {
			r->failed = true;
			return 0;
		}
	}
	return value;
}

int rust_digit_62(char c)
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
uint64_t rust_number_62(struct rust *r)
{
	uint64_t value = 0;

	if (rust_take(r, '_'))
		return 0;
	while (!rust_take(r, '_')) {
		int digit = rust_digit_62(rust_next(r));

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

uint64_t rust_optional_62(struct rust *r, char tag)
{
	uint64_t value;

	if (!rust_take(r, tag))
		return 0;
	value = rust_number_62(r);
	if (value == UINT64_MAX)
		r->failed = true;
	return value + 1;
}

struct rust_identifier rust_read_identifier(struct rust *r)
{
	struct rust_identifier id = {.unicode = rust_take(r, 'u')};
	size_t n = read_decimal(r);

	(void)rust_take(r, '_');
	if (r->failed || n > r->n - r->at) {
		r->failed = true;
		return id;
	}
	id.text = str_of(r->in + r->at, n);
	r->at += n;
	return id;
}

void rust_put_code_point(struct rust *r, uint32_t c)
{
	char text[4];

	rust_put(r, str_of(text, symbol_utf8(c, text)));
}

void rust_put_identifier(struct rust *r, struct rust_identifier id)
{
	uint32_t points[SYMBOL_PUNYCODE_MAX];
	int n;

	if (!id.unicode) {
		rust_put(r, id.text);
		return;
	}
	n = symbol_punycode(id.text, points);
	if (n < 0) {
		rust_put(r, STR("punycode{"));
		rust_put(r, id.text);
		rust_put(r, STR("}"));
		return;
	}
	for (int i = 0; i < n; i++)
		rust_put_code_point(r, points[i]);
}
