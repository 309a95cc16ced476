/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as OTLP protobuf of any layout: a decoded batch is encoded, and the output must
 * decode again and pass the checker. The fast path and the general path give the same result.
 */
#include "decode.h"

#include "format/otlp/check/check.h"
#include "format/otlp/decode/decode.h"
#include "format/otlp/encode.h"
#include "format/otlp/otlp.h"

static void fail(void *arg, enum otlp_check_level level, const char *path, const char *text)
{
	(void)arg;
	if (level == OTLP_MUST)
		fprintf(stderr, "%s: %s\n", path, text);
}

static void check_written(const struct profile_batch *b)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct buf out;
	struct err e = {0};

	buf_init(&out, &budget);
	if (format_otlp.encode(&out, b, NULL, &e) == 0)
		FUZZ_CHECK(otlp_check(buf_str(&out), OTLP_CHECK_ALL, &budget, fail, NULL, NULL) <=
			   0);
	buf_fini(&out);
	FUZZ_CHECK(budget.used == 0);
}

/* Decode and encode one message, with or without the fast path. */
static int decode_message(struct str in, bool no_fast_path, struct proto_writer *out, struct err *e)
{
	struct profile_batch b;
	struct otlp_decoder *d = NULL;
	int rc = profile_batch_init(&b, out->budget);

	if (!rc)
		d = otlp_decoder_new(&b, in, NULL, e);
	if (d) {
		d->no_fast_path = no_fast_path;
		rc = otlp_decode_message(d, in);
	}
	if (d && !rc)
		rc = otlp_encode(out, &b);
	profile_batch_fini(&b);
	return d ? rc : -ENOMEM;
}

static void decode_both_ways(struct str in)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct proto_writer fast, slow;
	struct err e[2] = {{0}, {0}};

	proto_writer_init(&fast, &budget);
	proto_writer_init(&slow, &budget);
	FUZZ_CHECK(decode_message(in, false, &fast, &e[0]) ==
		   decode_message(in, true, &slow, &e[1]));
	FUZZ_CHECK(!strcmp(e[0].text, e[1].text));
	FUZZ_CHECK(str_eq(proto_writer_str(&fast), proto_writer_str(&slow)));
	proto_writer_fini(&fast);
	proto_writer_fini(&slow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct profile_batch b = {0};
	struct str in = str_of((const char *)data, size);

	format_otlp.sniff(in);
	if (fuzz_decode_batch(&b, &budget, &format_otlp, in) && b.profiles.n)
		check_written(&b);
	profile_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	decode_both_ways(in);
	fuzz_decode(&format_otlp, &format_otlp, data, size);
	return 0;
}
