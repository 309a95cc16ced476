/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as output of perf script: a decoded batch is encoded as collapsed stacks and
 * decoded again.
 */
#include "decode.h"

#include "format/folded/folded.h"
#include "format/perf_script/perf_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_perf_script.sniff(str_of((const char *)data, size));
	fuzz_decode(&format_perf_script, &format_folded, data, size);
	return 0;
}
