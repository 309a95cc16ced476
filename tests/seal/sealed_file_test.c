/* SPDX-License-Identifier: Apache-2.0 */
/* Encrypted messages in all forms: every flipped and missing byte is found. */
#include "seal/sealed_file.h"

#include <errno.h>

#include "test/test.h"
#include "wire/text.h"

static struct key_ring *ring_of(uint8_t value)
{
	struct key_ring *r = NULL;
	uint8_t key[SEAL_KEY];

	memset(key, value, sizeof(key));
	assert_ok(key_ring_of_key(&r, key, NULL));
	return r;
}

static void forms_are_read_as_they_were_written(void **state)
{
	static const enum sealed_form forms[] = {SEALED_BINARY, SEALED_TEXT};
	static const size_t sizes[] = {
		0, 1, 17, SEALED_CHUNK - 1, SEALED_CHUNK, SEALED_CHUNK + 1, 3 * SEALED_CHUNK};
	struct key_ring *r = ring_of(1), *other = ring_of(2);
	char *content = malloc(3 * SEALED_CHUNK);

	(void)state;
	for (size_t i = 0; i < 3 * SEALED_CHUNK; i++)
		content[i] = (char)(i * 31 >> 3);
	for (size_t i = 0; i < countof(sizes) * countof(forms); i++) {
		struct str in = str_of(content, sizes[i / 2]);
		struct buf sealed = {0}, out = {0};
		struct err e = {0};

		assert_ok_err(sealed_write(&sealed, in, forms[i % 2], r, &e), &e);
		assert_int_equal(sealed_form_of(buf_str(&sealed)), forms[i % 2]);
		assert_ok_err(sealed_read(&out, buf_str(&sealed), r, &e), &e);
		assert_true(str_eq(buf_str(&out), in));
		assert_int_equal(sealed_read(&out, buf_str(&sealed), other, &e),
				 forms[i % 2] == SEALED_BINARY ? -ENOKEY : -EBADMSG);
		assert_int_equal(sealed_read(&out, buf_str(&sealed), NULL, NULL), -ENOKEY);
		assert_int_equal(out.n, in.n);
		buf_fini(&sealed);
		buf_fini(&out);
	}
	free(content);
	key_ring_unref(r);
	key_ring_unref(other);
}

static void expect_damaged(struct str bytes, struct key_ring *r, struct buf *out)
{
	int rc = sealed_read(out, bytes, r, NULL);

	assert_true(rc == -EBADMSG || rc == -ENOKEY || rc == -ENOTSUP);
	assert_int_equal(out->n, 0);
}

static void damage_is_found(void **state)
{
	struct key_ring *r = ring_of(1);
	struct buf sealed = {0}, out = {0};

	(void)state;
	assert_ok(sealed_write(&sealed, STR("some content"), SEALED_BINARY, r, NULL));
	for (size_t i = 0; i < sealed.n; i++) {
		sealed.p[i] ^= 0x20;
		expect_damaged(buf_str(&sealed), r, &out);
		sealed.p[i] ^= 0x20;
		expect_damaged(str_of(sealed.p, i), r, &out);
	}
	buf_put_char(&sealed, 'x');
	expect_damaged(buf_str(&sealed), r, &out);
	buf_fini(&sealed);
	buf_fini(&out);
	key_ring_unref(r);
}

/* The last chunk is missing, or two chunks are exchanged. */
static void chunks_have_their_place(void **state)
{
	enum { TWO = 2 * SEALED_CHUNK };
	struct key_ring *r = ring_of(1);
	struct buf sealed = {0}, out = {0};
	char *content = calloc(1, TWO), *chunk = malloc(SEALED_CHUNK_TAGGED), *first;

	(void)state;
	assert_ok(sealed_write(&sealed, str_of(content, TWO), SEALED_BINARY, r, NULL));
	first = sealed.p + KEY_SLOT;
	expect_damaged(str_of(sealed.p, sealed.n - SEAL_TAG), r, &out);
	expect_damaged(str_of(sealed.p, KEY_SLOT + SEALED_CHUNK_TAGGED), r, &out);
	memcpy(chunk, first, SEALED_CHUNK_TAGGED);
	memcpy(first, first + SEALED_CHUNK_TAGGED, SEALED_CHUNK_TAGGED);
	memcpy(first + SEALED_CHUNK_TAGGED, chunk, SEALED_CHUNK_TAGGED);
	expect_damaged(buf_str(&sealed), r, &out);
	free(content);
	free(chunk);
	buf_fini(&sealed);
	buf_fini(&out);
	key_ring_unref(r);
}

#define TEXT_14 "AAAAAAAAAAAAAAAAzqdAPU1ga24HTsXTuvOdGNDRyKeZmWvwJluYtdSKuRk="

/* Test case 14 of the specification of GCM: what other programs write. */
static void text_is_nonce_ciphertext_and_tag(void **state)
{
	static const char zeros[16];
	struct key_ring *r = ring_of(0);
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	assert_ok_err(sealed_read(&out, STR(TEXT_14), r, &e), &e);
	assert_true(str_eq(buf_str(&out), str_of(zeros, sizeof(zeros))));
	buf_clear(&out);
	assert_ok(sealed_read(&out,
			      STR("AAAAAAAAAAAAAAAAzqdAPU1ga24H\r\nTsXTuvOdGNDRyKeZmWvwJluYtdSK"
				  "uRk=\n"),
			      r, &e));
	assert_int_equal(out.n, 16);
	buf_fini(&out);
	key_ring_unref(r);
}

static void messages_are_read_one_after_the_other(void **state)
{
	struct key_ring *r = ring_of(1);
	struct buf file = {0}, out = {0}, one = {0};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		buf_clear(&one);
		assert_ok(sealed_write(&one, str_of("abc", i), SEALED_BINARY, r, NULL));
		leb128_put_u64(&file, one.n);
		buf_put_str(&file, buf_str(&one));
	}
	assert_int_equal(sealed_form_of(buf_str(&file)), SEALED_MESSAGES);
	assert_ok(sealed_read(&out, buf_str(&file), r, NULL));
	assert_true(str_eq(buf_str(&out), str_of("\0\1a\2ab", 6)));
	out.n = 0;
	for (size_t n = KEY_SLOT + 2; n < file.n; n++)
		if (n != one.n - 2 + 2 && n != 2 * one.n - 3 + 4)
			expect_damaged(str_of(file.p, n), r, &out);
	buf_fini(&file);
	buf_fini(&out);
	buf_fini(&one);
	key_ring_unref(r);
}

TEST_MAIN(test(forms_are_read_as_they_were_written), test(damage_is_found),
	  test(chunks_have_their_place), test(text_is_nonce_ciphertext_and_tag),
	  test(messages_are_read_one_after_the_other))
