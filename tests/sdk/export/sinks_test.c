/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sinks: metadata that they send with the data, and how they handle responses. gRPC is tested
 * against our server, /ingest against one that records requests.
 */
#include <errno.h>

#include "net/http/header.h"
#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"
#include "sdk/export/export.h"
#include "sdk/export/http_answer.h"
#include "sdk/export/sink_otlp.h"
#include "sdk/export/sink_pyroscope.h"
#include "seal/sealed_file.h"
#include "test/http_sink.h"
#include "test/net.h"
#include "wire/text.h"

/* State of the gRPC server: it records a header of the last call, and fails the first calls. */
static struct {
	_Atomic unsigned calls;
	unsigned failures;
	struct rpc_error failure;
	char cost[128], sealed[32], message[4096];
	size_t message_size;
} peer;

static void export_profiles(void *owner, struct http_exchange *x)
{
	struct rpc_call *c = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!c)
		return;
	snprintf(peer.cost, sizeof(peer.cost), "%.*s",
		 STR_ARG(http_header(x, STR("varve-profiler"))));
	snprintf(peer.sealed, sizeof(peer.sealed), "%.*s",
		 STR_ARG(http_header(x, STR("varve-sealed"))));
	peer.message_size = min_size(c->message.n, sizeof(peer.message));
	if (peer.message_size)
		memcpy(peer.message, c->message.p, peer.message_size);
	if (atomic_fetch_add(&peer.calls, 1) < peer.failures)
		rpc_fail(c, &peer.failure);
	else
		rpc_reply(c, &reply);
}

static const struct http_route routes[] = {
	{METHOD_POST, HTTP_RPC,
	 STR_INIT("/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"),
	 export_profiles},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

static struct export_item *a_profile(void)
{
	struct export_item *item = export_item_new(EXPORT_PROFILES);

	assert_non_null(item);
	item->kind = VARVE_CPU;
	item->start_unix_ns = 1000000000;
	item->duration_ns = 5;
	buf_put_str(&item->body, STR("profile"));
	return item;
}

/* Deliver one item with one attempt. */
static int deliver(struct sink *sink, uint64_t *retry_after_ms)
{
	struct export_item *item = a_profile();
	struct err e = {0};
	int rc = sink->deliver(sink, item, 5000, retry_after_ms, &e);

	export_item_free(item);
	return rc;
}

static void assert_cost(const char *text)
{
	unsigned long long samples, lost, cpu_ns;

	assert_non_null(text);
	assert_int_equal(
		sscanf(text, "samples=%llu lost=%llu cpu_ns=%llu", &samples, &lost, &cpu_ns), 3);
	assert_true(lost <= samples);
}

static struct sink *grpc_sink(struct test_server *server, unsigned failures,
			      const struct rpc_error *failure)
{
	struct sink *sink;
	struct err e = {0};
	char url[64];

	peer.calls = 0;
	peer.failures = failures;
	if (failure)
		peer.failure = *failure;
	peer.cost[0] = 0;
	*server = test_server_start(&app, NULL);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", server->port);
	assert_ok_err(sink_otlp_grpc(&sink, url, &(struct otlp_sink_options){0}, &e), &e);
	return sink;
}

static void end(struct test_server *server, struct sink *sink)
{
	sink->free(sink);
	net_server_free(server->server);
}

static void a_call_reports_the_profilers_overhead(void **state)
{
	struct test_server server;
	struct sink *sink = grpc_sink(&server, 0, NULL);
	uint64_t after = 0;

	(void)state;
	assert_ok(deliver(sink, &after));
	assert_int_equal(peer.calls, 1);
	assert_cost(peer.cost);
	end(&server, sink);
}

static void retry_info_of_a_server_is_respected(void **state)
{
	static const struct {
		struct rpc_error failure;
		int rc;
		uint64_t after;
	} cases[] = {
		{{.code = RPC_UNAVAILABLE, .message = STR_INIT("later"), .retry_after_ms = 2500},
		 -EAGAIN,
		 2500},
		{{.code = RPC_UNAVAILABLE, .message = STR_INIT("later")}, -EAGAIN, 0},
		{{.code = RPC_RESOURCE_EXHAUSTED,
		  .message = STR_INIT("full"),
		  .retry_after_ms = 1000},
		 -EAGAIN,
		 1000},
		{{.code = RPC_RESOURCE_EXHAUSTED, .message = STR_INIT("too large")}, -EREMOTEIO, 0},
		{{.code = RPC_INVALID_ARGUMENT, .message = STR_INIT("no"), .retry_after_ms = 1000},
		 -EREMOTEIO,
		 1000},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct test_server server;
		struct sink *sink = grpc_sink(&server, 1, &cases[i].failure);
		uint64_t after = 0;

		assert_int_equal(deliver(sink, &after), cases[i].rc);
		assert_int_equal(after, cases[i].after);
		assert_ok(deliver(sink, &after));
		end(&server, sink);
	}
}

static void malformed_error_details_are_ignored(void **state)
{
	static const char *const texts[] = {"", "!!!!", "AAAA", "GgA", "GgQKAgoA", "CAgSBGZ1bGw"};
	struct rpc_error error = {.code = RPC_UNAVAILABLE, .retry_after_ms = 90};
	struct buf status = {0}, text = {0};
	uint64_t ms = 77;

	(void)state;
	for (size_t i = 0; i < countof(texts); i++)
		assert_false(post_retry_info(str_from(texts[i]), &ms));
	assert_int_equal(ms, 77);
	rpc_status_encode(&status, &error);
	base64_encode(&text, buf_str(&status));
	assert_true(post_retry_info(buf_str(&text), &ms));
	assert_int_equal(ms, 90);
	/* truncated anywhere: the delay never gets longer */
	for (size_t n = 0; n < text.n; n++) {
		ms = 0;
		post_retry_info(str_head(buf_str(&text), n), &ms);
		assert_true(ms <= 90);
	}
	buf_fini(&status);
	buf_fini(&text);
}

static void ingest_has_the_labels_and_reports_the_profilers_overhead(void **state)
{
	const struct keyvalue resource[] = {
		{STR("service.name"), VALUE_OF_STR(STR("shop/front"))},
		{STR("service.version"), VALUE_OF_STR(STR("v2"))},
		{STR("region"), VALUE_OF_STR(STR("eu,west}"))},
		{STR("process.pid"), VALUE_OF_INT(42)},
		{STR("not a label"), VALUE_OF_STR(STR("x"))},
	};
	struct http_sink server;
	struct sink *sink;
	struct err e = {0};
	uint64_t after = 0;
	const char *head;

	(void)state;
	http_sink_start(&server);
	assert_ok_err(sink_pyroscope(&sink, server.url, &(struct otlp_sink_options){0}, resource,
				     countof(resource), &e),
		      &e);
	assert_ok(deliver(sink, &after));
	head = server.requests[0].head;
	assert_non_null(strstr(head, "POST /ingest?name=shop%2Ffront%7Bservice.version%3Dv2%2C"
				     "region%3Deu_west_%2Cprocess.pid%3D42%7D&from=1000000000&"
				     "until=1000000005&"));
	head = strstr(head, "\r\nvarve-profiler: ");
	assert_non_null(head);
	assert_cost(head + strlen("\r\nvarve-profiler: "));
	sink->free(sink);
	http_sink_stop(&server);
}

static struct key_ring *make_keys(void)
{
	static const uint8_t key[SEAL_KEY] = {7};
	struct key_ring *keys;
	struct err e = {0};

	assert_ok_err(key_ring_of_key(&keys, key, &e), &e);
	return keys;
}

/* Check that the body is encrypted, and return its content. */
static void assert_sealed(struct buf *out, struct str body, struct key_ring *keys)
{
	struct err e = {0};

	assert_int_equal(sealed_form_of(body), SEALED_BINARY);
	assert_true(str_find_str(body, STR("profile")) == body.n);
	assert_ok_err(sealed_read(out, body, keys, &e), &e);
}

static void bodies_of_http_are_encrypted(void **state)
{
	struct key_ring *keys = make_keys();
	const struct otlp_sink_options options = {.keys = keys, .no_compression = true};
	const struct keyvalue resource[] = {
		{STR("service.name"), VALUE_OF_STR(STR("shop"))},
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct http_sink server;
		struct buf content = {0};
		struct err e = {0};
		uint64_t after = 0;
		struct sink *sink;

		http_sink_start(&server);
		if (i)
			assert_ok_err(sink_pyroscope(&sink, server.url, &options, resource,
						     countof(resource), &e),
				      &e);
		else
			assert_ok_err(sink_otlp_http(&sink, server.url, &options, &e), &e);
		assert_ok(deliver(sink, &after));
		assert_non_null(
			strstr(server.requests[0].head, "\r\nVarve-Sealed: aes-256-gcm\r\n"));
		assert_sealed(&content, buf_str(&server.requests[0].body), keys);
		if (i)
			assert_true(str_starts(buf_str(&content), STR("--varve")));
		else
			assert_str_equal(buf_str(&content), STR("profile"));
		buf_fini(&content);
		sink->free(sink);
		http_sink_stop(&server);
	}
	key_ring_unref(keys);
}

static void messages_of_grpc_are_encrypted(void **state)
{
	struct key_ring *keys = make_keys();
	const struct otlp_sink_options options = {.keys = keys, .no_compression = true};
	struct test_server server = test_server_start(&app, NULL);
	struct buf content = {0};
	struct err e = {0};
	uint64_t after = 0;
	struct sink *sink;
	char url[64];

	(void)state;
	peer.failures = 0;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
	assert_ok_err(sink_otlp_grpc(&sink, url, &options, &e), &e);
	assert_ok(deliver(sink, &after));
	assert_sealed(&content, str_of(peer.message, peer.message_size), keys);
	assert_str_equal(buf_str(&content), STR("profile"));
	assert_string_equal(peer.sealed, "aes-256-gcm");
	buf_fini(&content);
	end(&server, sink);
	key_ring_unref(keys);
}

static void labels_over_the_limit_are_left_out(void **state)
{
	char large[2000];
	struct keyvalue resource[] = {
		{STR("service.name"), VALUE_OF_STR(STR("shop"))},
		{STR("large"), VALUE_OF_STR(str_of(large, sizeof(large)))},
		{STR("small"), VALUE_OF_STR(STR("yes"))},
	};
	struct http_sink server;
	struct sink *sink;
	uint64_t after = 0;

	(void)state;
	memset(large, ' ', sizeof(large));
	http_sink_start(&server);
	assert_ok(sink_pyroscope(&sink, server.url, &(struct otlp_sink_options){0}, resource,
				 countof(resource), NULL));
	assert_ok(deliver(sink, &after));
	assert_non_null(strstr(server.requests[0].head, "?name=shop%7Bsmall%3Dyes%7D&"));
	sink->free(sink);
	http_sink_stop(&server);
}

TEST_MAIN(test(a_call_reports_the_profilers_overhead), test(retry_info_of_a_server_is_respected),
	  test(malformed_error_details_are_ignored),
	  test(ingest_has_the_labels_and_reports_the_profilers_overhead),
	  test(labels_over_the_limit_are_left_out), test(bodies_of_http_are_encrypted),
	  test(messages_of_grpc_are_encrypted))
