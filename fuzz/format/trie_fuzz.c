/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as Pyroscope's binary tries and trees. */
#include "decode.h"

#include "format/folded/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_trie.sniff(str_of((const char *)data, size));
	fuzz_decode(&format_trie, &format_folded, data, size);
	fuzz_decode(&format_tree, &format_folded, data, size);
	return 0;
}
