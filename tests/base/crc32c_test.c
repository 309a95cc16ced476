/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums against the values of RFC 3720, appendix B.4, in pieces and at any alignment. */
#include "base/crc32c.h"

#include "test/test.h"

static void checksums_are_those_of_the_rfc(void **state)
{
	uint8_t bytes[32];

	(void)state;
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	assert_int_equal(crc32c(0, bytes, sizeof(bytes)), 0x46dd794e);
	assert_int_equal(crc32c(0, bytes, 0), 0);
}

static void pieces_have_the_checksum_of_the_whole(void **state)
{
	char bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t i = 0; i <= sizeof(bytes); i++)
		assert_int_equal(crc32c(crc32c(0, bytes, i), bytes + i, sizeof(bytes) - i),
				 crc32c(0, bytes, sizeof(bytes)));
}

TEST_MAIN(test(checksums_are_those_of_the_rfc), test(pieces_have_the_checksum_of_the_whole))
