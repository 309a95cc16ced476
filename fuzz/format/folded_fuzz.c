/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as collapsed stacks or plain lines: a decoded batch is encoded and decoded again.
 */
#include "decode.h"

#include "format/folded/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_folded.sniff(str_of((const char *)data, size));
	fuzz_decode(&format_folded, &format_folded, data, size);
	fuzz_decode(&format_lines, &format_folded, data, size);
	return 0;
}
