/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes from a server to the gRPC client: the result must not depend on how they are
 * split into reads.
 */
#include "sdk/grpc/h2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct feed {
	struct h2 h2;
	struct post_answer answer;
	int rc;
};

static void feed(struct feed *r, struct str in, size_t piece)
{
	static const struct post_client client = {.url = {.host = "h", .port = "1"}};
	static const struct post_request request = {
		.path = "/s/m", .body = STR_INIT("\0\0\0\0\0"), .timeout_ms = 1};
	const struct h2_request call = {&client, &request};

	*r = (struct feed){.answer.grpc_status = -1};
	h2_init(&r->h2);
	r->rc = h2_begin(&r->h2, &call, &r->answer);
	while (!r->rc && in.n) {
		h2_fill(&r->h2);
		r->rc = h2_feed(&r->h2, str_head(in, piece));
		in = str_from_at(in, piece);
	}
}

static void feed_end(struct feed *r)
{
	h2_fini(&r->h2);
	post_answer_fini(&r->answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	struct feed whole, pieces;

	feed(&whole, in, size);
	feed(&pieces, in, 3);
	if (whole.rc != pieces.rc || whole.answer.status != pieces.answer.status ||
	    whole.answer.grpc_status != pieces.answer.grpc_status ||
	    !str_eq(buf_str(&whole.answer.body), buf_str(&pieces.answer.body)) ||
	    whole.h2.call.done != pieces.h2.call.done || whole.answer.body.n > POST_ANSWER_MAX)
		__builtin_trap();
	feed_end(&whole);
	feed_end(&pieces);
	return 0;
}
