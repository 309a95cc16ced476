/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes on a connection. The first byte says into how large pieces the rest is cut. */
#include "net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		fuzz_connection(str_of((const char *)data + 1, size - 1),
				data[0] ? (size_t)data[0] * 8 : 1 << 16);
	return 0;
}
