/* SPDX-License-Identifier: Apache-2.0 */
/* Host name resolution: a hanging resolver blocks nothing. This program replaces getaddrinfo(). */
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <semaphore.h>

#include "sdk/export/export.h"
#include "sdk/export/sink_otlp.h"
#include "test/http_sink.h"

static sem_t may_answer;
static _Atomic unsigned asked, woken;

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's names begin with underscores */
int getaddrinfo(const char *restrict host, const char *restrict port,
		const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	static __typeof__(&getaddrinfo) next;

	if (!next)
		next = (__typeof__(&getaddrinfo))dlsym(RTLD_NEXT, "getaddrinfo");
	if (hints->ai_flags & AI_NUMERICHOST)
		return next(host, port, hints, out);
	atomic_fetch_add(&asked, 1);
	if (!strcmp(host, "unknown.example"))
		return EAI_NONAME;
	if (!strcmp(host, "hangs.example")) {
		sem_wait(&may_answer);
		atomic_fetch_add(&woken, 1);
	}
	return next("127.0.0.1", port, hints, out);
}

static struct exporter *start(const char *host, const struct http_sink *server)
{
	const struct exporter_options quick = {.timeout_ms = 50,
					       .retry_first_ms = 10,
					       .retry_max_ms = 20,
					       .retry_total_ms = 60000};
	struct export_item *item = export_item_new(EXPORT_TRACES);
	struct exporter *x;
	struct sink *sink;
	char url[128];

	atomic_store(&asked, 0);
	snprintf(url, sizeof(url), "http://%s%s", host, strrchr(server->url, ':'));
	assert_ok(sink_otlp_http(&sink, url, &(struct otlp_sink_options){0}, NULL));
	assert_ok(exporter_new(&x, sink, &quick, NULL));
	buf_put_str(&item->body, STR("trace"));
	assert_ok(exporter_put(x, item));
	return x;
}

static void a_host_name_is_resolved(void **state)
{
	struct http_sink server;
	struct exporter *x;

	(void)state;
	http_sink_start(&server);
	x = start("known.example", &server);
	assert_ok(exporter_flush(x, 10000));
	exporter_free(x, 0);
	assert_int_equal(server.count, 1);
	http_sink_stop(&server);
}

static void an_unknown_host_name_is_reported(void **state)
{
	struct http_sink server;
	struct exporter *x;
	char why[512];

	(void)state;
	http_sink_start(&server);
	x = start("unknown.example", &server);
	while (atomic_load(&asked) < 3) /* it is retried */
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	exporter_last_error(x, why, sizeof(why));
	assert_non_null(strstr(why, "unknown.example"));
	exporter_free(x, 0);
	http_sink_stop(&server);
}

static void a_hanging_resolver_does_not_block_the_exporter(void **state)
{
	struct http_sink server;
	struct exporter *x;

	(void)state;
	http_sink_start(&server);
	x = start("hangs.example", &server);
	while (!atomic_load(&asked))
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	assert_int_equal(exporter_flush(x, 300), -ETIMEDOUT);
	assert_int_equal(asked, 1); /* all attempts wait for one lookup */
	exporter_free(x, 0);
	assert_int_equal(server.count, 0);
	sem_post(&may_answer);
	while (!atomic_load(&woken)) /* else the next lookup would take this post */
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	/* the result of a late lookup is used */
	x = start("hangs.example", &server);
	while (!atomic_load(&asked))
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	assert_int_equal(exporter_flush(x, 200), -ETIMEDOUT);
	assert_int_equal(asked, 1);
	for (int i = 0; i < 1000; i++) /* a slow attempt looks it up again */
		sem_post(&may_answer);
	assert_ok(exporter_flush(x, 20000));
	exporter_free(x, 0);
	assert_true(server.count >= 1);
	http_sink_stop(&server);
}

static int resolver_setup(void **state)
{
	(void)state;
	return sem_init(&may_answer, 0, 0);
}

static int resolver_teardown(void **state)
{
	(void)state;
	return sem_destroy(&may_answer);
}

TEST_MAIN(test(a_host_name_is_resolved), test(an_unknown_host_name_is_reported),
	  test_with(resolver, a_hanging_resolver_does_not_block_the_exporter))
