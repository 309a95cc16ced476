/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our HTTP and gRPC clients against our server, with and without TLS; certificates are made here.
 */
#include <pthread.h>
#include <sys/stat.h>

#include "net/client/http_client.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/rpc/grpc_client.h"
#include "net/rpc/rpc_coding.h"
#include "net/rpc/rpc_reply.h"
#include "test/identity.h"
#include "test/net.h"

static void echo(void *owner, struct http_exchange *x)
{
	struct http_header tls = {STR("x-tls"), x->tls ? STR("yes") : STR("no")};
	struct http_response r = {.status = 200,
				  .compress = true,
				  .content_type = STR("text/plain"),
				  .headers = &tls,
				  .header_count = 1};

	(void)owner;
	buf_put_str(&r.body, x->body);
	http_respond(x, &r);
}

static void describe(void *owner, struct http_exchange *x)
{
	struct str auth = http_header(x, STR("authorization"));

	(void)owner;
	http_respond_text(x, 200, "%s %.*s %.*s", x->method == METHOD_DELETE ? "DELETE" : "other",
			  STR_ARG(auth), STR_ARG(http_header(x, STR("x-more"))));
}

static void busy_until(void *owner, struct http_exchange *x)
{
	time_t at = time(NULL) + 100;
	char date[64];
	struct http_header header = {STR("retry-after"), {0}};
	struct http_response r = {.status = 429, .headers = &header, .header_count = 1};
	struct tm tm;

	(void)owner;
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&at, &tm));
	header.value = str_from(date);
	http_respond(x, &r);
}

static void busy(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 503, .retry_after_s = 3};

	(void)owner;
	http_respond(x, &r);
}

static void call_echo(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!call)
		return;
	buf_put_str(&reply, call->message);
	buf_put_str(&reply, x->tls ? STR(" by TLS ") : STR(" plain "));
	buf_put_str(&reply, http_header(x, STR("authorization")));
	rpc_reply(call, &reply);
}

/* Respond to a gRPC call with a message "reply" in the encoding that x-coding names. */
static void reply_coded(void *owner, struct http_exchange *x)
{
	struct http_header coding = {STR("grpc-encoding"), http_header(x, STR("x-coding"))};
	struct http_header status = {STR("grpc-status"), STR("0")};
	struct http_response r = {.status = 200,
				  .content_type = STR("application/grpc"),
				  .headers = &coding,
				  .header_count = 1,
				  .trailers = &status,
				  .trailer_count = 1};
	enum compress_kind kind = rpc_coding_find(coding.value);
	struct buf message = {0};

	(void)owner;
	assert_ok(compress_bytes(&message, kind, 0, STR("reply"), NULL));
	buf_put(&r.body, "\1\0\0\0", 4);
	buf_put_char(&r.body, (char)message.n);
	buf_put_str(&r.body, buf_str(&message));
	buf_fini(&message);
	http_respond(x, &r);
}

/* Never respond, for timeouts; the exchange ends when the server is freed. */
static struct http_exchange *_Atomic held;

static void on_gone(void *arg)
{
	(void)arg;
}

static void hold(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_on_gone(x, on_gone, NULL);
	held = x;
}

static const struct http_route routes[] = {
	{METHOD_POST | METHOD_GET, 0, STR_INIT("/echo"), echo},
	{METHOD_GET | METHOD_DELETE, 0, STR_INIT("/describe"), describe},
	{METHOD_GET, 0, STR_INIT("/busy"), busy},
	{METHOD_GET, 0, STR_INIT("/busy_until"), busy_until},
	{METHOD_POST | METHOD_GET, 0, STR_INIT("/hold"), hold},
	{METHOD_POST, HTTP_RPC, STR_INIT("/call"), call_echo},
	{METHOD_POST, HTTP_RPC, STR_INIT("/coded"), reply_coded},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

static char directory[] = "/tmp/varve-tls-XXXXXX";

static void make_identity(struct test_identity *id, const char *name)
{
	test_identity_make(id, directory, name, "IP:127.0.0.1");
}

static struct test_identity first, second, sender_id, named;
static struct test_server plain;

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(directory));
	make_identity(&first, "first");
	make_identity(&second, "second");
	make_identity(&sender_id, "sender");
	test_identity_make(&named, directory, "named", "DNS:telemetry.example");
	plain = test_server_start(&app, NULL);
	return 0;
}

static int teardown(void **state)
{
	const struct test_identity *ids[] = {&first, &second, &sender_id, &named};

	(void)state;
	net_server_free(plain.server);
	for (size_t i = 0; i < countof(ids); i++) {
		unlink(ids[i]->certificate);
		unlink(ids[i]->key);
	}
	rmdir(directory);
	return 0;
}

static struct test_server start_tls(const struct test_identity *id, const char *client_ca,
				    const struct net_options *options)
{
	struct net_tls_files files = {id->certificate, id->key, client_ca};
	struct net_listener listener = {.address = "127.0.0.1:0", .app = &app, .tls = &files};
	struct test_server t = {0};
	struct err e = {0};

	assert_ok_err(net_server_start(&t.server, &listener, 1, options, NULL, &e), &e);
	t.port = net_server_port(t.server, 0);
	return t;
}

/* Send one HTTP request with a new client. */
static int ask(uint16_t port, const char *scheme, const struct net_client_options *options,
	       struct http_client_request request, const char *path,
	       struct http_client_answer *answer, struct err *e)
{
	struct http_client *c;
	char url[128];
	int rc;

	snprintf(url, sizeof(url), "%s://127.0.0.1:%u%s", scheme, port, path);
	request.url = url;
	assert_ok(http_client_new(&c, options, NULL));
	rc = http_client_request(c, &request, answer, e);
	http_client_free(c);
	return rc;
}

/* Make one gRPC call with a new client. */
static int call(uint16_t port, bool tls, const struct net_client_options *options,
		struct grpc_client_request request, struct grpc_client_answer *answer,
		struct err *e)
{
	struct grpc_client *c;
	char address[32];
	int rc;

	snprintf(address, sizeof(address), "127.0.0.1:%u", port);
	assert_ok_err(grpc_client_new(&c, address, tls, options, e), e);
	if (!request.path.n)
		request.path = STR("/call");
	rc = grpc_client_call(c, &request, answer, e);
	grpc_client_free(c);
	return rc;
}

static void http_client_sends_and_receives(void **state)
{
	struct http_header more = {STR("x-more"), STR("m")};
	struct net_client_options token = {.token = "secret"},
				  basic = {.user = "u", .password = "p"};
	struct http_client_answer a;
	struct buf body = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_put_u64(&body, (uint64_t)i);
	assert_ok(ask(plain.port, "http", NULL,
		      (struct http_client_request){.body = buf_str(&body)}, "/echo", &a, NULL));
	assert_int_equal(a.status, 200);
	assert_true(str_eq(buf_str(&a.body), buf_str(&body)));
	assert_string_equal(a.content_type, "text/plain");
	http_client_answer_fini(&a);
	assert_ok(ask(plain.port, "http", &token,
		      (struct http_client_request){
			      .method = "DELETE", .headers = &more, .header_count = 1},
		      "/describe", &a, NULL));
	assert_str_equal(buf_str(&a.body), STR("DELETE Bearer secret m\n"));
	http_client_answer_fini(&a);
	assert_ok(ask(plain.port, "http", &basic, (struct http_client_request){0}, "/describe", &a,
		      NULL));
	assert_str_equal(buf_str(&a.body), STR("other Basic dTpw \n"));
	http_client_answer_fini(&a);
	assert_ok(
		ask(plain.port, "http", NULL, (struct http_client_request){0}, "/busy", &a, NULL));
	assert_int_equal(a.status, 503);
	assert_int_equal(a.retry_after_s, 3);
	http_client_answer_fini(&a);
	buf_fini(&body);
}

static void http_client_reads_a_date_of_retry_after(void **state)
{
	struct http_client_answer a;

	(void)state;
	assert_ok(ask(plain.port, "http", NULL, (struct http_client_request){0}, "/busy_until", &a,
		      NULL));
	assert_int_equal(a.status, 429);
	assert_in_range(a.retry_after_s, 1, 100);
	http_client_answer_fini(&a);
}

/* A body in pieces of very different sizes, and the same joined. */
struct pieces {
	struct buf joined;
	struct str at[3000];
};

static void make_pieces(struct pieces *p)
{
	size_t sizes[countof(p->at)], at = 0;

	*p = (struct pieces){0};
	for (size_t i = 0; i < countof(sizes); i++) {
		sizes[i] = i % 500 == 7 ? 100000 : i % 11 == 0 ? 700 : i % 5;
		for (size_t k = 0; k < sizes[i]; k++)
			buf_put_char(&p->joined, (char)('a' + (i + k) % 26));
	}
	for (size_t i = 0; i < countof(sizes); i++) {
		p->at[i] = str_of(p->joined.p + at, sizes[i]);
		at += sizes[i];
	}
}

static void bodies_in_pieces_arrive_joined(void **state)
{
	struct test_server t = start_tls(&first, NULL, NULL);
	struct net_client_options known = {.ca_file = first.certificate};
	static struct pieces p;
	static const enum compress_kind kinds[] = {COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD};

	(void)state;
	make_pieces(&p);
	for (int tls = 0; tls < 2; tls++) {
		uint16_t port = tls ? t.port : plain.port;
		struct http_client_request http = {.parts = p.at, .part_count = countof(p.at)};
		struct http_client_answer a;
		struct err e = {0};

		assert_ok_err(ask(port, tls ? "https" : "http", &known, http, "/echo", &a, &e), &e);
		assert_true(str_eq(buf_str(&a.body), buf_str(&p.joined)));
		http_client_answer_fini(&a);
		for (size_t i = 0; i < countof(kinds); i++) {
			struct grpc_client_request grpc = {.parts = p.at,
							   .part_count = countof(p.at),
							   .compression = kinds[i]};
			struct grpc_client_answer g;

			assert_ok_err(call(port, tls, &known, grpc, &g, &e), &e);
			assert_int_equal(g.code, RPC_OK);
			assert_true(str_eq(str_head(buf_str(&g.message), p.joined.n),
					   buf_str(&p.joined)));
			grpc_client_answer_fini(&g);
		}
	}
	buf_fini(&p.joined);
	net_server_free(t.server);
}

/* Servers in Go compress replies as the request was compressed, whatever the client accepts. */
static void replies_in_each_compression_are_read(void **state)
{
	static const struct str codings[] = {STR_INIT("gzip"), STR_INIT("zstd"), STR_INIT("snappy"),
					     STR_INIT("br")};

	(void)state;
	for (size_t i = 0; i < countof(codings); i++) {
		struct http_header coding = {STR("x-coding"), codings[i]};
		struct grpc_client_request r = {
			.path = STR("/coded"), .headers = &coding, .header_count = 1};
		struct grpc_client_answer a;
		struct err e = {0};
		int rc = call(plain.port, false, NULL, r, &a, &e);

		assert_true(a.accepted);
		if (i < 3) {
			assert_ok_err(rc, &e);
			assert_str_equal(buf_str(&a.message), STR("reply"));
		} else {
			assert_int_equal(rc, -EPROTO);
			assert_err_says(&e, "unsupported grpc-encoding \"br\" of the reply");
		}
		grpc_client_answer_fini(&a);
	}
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 8192);

	assert_non_null(f);
	assert_true(fread(text, 1, 8191, f) > 0);
	fclose(f);
	return text;
}

static void certificates_may_be_text(void **state)
{
	struct test_server t = start_tls(&first, sender_id.certificate, NULL);
	char *ca = read_text(first.certificate), *certificate = read_text(sender_id.certificate);
	char *key = read_text(sender_id.key);
	struct net_client_options known = {
		.ca_pem = ca, .certificate_pem = certificate, .key_pem = key, .min_tls = 13};
	struct net_client_options damaged = {.ca_pem = "no certificate"};
	struct http_client_answer a;
	struct grpc_client_answer g;
	struct grpc_client *c;
	struct err e = {0};

	(void)state;
	assert_ok_err(ask(t.port, "https", &known, (struct http_client_request){.body = STR("hi")},
			  "/echo", &a, &e),
		      &e);
	http_client_answer_fini(&a);
	assert_ok_err(call(t.port, true, &known, (struct grpc_client_request){0}, &g, &e), &e);
	grpc_client_answer_fini(&g);
	assert_int_equal(grpc_client_new(&c, "127.0.0.1:1", true, &damaged, &e), -EINVAL);
	assert_err_says(&e, "CA (PEM text)");
	free(ca);
	free(certificate);
	free(key);
	net_server_free(t.server);
}

static void the_name_in_the_certificate_may_differ_from_the_host(void **state)
{
	struct test_server t = start_tls(&named, NULL, NULL);
	struct net_client_options with = {.ca_file = named.certificate,
					  .server_name = "telemetry.example"};
	struct net_client_options without = {.ca_file = named.certificate};
	struct http_client_request request = {.body = STR("hi")};
	struct http_client_answer a;
	struct grpc_client_answer g;
	struct err e = {0};

	(void)state;
	assert_ok_err(ask(t.port, "https", &with, request, "/echo", &a, &e), &e);
	assert_str_equal(buf_str(&a.body), STR("hi"));
	http_client_answer_fini(&a);
	assert_int_equal(ask(t.port, "https", &without, request, "/echo", &a, NULL), -EACCES);
	http_client_answer_fini(&a);
	assert_ok_err(call(t.port, true, &with, (struct grpc_client_request){0}, &g, &e), &e);
	grpc_client_answer_fini(&g);
	assert_int_equal(call(t.port, true, &without, (struct grpc_client_request){0}, &g, NULL),
			 -EACCES);
	grpc_client_answer_fini(&g);
	net_server_free(t.server);
}

static void http_client_errors_contain_no_secrets(void **state)
{
	struct http_client_request request = {.url = "http://me:secret@127.0.0.1:1/x?y"};
	struct http_client_answer a;
	struct http_client *c;
	struct err e = {0};

	(void)state;
	assert_ok(http_client_new(&c, NULL, NULL));
	assert_int_equal(http_client_request(c, &request, &a, &e), -ECONNREFUSED);
	assert_err_says(&e, "http://127.0.0.1:1/x?y: ");
	assert_null(strstr(e.text, "secret"));
	http_client_answer_fini(&a);
	e = (struct err){0};
	request.url = "gopher://127.0.0.1/";
	assert_int_equal(http_client_request(c, &request, &a, &e), -EINVAL);
	http_client_answer_fini(&a);
	http_client_free(c);
}

static void http_client_limits_time_and_size(void **state)
{
	struct http_client_answer a;
	struct buf body = {0};
	struct err e = {0};

	(void)state;
	memset(buf_reserve(&body, 100000), 'a', 100000);
	body.n = 100000;
	assert_int_equal(
		ask(plain.port, "http", NULL,
		    (struct http_client_request){.body = buf_str(&body), .max_response = 1000},
		    "/echo", &a, &e),
		-EFBIG);
	assert_err_says(&e, "1000 bytes");
	http_client_answer_fini(&a);
	e = (struct err){0};
	assert_int_equal(ask(plain.port, "http", NULL,
			     (struct http_client_request){.timeout_ms = 100}, "/hold", &a, &e),
			 -ETIMEDOUT);
	http_client_answer_fini(&a);
	http_respond_text(held, 200, "late");
	buf_fini(&body);
}

static void https_needs_a_trusted_certificate(void **state)
{
	struct test_server t = start_tls(&first, NULL, NULL);
	struct net_client_options known = {.ca_file = first.certificate},
				  other = {.ca_file = second.certificate},
				  any = {.ca_file = second.certificate, .skip_verify = true};
	struct http_client_request request = {.body = STR("hi")};
	struct http_client_answer a;
	struct err e = {0};

	(void)state;
	assert_ok_err(ask(t.port, "https", &known, request, "/echo", &a, &e), &e);
	assert_str_equal(buf_str(&a.body), STR("hi"));
	http_client_answer_fini(&a);
	assert_int_equal(ask(t.port, "https", &other, request, "/echo", &a, &e), -EACCES);
	http_client_answer_fini(&a);
	assert_ok(ask(t.port, "https", &any, request, "/echo", &a, NULL));
	http_client_answer_fini(&a);
	/* Not TLS at all. */
	int fd = test_connect(t.port);
	struct buf b = {0};

	test_send(fd, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
	while (test_read_some(fd, &b))
		;
	assert_true(str_starts(buf_str(&b), STR("HTTP/1.1 400 ")));
	assert_true(str_ends(buf_str(&b), STR("\n")));
	buf_fini(&b);
	close(fd);
	net_server_free(t.server);
}

static void grpc_over_tls_is_h2_by_alpn(void **state)
{
	struct test_server t = start_tls(&first, NULL, NULL);
	struct net_client_options known = {.ca_file = first.certificate, .token = "tok"},
				  other = {.ca_file = second.certificate};
	struct grpc_client_request request = {.message = STR("hi")};
	struct grpc_client_answer a;
	struct net_stats stats;
	struct err e = {0};

	(void)state;
	assert_ok_err(call(t.port, true, &known, request, &a, &e), &e);
	assert_str_equal(buf_str(&a.message), STR("hi by TLS Bearer tok"));
	grpc_client_answer_fini(&a);
	assert_int_equal(call(t.port, true, &other, request, &a, &e), -EACCES);
	assert_err_says(&e, "self-signed certificate");
	grpc_client_answer_fini(&a);
	net_server_stats(t.server, &stats);
	assert_int_equal(stats.requests[HTTP_2][2], 1);
	net_server_free(t.server);
}

static void large_messages_pass_over_tls(void **state)
{
	struct test_server t = start_tls(&first, NULL, NULL);
	struct net_client_options known = {.ca_file = first.certificate};
	struct grpc_client_answer a;
	struct buf body = {0};

	(void)state;
	for (int i = 0; i < 500000; i++)
		buf_put_u64(&body, (uint64_t)i);
	assert_ok(call(t.port, true, &known,
		       (struct grpc_client_request){.message = buf_str(&body)}, &a, NULL));
	assert_int_equal(a.message.n, body.n + 8);
	grpc_client_answer_fini(&a);
	buf_fini(&body);
	net_server_free(t.server);
}

static void mutual_tls_accepts_only_trusted_clients(void **state)
{
	struct test_server t = start_tls(&first, sender_id.certificate, NULL);
	struct net_client_options nobody = {.ca_file = first.certificate};
	struct net_client_options sender = {.ca_file = first.certificate,
					    .certificate = sender_id.certificate,
					    .key = sender_id.key};
	struct net_client_options stranger = {
		.ca_file = first.certificate, .certificate = second.certificate, .key = second.key};
	struct grpc_client_request request = {.message = STR("hi")};
	struct grpc_client_answer a;
	struct err e = {0};

	(void)state;
	assert_ok_err(call(t.port, true, &sender, request, &a, &e), &e);
	grpc_client_answer_fini(&a);
	assert_true(call(t.port, true, &nobody, request, &a, &e) < 0);
	grpc_client_answer_fini(&a);
	assert_true(call(t.port, true, &stranger, request, &a, NULL) < 0);
	grpc_client_answer_fini(&a);
	net_server_free(t.server);
}

static void changed_certificates_are_reloaded_if_valid(void **state)
{
	struct test_identity id;
	struct test_server t;
	struct net_client_options known = {.ca_file = first.certificate},
				  later = {.ca_file = second.certificate};
	struct grpc_client_answer a;
	struct err e = {0};
	char command[512];

	(void)state;
	make_identity(&id, "served");
	snprintf(command, sizeof(command), "cp %s %s && cp %s %s", first.certificate,
		 id.certificate, first.key, id.key);
	assert_ok(system(command));
	t = start_tls(&id, NULL, NULL);
	assert_ok(call(t.port, true, &known, (struct grpc_client_request){0}, &a, NULL));
	grpc_client_answer_fini(&a);

	/* A new certificate without its key does not match: the old pair stays. */
	snprintf(command, sizeof(command), "cp %s %s", second.certificate, id.certificate);
	assert_ok(system(command));
	assert_true(net_server_reload_tls(t.server, &e) < 0);
	assert_err_says(&e, id.key);
	assert_ok(call(t.port, true, &known, (struct grpc_client_request){0}, &a, NULL));
	grpc_client_answer_fini(&a);

	snprintf(command, sizeof(command), "cp %s %s", second.key, id.key);
	assert_ok(system(command));
	assert_ok(net_server_reload_tls(t.server, NULL));
	assert_ok(call(t.port, true, &later, (struct grpc_client_request){0}, &a, NULL));
	grpc_client_answer_fini(&a);
	net_server_free(t.server);
	unlink(id.certificate);
	unlink(id.key);
}

static void invalid_tls_files_are_reported_by_name(void **state)
{
	const struct {
		struct net_tls_files files;
		const char *says;
	} cases[] = {
		{{"/nowhere/c.pem", first.key, NULL}, "certificate /nowhere/c.pem"},
		{{first.certificate, "/nowhere/k.pem", NULL}, "key /nowhere/k.pem"},
		{{first.key, first.key, NULL}, "certificate "},
		{{first.certificate, second.key, NULL}, "key "},
		{{first.certificate, first.key, "/nowhere/ca.pem"}, "client CA /nowhere/ca.pem"},
		{{first.certificate, NULL, NULL}, "both"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct net_listener listener = {
			.address = "127.0.0.1:0", .app = &app, .tls = &cases[i].files};
		struct net_server *s;
		struct err e = {0};

		assert_true(net_server_start(&s, &listener, 1, NULL, NULL, &e) < 0);
		assert_err_says(&e, cases[i].says);
	}
}

static void a_slow_handshake_times_out(void **state)
{
	struct net_options o;
	struct test_server t;
	int fd;

	(void)state;
	net_options_init(&o);
	o.handshake_timeout_ms = 100;
	t = start_tls(&first, NULL, &o);
	fd = test_connect(t.port);
	assert_true(test_is_closed(fd));
	close(fd);
	net_server_free(t.server);
}

static void grpc_client_reports_why_there_is_no_response(void **state)
{
	struct grpc_client_answer a;
	struct err e = {0};

	(void)state;
	assert_int_equal(call(1, false, NULL, (struct grpc_client_request){0}, &a, &e),
			 -ECONNREFUSED);
	assert_err_says(&e, "127.0.0.1:1/call: cannot connect");
	grpc_client_answer_fini(&a);
	e = (struct err){0};
	assert_int_equal(call(plain.port, false, NULL,
			      (struct grpc_client_request){.path = STR("/hold"), .timeout_ms = 100},
			      &a, &e),
			 -ETIMEDOUT);
	grpc_client_answer_fini(&a);
	http_respond_text(held, 200, "late");
}

static void grpc_client_reconnects_after_a_server_restart(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	struct net_listener listener = {.app = &app};
	struct grpc_client_request request = {.path = STR("/call")};
	struct grpc_client_answer a;
	struct grpc_client *c;
	char address[32];
	struct err e = {0};

	(void)state;
	snprintf(address, sizeof(address), "127.0.0.1:%u", t.port);
	listener.address = address;
	assert_ok(grpc_client_new(&c, address, false, NULL, NULL));
	assert_ok(grpc_client_call(c, &request, &a, NULL));
	grpc_client_answer_fini(&a);
	net_server_free(t.server);
	assert_ok_err(net_server_start(&t.server, &listener, 1, NULL, NULL, &e), &e);
	assert_ok_err(grpc_client_call(c, &request, &a, &e), &e);
	grpc_client_answer_fini(&a);
	grpc_client_free(c);
	net_server_free(t.server);
}

/* ---- a server that responds before it has the request ---- */

/* SETTINGS and WINDOW_UPDATE that permit a megabyte, and a response that is complete: code 14. */
static const char early_response[] = "\0\0\x06\x04\0\0\0\0\0\0\x04\0\x10\0\0"
				     "\0\0\x04\x08\0\0\0\0\0\0\x10\0\0"
				     "\0\0\x11\x01\x05\0\0\0\x01\x88\0\x0bgrpc-status\x02"
				     "14";

static void *respond_early(void *arg)
{
	struct buf received = {0};
	int fd = accept(*(int *)arg, NULL, NULL);

	/* the first window of a connection is 64 KiB */
	while (received.n < 65535 && test_read_some(fd, &received))
		;
	if (test_send(fd, str_of(early_response, sizeof(early_response) - 1)))
		while (test_read_some(fd, &received))
			;
	close(fd);
	buf_fini(&received);
	return NULL;
}

/* Sending the end of the request completes the call, because the response is there. */
static void a_call_that_is_answered_early_ends_when_the_request_is_sent(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct grpc_client_request request = {.message = str_of(calloc(1, 200000), 200000),
					      .timeout_ms = 60000};
	struct grpc_client_answer answer = {0};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t began = clock_monotonic_ns();
	socklen_t n = sizeof(at);
	struct err e = {0};
	pthread_t thread;

	(void)state;
	assert_non_null(request.message.p);
	assert_ok(bind(listener, (struct sockaddr *)&at, sizeof(at)));
	assert_ok(listen(listener, 1));
	assert_ok(getsockname(listener, (struct sockaddr *)&at, &n));
	assert_ok(pthread_create(&thread, NULL, respond_early, &listener));
	assert_ok_err(call(ntohs(at.sin_port), false, NULL, request, &answer, &e), &e);
	assert_int_equal(answer.code, RPC_UNAVAILABLE);
	assert_true(clock_monotonic_ns() - began < TEST_WAIT_MS * NS_PER_MS);
	pthread_join(thread, NULL);
	close(listener);
	grpc_client_answer_fini(&answer);
	free((char *)(uintptr_t)request.message.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(http_client_sends_and_receives),
		test(http_client_reads_a_date_of_retry_after),
		test(bodies_in_pieces_arrive_joined),
		test(replies_in_each_compression_are_read),
		test(certificates_may_be_text),
		test(the_name_in_the_certificate_may_differ_from_the_host),
		test(http_client_errors_contain_no_secrets),
		test(http_client_limits_time_and_size),
		test(https_needs_a_trusted_certificate),
		test(grpc_over_tls_is_h2_by_alpn),
		test(large_messages_pass_over_tls),
		test(mutual_tls_accepts_only_trusted_clients),
		test(changed_certificates_are_reloaded_if_valid),
		test(invalid_tls_files_are_reported_by_name),
		test(a_slow_handshake_times_out),
		test(grpc_client_reports_why_there_is_no_response),
		test(grpc_client_reconnects_after_a_server_restart),
		test(a_call_that_is_answered_early_ends_when_the_request_is_sent),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
