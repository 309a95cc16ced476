/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as encrypted messages, key blocks and key files. The first byte selects. Nothing
 * that is not authentic is accepted, and what was written is read again.
 */
#include <string.h>

#include "fuzz.h"
#include "seal/sealed_file.h"

static struct key_ring *fuzz_ring(void)
{
	static const uint8_t key[SEAL_KEY] = {7};
	static struct key_ring *ring;

	if (!ring)
		FUZZ_CHECK(!key_ring_of_key(&ring, key, NULL));
	return ring;
}

static void fuzz_read(struct str in)
{
	struct err e = {0};
	struct buf out = {0};
	int rc = sealed_read(&out, in, fuzz_ring(), &e);

	FUZZ_CHECK(!rc || (e.text[0] && !out.n));
	buf_fini(&out);
}

/* What was written, with one byte changed at a place that the input selects. */
static void fuzz_damage(struct str in, enum sealed_form form)
{
	struct buf sealed = {0}, out = {0};
	size_t at;

	FUZZ_CHECK(!sealed_write(&sealed, in, form, fuzz_ring(), NULL));
	FUZZ_CHECK(!sealed_read(&out, buf_str(&sealed), fuzz_ring(), NULL));
	FUZZ_CHECK(str_eq(buf_str(&out), in));
	at = in.n ? (size_t)(uint8_t)in.p[0] * 257 % sealed.n : 0;
	sealed.p[at] ^= 1;
	out.n = 0;
	/* a bit of base64 may not count: then the content is the same */
	if (!sealed_read(&out, buf_str(&sealed), fuzz_ring(), NULL))
		FUZZ_CHECK(form == SEALED_TEXT && str_eq(buf_str(&out), in));
	buf_fini(&sealed);
	buf_fini(&out);
}

static void fuzz_block(struct str in)
{
	uint8_t block[KEY_BLOCK] = {0};
	struct file_key key;

	if (in.n)
		memcpy(block, in.p, min_size(in.n, sizeof(block)));
	(void)key_block_is(block, sizeof(block));
	FUZZ_CHECK(key_block_open(&key, block, SEALED_DATABASE, fuzz_ring(), NULL));
}

static void fuzz_key(struct str in)
{
	uint8_t key[SEAL_KEY];

	if (!key_parse(key, in))
		FUZZ_CHECK(in.n >= SEAL_KEY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data + (size > 0), size - (size > 0));

	switch (size ? data[0] % 5 : 0) {
	case 0:
		fuzz_read(in);
		break;
	case 1:
		fuzz_damage(in, SEALED_BINARY);
		break;
	case 2:
		fuzz_damage(in, SEALED_TEXT);
		break;
	case 3:
		fuzz_block(in);
		break;
	default:
		fuzz_key(in);
	}
	return 0;
}
