/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /debug/pprof and /debug/profiling of a program that links libvarve.so: every route, parameter and
 * error.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "sdk/taken.h"
#include "test/net.h"

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone))
#endif

static uint16_t port;
static _Atomic bool end_of_work;
static _Atomic unsigned rounds;
static pthread_t worker;
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static void *held;

KEEP static void spin_a_little(void)
{
	volatile unsigned x UNUSED = 0;

	for (unsigned i = 0; i < 200000; i++)
		x += i;
}

KEEP static void *allocate_and_keep(void)
{
	void *p = malloc(3 << 20);

	__asm__ volatile("" : "+r"(p));
	return p;
}

KEEP static void lock_and_unlock(void)
{
	pthread_mutex_lock(&contended);
	spin_a_little();
	pthread_mutex_unlock(&contended);
	__asm__ volatile("");
}

/* Free a block whose allocation the compiler must not remove. */
KEEP static void use(void *p)
{
	__asm__ volatile("" : "+r"(p));
	free(p);
}

static void *work(void *arg)
{
	(void)arg;
	while (!atomic_load(&end_of_work)) {
		spin_a_little();
		lock_and_unlock();
		use(malloc(100000));
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

static void nothing(void *arg, enum varve_profile kind, const void *pprof, size_t size,
		    uint64_t start_unix_ns, uint64_t duration_ns)
{
	(void)arg, (void)kind, (void)pprof, (void)size, (void)start_unix_ns, (void)duration_ns;
}

/* Return a port that was free just now. */
static uint16_t free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_ok(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	assert_ok(getsockname(fd, (struct sockaddr *)&at, &size));
	close(fd);
	return ntohs(at.sin_port);
}

static int service_setup(void **state)
{
	char listen[32];
	struct varve_options o = {.profiles = 0xff & ~(VARVE_WALL | VARVE_THREADS),
				  .cpu_hz = 500,
				  .heap_interval = 1,
				  .block_interval_ns = 1,
				  .listen = listen,
				  .listen_hosts = "debug.corp, *.svc.local",
				  .no_link = 1,
				  .on_profile = nothing};
	int rc = -EADDRINUSE;

	(void)state;
	o.guards.max_per_minute = 1000;
	o.guards.max_cpu = 1;
	/* another process may have taken the port meanwhile */
	for (unsigned i = 0; i < 20 && rc == -EADDRINUSE; i++) {
		port = free_port();
		snprintf(listen, sizeof(listen), "127.0.0.1:%u", port);
		rc = varve_start(&o);
	}
	if (rc)
		fail_msg("varve_start: %d: %s", rc, varve_last_error());
	atomic_store(&end_of_work, false);
	held = allocate_and_keep();
	atomic_store(&rounds, 0);
	assert_ok(pthread_create(&worker, NULL, work, NULL));
	while (atomic_load(&rounds) < 3)
		usleep(1000);
	if (!INTERPOSED)
		usleep(1200000); /* new threads are found within a second */
	return 0;
}

static int service_teardown(void **state)
{
	(void)state;
	atomic_store(&end_of_work, true);
	pthread_join(worker, NULL);
	free(held);
	varve_stop();
	return 0;
}

/* Read until the peer closes the connection. */
static void read_answer(int fd, struct test_answer *a)
{
	uint64_t status = 0;
	size_t head;

	while (test_read_some(fd, &a->bytes))
		;
	head = str_find_str(buf_str(&a->bytes), STR("\r\n\r\n"));
	if (head == a->bytes.n)
		fail_msg("no answer: %.*s", STR_ARG(buf_str(&a->bytes)));
	a->head = str_head(buf_str(&a->bytes), head);
	a->body = str_from_at(buf_str(&a->bytes), head + 4);
	assert_ok(str_to_u64(str_of(a->head.p + 9, 3), 10, &status));
	a->status = (unsigned)status;
}

/*
 * Send one request with these headers and return its response; the caller calls test_answer_fini().
 */
static struct test_answer ask_as(const char *headers, const char *method, const char *path,
				 const char *body)
{
	struct test_answer a = {0};
	struct buf request = {0};
	int fd = test_connect(port);

	buf_printf(&request, "%s %s HTTP/1.1\r\n%sContent-Length: %zu\r\n\r\n%s", method, path,
		   headers, strlen(body), body);
	assert_true(test_send(fd, buf_str(&request)));
	read_answer(fd, &a);
	close(fd);
	buf_fini(&request);
	return a;
}

static struct test_answer ask_with(const char *method, const char *path, const char *body)
{
	return ask_as("Host: localhost\r\n", method, path, body);
}

static struct test_answer ask(const char *path)
{
	return ask_with("GET", path, "");
}

#define assert_header(a, name, value) assert_str_equal(test_answer_header((a), (name)), STR(value))

static bool says(const struct test_answer *a, const char *text)
{
	return str_find_str(a->body, str_from(text)) < a->body.n;
}

/* Request a profile and decode it. */
static void ask_profile(struct taken *t, struct test_answer *a, const char *path)
{
	*a = ask(path);
	if (a->status != 200)
		fail_msg("%s: %u %.*s", path, a->status, STR_ARG(a->body));
	assert_header(a, "Content-Type", "application/octet-stream");
	assert_header(a, "X-Content-Type-Options", "nosniff");
	taken_read(t, a->body.p, a->body.n);
}

static void done(struct taken *t, struct test_answer *a)
{
	taken_fini(t);
	test_answer_fini(a);
}

static void the_index_lists_every_profile(void **state)
{
	static const char *const names[] = {"allocs", "block",	"goroutine",	"heap",
					    "mutex",  "mmap",	"threadcreate", "profile",
					    "wall",   "cmdline"};
	static const char *const paths[] = {"/debug/pprof/", "/debug/pprof"};

	(void)state;
	for (unsigned i = 0; i < countof(paths); i++) {
		struct test_answer a = ask(paths[i]);

		assert_int_equal(a.status, 200);
		assert_header(&a, "Content-Type", "text/html; charset=utf-8");
		for (unsigned k = 0; k < countof(names); k++)
			assert_true(says(&a, names[k]));
		test_answer_fini(&a);
	}
}

static void a_cpu_profile_takes_the_requested_time(void **state)
{
	struct test_answer a;
	struct taken t;

	(void)state;
	ask_profile(&t, &a, "/debug/pprof/profile?seconds=1");
	assert_header(&a, "Content-Disposition", "attachment; filename=\"profile\"");
	/* a sanitizer's malloc() uses CPU time, too */
	assert_true(taken_percent(&t, "cpu", "spin_a_little") > (INTERPOSED ? 80 : 10));
	done(&t, &a);
}

static void heap_and_allocs_show_live_blocks(void **state)
{
	static const char *const paths[] = {"/debug/pprof/heap", "/debug/pprof/heap?gc=1",
					    "/debug/pprof/allocs"};

	(void)state;
	needs_interposed();
	for (unsigned i = 0; i < countof(paths); i++) {
		struct test_answer a;
		struct taken t;

		ask_profile(&t, &a, paths[i]);
		assert_int_equal(taken_sum(&t, "inuse_space", "allocate_and_keep", NULL, NULL),
				 3 << 20);
		assert_true(taken_sum(&t, "alloc_space", "work", NULL, NULL) > 0);
		done(&t, &a);
	}
}

static void the_seconds_parameter_returns_a_delta_of_other_profiles(void **state)
{
	struct test_answer a;
	struct taken t;

	(void)state;
	needs_interposed();
	ask_profile(&t, &a, "/debug/pprof/allocs?seconds=1");
	assert_header(&a, "Content-Disposition", "attachment; filename=\"allocs-delta\"");
	assert_int_equal(taken_sum(&t, "alloc_space", "allocate_and_keep", NULL, NULL), 0);
	assert_true(taken_sum(&t, "alloc_space", "work", NULL, NULL) > 0);
	done(&t, &a);
	ask_profile(&t, &a, "/debug/pprof/heap?seconds=1");
	done(&t, &a);
	ask_profile(&t, &a, "/debug/pprof/block?seconds=1");
	done(&t, &a);
}

static void lock_profiles_show_waiters_and_holders(void **state)
{
	struct test_answer a;
	struct taken t;

	(void)state;
	needs_interposed();
	for (unsigned i = 0; i < 200; i++)
		lock_and_unlock();
	ask_profile(&t, &a, "/debug/pprof/mutex");
	assert_true(taken_sum(&t, "delay", "lock_and_unlock", NULL, NULL) > 0);
	done(&t, &a);
	ask_profile(&t, &a, "/debug/pprof/block");
	assert_true(taken_sum(&t, "delay", "lock_and_unlock", NULL, NULL) > 0);
	done(&t, &a);
}

static void the_goroutine_profile_lists_threads(void **state)
{
	static const char *const paths[] = {"/debug/pprof/goroutine", "/debug/pprof/threads"};

	(void)state;
	for (unsigned i = 0; i < countof(paths); i++) {
		struct test_answer a;
		struct taken t;

		ask_profile(&t, &a, paths[i]);
		assert_int_equal(taken_sum(&t, "goroutine", "work", NULL, NULL), 1);
		done(&t, &a);
	}
}

static void threadcreate_shows_the_creators_of_threads(void **state)
{
	struct test_answer a;
	struct taken t;

	(void)state;
	needs_interposed();
	ask_profile(&t, &a, "/debug/pprof/threadcreate");
	assert_int_equal(taken_sum(&t, "threadcreate", "service_setup", NULL, NULL), 1);
	done(&t, &a);
}

static void the_wall_profiler_runs_during_the_request(void **state)
{
	struct test_answer a;
	struct taken t;

	(void)state;
	ask_profile(&t, &a, "/debug/pprof/wall?seconds=1");
	assert_true(taken_sum(&t, "wall", "work", NULL, NULL) > 0);
	done(&t, &a);
}

static void the_debug_parameter_returns_text(void **state)
{
	static const char *const paths[] = {
		"/debug/pprof/heap?debug=1",	    "/debug/pprof/allocs?debug=1",
		"/debug/pprof/mutex?debug=1",	    "/debug/pprof/block?debug=1",
		"/debug/pprof/goroutine?debug=1",   "/debug/pprof/goroutine?debug=2",
		"/debug/pprof/threadcreate?debug=1"};

	(void)state;
	for (unsigned i = 0; i < countof(paths); i++) {
		struct test_answer a = ask(paths[i]);

		assert_int_equal(a.status, 200);
		assert_header(&a, "Content-Type", "text/plain; charset=utf-8");
		assert_true(says(&a, " profile: "));
		test_answer_fini(&a);
	}
}

static void a_full_thread_dump_has_names_and_frames(void **state)
{
	struct test_answer a = ask("/debug/pprof/goroutine?debug=2");

	(void)state;
	assert_true(says(&a, "thread.name="));
	assert_true(says(&a, "endpoint_test"));
	assert_true(says(&a, "\twork\t"));
	test_answer_fini(&a);
}

static void metrics_are_prometheus_text(void **state)
{
	struct varve_attribute route[] = {varve_str("route", "/cart")};
	struct test_answer a;

	(void)state;
	varve_add_with(varve_counter("endpoint.requests", "{request}", "Requests"), 2, route, 1);
	a = ask("/metrics");
	assert_int_equal(a.status, 200);
	assert_header(&a, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
	assert_true(says(&a, "\nprocess_resident_memory_bytes "));
	assert_true(says(&a, "# TYPE endpoint_requests_total counter\n"
			     "endpoint_requests_total{route=\"/cart\"} 2\n"));
	test_answer_fini(&a);
}

static void cmdline_is_argv(void **state)
{
	struct test_answer a = ask("/debug/pprof/cmdline");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_header(&a, "Content-Type", "text/plain; charset=utf-8");
	assert_true(says(&a, "endpoint_test"));
	test_answer_fini(&a);
}

static void the_symbol_endpoint_resolves_addresses(void **state)
{
	struct test_answer a;
	char text[128], expected[128];
	uintptr_t known = (uintptr_t)spin_a_little, other = (uintptr_t)allocate_and_keep;

	(void)state;
	a = ask("/debug/pprof/symbol");
	assert_str_equal(a.body, STR("num_symbols: 1\n"));
	test_answer_fini(&a);
	snprintf(text, sizeof(text), "/debug/pprof/symbol?0x%lx", known);
	a = ask(text);
	snprintf(expected, sizeof(expected), "num_symbols: 1\n0x%lx spin_a_little\n", known);
	assert_str_equal(a.body, str_from(expected));
	test_answer_fini(&a);
	snprintf(text, sizeof(text), "0x%lx+0x%lx+garbage+", known, other);
	a = ask_with("POST", "/debug/pprof/symbol", text);
	assert_true(says(&a, "spin_a_little"));
	assert_true(says(&a, "allocate_and_keep"));
	test_answer_fini(&a);
}

/* Requests that are rejected, and the error texts. */
static const struct {
	const char *method, *path;
	unsigned status;
	const char *says;
} refusals[] = {
	{"GET", "/", 404, "/debug/pprof/"},
	{"GET", "/debug/pprofx", 404, "/debug/pprof/"},
	{"GET", "/debug/pprof/nothing", 404, "Unknown profile"},
	{"GET", "/debug/pprof/trace?seconds=1", 404, "Unknown profile"},
	{"GET", "/debug/pprof/heap?seconds=x", 400, "seconds"},
	{"GET", "/debug/pprof/heap?seconds=-1", 400, "seconds"},
	{"GET", "/debug/pprof/heap?seconds=1&debug=1", 400, "incompatible"},
	{"GET", "/debug/pprof/profile?seconds=31", 429, "max_seconds"},
	{"GET", "/debug/pprof/heap?seconds=4000000000", 429, "max_seconds"},
	{"PUT", "/debug/profiling", 405, "GET, POST or DELETE"},
	{"POST", "/metrics", 405, "GET"},
	{"POST", "/debug/profiling?profiles=nonsense", 400, "profiles: \"nonsense\""},
	{"POST", "/debug/profiling?cpu_hz=0", 400, "cpu_hz"},
	{"POST", "/debug/profiling?cpu_hz=1001", 400, "cpu_hz"},
};

static void invalid_requests_are_rejected_with_a_reason(void **state)
{
	(void)state;
	for (unsigned i = 0; i < countof(refusals); i++) {
		struct test_answer a = ask_with(refusals[i].method, refusals[i].path, "");

		if (a.status != refusals[i].status || !says(&a, refusals[i].says))
			fail_msg("%s: %u %.*s", refusals[i].path, a.status, STR_ARG(a.body));
		assert_header(&a, "X-Go-Pprof", "1"); /* makes pprof show the text */
		assert_header(&a, "Content-Type", "text/plain; charset=utf-8");
		test_answer_fini(&a);
	}
}

static unsigned status_of(struct str request)
{
	struct test_answer a = {0};
	int fd = test_connect(port);
	unsigned status;

	(void)test_send(fd, request);
	read_answer(fd, &a);
	status = a.status;
	test_answer_fini(&a);
	close(fd);
	return status;
}

static void requests_are_limited_in_size_and_time(void **state)
{
	struct buf large = {0};

	(void)state;
	assert_int_equal(status_of(STR("nonsense\r\n\r\n")), 400);
	assert_int_equal(status_of(STR("GET nowhere HTTP/1.1\r\n\r\n")), 400);
	assert_int_equal(status_of(STR("GET / SPDY/3\r\n\r\n")), 400);
	assert_int_equal(status_of(STR("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")),
			 413);
	assert_int_equal(status_of(STR("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n")), 413);
	buf_printf(&large, "GET / HTTP/1.1\r\n");
	for (unsigned i = 0; i < 2000; i++)
		buf_printf(&large, "X-%u: aaaaaaaaaaaaaaaa\r\n", i);
	assert_int_equal(status_of(buf_str(&large)), 431);
	assert_int_equal(status_of(STR("GET / HTT")), 408); /* the rest is missing for 5 s */
	buf_fini(&large);
}

static void *ask_one(void *arg)
{
	struct test_answer a = ask("/debug/pprof/profile?seconds=2");

	*(unsigned *)arg = a.status;
	test_answer_fini(&a);
	return NULL;
}

static void several_concurrent_profiles_are_all_returned(void **state)
{
	unsigned status[4] = {0};
	pthread_t threads[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_ok(pthread_create(&threads[i], NULL, ask_one, &status[i]));
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(status[i], 200);
	}
}

static void more_than_eight_connections_get_503(void **state)
{
	struct test_answer a = {0};
	int fds[8], fd;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		fds[i] = test_connect(port);
	usleep(300000); /* until they are accepted */
	fd = test_connect(port);
	read_answer(fd, &a);
	assert_int_equal(a.status, 503);
	test_answer_fini(&a);
	close(fd);
	for (unsigned i = 0; i < 8; i++)
		close(fds[i]);
}

static void the_control_endpoint_starts_stops_and_reports(void **state)
{
	struct test_answer a = ask("/debug/profiling");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_header(&a, "Content-Type", "application/json");
	assert_true(says(&a, "\"enabled\":true"));
	assert_true(says(&a, "\"cpu_hz\":500"));
	test_answer_fini(&a);
	a = ask_with("DELETE", "/debug/profiling", "");
	assert_header(&a, "Content-Type", "text/plain; charset=utf-8");
	assert_str_equal(a.body, STR("Profiling disabled\n"));
	test_answer_fini(&a);
	a = ask("/debug/profiling");
	assert_true(says(&a, "\"enabled\":false"));
	assert_true(says(&a, "\"profiles\":\"\""));
	test_answer_fini(&a);
	a = ask_with("POST", "/debug/profiling", "profiles=cpu,wall&cpu_hz=50");
	assert_int_equal(a.status, 200);
	assert_str_equal(a.body, STR("Profiling enabled\n"));
	test_answer_fini(&a);
	a = ask("/debug/profiling");
	assert_true(says(&a, "\"profiles\":\"cpu,wall\""));
	assert_true(says(&a, "\"cpu_hz\":50,"));
	test_answer_fini(&a);
	a = ask_with("POST", "/debug/profiling", "{\"profile\": \"heap\"}");
	assert_int_equal(a.status, 400);
	assert_true(says(&a, "unknown setting \"profile\""));
	test_answer_fini(&a);
	a = ask_with("POST", "/debug/profiling", "enabled=false");
	assert_str_equal(a.body, STR("Profiling disabled\n"));
	test_answer_fini(&a);
	a = ask_with("POST", "/debug/profiling", ""); /* the initial state */
	assert_str_equal(a.body, STR("Profiling enabled\n"));
	test_answer_fini(&a);
	a = ask("/debug/profiling");
	assert_true(says(&a, "heap"));
	test_answer_fini(&a);
}

static void rates_and_thresholds_are_set_by_json(void **state)
{
	struct test_answer a;

	(void)state;
	a = ask_with(
		"POST", "/debug/profiling",
		"{\"profiles\": [\"cpu\", \"wall\"], \"wall_hz\": 7, \"heap_interval\": \"64KB\","
		" \"block_interval\": \"5us\", \"slow_span\": \"250ms\", \"cpu_threshold\": 0.5}");
	assert_int_equal(a.status, 200);
	assert_header(&a, "Content-Type", "application/json");
	assert_true(says(&a, "\"profiles\":\"cpu,wall\""));
	assert_true(says(&a, "\"wall_hz\":7,"));
	assert_true(says(&a, "\"heap_interval\":64000,"));
	assert_true(says(&a, "\"block_interval_ns\":5000,"));
	test_answer_fini(&a);
	/* what is not named stays */
	a = ask_as("Host: localhost\r\nAccept: application/json\r\n", "POST", "/debug/profiling",
		   "wall_hz=20");
	assert_true(says(&a, "\"profiles\":\"cpu,wall\""));
	assert_true(says(&a, "\"wall_hz\":20,"));
	assert_true(says(&a, "\"heap_interval\":64000,"));
	test_answer_fini(&a);
	a = ask_with("POST", "/debug/profiling", "cpu_threshold=2");
	assert_int_equal(a.status, 400);
	assert_true(says(&a, "cpu_threshold: \"2\": expected a share"));
	test_answer_fini(&a);
	a = ask_with("POST", "/debug/profiling", "");
	test_answer_fini(&a);
}

/* Start the library on a free port with a token, which may be NULL. */
static void start_with_token(const char *host, const char *token)
{
	char listen[64];
	struct varve_options o = {.listen = listen,
				  .listen_hosts = "*",
				  .listen_token = token,
				  .no_link = 1,
				  .on_profile = nothing};
	int rc = -EADDRINUSE;

	for (unsigned i = 0; i < 20 && rc == -EADDRINUSE; i++) {
		port = free_port();
		snprintf(listen, sizeof(listen), "%s:%u", host, port);
		rc = varve_start(&o);
	}
	assert_int_equal(rc, 0);
}

static void a_configured_token_is_required(void **state)
{
	static const struct {
		const char *headers;
		unsigned status;
	} cases[] = {
		{"Host: localhost\r\n", 401},
		{"Host: localhost\r\nAuthorization: Bearer secret-secret-1\r\n", 401},
		{"Host: localhost\r\nAuthorization: Bearer secret-secret\r\n", 401},
		{"Host: localhost\r\nAuthorization: Basic secret-secret-2\r\n", 401},
		{"Host: localhost\r\nAuthorization: Bearer secret-secret-2\r\n", 200},
		{"Host: localhost\r\nauthorization: bearer  secret-secret-2\r\n", 200},
	};

	(void)state;
	start_with_token("127.0.0.1", "secret-secret-2");
	for (unsigned i = 0; i < countof(cases); i++) {
		struct test_answer a = ask_as(cases[i].headers, "DELETE", "/debug/profiling", "");

		assert_int_equal(a.status, cases[i].status);
		test_answer_fini(&a);
		a = ask_as(cases[i].headers, "GET", "/debug/pprof/cmdline", "");
		assert_int_equal(a.status, cases[i].status);
		test_answer_fini(&a);
	}
	varve_stop();
}

/* Find an address of this machine that is not loopback. */
static bool find_other_address(char out[INET_ADDRSTRLEN])
{
	struct ifaddrs *all = NULL;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		const struct sockaddr_in *at = (const void *)i->ifa_addr;

		if (!at || at->sin_family != AF_INET || i->ifa_flags & IFF_LOOPBACK)
			continue;
		found = inet_ntop(AF_INET, &at->sin_addr, out, INET_ADDRSTRLEN) != NULL;
	}
	freeifaddrs(all);
	return found;
}

/* Send a request to an address. Return the status. */
static unsigned status_at(const char *host, const char *method)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct test_answer a = {0};
	char text[200];
	unsigned status;
	int fd = socket(AF_INET, SOCK_STREAM, 0), n;

	assert_int_equal(inet_pton(AF_INET, host, &at.sin_addr), 1);
	assert_ok(connect(fd, (struct sockaddr *)&at, sizeof(at)));
	n = snprintf(text, sizeof(text), "%s /debug/profiling HTTP/1.1\r\nHost: x\r\n\r\n", method);
	assert_int_equal(send(fd, text, (size_t)n, 0), n);
	read_answer(fd, &a);
	status = a.status;
	test_answer_fini(&a);
	return status;
}

static void other_machines_change_nothing_without_a_token(void **state)
{
	char host[INET_ADDRSTRLEN];

	(void)state;
	if (!find_other_address(host)) {
		print_message("# no address other than loopback\n");
		skip();
	}
	start_with_token("0.0.0.0", NULL);
	assert_int_equal(status_at(host, "GET"), 200);
	assert_int_equal(status_at(host, "DELETE"), 403);
	assert_int_equal(status_at(host, "POST"), 403);
	assert_int_equal(status_at("127.0.0.1", "DELETE"), 200);
	varve_stop();
}

/* An invalid address is an error; one that is in use is reported, and the rest runs. */
static void an_address_in_use_or_invalid_is_reported(void **state)
{
	static const char *const wrong[] = {"6060", "nowhere:1", "127.0.0.1:x", "256.0.0.1:80"};
	char taken[32];
	struct varve_options o = {.listen = taken, .on_profile = nothing};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	varve_stop();
	assert_ok(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	assert_ok(listen(fd, 1));
	assert_ok(getsockname(fd, (struct sockaddr *)&at, &size));
	snprintf(taken, sizeof(taken), "127.0.0.1:%u", ntohs(at.sin_port));
	assert_ok(varve_start(&o));
	assert_non_null(strstr(varve_last_error(), taken));
	assert_non_null(strstr(varve_last_error(), "in use"));
	assert_int_equal(varve_start(&o), -EALREADY); /* it is running */
	assert_ok(varve_flush(10000));
	varve_stop();
	close(fd);
	for (unsigned i = 0; i < countof(wrong); i++) {
		o.listen = wrong[i];
		assert_int_equal(varve_start(&o), -EINVAL);
		assert_non_null(strstr(varve_last_error(), "listen"));
	}
}

/* Return the id of the thread with that name, or 0 if there is none. */
static pid_t thread_named(const char *name)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	pid_t found = 0;

	while (tasks && !found && (task = readdir(tasks))) {
		char path[64], comm[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", task->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f) && !strncmp(comm, name, strlen(name)))
			found = (pid_t)strtol(task->d_name, NULL, 10);
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

static void signals_do_not_prevent_a_stop(void **state)
{
	int number = SIGRTMAX - 1; /* the profilers' signal: the highest free one */
	pid_t tid = 0;

	(void)state;
	/* the thread sets its name when it runs for the first time */
	for (unsigned ms = 0; !tid && ms < TEST_WAIT_MS; ms++) {
		tid = thread_named("varve-listen");
		usleep(1000);
	}
	assert_true(tid > 0);
	for (unsigned i = 0; i < 20; i++) {
		assert_ok(tgkill(getpid(), tid, number));
		usleep(2000);
	}
	/* the teardown stops it */
}

static void a_forked_child_does_not_listen(void **state)
{
	struct test_answer a;
	int status, over[2], runs[2];
	pid_t pid;
	char byte = 0;

	(void)state;
	assert_ok(pipe(over));
	assert_ok(pipe(runs));
	pid = fork();
	if (!pid) {
		close(over[1]);
		if (write(runs[1], &byte, 1) != 1)
			_exit(2);
		_exit(read(over[0], &byte, 1) != 0); /* until the parent is done */
	}
	assert_int_equal(read(runs[0], &byte, 1), 1); /* the child has closed what it inherited */
	close(runs[0]);
	close(runs[1]);
	a = ask("/debug/pprof/cmdline");
	assert_int_equal(a.status, 200);
	test_answer_fini(&a);
	atomic_store(&end_of_work, true);
	varve_stop(); /* stops the parent; a child that still listened would respond now */
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	{
		struct sockaddr_in to = {.sin_family = AF_INET,
					 .sin_port = htons(port),
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), -1);
		close(fd);
	}
	close(over[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(over[0]);
	assert_int_equal(status, 0);
}

static void requests_of_web_pages_are_rejected(void **state)
{
	static const struct {
		const char *headers, *method, *path;
		unsigned status;
	} cases[] = {
		{"Host: evil.example\r\n", "GET", "/debug/pprof/cmdline", 403},
		{"Host: evil.example:6060\r\n", "DELETE", "/debug/profiling", 403},
		{"Host: localhost\r\nHost: evil.example\r\n", "GET", "/debug/pprof/cmdline", 403},
		{"Host: 192.0.2.7\r\n", "GET", "/debug/pprof/cmdline", 403},
		{"Host: localhost\r\nOrigin: http://evil.example\r\n", "POST", "/debug/profiling",
		 403},
		{"Host: localhost\r\nOrigin: null\r\n", "POST", "/debug/profiling", 403},
		{"Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", "GET", "/debug/pprof/heap",
		 403},
		{"Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n",
		 "GET", "/debug/pprof/profile?seconds=1", 403},
		{"Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n",
		 "GET", "/debug/pprof/", 200},
		{"Host: LOCALHOST.:6060\r\n", "GET", "/debug/pprof/cmdline", 200},
		{"Host: [::1]:6060\r\n", "GET", "/debug/pprof/cmdline", 200},
		{"Host: debug.corp\r\n", "GET", "/debug/pprof/cmdline", 200},
		{"Host: a.svc.local:1\r\n", "GET", "/debug/pprof/cmdline", 200},
		{"Host: localhost:1\r\nOrigin: http://localhost:1\r\n", "GET",
		 "/debug/pprof/cmdline", 200},
		{"", "GET", "/debug/pprof/cmdline", 200},
	};

	(void)state;
	for (unsigned i = 0; i < countof(cases); i++) {
		struct test_answer a = ask_as(cases[i].headers, cases[i].method, cases[i].path, "");

		if (a.status != cases[i].status)
			fail_msg("%s %s %s: %u", cases[i].method, cases[i].path, cases[i].headers,
				 a.status);
		test_answer_fini(&a);
	}
}

TEST_MAIN(test_with(service, the_index_lists_every_profile),
	  test_with(service, a_cpu_profile_takes_the_requested_time),
	  test_with(service, heap_and_allocs_show_live_blocks),
	  test_with(service, the_seconds_parameter_returns_a_delta_of_other_profiles),
	  test_with(service, lock_profiles_show_waiters_and_holders),
	  test_with(service, the_goroutine_profile_lists_threads),
	  test_with(service, threadcreate_shows_the_creators_of_threads),
	  test_with(service, the_wall_profiler_runs_during_the_request),
	  test_with(service, the_debug_parameter_returns_text),
	  test_with(service, a_full_thread_dump_has_names_and_frames),
	  test_with(service, metrics_are_prometheus_text), test_with(service, cmdline_is_argv),
	  test_with(service, the_symbol_endpoint_resolves_addresses),
	  test_with(service, invalid_requests_are_rejected_with_a_reason),
	  test_with(service, requests_are_limited_in_size_and_time),
	  test_with(service, several_concurrent_profiles_are_all_returned),
	  test_with(service, more_than_eight_connections_get_503),
	  test_with(service, the_control_endpoint_starts_stops_and_reports),
	  test_with(service, rates_and_thresholds_are_set_by_json),
	  test(a_configured_token_is_required), test(other_machines_change_nothing_without_a_token),
	  test_with(service, requests_of_web_pages_are_rejected),
	  test_with(service, an_address_in_use_or_invalid_is_reported),
	  test_with(service, signals_do_not_prevent_a_stop),
	  test_with(service, a_forked_child_does_not_listen))
