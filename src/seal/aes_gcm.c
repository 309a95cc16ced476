/* SPDX-License-Identifier: Apache-2.0 */
/* AES-256-GCM over the functions of libcrypto, which are resolved once per process. */
#include "seal/aes_gcm.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

/* The functions that are used; they are the same in OpenSSL 1.1 and 3. */
#define FUNCTIONS(X)                                                                               \
	X(EVP_CIPHER_CTX_new)                                                                      \
	X(EVP_CIPHER_CTX_free)                                                                     \
	X(EVP_CIPHER_CTX_ctrl)                                                                     \
	X(EVP_EncryptInit_ex)                                                                      \
	X(EVP_EncryptUpdate)                                                                       \
	X(EVP_EncryptFinal_ex)                                                                     \
	X(EVP_DecryptInit_ex)                                                                      \
	X(EVP_DecryptUpdate)                                                                       \
	X(EVP_DecryptFinal_ex)                                                                     \
	X(EVP_Digest)                                                                              \
	X(EVP_sha256)                                                                              \
	X(EVP_aes_256_gcm)

#define MEMBER(name) __typeof__(&name) name##_;
static struct {
	pthread_once_t once;
	bool ready;
	FUNCTIONS(MEMBER)
} crypto = {.once = PTHREAD_ONCE_INIT};

/* A length of OpenSSL is an int. */
enum { PIECE_MOST = 1 << 30 };

static void load_libcrypto(void)
{
	static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
#define ROW(name) {#name, &crypto.name##_},
	static const struct {
		const char *name;
		void *place;
	} symbols[] = {FUNCTIONS(ROW)};
	void *library = NULL;

	for (size_t i = 0; !library && i < countof(names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	for (size_t i = 0; i < countof(symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return;
		memcpy(symbols[i].place, &symbol, sizeof(symbol));
	}
	crypto.ready = true;
}

static bool have_libcrypto(void)
{
	pthread_once(&crypto.once, load_libcrypto);
	return crypto.ready;
}

int gcm_init(struct gcm *g, const uint8_t key[SEAL_KEY], struct err *e)
{
	*g = (struct gcm){0};
	if (!have_libcrypto())
		return err_set(e, -ENOTSUP,
			       "encryption needs OpenSSL (libcrypto.so.3), which cannot be loaded");
	g->sealing = crypto.EVP_CIPHER_CTX_new_();
	g->opening = crypto.EVP_CIPHER_CTX_new_();
	if (g->sealing && g->opening &&
	    crypto.EVP_EncryptInit_ex_(g->sealing, crypto.EVP_aes_256_gcm_(), NULL, key, NULL) ==
		    1 &&
	    crypto.EVP_DecryptInit_ex_(g->opening, crypto.EVP_aes_256_gcm_(), NULL, key, NULL) == 1)
		return 0;
	gcm_fini(g);
	return err_errno(e, -ENOMEM, "prepare encryption");
}

void gcm_fini(struct gcm *g)
{
	if (g->sealing)
		crypto.EVP_CIPHER_CTX_free_(g->sealing); /* cleans the key */
	if (g->opening)
		crypto.EVP_CIPHER_CTX_free_(g->opening);
	*g = (struct gcm){0};
}

/* ---- sealing ---- */

int gcm_seal_begin(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad)
{
	int n;

	if (crypto.EVP_EncryptInit_ex_(g->sealing, NULL, NULL, NULL, nonce) != 1 ||
	    aad.n > PIECE_MOST ||
	    (aad.n && crypto.EVP_EncryptUpdate_(g->sealing, NULL, &n, (const unsigned char *)aad.p,
						(int)aad.n) != 1))
		return -EIO;
	return 0;
}

int gcm_seal_piece(struct gcm *g, const void *in, size_t n, void *out)
{
	const uint8_t *from = in;
	uint8_t *to = out;

	while (n) {
		int piece = (int)min_size(n, PIECE_MOST), done;

		if (crypto.EVP_EncryptUpdate_(g->sealing, to, &done, from, piece) != 1)
			return -EIO;
		from += piece;
		to += piece;
		n -= (size_t)piece;
	}
	return 0;
}

int gcm_seal_end(struct gcm *g, uint8_t tag[SEAL_TAG])
{
	uint8_t none[SEAL_TAG];
	int n;

	if (crypto.EVP_EncryptFinal_ex_(g->sealing, none, &n) != 1 ||
	    crypto.EVP_CIPHER_CTX_ctrl_(g->sealing, EVP_CTRL_GCM_GET_TAG, SEAL_TAG, tag) != 1)
		return -EIO;
	return 0;
}

int gcm_seal(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad, const void *in,
	     size_t n, void *out, uint8_t tag[SEAL_TAG])
{
	int rc = gcm_seal_begin(g, nonce, aad);

	if (!rc)
		rc = gcm_seal_piece(g, in, n, out);
	return rc ? rc : gcm_seal_end(g, tag);
}

/* ---- opening ---- */

int gcm_open_begin(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad)
{
	int n;

	if (crypto.EVP_DecryptInit_ex_(g->opening, NULL, NULL, NULL, nonce) != 1 ||
	    aad.n > PIECE_MOST ||
	    (aad.n && crypto.EVP_DecryptUpdate_(g->opening, NULL, &n, (const unsigned char *)aad.p,
						(int)aad.n) != 1))
		return -EIO;
	return 0;
}

int gcm_open_piece(struct gcm *g, const void *in, size_t n, void *out)
{
	const uint8_t *from = in;
	uint8_t *to = out;

	while (n) {
		int piece = (int)min_size(n, PIECE_MOST), done;

		if (crypto.EVP_DecryptUpdate_(g->opening, to, &done, from, piece) != 1)
			return -EIO;
		from += piece;
		to += piece;
		n -= (size_t)piece;
	}
	return 0;
}

int gcm_open_end(struct gcm *g, const uint8_t tag[SEAL_TAG])
{
	uint8_t none[SEAL_TAG];
	int n;

	if (crypto.EVP_CIPHER_CTX_ctrl_(g->opening, EVP_CTRL_GCM_SET_TAG, SEAL_TAG, (void *)tag) !=
	    1)
		return -EIO;
	return crypto.EVP_DecryptFinal_ex_(g->opening, none, &n) == 1 ? 0 : -EBADMSG;
}

int gcm_open(struct gcm *g, const uint8_t nonce[SEAL_NONCE], struct str aad, const void *in,
	     size_t n, void *out, const uint8_t tag[SEAL_TAG])
{
	int rc = gcm_open_begin(g, nonce, aad);

	if (!rc)
		rc = gcm_open_piece(g, in, n, out);
	if (!rc)
		rc = gcm_open_end(g, tag);
	if (rc && n)
		memset(out, 0, n);
	return rc ? -EBADMSG : 0;
}

/* ---- random numbers, digests ---- */

int seal_random(void *out, size_t n)
{
	uint8_t *to = out;

	while (n) {
		ssize_t got = getrandom(to, n, 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			to += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

int seal_digest(uint8_t out[SEAL_DIGEST], struct str bytes)
{
	if (!have_libcrypto())
		return -ENOTSUP;
	return crypto.EVP_Digest_(bytes.p, bytes.n, out, NULL, crypto.EVP_sha256_(), NULL) == 1
		       ? 0
		       : -EIO;
}
