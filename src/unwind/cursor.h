/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_CURSOR_H
#define VARVE_UNWIND_CURSOR_H

#include <string.h>

#include "base/str.h"

/*
 * A bounded little-endian cursor over call frame information. Errors are sticky: after the first
 * read past the end `failed` is set, no bytes are left and every read returns 0.
 */
struct cfi_cursor {
	const uint8_t *at, *end;
	bool failed;
};

static inline struct cfi_cursor cfi_cursor_of(const uint8_t *p, size_t n)
{
	return (struct cfi_cursor){.at = p, .end = p + n};
}

static inline size_t cfi_left(const struct cfi_cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline uint64_t cfi_fail(struct cfi_cursor *c)
{
	c->failed = true;
	c->at = c->end;
	return 0;
}

static inline uint64_t cfi_fixed(struct cfi_cursor *c, size_t size)
{
	uint64_t value = 0;

	if (unlikely(cfi_left(c) < size))
		return cfi_fail(c);
	memcpy(&value, c->at, size);
	c->at += size;
	return value;
}

static inline uint8_t cfi_u8(struct cfi_cursor *c)
{
	return unlikely(c->at == c->end) ? (uint8_t)cfi_fail(c) : *c->at++;
}

static inline int64_t cfi_signed(struct cfi_cursor *c, size_t size)
{
	unsigned unused = 64 - 8 * (unsigned)size;

	return (int64_t)(cfi_fixed(c, size) << unused) >> unused;
}

/* Read a ULEB128 number. Bits above the 64th and padding bytes are dropped. */
static inline uint64_t cfi_uleb(struct cfi_cursor *c)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0;; shift += 7) {
		byte = cfi_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (likely(!(byte & 0x80)))
			return value;
	}
}

static inline int64_t cfi_sleb(struct cfi_cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cfi_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

/* Take the next `n` bytes as a cursor of their own. */
static inline struct cfi_cursor cfi_block(struct cfi_cursor *c, uint64_t n)
{
	struct cfi_cursor block = {.at = c->at, .end = c->at};

	if (unlikely(n > cfi_left(c))) {
		cfi_fail(c);
		block.failed = true;
		return block;
	}
	c->at += n;
	block.end = c->at;
	return block;
}

/*
 * Pointer encodings (DW_EH_PE_*): the format is in the low four bits, the base it is relative to in
 * the next three.
 */
enum {
	CFI_POINTER_FORMAT = 0x0f,
	CFI_POINTER_BASE = 0x70,
	CFI_POINTER_PC_RELATIVE = 0x10,
	CFI_POINTER_DATA_RELATIVE = 0x30,
	CFI_POINTER_INDIRECT = 0x80,
	CFI_POINTER_OMIT = 0xff,
};

/* Read a number in the format of `encoding`, without adding its base. */
static inline uint64_t cfi_pointer_value(struct cfi_cursor *c, uint8_t encoding)
{
	switch (encoding & CFI_POINTER_FORMAT) {
	case 0x00: /* a machine word */
	case 0x04:
	case 0x0c:
		return cfi_fixed(c, 8);
	case 0x01:
		return cfi_uleb(c);
	case 0x02:
		return cfi_fixed(c, 2);
	case 0x03:
		return cfi_fixed(c, 4);
	case 0x09:
		return (uint64_t)cfi_sleb(c);
	case 0x0a:
		return (uint64_t)cfi_signed(c, 2);
	case 0x0b:
		return (uint64_t)cfi_signed(c, 4);
	default:
		return cfi_fail(c);
	}
}

/*
 * Read a pointer to code. `address` is the address of the cursor's next byte. Indirect pointers and
 * unknown bases fail.
 */
static inline uint64_t cfi_pointer(struct cfi_cursor *c, uint8_t encoding, uint64_t address)
{
	uint64_t value = cfi_pointer_value(c, encoding);

	if (encoding & CFI_POINTER_INDIRECT)
		return cfi_fail(c);
	switch (encoding & CFI_POINTER_BASE) {
	case 0:
		return value;
	case CFI_POINTER_PC_RELATIVE:
		return value + address;
	default:
		return cfi_fail(c);
	}
}

#endif
