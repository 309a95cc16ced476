/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as OTLP JSON: a decoded batch is encoded as JSON and as protobuf, and decoded
 * again.
 */
#include "decode.h"

#include "format/otlp/otlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_otlp_json.sniff(str_of((const char *)data, size));
	fuzz_decode(&format_otlp_json, &format_otlp_json, data, size);
	fuzz_decode(&format_otlp_json, &format_otlp, data, size);
	return 0;
}
