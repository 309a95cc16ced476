/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_TRACE_FIXTURES_H
#define VARVE_TESTS_TRACE_FIXTURES_H

#include <zlib.h>

#include "format/otlp/otlp_support.h"

/* The traces of ../shared/fixtures/traceql: OTLP messages with 5586 spans. */
enum { TRACE_FIXTURES = 9, TRACE_FIXTURE_SPANS = 5586 };

/* Append an unpacked fixture; return false if there is none. */
static UNUSED bool read_trace_fixture(struct buf *out, unsigned number)
{
	char name[64];
	struct buf packed = {0};
	z_stream z = {0};
	int rc = Z_OK;

	snprintf(name, sizeof(name), "traceql/traces-%02u.otlp.gz", number);
	if (!otlp_read_fixture(&packed, name))
		return false;
	assert_int_equal(inflateInit2(&z, 31), Z_OK);
	z.next_in = (unsigned char *)packed.p;
	z.avail_in = (unsigned)packed.n;
	while (rc == Z_OK) {
		z.next_out = (unsigned char *)buf_reserve(out, 1 << 16);
		z.avail_out = 1 << 16;
		rc = inflate(&z, Z_NO_FLUSH);
		out->n += (1 << 16) - z.avail_out;
	}
	assert_int_equal(rc, Z_STREAM_END);
	inflateEnd(&z);
	buf_fini(&packed);
	return true;
}

#endif
