/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames on an HTTP/2 connection after the preface and empty SETTINGS. The input has a short
 * encoding of frames, so that mutations remain frames: type, flags, stream, two bytes of length,
 * payload. A truncated payload ends the input.
 */
#include "net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf b = {0};
	size_t at = 1;

	if (!size)
		return 0;
	buf_put_str(&b, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"));
	while (size - at >= 5) {
		const uint8_t *f = data + at;
		size_t n = min_size((size_t)f[3] << 8 | f[4], size - at - 5);
		char head[9] = {0, (char)(n >> 8), (char)n, (char)f[0], (char)f[1], 0, 0,
				0, (char)f[2]};

		buf_put(&b, head, sizeof(head));
		buf_put(&b, f + 5, n);
		at += 5 + n;
	}
	fuzz_connection(buf_str(&b), data[0] ? (size_t)data[0] * 8 : 1 << 16);
	buf_fini(&b);
	return 0;
}
