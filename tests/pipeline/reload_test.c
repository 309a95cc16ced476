/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reloads of a running service: clients send without a pause over connections that stay, and what
 * was acknowledged arrives at an exporter that answers later, from its own thread.
 */
#include "pipeline/service.h"

#include <stdatomic.h>

#include "net/rpc/grpc_client.h"
#include "test/net.h"

#define PORT_ADDRESS "127.0.0.1:0"

/* ---- an exporter that keeps deliveries for a while ---- */

static _Atomic uint64_t exported;
static _Atomic int instances;

enum { SLOW_MAX = 1000 };

struct slow_settings {
	bool fail;
};

struct slow_exporter {
	bool fail, started, ends;
	pthread_mutex_t mu;
	pthread_cond_t work;
	pthread_t thread;
	struct delivery *held[SLOW_MAX]; /* a ring */
	unsigned first, count;
};

static int slow_create(void **out, const struct component_env *env, const void *settings,
		       struct err *e)
{
	struct slow_exporter *x = calloc(1, sizeof(*x));

	(void)env, (void)e;
	assert_non_null(x);
	x->fail = ((const struct slow_settings *)settings)->fail;
	pthread_mutex_init(&x->mu, NULL);
	pthread_cond_init(&x->work, NULL);
	instances++;
	*out = x;
	return 0;
}

static void *slow_run(void *arg)
{
	struct slow_exporter *x = arg;

	pthread_mutex_lock(&x->mu);
	while (!x->ends || x->count) {
		struct delivery *d = x->held[x->first];

		if (!x->count) {
			pthread_cond_wait(&x->work, &x->mu);
			continue;
		}
		x->first = (x->first + 1) % SLOW_MAX;
		x->count--;
		pthread_mutex_unlock(&x->mu);
		usleep(200);
		exported += d->payload->items;
		delivery_done(d, &(struct delivery_result){0});
		pthread_mutex_lock(&x->mu);
	}
	pthread_mutex_unlock(&x->mu);
	return NULL;
}

static int slow_start(void *instance, struct err *e)
{
	struct slow_exporter *x = instance;

	if (x->fail)
		return err_set(e, -EIO, "asked to fail");
	x->started = true;
	return -pthread_create(&x->thread, NULL, slow_run, x);
}

static bool slow_consume(void *instance, struct delivery *d)
{
	struct slow_exporter *x = instance;

	pthread_mutex_lock(&x->mu);
	if (x->ends || !x->started || x->count == SLOW_MAX)
		abort(); /* data before start() or after stop() */
	x->held[(x->first + x->count++) % SLOW_MAX] = d;
	pthread_cond_signal(&x->work);
	pthread_mutex_unlock(&x->mu);
	return false;
}

static void slow_stop(void *instance)
{
	struct slow_exporter *x = instance;

	pthread_mutex_lock(&x->mu);
	x->ends = true;
	pthread_cond_signal(&x->work);
	pthread_mutex_unlock(&x->mu);
	if (x->started)
		pthread_join(x->thread, NULL);
}

static void slow_destroy(void *instance)
{
	struct slow_exporter *x = instance;

	pthread_cond_destroy(&x->work);
	pthread_mutex_destroy(&x->mu);
	instances--;
	free(x);
}

static const struct setting slow_table[] = {
	SET_BOOL(struct slow_settings, fail, "fail", "false", "Fail to start."),
	SET_END,
};

static const struct component slow = {.name = "slow",
				      .kind = COMPONENT_EXPORTER,
				      .signals = SIGNAL_TRACES,
				      .form = FORM_PAYLOAD,
				      .settings = slow_table,
				      .settings_size = sizeof(struct slow_settings),
				      .create = slow_create,
				      .start = slow_start,
				      .consume = slow_consume,
				      .stop = slow_stop,
				      .destroy = slow_destroy};

static const struct component *const slow_components[] = {&slow, NULL};

/* ---- configurations ---- */

#define RECEIVER                                                                                   \
	"receivers: {otlp: {protocols: {http: {endpoint: '" PORT_ADDRESS "'},"                     \
	" grpc: {endpoint: '" PORT_ADDRESS "'}}}}\n"
#define PIPELINE(processors, exporter)                                                             \
	"service: {pipelines: {traces: {receivers: [otlp], processors: [" processors               \
	"], exporters: [" exporter "]}}}\n"

static const char plain[] = RECEIVER "exporters: {slow: }\n" PIPELINE("", "slow");

struct fixture {
	struct config *config;
	struct host host;
	struct service *service;
	struct err e;
};

static struct config *parse_config(struct fixture *f, const char *text)
{
	struct config *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	assert_ok(config_init(c, NULL));
	assert_ok_err(config_parse(c, str_from(text), "c.yaml", NULL, NULL, &f->e), &f->e);
	return c;
}

static void free_config(struct config *c)
{
	config_fini(c);
	free(c);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	exported = 0;
	if (!f || host_init(&f->host, 2, 64 * MIB, NULL, &f->e))
		return -1;
	f->config = parse_config(f, plain);
	assert_ok_err(service_new(&f->service, f->config, &f->host, slow_components, &f->e), &f->e);
	assert_ok_err(service_start(f->service, NULL, &f->e), &f->e);
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	service_free(f->service);
	assert_int_equal(instances, 0);
	host_fini(&f->host);
	free_config(f->config);
	free(f);
	return 0;
}

/* Reload; on success the old configuration is freed, as it may be. */
static int reload(struct fixture *f, const char *text)
{
	struct config *next = parse_config(f, text);
	struct service_reload r = {.config = next, .timeout_ms = TEST_WAIT_MS};
	int rc;

	f->e = (struct err){0};
	rc = service_reload(&f->service, &r, &f->e);
	free_config(rc ? next : f->config);
	if (!rc)
		f->config = next;
	return rc;
}

/* Return a socket that listens on a free port. */
static int test_listen(uint16_t *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_ok(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	assert_ok(listen(fd, 1));
	assert_ok(getsockname(fd, (struct sockaddr *)&at, &n));
	*port = ntohs(at.sin_port);
	return fd;
}

static uint16_t port_of(const struct fixture *f)
{
	return listeners_port(&f->host.listeners, STR(PORT_ADDRESS));
}

/* ---- clients ---- */

/* A request with one span without fields but its ids. */
static const char one_span[] = "\x0a\x22\x12\x20\x12\x1e\x0a\x10"
			       "0123456789abcdef"
			       "\x12\x08"
			       "01234567"
			       "\x2a\x00";

enum { CLIENTS = 3 };

struct client {
	pthread_t thread;
	uint16_t port;
	_Atomic bool ends;
	_Atomic uint64_t acknowledged; /* spans */
	unsigned bad_status;
	_Atomic bool lost; /* the connection */
	struct err e;
};

/* Send one request over the connection. Return false if it is lost. */
static bool send_spans(struct client *c, int fd, struct test_answer *a)
{
	struct buf request = {0};
	size_t from = a->end;
	bool sent;

	buf_printf(&request,
		   "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
		   "application/x-protobuf\r\nContent-Length: %zu\r\n\r\n",
		   sizeof(one_span) - 1);
	buf_put_str(&request, str_of(one_span, sizeof(one_span) - 1));
	sent = test_send(fd, buf_str(&request));
	buf_fini(&request);
	while (sent && !test_answer_parse(a, from, false))
		sent = test_read_some(fd, &a->bytes) > 0;
	if (sent && a->status == 200)
		c->acknowledged += 1;
	else if (sent)
		c->bad_status = a->status;
	buf_clear(&a->bytes);
	a->end = 0;
	return sent;
}

static void *run_http_client(void *arg)
{
	struct client *c = arg;
	struct test_answer a = {0};
	int fd = test_connect(c->port);

	while (!c->ends && !c->lost)
		c->lost = !send_spans(c, fd, &a);
	close(fd);
	test_answer_fini(&a);
	return NULL;
}

static void *run_grpc_client(void *arg)
{
	struct client *c = arg;
	struct grpc_client_request request = {
		.path = STR("/opentelemetry.proto.collector.trace.v1.TraceService/Export"),
		.message = str_of(one_span, sizeof(one_span) - 1)};
	struct net_client_options options = {0};
	struct grpc_client *client = NULL;
	char address[32];

	snprintf(address, sizeof(address), "127.0.0.1:%u", c->port);
	c->lost = grpc_client_new(&client, address, false, &options, &c->e);
	while (!c->ends && !c->lost) {
		struct grpc_client_answer a = {0};

		c->lost = grpc_client_call(client, &request, &a, &c->e);
		if (!c->lost && a.code == RPC_OK)
			c->acknowledged += 1;
		else
			c->bad_status = a.code;
		grpc_client_answer_fini(&a);
	}
	grpc_client_free(client);
	return NULL;
}

static void start_clients(struct client *all, uint16_t port)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		all[i] = (struct client){.port = port};
		assert_ok(pthread_create(&all[i].thread, NULL,
					 i ? run_http_client : run_grpc_client, &all[i]));
	}
}

/* Let each client get some acknowledgements. */
static void wait_for_clients(struct client *all)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		uint64_t before = all[i].acknowledged;
		uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;

		while (!all[i].lost && all[i].acknowledged < before + 5 &&
		       clock_monotonic_ns() < until)
			usleep(1000);
		if (all[i].acknowledged < before + 5)
			fail_msg("client %u: lost %d, status %u, %s", i, all[i].lost,
				 all[i].bad_status, all[i].e.text);
	}
}

/* Stop the clients and check that nothing was refused. Return the acknowledged spans. */
static uint64_t stop_clients(struct client *all)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLIENTS; i++)
		all[i].ends = true;
	for (unsigned i = 0; i < CLIENTS; i++) {
		assert_ok(pthread_join(all[i].thread, NULL));
		assert_false(all[i].lost);
		assert_int_equal(all[i].bad_status, 0);
		sum += all[i].acknowledged;
	}
	return sum;
}

/* ---- tests ---- */

static void nothing_is_lost_by_reloads_under_load(void **state)
{
	static const char *const texts[] = {
		RECEIVER "processors: {batch: {timeout: 50ms}}\n"
			 "exporters: {slow: }\n" PIPELINE("batch", "slow"),
		RECEIVER "processors: {memory_limiter: {limit_mib: 4000}}\n"
			 "exporters: {slow/2: }\n" PIPELINE("memory_limiter", "slow/2"),
		plain,
	};
	struct fixture *f = *state;
	struct client all[CLIENTS];
	uint16_t port = port_of(f);
	uint64_t acknowledged;

	start_clients(all, port);
	for (unsigned i = 0; i < 20; i++) {
		wait_for_clients(all);
		assert_ok_err(reload(f, texts[i % countof(texts)]), &f->e);
		assert_int_equal(port_of(f), port);
		assert_int_equal(instances, 1);
	}
	wait_for_clients(all);
	acknowledged = stop_clients(all);
	service_stop(f->service, TEST_WAIT_MS);
	assert_true(acknowledged > 300);
	assert_int_equal(exported, acknowledged);
}

/* Errors of each step: settings, addresses, start. The old configuration goes on. */
static void a_bad_configuration_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct client all[CLIENTS];
	struct buf taken = {0};
	uint16_t port = port_of(f), blocked_port;
	uint64_t acknowledged;
	int blocked = test_listen(&blocked_port);

	buf_printf(&taken,
		   "receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:%u'}}}}\n"
		   "exporters: {slow: }\n" PIPELINE("", "slow"),
		   blocked_port);
	buf_put_char(&taken, '\0');
	start_clients(all, port);
	for (unsigned i = 0; i < 3; i++) {
		wait_for_clients(all);
		assert_int_equal(reload(f, RECEIVER
					"exporters: {slow: {fial: true}}\n" PIPELINE("", "slow")),
				 -EINVAL);
		assert_err_says(&f->e, "c.yaml:2:20: exporter slow: unknown option \"fial\"; did "
				       "you mean \"fail\"?");
		assert_int_equal(reload(f, taken.p), -EADDRINUSE);
		assert_err_says(&f->e, "127.0.0.1:");
		assert_int_equal(instances, 1);
		wait_for_clients(all);
		assert_int_equal(reload(f, RECEIVER
					"exporters: {slow: {fail: true}}\n" PIPELINE("", "slow")),
				 -EIO);
		assert_err_says(&f->e, "exporter slow: asked to fail");
		assert_non_null(f->service);
		assert_int_equal(port_of(f), port);
		assert_int_equal(instances, 1);
	}
	wait_for_clients(all);
	acknowledged = stop_clients(all);
	service_stop(f->service, TEST_WAIT_MS);
	assert_int_equal(exported, acknowledged);
	close(blocked);
	buf_fini(&taken);
}

static int refuse(void *owner, struct service *next, const struct config *config, struct err *e)
{
	assert_non_null(next);
	assert_non_null(config);
	++*(unsigned *)owner;
	return err_set(e, -EPERM, "refused by the caller");
}

static void the_caller_can_refuse_a_configuration(void **state)
{
	struct fixture *f = *state;
	unsigned calls = 0;
	struct config *next = parse_config(f, plain);
	struct service_reload r = {.config = next, .created = refuse, .owner = &calls};

	assert_int_equal(service_reload(&f->service, &r, &f->e), -EPERM);
	assert_err_says(&f->e, "refused by the caller");
	assert_int_equal(calls, 1);
	assert_int_equal(instances, 1);
	free_config(next);
	assert_ok_err(reload(f, plain), &f->e);
}

/* Receivers of other addresses come and go; clients of the closed one are disconnected. */
static void addresses_can_change(void **state)
{
	struct fixture *f = *state;
	struct buf other = {0};
	struct test_answer a = {0};
	struct client c = {0};
	uint16_t old = port_of(f), port;
	int unused = test_listen(&port), fd = test_connect(old);

	close(unused);
	assert_true(send_spans(&c, fd, &a));
	buf_printf(&other,
		   "receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:%u'}}}}\n"
		   "exporters: {slow: }\n" PIPELINE("", "slow"),
		   port);
	buf_put_char(&other, '\0');
	assert_ok_err(reload(f, other.p), &f->e);
	assert_true(test_is_closed(fd));
	close(fd);
	fd = test_connect(port);
	assert_true(send_spans(&c, fd, &a));
	assert_int_equal(c.acknowledged, 2);
	close(fd);
	test_answer_fini(&a);
	buf_fini(&other);
}

TEST_MAIN(test_with(fixture, nothing_is_lost_by_reloads_under_load),
	  test_with(fixture, a_bad_configuration_changes_nothing),
	  test_with(fixture, the_caller_can_refuse_a_configuration),
	  test_with(fixture, addresses_can_change))
