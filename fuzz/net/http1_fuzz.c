/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes on an HTTP/1.1 connection. The first byte sets the size of the pieces in which
 * the rest is sent.
 */
#include "net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		fuzz_connection(str_of((const char *)data + 1, size - 1),
				data[0] ? (size_t)data[0] * 8 : 1 << 16);
	return 0;
}
