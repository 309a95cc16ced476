/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL with memory BIOs: bytes are passed in and out, sockets are the caller's. */
#include "sdk/grpc/tls_client.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdlib.h>

/* The functions that are used; they are the same in OpenSSL 1.1 and 3. */
#define FUNCTIONS(X)                                                                               \
	X(TLS_client_method)                                                                       \
	X(SSL_CTX_new)                                                                             \
	X(SSL_CTX_free)                                                                            \
	X(SSL_CTX_ctrl)                                                                            \
	X(SSL_CTX_set_verify)                                                                      \
	X(SSL_CTX_set_default_verify_paths)                                                        \
	X(SSL_CTX_load_verify_locations)                                                           \
	X(SSL_CTX_set_alpn_protos)                                                                 \
	X(SSL_new)                                                                                 \
	X(SSL_free)                                                                                \
	X(SSL_ctrl)                                                                                \
	X(SSL_set1_host)                                                                           \
	X(SSL_get0_param)                                                                          \
	X(SSL_set_bio)                                                                             \
	X(SSL_set_connect_state)                                                                   \
	X(SSL_do_handshake)                                                                        \
	X(SSL_read)                                                                                \
	X(SSL_write)                                                                               \
	X(SSL_get_error)                                                                           \
	X(SSL_get_verify_result)                                                                   \
	X(SSL_get0_alpn_selected)                                                                  \
	X(X509_VERIFY_PARAM_set1_ip_asc)                                                           \
	X(X509_verify_cert_error_string)                                                           \
	X(BIO_new)                                                                                 \
	X(BIO_s_mem)                                                                               \
	X(BIO_free)                                                                                \
	X(BIO_read)                                                                                \
	X(BIO_write)                                                                               \
	X(ERR_clear_error)                                                                         \
	X(ERR_peek_error)                                                                          \
	X(ERR_reason_error_string)

#define MEMBER(name) __typeof__(&name) name##_;
static struct {
	pthread_once_t once;
	bool ready;
	FUNCTIONS(MEMBER)
} ssl = {.once = PTHREAD_ONCE_INIT};

struct tls_client {
	SSL_CTX *context;
	SSL *ssl;
	BIO *in, *out; /* owned by `ssl` after SSL_set_bio() */
	struct buf to_send;
	bool ready;
};

static void load_libssl(void)
{
	static const char *const names[] = {"libssl.so.3", "libssl.so.1.1"};
#define ROW(name) {#name, &ssl.name##_},
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
	ssl.ready = true;
}

static int use_certificates(struct tls_client *t, const char *ca_file, struct err *e)
{
	if (!*ca_file) {
		ssl.SSL_CTX_set_default_verify_paths_(t->context);
		return 0;
	}
	if (ssl.SSL_CTX_load_verify_locations_(t->context, ca_file, NULL) == 1)
		return 0;
	return err_set(e, -EINVAL, "%s: not a readable file of PEM certificates", ca_file);
}

/* Require a certificate for that name or address. */
static bool expect_host(struct tls_client *t, const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
		return ssl.X509_VERIFY_PARAM_set1_ip_asc_(ssl.SSL_get0_param_(t->ssl), host) == 1;
	return ssl.SSL_set1_host_(t->ssl, host) == 1 &&
	       ssl.SSL_ctrl_(t->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
			     (void *)host) == 1;
}

static int make_connection(struct tls_client *t, const char *host)
{
	t->in = ssl.BIO_new_(ssl.BIO_s_mem_());
	t->out = ssl.BIO_new_(ssl.BIO_s_mem_());
	t->ssl = ssl.SSL_new_(t->context);
	if (!t->in || !t->out || !t->ssl) {
		ssl.BIO_free_(t->in);
		ssl.BIO_free_(t->out);
		return -ENOMEM;
	}
	ssl.SSL_set_bio_(t->ssl, t->in, t->out);
	ssl.SSL_set_connect_state_(t->ssl);
	return expect_host(t, host) ? 0 : -ENOMEM;
}

static int drain_output(struct tls_client *t)
{
	enum { PIECE = 16384 };

	for (;;) {
		char *at = buf_reserve(&t->to_send, PIECE);
		int n = at ? ssl.BIO_read_(t->out, at, PIECE) : 0;

		if (!at)
			return -ENOMEM;
		if (n <= 0)
			return 0;
		t->to_send.n += (size_t)n;
	}
}

static int continue_handshake(struct tls_client *t, struct err *e)
{
	const unsigned char *protocol;
	unsigned n;
	long verified;
	int rc;

	ssl.ERR_clear_error_();
	rc = ssl.SSL_do_handshake_(t->ssl);
	if (rc != 1) {
		const char *why;

		if (ssl.SSL_get_error_(t->ssl, rc) == SSL_ERROR_WANT_READ)
			return 0;
		verified = ssl.SSL_get_verify_result_(t->ssl);
		why = verified ? ssl.X509_verify_cert_error_string_(verified)
			       : ssl.ERR_reason_error_string_(ssl.ERR_peek_error_());
		return err_set(e, -EACCES, "TLS: %s", why ? why : "the handshake failed");
	}
	ssl.SSL_get0_alpn_selected_(t->ssl, &protocol, &n);
	if (n != 2 || memcmp(protocol, "h2", 2) != 0)
		return err_set(e, -EPROTO, "TLS: the server does not speak HTTP/2");
	t->ready = true;
	return 0;
}

int tls_client_new(struct tls_client **out, const char *host, const char *ca_file, struct err *e)
{
	static const unsigned char h2[] = {2, 'h', '2'};
	struct tls_client *t;
	int rc;

	pthread_once(&ssl.once, load_libssl);
	if (!ssl.ready)
		return err_set(
			e, -ENOSYS,
			"gRPC over https needs OpenSSL (libssl.so.3), which is not installed");
	t = calloc(1, sizeof(*t));
	if (t)
		t->context = ssl.SSL_CTX_new_(ssl.TLS_client_method_());
	if (!t || !t->context) {
		free(t);
		return err_errno(e, -ENOMEM, "TLS");
	}
	ssl.SSL_CTX_ctrl_(t->context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
	ssl.SSL_CTX_set_verify_(t->context, SSL_VERIFY_PEER, NULL);
	rc = use_certificates(t, ca_file, e);
	if (!rc && ssl.SSL_CTX_set_alpn_protos_(t->context, h2, sizeof(h2)))
		rc = err_errno(e, -ENOMEM, "TLS");
	if (!rc && make_connection(t, host))
		rc = err_errno(e, -ENOMEM, "TLS");
	rc = rc ? rc : continue_handshake(t, e); /* makes its first message */
	rc = rc ? rc : drain_output(t);
	if (rc) {
		tls_client_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void tls_client_free(struct tls_client *t)
{
	if (!t)
		return;
	if (t->ssl)
		ssl.SSL_free_(t->ssl); /* frees the BIOs, too */
	ssl.SSL_CTX_free_(t->context);
	buf_fini(&t->to_send);
	free(t);
}

struct buf *tls_client_out(struct tls_client *t)
{
	return &t->to_send;
}

bool tls_client_is_ready(const struct tls_client *t)
{
	return t->ready;
}

/* Append the decrypted bytes received from the server to `plain`. */
static int read_plain(struct tls_client *t, struct buf *plain)
{
	enum { PIECE = 16384 };

	for (;;) {
		char *at = buf_reserve(plain, PIECE);
		int n;

		if (!at)
			return -ENOMEM;
		ssl.ERR_clear_error_();
		n = ssl.SSL_read_(t->ssl, at, PIECE);
		if (n <= 0)
			return ssl.SSL_get_error_(t->ssl, n) == SSL_ERROR_WANT_READ ? 0
										    : -ECONNRESET;
		plain->n += (size_t)n;
	}
}

int tls_client_feed(struct tls_client *t, struct str bytes, struct buf *plain, struct err *e)
{
	int rc = 0, drained;

	if (bytes.n && ssl.BIO_write_(t->in, bytes.p, (int)bytes.n) != (int)bytes.n)
		return -ENOMEM;
	if (!t->ready)
		rc = continue_handshake(t, e);
	if (!rc && t->ready)
		rc = read_plain(t, plain);
	drained = drain_output(t); /* also on failure: the server gets the alert */
	return rc ? rc : drained;
}

int tls_client_write(struct tls_client *t, struct str plain)
{
	ssl.ERR_clear_error_();
	if (plain.n && ssl.SSL_write_(t->ssl, plain.p, (int)min_size(plain.n, 1 << 30)) <= 0)
		return -ECONNRESET;
	return drain_output(t);
}
