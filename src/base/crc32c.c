/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction of SSE 4.2 where there is one, otherwise a table of half bytes. */
#include "base/crc32c.h"

#include <string.h>

/* libvarve needs few checksums, and not the code that asks the processor */
#if defined(__x86_64__) && !defined(LIBVARVE_SO)
#define CRC32C_SSE
#endif

#define CRC32C_POLYNOMIAL 0x82f63b78u /* reflected */

/* The checksum of a half byte: four steps of a division. */
#define CRC32C_STEP(x) (((x) >> 1) ^ ((x)&1 ? CRC32C_POLYNOMIAL : 0))
#define CRC32C_NIBBLE(x) CRC32C_STEP(CRC32C_STEP(CRC32C_STEP(CRC32C_STEP((uint32_t)(x)))))

static uint32_t crc32c_plain(uint32_t crc, const uint8_t *p, size_t n)
{
	static const uint32_t table[16] = {
		CRC32C_NIBBLE(0),  CRC32C_NIBBLE(1),  CRC32C_NIBBLE(2),	 CRC32C_NIBBLE(3),
		CRC32C_NIBBLE(4),  CRC32C_NIBBLE(5),  CRC32C_NIBBLE(6),	 CRC32C_NIBBLE(7),
		CRC32C_NIBBLE(8),  CRC32C_NIBBLE(9),  CRC32C_NIBBLE(10), CRC32C_NIBBLE(11),
		CRC32C_NIBBLE(12), CRC32C_NIBBLE(13), CRC32C_NIBBLE(14), CRC32C_NIBBLE(15),
	};

	for (; n; n--) {
		crc ^= *p++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

#ifdef CRC32C_SSE
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse(uint32_t crc, const uint8_t *p,
							     size_t n)
{
	uint64_t at = crc, word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		at = __builtin_ia32_crc32di(at, word);
	}
	for (; n; n--)
		at = __builtin_ia32_crc32qi((uint32_t)at, *p++);
	return (uint32_t)at;
}
#endif

uint32_t crc32c(uint32_t crc, const void *p, size_t n)
{
#ifdef CRC32C_SSE
	if (__builtin_cpu_supports("sse4.2"))
		return ~crc32c_sse(~crc, p, n);
#endif
	return ~crc32c_plain(~crc, p, n);
}
