/* SPDX-License-Identifier: Apache-2.0 */
/* AES-256-GCM against the test cases of the specification of GCM, which NIST publishes. */
#include "seal/aes_gcm.h"

#include <errno.h>

#include "test/test.h"
#include "wire/text.h"

struct vector {
	const char *key, *nonce, *aad, *plain, *cipher, *tag;
};

#define KEY_0 "0000000000000000000000000000000000000000000000000000000000000000"
#define KEY_1 "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
#define PLAIN_60                                                                                   \
	"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"                         \
	"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define CIPHER_60                                                                                  \
	"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"                         \
	"8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"

/* Test cases 13 to 16: keys of 256 bits, nonces of 96. */
static const struct vector vectors[] = {
	{KEY_0, "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
	{KEY_0, "000000000000000000000000", "", "00000000000000000000000000000000",
	 "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
	{KEY_1, "cafebabefacedbaddecaf888", "", PLAIN_60 "1aafd255", CIPHER_60 "898015ad",
	 "b094dac5d93471bdec1a502270e3cc6c"},
	{KEY_1, "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", PLAIN_60,
	 CIPHER_60, "76fc6ece0f4e1768cddf8853bb2d551b"},
};

enum { MOST = 64 };

/* A test case in bytes. */
struct bytes {
	uint8_t key[SEAL_KEY], nonce[SEAL_NONCE], aad[MOST], plain[MOST], cipher[MOST];
	uint8_t tag[SEAL_TAG];
	size_t n, aad_n;
};

static size_t from_hex(const char *text, void *out, size_t cap)
{
	size_t n;

	assert_ok(hex_decode(str_from(text), out, cap, &n));
	return n;
}

static void read_vector(const struct vector *v, struct bytes *b)
{
	from_hex(v->key, b->key, sizeof(b->key));
	from_hex(v->nonce, b->nonce, sizeof(b->nonce));
	from_hex(v->tag, b->tag, sizeof(b->tag));
	from_hex(v->cipher, b->cipher, sizeof(b->cipher));
	b->aad_n = from_hex(v->aad, b->aad, sizeof(b->aad));
	b->n = from_hex(v->plain, b->plain, sizeof(b->plain));
}

static struct str aad_of(const struct bytes *b)
{
	return str_of((const char *)b->aad, b->aad_n);
}

static void results_are_those_of_the_specification(void **state)
{
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < countof(vectors); i++) {
		uint8_t out[MOST], tag[SEAL_TAG];
		struct bytes b;
		struct gcm g;

		read_vector(&vectors[i], &b);
		assert_ok_err(gcm_init(&g, b.key, &e), &e);
		assert_ok(gcm_seal(&g, b.nonce, aad_of(&b), b.plain, b.n, out, tag));
		assert_memory_equal(out, b.cipher, b.n);
		assert_memory_equal(tag, b.tag, sizeof(tag));
		assert_ok(gcm_open(&g, b.nonce, aad_of(&b), b.cipher, b.n, out, b.tag));
		assert_memory_equal(out, b.plain, b.n);
		/* in place, and in pieces of every size */
		for (size_t piece = 1; piece <= b.n; piece++) {
			memcpy(out, b.plain, b.n);
			assert_ok(gcm_seal_begin(&g, b.nonce, aad_of(&b)));
			for (size_t at = 0; at < b.n; at += piece)
				assert_ok(gcm_seal_piece(&g, out + at, min_size(piece, b.n - at),
							 out + at));
			assert_ok(gcm_seal_end(&g, tag));
			assert_memory_equal(out, b.cipher, b.n);
			assert_memory_equal(tag, b.tag, sizeof(tag));
		}
		gcm_fini(&g);
	}
}

/* Each flipped bit of nonce, associated data, ciphertext and tag is found; nothing is released. */
static void every_flipped_bit_is_found(void **state)
{
	static const uint8_t none[MOST];
	struct bytes b;
	struct gcm g;

	(void)state;
	read_vector(&vectors[3], &b);
	assert_ok(gcm_init(&g, b.key, NULL));
	const struct {
		uint8_t *at;
		size_t n;
	} parts[] = {{b.nonce, sizeof(b.nonce)},
		     {b.aad, b.aad_n},
		     {b.cipher, b.n},
		     {b.tag, sizeof(b.tag)}};

	for (size_t part = 0; part < countof(parts); part++)
		for (size_t bit = 0; bit < 8 * parts[part].n; bit++) {
			uint8_t *byte = &parts[part].at[bit / 8], out[MOST];

			*byte ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(
				gcm_open(&g, b.nonce, aad_of(&b), b.cipher, b.n, out, b.tag),
				-EBADMSG);
			assert_memory_equal(out, none, b.n);
			*byte ^= (uint8_t)(1u << bit % 8);
		}
	gcm_fini(&g);
}

static void nonces_differ(void **state)
{
	enum { NONCES = 2000 };
	uint8_t(*nonces)[SEAL_NONCE] = malloc(NONCES * sizeof(*nonces));

	(void)state;
	for (size_t i = 0; i < NONCES; i++) {
		assert_ok(seal_random(nonces[i], SEAL_NONCE));
		for (size_t k = 0; k < i; k++)
			assert_memory_not_equal(nonces[i], nonces[k], SEAL_NONCE);
	}
	free(nonces);
}

TEST_MAIN(test(results_are_those_of_the_specification), test(every_flipped_bit_is_found),
	  test(nonces_differ))
