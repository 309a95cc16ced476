/* SPDX-License-Identifier: Apache-2.0 */
/* The TLS context of the gRPC client: certificates from files or from PEM text. */
#include "net/client/client_tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "net/tls.h"

static int fail_openssl(struct err *e, const char *what, const char *file)
{
	unsigned long code = ERR_get_error();
	const char *text = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return err_set(e, -EINVAL, "%s %s: %s", what, file ? file : "(PEM text)",
		       text ? text : "unknown reason");
}

/* Return OpenSSL's number of a TLS version. */
static int openssl_version(unsigned version)
{
	switch (version) {
	case 0:
		return 0;
	case 10:
		return TLS1_VERSION;
	case 11:
		return TLS1_1_VERSION;
	case 12:
		return TLS1_2_VERSION;
	default:
		return TLS1_3_VERSION;
	}
}

/* Add the certificates of a PEM text to those that are trusted. Return their number. */
static unsigned trust_pem(SSL_CTX *context, const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509_STORE *store = SSL_CTX_get_cert_store(context);
	unsigned count = 0;
	X509 *x;

	while (bio && (x = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		count += X509_STORE_add_cert(store, x) == 1;
		X509_free(x);
	}
	BIO_free(bio);
	return count;
}

static int set_trust(SSL_CTX *context, const struct net_client_options *o, struct err *e)
{
	bool own = o->ca_file || o->ca_pem;

	if (o->ca_file && SSL_CTX_load_verify_file(context, o->ca_file) != 1)
		return fail_openssl(e, "CA", o->ca_file);
	if (o->ca_pem && !trust_pem(context, o->ca_pem))
		return fail_openssl(e, "CA", NULL);
	if ((!own || o->system_cas) && SSL_CTX_set_default_verify_paths(context) != 1)
		return fail_openssl(e, "CA", "of the system");
	return 0;
}

/* Use the first certificate of a PEM text, and the others as its chain. */
static bool use_certificate_pem(SSL_CTX *context, const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509 *x = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
	bool ok = x && SSL_CTX_use_certificate(context, x) == 1;

	X509_free(x);
	while (ok && (x = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		ok = SSL_CTX_add1_chain_cert(context, x) == 1;
		X509_free(x);
	}
	BIO_free(bio);
	return ok;
}

static bool use_key_pem(SSL_CTX *context, const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
	bool ok = key && SSL_CTX_use_PrivateKey(context, key) == 1;

	EVP_PKEY_free(key);
	BIO_free(bio);
	return ok;
}

static int set_identity(SSL_CTX *context, const struct net_client_options *o, struct err *e)
{
	if (o->certificate && SSL_CTX_use_certificate_chain_file(context, o->certificate) != 1)
		return fail_openssl(e, "certificate", o->certificate);
	if (o->certificate_pem && !use_certificate_pem(context, o->certificate_pem))
		return fail_openssl(e, "certificate", NULL);
	if (o->key && SSL_CTX_use_PrivateKey_file(context, o->key, SSL_FILETYPE_PEM) != 1)
		return fail_openssl(e, "key", o->key);
	if (o->key_pem && !use_key_pem(context, o->key_pem))
		return fail_openssl(e, "key", NULL);
	return 0;
}

int client_tls_context(SSL_CTX **out, const struct net_client_options *o, struct err *e)
{
	static const unsigned char h2[] = "\x02h2";
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	int rc;

	if (!context)
		return err_set(e, -ENOMEM, "TLS: out of memory");
	SSL_CTX_set_min_proto_version(context, openssl_version(o->min_tls ? o->min_tls : 12));
	SSL_CTX_set_max_proto_version(context, openssl_version(o->max_tls));
	SSL_CTX_set_mode(context,
			 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_verify(context, o->skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_alpn_protos(context, h2, sizeof(h2) - 1);
	rc = set_trust(context, o, e);
	if (!rc)
		rc = set_identity(context, o, e);
	if (!rc)
		*out = take_ptr(&context);
	ERR_clear_error();
	tls_context_free(context);
	return rc;
}
