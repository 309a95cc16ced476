/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_UNWIND_SECTION_H
#define VARVE_TEST_UNWIND_SECTION_H

#include <string.h>

#include "unwind/unwind.h"

/* Build an .eh_frame section entry by entry. */
enum { SECTION_ADDRESS = 0x100000, TEXT_ADDRESS = 0x1000, TEXT_LIMIT = 0x20000 };

struct section {
	uint8_t bytes[8192];
	uint32_t n, cie;
};

static inline void put(struct section *s, const void *p, size_t n)
{
	memcpy(s->bytes + s->n, p, n);
	s->n += (uint32_t)n;
}

static inline void put_u32(struct section *s, uint32_t value)
{
	put(s, &value, 4);
}

/* Append an entry: length, id and bytes. Return its offset. */
static inline uint32_t put_entry(struct section *s, uint32_t cie, const void *bytes, size_t n)
{
	uint32_t at = s->n;

	put_u32(s, (uint32_t)n + 4);
	put_u32(s, cie == UINT32_MAX ? 0 : at + 4 - cie);
	put(s, bytes, n);
	return at;
}

/* Append a CIE with these bytes: version, augmentation and the rest. */
#define CIE(s, ...)                                                                                \
	do {                                                                                       \
		const uint8_t bytes_[] = {__VA_ARGS__};                                            \
		(s)->cie = put_entry((s), UINT32_MAX, bytes_, sizeof(bytes_));                     \
	} while (0)

/*
 * The CIE of gcc: zR, code 1, data -8, return address in 16, pc-relative 4 bytes; CFA = rsp + 8,
 * return address at CFA - 8.
 */
#define GCC_CIE(s) CIE(s, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1)

static inline void put_function(struct section *s, uint64_t start, uint32_t size,
				const uint8_t *program, size_t n)
{
	uint8_t body[1024];
	uint32_t from = (uint32_t)(start - (SECTION_ADDRESS + s->n + 8));

	memcpy(body, &from, 4);
	memcpy(body + 4, &size, 4);
	body[8] = 0; /* no augmentation data */
	memcpy(body + 9, program, n);
	put_entry(s, s->cie, body, 9 + n);
}

#define FUNCTION(s, start, size, ...)                                                              \
	do {                                                                                       \
		const uint8_t program_[] = {0, __VA_ARGS__};                                       \
		put_function((s), (start), (size), program_, sizeof(program_));                    \
	} while (0)

static inline struct unwind_source source_of_section(const struct section *s)
{
	return (struct unwind_source){
		.eh_frame = str_of((const char *)s->bytes, s->n),
		.eh_frame_address = SECTION_ADDRESS,
		.text_address = TEXT_ADDRESS,
		.text_limit = TEXT_LIMIT,
	};
}

#endif
