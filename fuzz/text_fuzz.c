/* SPDX-License-Identifier: Apache-2.0 */
/* Hex, base64 and LEB128 from any bytes: never past the room given; what decodes, encodes to the same value. */
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

static void check_leb128(struct str in)
{
	struct buf out = {0};
	struct str rest = in;
	uint64_t u, u_again;
	int64_t i, i_again;

	while (leb128_u64(&rest, &u) == 0) {
		buf_clear(&out);
		leb128_put_u64(&out, u);

		struct str text = buf_str(&out);

		FUZZ_CHECK(leb128_u64(&text, &u_again) == 0 && u == u_again && !text.n);
	}
	for (rest = in; leb128_i64(&rest, &i) == 0;) {
		buf_clear(&out);
		leb128_put_i64(&out, i);

		struct str text = buf_str(&out);

		FUZZ_CHECK(leb128_i64(&text, &i_again) == 0 && i == i_again && !text.n);
	}
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	char *room = malloc(BASE64_DECODED_MAX(size));

	FUZZ_CHECK(room);
	check_hex(in, room);
	check_base64(in, room);
	check_leb128(in);
	free(room);
	return 0;
}
