/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithm is FreeBSD's md5-crypt with the magic "$apr1$": an MD5 of password, magic and salt,
 * mixed with a second one of password, salt and password, then a thousand rounds.
 */
#include "pipeline/extensions/basicauth/apr1.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

enum { DIGEST = 16, ROUNDS = 1000, SALT_MAX = 8 };

/* One MD5 at a time; errors are sticky. */
struct md5 {
	EVP_MD_CTX *context;
	bool failed;
};

static void md5_begin(struct md5 *m)
{
	m->failed |= EVP_DigestInit_ex(m->context, EVP_md5(), NULL) != 1;
}

static void md5_add(struct md5 *m, const void *p, size_t n)
{
	m->failed |= n && EVP_DigestUpdate(m->context, p, n) != 1;
}

static void md5_end(struct md5 *m, unsigned char digest[DIGEST])
{
	m->failed |= EVP_DigestFinal_ex(m->context, digest, NULL) != 1;
}

/* Compute the digest before the rounds. */
static void first_digest(struct md5 *m, struct str password, struct str salt,
			 unsigned char digest[DIGEST])
{
	unsigned char other[DIGEST];

	md5_begin(m);
	md5_add(m, password.p, password.n);
	md5_add(m, salt.p, salt.n);
	md5_add(m, password.p, password.n);
	md5_end(m, other);
	md5_begin(m);
	md5_add(m, password.p, password.n);
	md5_add(m, "$apr1$", 6);
	md5_add(m, salt.p, salt.n);
	for (size_t left = password.n; left; left -= min_size(left, DIGEST))
		md5_add(m, other, min_size(left, DIGEST));
	for (size_t bits = password.n; bits; bits >>= 1)
		md5_add(m, bits & 1 ? "" : password.p, 1);
	md5_end(m, digest);
}

static void next_digest(struct md5 *m, struct str password, struct str salt, unsigned round,
			unsigned char digest[DIGEST])
{
	bool odd = round & 1;

	md5_begin(m);
	if (odd)
		md5_add(m, password.p, password.n);
	else
		md5_add(m, digest, DIGEST);
	if (round % 3)
		md5_add(m, salt.p, salt.n);
	if (round % 7)
		md5_add(m, password.p, password.n);
	if (odd)
		md5_add(m, digest, DIGEST);
	else
		md5_add(m, password.p, password.n);
	md5_end(m, digest);
}

/* Write `count` characters of six bits, the lowest first. */
static char *put_digits(char *to, uint32_t bits, unsigned count)
{
	static const char digits[] =
		"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	while (count--) {
		*to++ = digits[bits & 63];
		bits >>= 6;
	}
	return to;
}

static void write_text(struct str salt, const unsigned char d[DIGEST], char out[APR1_TEXT])
{
	char *to = out;

	memcpy(to, "$apr1$", 6);
	memcpy(to + 6, salt.p, salt.n);
	to += 6 + salt.n;
	*to++ = '$';
	for (unsigned i = 0; i < 5; i++)
		to = put_digits(
			to, (uint32_t)d[i] << 16 | (uint32_t)d[i + 6] << 8 | d[i == 4 ? 5 : i + 12],
			4);
	to = put_digits(to, d[11], 2);
	*to = 0;
}

int apr1_hash(struct str password, struct str hash, char out[APR1_TEXT])
{
	struct str salt = str_from_at(hash, 6);
	unsigned char digest[DIGEST];
	struct md5 m = {0};

	salt = str_head(salt, min_size(str_find(salt, '$'), SALT_MAX));
	if (!str_starts(hash, STR("$apr1$")) || !salt.n)
		return -EINVAL;
	m.context = EVP_MD_CTX_new();
	if (!m.context)
		return -ENOMEM;
	first_digest(&m, password, salt, digest);
	for (unsigned round = 0; round < ROUNDS && !m.failed; round++)
		next_digest(&m, password, salt, round, digest);
	EVP_MD_CTX_free(m.context);
	if (!m.failed)
		write_text(salt, digest, out);
	OPENSSL_cleanse(digest, sizeof(digest));
	return m.failed ? -ENOMEM : 0;
}
