/* SPDX-License-Identifier: Apache-2.0 */
/* Users and password hashes of htpasswd files. */
#include "pipeline/extensions/basicauth/htpasswd.h"

#include <crypt.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>

#include "pipeline/extensions/basicauth/apr1.h"
#include "pipeline/extensions/secret_file.h"
#include "wire/text.h"

enum { PASSWORD_MAX = 512, SALT_MAX = 64 };

/* ---- users ---- */

static int compare_users(const void *a, const void *b)
{
	const struct htpasswd_user *x = a, *y = b;
	int order = str_cmp(x->name, y->name);

	if (order)
		return order;
	return x->name.p < y->name.p ? -1 : x->name.p > y->name.p; /* by line */
}

static int read_line(struct htpasswd *h, struct str line, uint32_t number, struct err *e)
{
	struct str rest = str_trim(line), name;

	if (!rest.n || rest.p[0] == '#')
		return 0;
	name = str_cut(&rest, ':');
	if (!name.n || !rest.n)
		return err_set(e, -EINVAL, "line %u: expected NAME:HASH", number);
	if (rest.n > HTPASSWD_HASH_MAX)
		return err_set(e, -EINVAL, "line %u: the hash has more than %d bytes", number,
			       HTPASSWD_HASH_MAX);
	h->users[h->count++] = (struct htpasswd_user){name, rest};
	return 0;
}

/* Of several entries of a user keep the last one. */
static void remove_repeated(struct htpasswd *h)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->count; i++)
		if (i + 1 == h->count || !str_eq(h->users[i].name, h->users[i + 1].name))
			h->users[kept++] = h->users[i];
	h->count = kept;
}

int htpasswd_read(struct htpasswd *h, struct buf *text, struct err *e)
{
	struct str rest, line;
	uint32_t lines = 1, number = 0;
	int rc = 0;

	*h = (struct htpasswd){.text = *text};
	*text = (struct buf){0};
	rest = buf_str(&h->text);
	for (size_t i = 0; i < rest.n && lines <= HTPASSWD_USERS_MAX; i++)
		lines += rest.p[i] == '\n';
	if (lines > HTPASSWD_USERS_MAX)
		rc = err_set(e, -EINVAL, "more than %d lines", HTPASSWD_USERS_MAX);
	else if (!(h->users = calloc(lines, sizeof(*h->users))))
		rc = err_set(e, -ENOMEM, "out of memory");
	while (!rc && str_next_line(&rest, &line))
		rc = read_line(h, line, ++number, e);
	if (rc) {
		htpasswd_fini(h);
		return rc;
	}
	if (h->count)
		qsort(h->users, h->count, sizeof(*h->users), compare_users);
	remove_repeated(h);
	return 0;
}

void htpasswd_fini(struct htpasswd *h)
{
	secret_buf_fini(&h->text);
	free(h->users);
	*h = (struct htpasswd){0};
}

struct str htpasswd_hash(const struct htpasswd *h, struct str name)
{
	uint32_t low = 0, high = h->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = str_cmp(h->users[middle].name, name);

		if (!order)
			return h->users[middle].hash;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct str){0};
}

/* ---- passwords ---- */

/* Compare in a time that depends on the lengths only. */
static bool same_bytes(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || CRYPTO_memcmp(a.p, b.p, a.n) == 0);
}

/* {SHA}base64 of a SHA-1, and {SSHA} of a SHA-1 and the salt that was appended to the password. */
static bool verify_sha(struct str password, struct str base64, bool salted)
{
	unsigned char stored[SHA_DIGEST_LENGTH + SALT_MAX], digest[SHA_DIGEST_LENGTH];
	char input[PASSWORD_MAX + SALT_MAX];
	size_t n, salt;
	bool same;

	if (base64_decode(base64, stored, sizeof(stored), &n) || n < SHA_DIGEST_LENGTH)
		return false;
	salt = n - SHA_DIGEST_LENGTH;
	if (salt && !salted)
		return false;
	if (password.n)
		memcpy(input, password.p, password.n);
	memcpy(input + password.n, stored + SHA_DIGEST_LENGTH, salt);
	SHA1((const unsigned char *)input, password.n + salt, digest);
	same = CRYPTO_memcmp(digest, stored, SHA_DIGEST_LENGTH) == 0;
	OPENSSL_cleanse(input, sizeof(input));
	return same;
}

static bool verify_apr1(struct str password, struct str hash)
{
	char text[APR1_TEXT];

	return !apr1_hash(password, hash, text) && same_bytes(str_from(text), hash);
}

static bool verify_crypt(struct str password, struct str hash)
{
	struct crypt_data *data = calloc(1, sizeof(*data));
	char phrase[PASSWORD_MAX + 1], setting[HTPASSWD_HASH_MAX + 1];
	const char *text;
	bool same;

	if (!data)
		return false;
	if (password.n)
		memcpy(phrase, password.p, password.n);
	phrase[password.n] = 0;
	memcpy(setting, hash.p, hash.n);
	setting[hash.n] = 0;
	/* not crypt_r(): sanitizers have one, so that a linker leaves libcrypt out */
	text = crypt_rn(phrase, setting, data, sizeof(*data));
	same = text && *text != '*' && same_bytes(str_from(text), hash);
	OPENSSL_cleanse(phrase, sizeof(phrase));
	OPENSSL_cleanse(data, sizeof(*data));
	free(data);
	return same;
}

bool htpasswd_is_slow(struct str hash)
{
	return hash.n && hash.p[0] == '$';
}

bool htpasswd_verify(struct str password, struct str hash)
{
	if (!hash.n || hash.n > HTPASSWD_HASH_MAX || password.n > PASSWORD_MAX ||
	    (password.n && memchr(password.p, 0, password.n)))
		return false;
	if (str_starts(hash, STR("{SHA}")))
		return verify_sha(password, str_from_at(hash, 5), false);
	if (str_starts(hash, STR("{SSHA}")))
		return verify_sha(password, str_from_at(hash, 6), true);
	if (str_starts(hash, STR("$apr1$")))
		return verify_apr1(password, hash);
	if (hash.p[0] == '$')
		return verify_crypt(password, hash);
	return same_bytes(password, hash);
}
