/* SPDX-License-Identifier: Apache-2.0 */
/* Digests by OpenSSL; FNV, hex and base64 by own code. */
#include "pipeline/ottl/functions/hashes.h"

#include <errno.h>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "wire/text.h"

static int return_digest(struct ottl_eval *ev, struct str s, const EVP_MD *md,
			 struct ottl_value *out)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	char *text;

	if (EVP_Digest(s.p ? s.p : "", s.n, digest, &n, md, NULL) != 1)
		return ottl_fail(ev, "the digest is not available");
	text = arena_alloc(&ev->scratch, (size_t)2 * n, 1);
	if (!text)
		return -ENOMEM;
	hex_digits(text, str_of((const char *)digest, n));
	*out = OTTL_VALUE_STRING(str_of(text, (size_t)2 * n));
	return 0;
}

static int run_sha1(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return return_digest(ev, a->v[0].s, EVP_sha1(), out);
}

static int run_sha256(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return return_digest(ev, a->v[0].s, EVP_sha256(), out);
}

static int run_sha512(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return return_digest(ev, a->v[0].s, EVP_sha512(), out);
}

static int run_md5(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	return return_digest(ev, a->v[0].s, EVP_md5(), out);
}

/* FNV-1a with 64 bits, as a signed integer. */
static int run_fnv(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	uint64_t hash = 0xcbf29ce484222325;

	(void)ev;
	for (size_t i = 0; i < a->v[0].s.n; i++)
		hash = (hash ^ (unsigned char)a->v[0].s.p[i]) * 0x100000001b3;
	*out = OTTL_VALUE_INT((int64_t)hash);
	return 0;
}

/* Return the bytes of a number in network order. */
static int number_bytes(struct ottl_eval *ev, const struct ottl_value *v, struct str *out)
{
	uint64_t big = __builtin_bswap64((uint64_t)v->i); /* the same bits as v->d */
	struct str bytes = str_of((const char *)&big, sizeof(big));
	char one = v->i != 0;

	return arena_copy_str(&ev->scratch, v->kind == OTTL_BOOL ? str_of(&one, 1) : bytes, out);
}

/* Hex of the bytes of a string or of bytes, and of the bytes of a number. */
static int run_hex(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct buf b = ottl_text_buf(ev);
	struct str bytes = a->v[0].s;
	int rc;

	switch (a->v[0].kind) {
	case OTTL_STRING:
	case OTTL_BYTES:
		break;
	case OTTL_INT:
	case OTTL_DOUBLE:
	case OTTL_BOOL:
		rc = number_bytes(ev, &a->v[0], &bytes);
		if (rc)
			return rc;
		break;
	default:
		return ottl_fail(ev, "cannot convert %s to hex", ottl_kind_names[a->v[0].kind]);
	}
	hex_encode(&b, bytes);
	return ottl_return_text(ev, &b, out);
}

static int run_base64_encode(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct buf b = ottl_text_buf(ev);

	base64_encode(&b, a->v[0].s);
	return ottl_return_text(ev, &b, out);
}

static int run_base64_decode(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	size_t room = BASE64_DECODED_MAX(a->v[0].s.n), n = 0;
	char *text = arena_alloc(&ev->scratch, room, 1);

	if (!text)
		return -ENOMEM;
	if (base64_decode(a->v[0].s, text, room, &n))
		return ottl_fail(ev, "\"%.*s\" is not base64", STR_ARG(str_head(a->v[0].s, 60)));
	*out = OTTL_VALUE_STRING(str_of(text, n));
	return 0;
}

/* A random UUID (version 4). */
static int run_uuid(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	unsigned char r[16];
	char digits[32];
	struct str text;
	int rc;

	(void)a;
	if (RAND_bytes(r, sizeof(r)) != 1)
		return ottl_fail(ev, "no random numbers are available");
	r[6] = (unsigned char)((r[6] & 0x0f) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
	hex_digits(digits, str_of((const char *)r, sizeof(r)));
	rc = arena_printf(&ev->scratch, &text, "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8,
			  digits + 12, digits + 16, digits + 20);
	*out = OTTL_VALUE_STRING(text);
	return rc;
}

const struct ottl_function ottl_hash_functions[] = {
	{"SHA1", run_sha1, {{"value", PARAM_STRING}}},
	{"SHA256", run_sha256, {{"value", PARAM_STRING}}},
	{"SHA512", run_sha512, {{"value", PARAM_STRING}}},
	{"MD5", run_md5, {{"value", PARAM_STRING}}},
	{"FNV", run_fnv, {{"value", PARAM_STRING}}},
	{"Hex", run_hex, {{"value", PARAM_ANY}}},
	{"Base64Encode", run_base64_encode, {{"value", PARAM_STRING}}},
	{"Base64Decode", run_base64_decode, {{"value", PARAM_STRING}}},
	{"UUID", run_uuid},
	{.name = NULL},
};
