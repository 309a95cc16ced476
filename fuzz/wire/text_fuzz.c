/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as hex and base64: decoding stays within the output buffer, and a decoded value
 * survives encoding and decoding.
 */
#include "fuzz.h"

#include <errno.h>

#include "wire/text.h"

static void check_hex(struct str in, char *room)
{
	struct buf out = {0};
	char back[2];
	size_t n;
	int rc = hex_decode(in, room, in.n / 2, &n);

	FUZZ_CHECK(rc != -ENOSPC);
	if (!rc) {
		hex_encode(&out, str_of(room, n));
		FUZZ_CHECK(out.n == in.n);
		for (size_t i = 0; i < in.n; i++)
			FUZZ_CHECK(out.p[i] == (in.p[i] >= 'A' ? in.p[i] | 0x20 : in.p[i]));
	}
	if (in.n > 4)
		FUZZ_CHECK(hex_decode(in, back, sizeof(back), &n) < 0);
	buf_fini(&out);
}

static void check_base64(struct str in, char *room)
{
	struct buf out = {0};
	char *back = malloc(BASE64_DECODED_MAX(in.n));
	size_t n, again;
	int rc = base64_decode(in, room, BASE64_DECODED_MAX(in.n), &n);

	FUZZ_CHECK(back && rc != -ENOSPC);
	if (!rc) {
		base64_encode(&out, str_of(room, n));
		FUZZ_CHECK(base64_decode(buf_str(&out), back, n, &again) == 0);
		FUZZ_CHECK(str_eq(str_of(back, again), str_of(room, n)));
		FUZZ_CHECK(!n || base64_decode(in, back, n - 1, &again) == -ENOSPC);
	}
	free(back);
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	char *room = malloc(BASE64_DECODED_MAX(size));

	FUZZ_CHECK(room);
	check_hex(in, room);
	check_base64(in, room);
	free(room);
	return 0;
}
