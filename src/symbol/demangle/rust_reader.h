/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_DEMANGLE_RUST_READER_H
#define VARVE_SYMBOL_DEMANGLE_RUST_READER_H

#include "symbol/demangle/demangle.h"

/*
 * What stands at the bottom of Rust's v0 names: characters, numbers, identifiers; and where the text goes. Errors are sticky. Depth and
 * steps are bounded, and the text by `size`: when it is full, reading goes on to no purpose and is soon over.
 */
struct rust {
	const char *in; /* behind the prefix, where back references count from */
	size_t n, at;
	char *out;
	size_t size, length;
	uint32_t depth, steps;
	uint64_t lifetimes; /* bound around here */
	bool failed, silent;
};

struct rust_identifier {
	struct str text;
	bool unicode; /* in Punycode */
};

/* Text, unless it is to be silent. */
void rust_put(struct rust *r, struct str text);
void rust_put_number(struct rust *r, uint64_t value);
void rust_put_code_point(struct rust *r, uint32_t c);
void rust_put_identifier(struct rust *r, struct rust_identifier id);

/* The next character, 0 at the end; and whether it is `c`, which is then taken. rust_next() takes it, and fails at the end. */
char rust_peek(const struct rust *r);
bool rust_take(struct rust *r, char c);
char rust_next(struct rust *r);

/* Around each path, type and constant. False: too deep, too many, failed, or no room for more text. */
bool rust_enter(struct rust *r);
void rust_leave(struct rust *r);

/* Base 62: "_" is 0, "0_" is 1. With a tag before it, 0 is when it is not there. */
int rust_digit_62(char c);
uint64_t rust_number_62(struct rust *r);
uint64_t rust_optional_62(struct rust *r, char tag);

struct rust_identifier rust_read_identifier(struct rust *r);

#endif
