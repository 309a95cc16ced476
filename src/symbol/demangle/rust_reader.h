/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_RUST_READER_H
#define VARVE_SYMBOL_DEMANGLE_RUST_READER_H

#include "base/str.h"

/*
 * The state of demangling a Rust v0 name, and its lexical level: characters, numbers, identifiers,
 * output. Errors are sticky. Depth, steps and output are bounded; once the output is full, reading
 * soon stops.
 */
struct rust {
	const char *in; /* after the prefix; back references count from here */
	size_t n, at;
	char *out;
	size_t size, length;
	uint32_t depth, steps;
	uint64_t lifetimes; /* bound by enclosing binders */
	bool failed;
	bool silent; /* parse without output */
};

struct rust_identifier {
	struct str text;
	bool unicode; /* in Punycode */
};

/* Append to the output, unless `silent` or `failed` is set. */
void rust_put(struct rust *r, struct str text);
void rust_put_number(struct rust *r, uint64_t value);
void rust_put_code_point(struct rust *r, uint32_t c);
void rust_put_identifier(struct rust *r, struct rust_identifier id);

/*
 * rust_peek() returns the next character, 0 at the end. rust_take() consumes it if it is `c`, and
 * returns whether it was. rust_next() consumes and returns it, and fails at the end.
 */
char rust_peek(const struct rust *r);
bool rust_take(struct rust *r, char c);
char rust_next(struct rust *r);

/*
 * Bracket each path, type and constant. rust_enter() returns false when parsing must stop: a limit
 * is exceeded, it failed, or the output is full.
 */
bool rust_enter(struct rust *r);
void rust_leave(struct rust *r);

/*
 * Read a base 62 number: "_" is 0, "0_" is 1. rust_optional_62() returns 0 without the tag, else
 * the number + 1.
 */
int rust_digit_62(char c);
uint64_t rust_number_62(struct rust *r);
uint64_t rust_optional_62(struct rust *r, char tag);

struct rust_identifier rust_read_identifier(struct rust *r);

#endif
