/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP response for the exporter's client: a complete response ends exactly where the parser
 * says.
 */
#include "sdk/export/http_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct post_answer whole = {0}, part = {0};
	struct post_parsed p, q;
	struct str in = str_of((const char *)data, size);
	int rc = post_answer_parse(&whole, in, false, &p);

	if (p.used > size || whole.body.n > POST_ANSWER_MAX)
		__builtin_trap();
	if (rc == 1 && p.keep) {
		/* parsing exactly `used` bytes gives the same, and one byte less is incomplete */
		if (post_answer_parse(&part, str_head(in, p.used), false, &q) != 1 ||
		    q.used != p.used || part.status != whole.status ||
		    !str_eq(buf_str(&part.body), buf_str(&whole.body)))
			__builtin_trap();
		if (p.used && post_answer_parse(&part, str_head(in, p.used - 1), false, &q) == 1)
			__builtin_trap();
	}
	(void)!post_answer_parse(&part, in, true, &q);
	post_answer_fini(&whole);
	post_answer_fini(&part);
	return 0;
}
