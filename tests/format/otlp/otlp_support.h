/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_OTLP_SUPPORT_H
#define VARVE_TESTS_OTLP_SUPPORT_H

#include "format/otlp/check/check.h"
#include "format/otlp/otlp.h"

#include "test/test.h"

#include "format/otlp/otlp_text.h"

/* Shared by the OTLP tests: a real file, and a generated message that uses every field. */

/* Return false if the file does not exist; the caller then skips the test. */
static inline bool otlp_read_fixture(struct buf *out, const char *name)
{
	char path[512];
	char bytes[4096];
	size_t n;
	FILE *f;
	const char *root = getenv("SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/../shared/fixtures/%s", root ? root : ".", name);
	f = fopen(path, "rb");
	if (!f) {
		print_message("skipped: %s is not there\n", path);
		return false;
	}
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		buf_put(out, bytes, n);
	fclose(f);
	return true;
}

/* A message of 1.11 that uses every field. */
#define OTLP_TEXT_EVERYTHING                                                                       \
	"1{ 1{ 1{ 1\"service.name\" 2{ 1\"shop\" } } 1{ 1\"n\" 2{ 3:-5 } } 1{ 1\"no\" 2{ 2:0 } }"  \
	"      1{ 1\"list\" 2{ 5{ 1{ 1\"a\" } 1{ 6{ 1{ 1\"k\" 2{ 4@0x3ff8000000000000 } } } } } "  \
	"} }"                                                                                      \
	"      1{ 1\"raw\" 2{ 7#00ff } } 2:3 3{ 1\"u\" 2\"host\" 3\"host.id\" } }"                 \
	"   2{ 1{ 1\"profiler\" 2\"1.0\" 3{ 1\"s\" 2{ 2:1 } } 4:1 }"                               \
	"      2{ 1{ 1:7 2:8 } 2{ 1:2 2[1 2] 3:1 4[5 6] 5<1001 1002> } 2{ 1:1 4[7] 5<1499> }"      \
	"         3@1000 4:500 5{ 1:9 2:8 } 6:20 7#000102030405060708090a0b0c0d0e0f 8:2"           \
	"         9\"jfr\" 10#ff00 11[2] }"                                                        \
	"      2{ 1{ 1:9 2:8 } 2{ 1:1 4[-1] } 2{ 4[9223372036854775807] } } 3\"scope-url\" }"      \
	"   3\"resource-url\" }"                                                                   \
	"2{ 1{} 1{ 1:0x1000 2:0x2000 3:16 4:4 5[1] }"                                              \
	"   2{} 2{ 1:1 2:0x1234 3{ 1:1 2:7 3:8 } 3{ 1:2 2:9 } 4[2] }"                              \
	"   3{} 3{ 1:1 2:2 3:3 4:5 } 3{ 1:3 }"                                                     \
	"   4{} 4{ 1#000102030405060708090a0b0c0d0e0f 2#0001020304050607 }"                        \
	"   5\"\" 5\"main\" 5\"_main\" 5\"main.c\" 5\"/bin/app\" 5\"thread\" 5\"frame\" 5\"cpu\""  \
	"   5\"ns\" 5\"wall\" 6{} 6{ 1:5 2{ 3:42 } 3:8 } 6{ 1:6 2{ 1\"native\" } }"                \
	"   7{} 7{ 1[1] } 7{ 1[1 1] } }"

/* Decode as `from`, and append the encoding as `to` to `out`. */
static inline void otlp_convert(struct buf *out, const struct format *from, struct str in,
				const struct format *to)
{
	struct profile_batch b;
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(from->decode(&b, in, NULL, &e), &e);
	assert_ok_err(profile_batch_check(&b, &e), &e);
	assert_ok_err(to->encode(out, &b, NULL, &e), &e);
	profile_batch_fini(&b);
}

#endif
