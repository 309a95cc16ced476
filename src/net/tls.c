/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS by OpenSSL. Handshake, read and write clear the thread's error queue first, because
 * SSL_get_error() would report errors that earlier calls left there.
 */
#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

/* Return the text of the first error in OpenSSL's queue, and clear the queue. */
static const char *first_openssl_error(void)
{
	unsigned long code = ERR_get_error();
	const char *text = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return text ? text : "unknown reason";
}

/* Choose by our preference, h2 first, not by the client's. */
static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_n,
		       const unsigned char *in, unsigned in_n, void *arg)
{
	static const unsigned char ours[] = "\x02h2\x08http/1.1";
	unsigned char *chosen;

	(void)ssl;
	(void)arg;
	if (SSL_select_next_proto(&chosen, out_n, ours, sizeof(ours) - 1, in, in_n) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

static int use_client_ca(SSL_CTX *context, const char *file, struct err *e)
{
	STACK_OF(X509_NAME) * names;

	if (SSL_CTX_load_verify_file(context, file) != 1)
		return err_set(e, -EINVAL, "client CA %s: %s", file, first_openssl_error());
	names = SSL_load_client_CA_file(file);
	if (!names)
		return err_set(e, -EINVAL, "client CA %s: %s", file, first_openssl_error());
	SSL_CTX_set_client_CA_list(context, names); /* takes ownership */
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	return 0;
}

int tls_server_context(SSL_CTX **out, const struct net_tls_files *files, struct err *e)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	int rc = -EINVAL;

	if (!context)
		return err_set(e, -ENOMEM, "TLS: out of memory");
	if (!files->certificate || !files->key) {
		err_set(e, rc, "TLS needs both a certificate and a key");
		goto out;
	}
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
					     SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
					  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					  SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_id_context(context, (const unsigned char *)"varve", 5);
	SSL_CTX_set_alpn_select_cb(context, choose_alpn, NULL);
	if (SSL_CTX_use_certificate_chain_file(context, files->certificate) != 1) {
		err_set(e, rc, "certificate %s: %s", files->certificate, first_openssl_error());
		goto out;
	}
	if (SSL_CTX_use_PrivateKey_file(context, files->key, SSL_FILETYPE_PEM) != 1) {
		err_set(e, rc, "key %s: %s", files->key, first_openssl_error());
		goto out;
	}
	if (SSL_CTX_check_private_key(context) != 1) {
		err_set(e, rc, "key %s does not match certificate %s", files->key,
			files->certificate);
		goto out;
	}
	rc = files->client_ca ? use_client_ca(context, files->client_ca, e) : 0;
	if (!rc)
		*out = take_ptr(&context);
out:
	ERR_clear_error();
	tls_context_free(context);
	return rc;
}

SSL *tls_connect(SSL_CTX *context, int fd, const char *host)
{
	SSL *ssl = SSL_new(context);
	X509_VERIFY_PARAM *expected = ssl ? SSL_get0_param(ssl) : NULL;
	bool is_address = expected && X509_VERIFY_PARAM_set1_ip_asc(expected, host) == 1;

	if (!ssl || SSL_set_fd(ssl, fd) != 1 ||
	    (!is_address &&
	     (SSL_set1_host(ssl, host) != 1 || SSL_set_tlsext_host_name(ssl, host) != 1))) {
		SSL_free(ssl);
		ssl = NULL;
	} else {
		SSL_set_connect_state(ssl);
	}
	ERR_clear_error();
	return ssl;
}

const char *tls_reason(SSL *ssl)
{
	long verdict = SSL_get_verify_result(ssl);

	return verdict != X509_V_OK ? X509_verify_cert_error_string(verdict)
				    : "the handshake failed";
}

void tls_context_free(SSL_CTX *context)
{
	SSL_CTX_free(context);
}

SSL *tls_accept(SSL_CTX *context, int fd)
{
	SSL *ssl = SSL_new(context);

	if (ssl && SSL_set_fd(ssl, fd) != 1) {
		SSL_free(ssl);
		ssl = NULL;
	}
	if (ssl)
		SSL_set_accept_state(ssl);
	else
		ERR_clear_error();
	return ssl;
}

void tls_free(SSL *ssl)
{
	SSL_free(ssl);
}

/* Return the errno, -EAGAIN or 0 (closed) of an SSL call that returned rc <= 0. */
static int errno_of_ssl(SSL *ssl, int rc)
{
	int saved = errno;

	switch (SSL_get_error(ssl, rc)) {
	case SSL_ERROR_WANT_READ:
	case SSL_ERROR_WANT_WRITE:
		return -EAGAIN;
	case SSL_ERROR_ZERO_RETURN:
		return 0;
	case SSL_ERROR_SYSCALL:
		ERR_clear_error();
		return saved ? -saved : -ECONNRESET;
	default:
		ERR_clear_error();
		return -EPROTO;
	}
}

int tls_handshake(SSL *ssl, bool *h2)
{
	const unsigned char *name;
	unsigned n;
	int rc;

	ERR_clear_error();
	rc = SSL_do_handshake(ssl);
	if (rc != 1) {
		bool http = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;

		if (errno_of_ssl(ssl, rc) == -EAGAIN)
			return -EAGAIN;
		return http ? -EPROTOTYPE : -EPROTO;
	}
	SSL_get0_alpn_selected(ssl, &name, &n);
	*h2 = str_eq(str_of((const char *)name, n), STR("h2"));
	return 0;
}

ssize_t tls_read(SSL *ssl, char *p, size_t n)
{
	int rc;

	ERR_clear_error();
	rc = SSL_read(ssl, p, (int)min_size(n, INT32_MAX));
	return rc > 0 ? rc : errno_of_ssl(ssl, rc);
}

ssize_t tls_write(SSL *ssl, const char *p, size_t n)
{
	int rc;

	ERR_clear_error();
	rc = SSL_write(ssl, p, (int)min_size(n, INT32_MAX));
	if (rc > 0)
		return rc;
	rc = errno_of_ssl(ssl, rc);
	return rc ? rc : -EPIPE;
}

void tls_shutdown(SSL *ssl)
{
	if (!ssl || !SSL_is_init_finished(ssl))
		return;
	SSL_shutdown(ssl);
	ERR_clear_error();
}
