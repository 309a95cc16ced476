/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as speedscope JSON: a decoded batch is encoded and decoded again. */
#include "decode.h"

#include "format/speedscope/speedscope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_speedscope.sniff(str_of((const char *)data, size));
	fuzz_decode(&format_speedscope, &format_speedscope, data, size);
	return 0;
}
