/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control of this process by a server that the test scripts: leases are applied, confirmed and
 * ended, profiles are uploaded, and the limits of the process hold.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http/respond.h"
#include "sdk/control/control_thread.h"
#include "test/net.h"
#include "wire/control_message.h"

enum { PATIENCE_MS = 60000 };

/* What the server answers, and what it has got. */
static struct {
	pthread_mutex_t mu;
	struct control_order order;
	struct control_report last; /* without its strings */
	char instance[64], lease_error[256], capture_error[256], service[64];
	unsigned reports, instances; /* instances: changes of the reporting instance */
	size_t uploaded;
	char first_bytes[2];
} server = {.mu = PTHREAD_MUTEX_INITIALIZER};

static void note_report(const struct control_report *r)
{
	char before[64];

	memcpy(before, server.instance, sizeof(before));
	server.last = *r;
	snprintf(server.instance, sizeof(server.instance), "%.*s", STR_ARG(r->instance));
	snprintf(server.service, sizeof(server.service), "%.*s", STR_ARG(r->service));
	snprintf(server.lease_error, sizeof(server.lease_error), "%.*s", STR_ARG(r->lease_error));
	snprintf(server.capture_error, sizeof(server.capture_error), "%.*s",
		 STR_ARG(r->capture_error));
	server.instances += strcmp(before, server.instance) != 0;
	server.reports++;
}

static void handle_poll(void *owner, struct http_exchange *x)
{
	struct http_response response = {.status = 200};
	struct control_report r;
	int rc = control_report_decode(&r, x->body, NULL);

	(void)owner;
	pthread_mutex_lock(&server.mu);
	if (!rc)
		note_report(&r);
	rc = rc ? rc : control_order_encode(&response.body, &server.order);
	pthread_mutex_unlock(&server.mu);
	response.status = rc ? 400 : 200;
	http_respond(x, &response);
}

static void handle_profile(void *owner, struct http_exchange *x)
{
	(void)owner;
	pthread_mutex_lock(&server.mu);
	server.uploaded = x->body.n;
	if (x->body.n >= 2)
		memcpy(server.first_bytes, x->body.p, 2);
	server.order.capture = 0;
	pthread_mutex_unlock(&server.mu);
	http_respond_text(x, 200, "ok");
}

static void handle_other(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "ok");
}

static const struct http_route routes[] = {
	{.methods = METHOD_POST, .path = STR_INIT("/api/v1/agent/poll"), .handler = handle_poll},
	{.methods = METHOD_POST,
	 .path = STR_INIT("/api/v1/agent/profile"),
	 .handler = handle_profile,
	 .max_body = CONTROL_PROFILE_MAX},
	{.methods = METHOD_POST,
	 .flags = HTTP_PREFIX,
	 .path = STR_INIT("/v1"),
	 .handler = handle_other},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};
static struct test_server running;

static void set_order(struct control_order order)
{
	pthread_mutex_lock(&server.mu);
	order.poll_ms = 200;
	server.order = order;
	pthread_mutex_unlock(&server.mu);
}

/* Wait until the last report fulfils the condition. */
#define wait_until(condition)                                                                      \
	do {                                                                                       \
		uint64_t end = clock_monotonic_ns() + PATIENCE_MS * NS_PER_MS;                     \
		bool is = false;                                                                   \
                                                                                                   \
		while (!is && clock_monotonic_ns() < end) {                                        \
			pthread_mutex_lock(&server.mu);                                            \
			is = (condition);                                                          \
			pthread_mutex_unlock(&server.mu);                                          \
			usleep(10000);                                                             \
		}                                                                                  \
		if (!is)                                                                           \
			fail_msg("not within a minute: %s", #condition);                           \
	} while (0)

static int setup(void **state)
{
	char endpoint[64];
	struct varve_options o = {.service_name = "controlled",
				  .endpoint = endpoint,
				  .profiles = VARVE_CPU,
				  .cpu_hz = 100,
				  .control_max_hz = 400,
				  .control_profiles = VARVE_CPU | VARVE_MUTEX | VARVE_THREADS,
				  .no_link = 1,
				  .no_metrics = 1,
				  .no_traces = 1};

	(void)state;
	o.guards.max_cpu = 1;
	set_order((struct control_order){0});
	server.reports = 0;
	running = test_server_start(&app, NULL);
	snprintf(endpoint, sizeof(endpoint), "http://127.0.0.1:%u", running.port);
	assert_int_equal(varve_start(&o), 0);
	wait_until(server.reports > 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	varve_stop();
	net_server_free(running.server);
	return 0;
}

static void a_report_says_what_is_profiled_and_permitted(void **state)
{
	(void)state;
	assert_string_equal(server.service, "controlled");
	assert_int_equal(server.last.now.profiles, VARVE_CPU);
	assert_int_equal(server.last.now.cpu_hz, 100);
	assert_int_equal(server.last.max_cpu_hz, 400);
	assert_int_equal(server.last.max_profiles, VARVE_CPU | VARVE_MUTEX | VARVE_THREADS);
	assert_int_equal(server.last.pid, getpid());
}

static void a_lease_is_applied_confirmed_and_ended(void **state)
{
	(void)state;
	set_order((struct control_order){.lease = 10,
					 .remaining_ms = 60000,
					 .settings = {.has_profiles = true,
						      .profiles = VARVE_CPU | VARVE_MUTEX,
						      .cpu_hz = 250}});
	wait_until(server.last.lease == 10 && server.last.lease_state == CONTROL_LEASE_APPLIED);
	assert_int_equal(server.last.now.cpu_hz, 250);
	assert_int_equal(server.last.now.profiles, VARVE_CPU | VARVE_MUTEX);
	set_order((struct control_order){0});
	wait_until(server.last.lease_state == CONTROL_LEASE_ENDED);
	assert_int_equal(server.last.now.cpu_hz, 100);
	assert_int_equal(server.last.now.profiles, VARVE_CPU);
}

static void a_lease_ends_by_itself_while_the_server_still_sends_it(void **state)
{
	(void)state;
	set_order((struct control_order){
		.lease = 11, .remaining_ms = 1500, .settings = {.cpu_hz = 300}});
	wait_until(server.last.lease == 11 && server.last.lease_state == CONTROL_LEASE_ENDED);
	assert_int_equal(server.last.now.cpu_hz, 100);
	assert_string_equal(server.lease_error, "its time is over");
}

static void a_change_of_the_program_ends_the_lease(void **state)
{
	(void)state;
	set_order((struct control_order){
		.lease = 12, .remaining_ms = 60000, .settings = {.cpu_hz = 200}});
	wait_until(server.last.lease == 12 && server.last.lease_state == CONTROL_LEASE_APPLIED);
	assert_int_equal(varve_set_cpu_hz(50), 0);
	wait_until(server.last.lease_state == CONTROL_LEASE_ENDED);
	assert_int_equal(server.last.now.cpu_hz, 50);
}

static void a_lease_beyond_the_limits_is_refused(void **state)
{
	(void)state;
	set_order((struct control_order){
		.lease = 13, .remaining_ms = 60000, .settings = {.cpu_hz = 401}});
	wait_until(server.last.lease == 13 && server.last.lease_state == CONTROL_LEASE_REFUSED);
	assert_int_equal(server.last.now.cpu_hz, 100);
	assert_non_null(strstr(server.lease_error, "control.max_cpu_hz (400)"));
}

static void a_profile_is_taken_and_uploaded(void **state)
{
	(void)state;
	server.uploaded = 0;
	set_order((struct control_order){
		.capture = 20, .capture_kind = VARVE_THREADS, .capture_seconds = 1});
	wait_until(server.uploaded > 0);
	assert_memory_equal(server.first_bytes, "\x1f\x8b", 2); /* gzip */
	wait_until(server.last.capture == 20 && server.last.capture_state == CONTROL_CAPTURE_DONE);
	set_order((struct control_order){
		.capture = 21, .capture_kind = VARVE_HEAP, .capture_seconds = 1});
	wait_until(server.last.capture == 21 &&
		   server.last.capture_state == CONTROL_CAPTURE_FAILED);
	assert_non_null(strstr(server.capture_error, "control.profiles"));
	set_order((struct control_order){
		.capture = 22, .capture_kind = VARVE_CPU, .capture_seconds = 100});
	wait_until(server.last.capture == 22 &&
		   server.last.capture_state == CONTROL_CAPTURE_FAILED);
	assert_non_null(strstr(server.capture_error, "max_seconds"));
}

/* varve_stop() does not wait for the end of a long profile. */
static void a_stop_ends_a_profile_early(void **state)
{
	uint64_t begin;

	(void)state;
	set_order((struct control_order){
		.capture = 23, .capture_kind = VARVE_CPU, .capture_seconds = 30});
	wait_until(server.last.capture == 23 &&
		   server.last.capture_state == CONTROL_CAPTURE_RUNNING);
	begin = clock_monotonic_ns();
	varve_stop();
	assert_true(clock_monotonic_ns() - begin < 25 * NS_PER_SECOND);
}

static void a_forked_child_reports_as_an_instance_of_its_own(void **state)
{
	unsigned before;
	int status;
	pid_t pid;

	(void)state;
#ifdef __SANITIZE_THREAD__
	print_message("# the thread sanitizer permits no threads in a forked child\n");
	skip();
#endif
	pthread_mutex_lock(&server.mu);
	before = server.instances;
	pthread_mutex_unlock(&server.mu);
	pid = fork();
	if (!pid) {
		usleep(4000000);
		_exit(0);
	}
	wait_until(server.instances > before);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	wait_until(server.last.pid == (uint64_t)getpid()); /* the parent goes on */
}

static void control_is_on_for_loopback_servers_only(void **state)
{
	static const struct {
		const char *endpoint;
		enum varve_control control;
		bool wanted;
	} cases[] = {
		{NULL, VARVE_CONTROL_AUTO, true},
		{"http://127.0.0.1:4318", VARVE_CONTROL_AUTO, true},
		{"http://[::1]:4318", VARVE_CONTROL_AUTO, true},
		{"http://localhost:4040", VARVE_CONTROL_AUTO, true},
		{"http://127.0.0.1:4318", VARVE_CONTROL_OFF, false},
		{"http://varve:4318", VARVE_CONTROL_AUTO, false},
		{"http://127.example.com:4318", VARVE_CONTROL_AUTO, false},
		{"https://varve.example:4318", VARVE_CONTROL_ON, true},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct varve_options o = {.endpoint = cases[i].endpoint,
					  .control = cases[i].control};

		if (control_thread_wanted(&o) != cases[i].wanted)
			fail_msg("%s", cases[i].endpoint);
		o.directory = "/tmp";
		assert_false(control_thread_wanted(&o));
	}
}

#define with_server(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(control_is_on_for_loopback_servers_only),
		with_server(a_report_says_what_is_profiled_and_permitted),
		with_server(a_lease_is_applied_confirmed_and_ended),
		with_server(a_lease_ends_by_itself_while_the_server_still_sends_it),
		with_server(a_change_of_the_program_ends_the_lease),
		with_server(a_lease_beyond_the_limits_is_refused),
		with_server(a_profile_is_taken_and_uploaded),
		with_server(a_stop_ends_a_profile_early),
		with_server(a_forked_child_reports_as_an_instance_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
