/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as the response of a destination. The first byte selects the kind of response.
 * Rejected items are a number of items, and a reason is one line.
 */
#include "fuzz.h"
#include "pipeline/exporters/otlphttp/otlp_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct str types[] = {STR_INIT("application/x-protobuf"),
					   STR_INIT("application/json"), STR_INIT("text/plain"),
					   STR_INIT("")};
	struct send_result r = {.class = SEND_OK};
	struct str body;

	if (!size)
		return 0;
	body = str_of((const char *)data + 1, size - 1);
	switch (data[0] & 7) {
	case 0:
		otlp_reply_read(&r, body);
		break;
	case 1:
		otlp_reply_read_json(&r, body);
		break;
	default:
		otlp_http_failure_read(&r,
				       &(struct otlp_http_failure){.status = 400 + data[0],
								   .retry_after_s = data[0],
								   .url = "http://sink/v1/traces",
								   .type = types[data[0] & 3],
								   .body = body});
	}
	FUZZ_CHECK((data[0] & 7) > 1 || r.class == SEND_OK || r.class == SEND_PARTIAL);
	FUZZ_CHECK(r.class == SEND_PARTIAL || !r.rejected);
	FUZZ_CHECK(r.rejected <= INT64_MAX);
	for (const char *p = r.reason; *p; p++)
		FUZZ_CHECK((unsigned char)*p >= ' ');
	return 0;
}
