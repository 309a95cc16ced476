/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A multipart form: content type up to the first newline, then the body. Parts must be inside the
 * body and in order.
 */
#include "fuzz.h"

#include "net/http/multipart.h"

static void check_inside(struct str part, struct str body)
{
	FUZZ_CHECK(!part.n || (part.p >= body.p && part.p + part.n <= body.p + body.n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str body = str_of((const char *)data, size), type = str_cut(&body, '\n');
	struct multipart_part part;
	const char *last = body.p;
	struct multipart m;
	unsigned parts = 0;
	struct err e = {0};
	int rc;

	rc = multipart_begin(&m, type, body, &e);
	while (!rc && (rc = multipart_next(&m, &part, &e)) == 1) {
		check_inside(part.name, body);
		check_inside(part.filename, body);
		check_inside(part.content_type, body);
		check_inside(part.bytes, body);
		FUZZ_CHECK(part.bytes.p >= last);
		last = part.bytes.p + part.bytes.n;
		FUZZ_CHECK(++parts <= MULTIPART_PARTS_MAX);
		rc = 0;
	}
	FUZZ_CHECK(rc == 0 || (e.code == rc && e.text[0]));
	return 0;
}
