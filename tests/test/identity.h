/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_IDENTITY_H
#define VARVE_TEST_IDENTITY_H

/* Self-signed certificates, made by the test, for servers and clients. */

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "test/test.h"

struct test_identity {
	char certificate[64], key[64]; /* files */
};

/* Write "NAME.pem" and "NAME.key"; `names` are the subject's names, such as "IP:127.0.0.1". */
static inline void test_identity_make(struct test_identity *id, const char *directory,
				      const char *name, const char *names)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = X509_new();
	X509_NAME *subject = X509_get_subject_name(x);
	X509_EXTENSION *san = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
	FILE *f;

	snprintf(id->certificate, sizeof(id->certificate), "%s/%s.pem", directory, name);
	snprintf(id->key, sizeof(id->key), "%s/%s.key", directory, name);
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_set_version(x, 2);
	X509_gmtime_adj(X509_getm_notBefore(x), -60);
	X509_gmtime_adj(X509_getm_notAfter(x), 3600);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
				   0);
	X509_set_issuer_name(x, subject);
	X509_set_pubkey(x, key);
	X509_add_ext(x, san, -1);
	assert_true(X509_sign(x, key, EVP_sha256()) > 0);
	f = fopen(id->certificate, "w");
	assert_int_equal(PEM_write_X509(f, x), 1);
	fclose(f);
	f = fopen(id->key, "w");
	assert_int_equal(PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL), 1);
	fclose(f);
	X509_EXTENSION_free(san);
	X509_free(x);
	EVP_PKEY_free(key);
}

#endif
