/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as V8 profiles: a decoded batch is encoded as V8 profile and as collapsed stacks,
 * and decoded again.
 */
#include "decode.h"

#include "format/folded/folded.h"
#include "format/v8/v8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_cpuprofile.sniff(str_of((const char *)data, size));
	format_heapprofile.sniff(str_of((const char *)data, size));
	fuzz_decode(&format_cpuprofile, &format_folded, data, size);
	fuzz_decode(&format_cpuprofile, &format_cpuprofile, data, size);
	fuzz_decode(&format_heapprofile, &format_folded, data, size);
	return 0;
}
