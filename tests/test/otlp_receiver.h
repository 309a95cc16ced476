/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_OTLP_RECEIVER_H
#define VARVE_TEST_OTLP_RECEIVER_H

/*
 * A second instance for tests of exporters: a service with the receivers of OTLP and Pyroscope on
 * one port of loopback, and an exporter that counts.
 */

#include <stdatomic.h>
#include <stddef.h>

#include "pipeline/service.h"
#include "test/test.h"

struct test_receiver {
	struct config config;
	struct host host;
	struct service *service;
	uint16_t port;
	_Atomic bool busy; /* refuse everything */
	_Atomic unsigned requests;
	_Atomic uint64_t items[SIGNALS];
};

static int test_receiver_create(void **instance, const struct component_env *env,
				const void *settings, struct err *e)
{
	(void)settings;
	(void)e;
	*instance = (char *)env->host - offsetof(struct test_receiver, host);
	return 0;
}

static bool test_receiver_consume(void *instance, struct delivery *d)
{
	struct test_receiver *r = instance;
	struct delivery_result result = {0};

	if (atomic_load(&r->busy))
		result = (struct delivery_result){
			.rc = -EAGAIN, .retry_after_ms = 1000, .reason = "busy"};
	else
		atomic_fetch_add(&r->items[signal_index(d->signal)], delivery_items(d));
	atomic_fetch_add(&r->requests, 1);
	d->copied = true;
	delivery_done(d, &result);
	return true;
}

static void test_receiver_destroy(void *instance)
{
	(void)instance;
}

static const struct component test_receiver_exporter = {
	.name = "count",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES,
	.form = FORM_ANY,
	.create = test_receiver_create,
	.consume = test_receiver_consume,
	.destroy = test_receiver_destroy,
};

static inline void test_receiver_start(struct test_receiver *r)
{
	static const struct component *const more[] = {&test_receiver_exporter, NULL};
	static const char text[] =
		"receivers: {otlp: {protocols: {grpc: {endpoint: '127.0.0.1:0'}, http: {endpoint: "
		"'127.0.0.1:0'}}}, pyroscope: {endpoint: '127.0.0.1:0'}}\n"
		"exporters: {count: }\n"
		"service: {pipelines: {profiles: {receivers: [otlp, pyroscope], exporters: "
		"[count]}, "
		"traces: {receivers: [otlp], exporters: [count]}}}\n";
	struct err e = {0};

	*r = (struct test_receiver){0};
	assert_ok(config_init(&r->config, NULL));
	assert_ok(host_init(&r->host, 1, 256 * MIB, NULL, &e));
	assert_ok_err(config_parse(&r->config, str_from(text), "r.yaml", NULL, NULL, &e), &e);
	assert_ok_err(service_new(&r->service, &r->config, &r->host, more, &e), &e);
	assert_ok_err(service_start(r->service, NULL, &e), &e);
	r->port = listeners_port(&r->host.listeners, STR("127.0.0.1:0"));
	assert_true(r->port > 0);
}

static inline void test_receiver_stop(struct test_receiver *r)
{
	service_stop(r->service, 1000);
	service_free(r->service);
	host_fini(&r->host);
	config_fini(&r->config);
}

#endif
