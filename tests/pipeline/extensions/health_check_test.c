/* SPDX-License-Identifier: Apache-2.0 */
/* health_check: what probes get while the pipelines run. */
#include "pipeline/extensions/health_check/health_check.h"

#include "pipeline/service.h"
#include "test/net.h"

#define PIPELINE                                                                                   \
	"receivers: {otlp: {protocols: {grpc: {endpoint: '127.0.0.1:0'}}}}\n"                      \
	"exporters: {nop: }\n"                                                                     \
	"service: {extensions: [health_check], pipelines: {traces: {receivers: [otlp], "           \
	"exporters: "                                                                              \
	"[nop]}}}\n"

struct fixture {
	struct config config;
	struct host host;
	struct service *service;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || config_init(&f->config, NULL) || host_init(&f->host, 1, MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	service_free(f->service);
	host_fini(&f->host);
	config_fini(&f->config);
	free(f);
	return 0;
}

static void build_service(struct fixture *f, const char *text)
{
	char whole[1000];

	snprintf(whole, sizeof(whole), "%s%s", text, PIPELINE);
	assert_ok_err(config_parse(&f->config, str_from(whole), "c.yaml", NULL, NULL, &f->e),
		      &f->e);
	assert_ok_err(service_new(&f->service, &f->config, &f->host, NULL, &f->e), &f->e);
}

static void run_service(struct fixture *f, const char *text)
{
	struct net_options options;

	build_service(f, text);
	net_options_init(&options);
	assert_ok_err(service_start(f->service, &options, &f->e), &f->e);
}

static void ask(int fd, const char *path, struct test_answer *a)
{
	char request[200];

	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: pod\r\n\r\n", path);
	assert_true(test_send(fd, str_from(request)));
	test_next_answer(fd, a);
}

static void running_pipelines_are_healthy(void **state)
{
	struct fixture *f = *state;
	struct test_answer a = {0};
	int fd;

	run_service(f, "extensions: {health_check: {endpoint: '127.0.0.1:0', path: /up}}\n");
	/* The receiver listens on any free port, too. */
	fd = test_connect(listeners_port(&f->host.listeners, STR("127.0.0.1:0")));
	ask(fd, "/up", &a);
	assert_int_equal(a.status, 200);
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	assert_true(str_starts(a.body, STR("{\"status\":\"Server available\",\"upSince\":\"20")));
	assert_true(str_ends(a.body, STR("s\"}")));
	ask(fd, "/other", &a);
	assert_int_equal(a.status, 404);
	close(fd);
	test_answer_fini(&a);
}

static void the_body_can_be_configured(void **state)
{
	struct fixture *f = *state;
	struct test_answer a = {0};
	int fd;

	run_service(f,
		    "extensions: {health_check: {endpoint: 'localhost:0', response_body: {healthy: "
		    "fine}}}\n");
	fd = test_connect(listeners_port(&f->host.listeners, STR("localhost:0")));
	ask(fd, "/", &a);
	assert_int_equal(a.status, 200);
	assert_str_equal(a.body, STR("fine"));
	close(fd);
	test_answer_fini(&a);
}

static void a_path_starts_with_a_slash(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(config_parse(&f->config,
				   STR("extensions: {health_check: {path: up}}\n" PIPELINE),
				   "c.yaml", NULL, NULL, &f->e),
		      &f->e);
	assert_int_equal(service_check(&f->config, NULL, &f->e), -EINVAL);
	assert_err_says(&f->e, "\"path\" must start with /");
}

TEST_MAIN(test_with(fixture, running_pipelines_are_healthy),
	  test_with(fixture, the_body_can_be_configured),
	  test_with(fixture, a_path_starts_with_a_slash))
