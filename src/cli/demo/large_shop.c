/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each sender is a client with an agent name of its own and sends the profiles of some pods as
 * folded stacks to /ingest: version 18 in the first half hour, version 19 in the second, in which
 * one function of every tenth service is more expensive. Traces, logs and metrics follow as OTLP's
 * JSON (large_signals.c).
 */
#include "cli/demo/large_shop.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "cli/demo/large_names.h"
#include "cli/demo/large_signals.h"
#include "cli/remote.h"

enum {
	THREADS = 24,
	STACKS = 24,	  /* of a profile */
	DEEP_SERVICE = 1, /* has stacks of DEEP frames */
	DEEP = 900,
	PERIOD_S = 60,	    /* duration of a profile */
	PROFILES = 2,	    /* of a pod in each version */
	PODS_OF_FIRST = 12, /* a pod in so many belongs to the first service */
};

/* Return the service of a pod: the first has many pods, all others about as many. */
static unsigned service_of(const struct large_shop *s, unsigned pod)
{
	if (pod < s->services)
		return pod;
	return pod % PODS_OF_FIRST ? 1 + (unsigned)(large_mix(pod, 7, 7) % (s->services - 1)) : 0;
}

static void put_deep_stack(struct buf *out, unsigned service, unsigned leaf)
{
	for (unsigned i = 0; i < DEEP; i++) {
		large_function(out, service, i % 211);
		buf_put_char(out, ';');
	}
	large_function(out, service, 300 + leaf);
}

/* A stack through shared callers: the function number of each level depends on the one before. */
static void put_stack(struct buf *out, unsigned service, unsigned stack)
{
	unsigned depth = 6 + (unsigned)(large_mix(service, stack, 3) % 30);

	buf_put_str(out, STR("java.lang.Thread.run;com.bigcompany.runtime.Worker.loop"));
	for (unsigned i = 0; i < depth; i++) {
		buf_put_char(out, ';');
		large_function(out, service,
			       (unsigned)(large_mix(service, i < 4 ? stack / 6 : stack, i) % 400));
	}
}

static void put_profile(struct buf *out, unsigned service, unsigned pod, unsigned version)
{
	bool slower = version > 18 && service % 10 == 3;

	buf_clear(out);
	for (unsigned i = 0; i < STACKS; i++) {
		uint64_t count = 1 + large_mix(service, i, 4) % 40 + large_mix(pod, i, version) % 6;

		if (service == DEEP_SERVICE && i % 8 == 0)
			put_deep_stack(out, service, i);
		else
			put_stack(out, service, i);
		if (slower && i == 5)
			count *= 4;
		buf_printf(out, " %llu\n", (unsigned long long)count);
	}
}

static int post(struct http_client *client, const char *url, struct str body, const char *type,
		struct err *e)
{
	const struct http_header headers[] = {{STR("content-type"), str_from(type)}};
	struct http_client_request request = {
		.url = url, .headers = headers, .header_count = 1, .body = body};
	struct http_client_answer answer = {0};
	int rc = http_client_request(client, &request, &answer, e);

	if (!rc && answer.status >= 300)
		rc = err_set(e, -EIO, "the server refused data of the demo: status %u: %.*s",
			     answer.status, STR_ARG(str_head(buf_str(&answer.body), 200)));
	http_client_answer_fini(&answer);
	return rc;
}

/* Send one profile of a pod that ended `ago` seconds before the end. */
static int send_profile(const struct large_shop *s, struct http_client *client, unsigned pod,
			unsigned version, unsigned ago, struct err *e)
{
	unsigned service = service_of(s, pod);
	struct buf url = {0}, name = {0}, body = {0};
	uint64_t until = s->now / NS_PER_SECOND - ago;
	int rc;

	large_service(&name, service);
	large_labels(&name, service, pod, version);
	buf_put_char(&name, 0);
	remote_path(&url, s->url);
	buf_put_str(&url, STR("/ingest"));
	remote_param(&url, "name", name.p);
	buf_printf(&url, "&format=folded&sampleRate=19&units=samples&from=%llu&until=%llu",
		   (unsigned long long)(until - PERIOD_S), (unsigned long long)until);
	buf_put_char(&url, 0);
	put_profile(&body, service, pod, version);
	rc = buf_error(&url) ? buf_error(&url) : buf_error(&body);
	if (!rc)
		rc = post(client, url.p, buf_str(&body), "text/plain", e);
	buf_fini(&url);
	buf_fini(&name);
	buf_fini(&body);
	return rc;
}

/* Send all profiles of the pods of one sender. */
static int send_as(const struct large_shop *s, unsigned sender, struct err *e)
{
	struct http_client *client;
	char agent[64];
	int rc;

	snprintf(agent, sizeof(agent), "node-agent/3.%u (node-%u.eu-central-1.compute.internal)",
		 sender % 7, sender);
	rc = http_client_new(&client, &(struct net_client_options){.user_agent = agent}, e);
	if (rc)
		return rc;
	for (unsigned pod = sender; !rc && pod < s->pods; pod += s->senders)
		for (unsigned i = 0; !rc && i < 2 * PROFILES; i++) {
			unsigned late =
				(unsigned)(large_mix(pod, i, 5) % (1800 / PROFILES - PERIOD_S));

			if (s->interrupted && *s->interrupted)
				rc = err_set(e, -EINTR, "interrupted");
			else
				rc = send_profile(s, client, pod, i < PROFILES ? 18 : 19,
						  3600 - i * 1800 / PROFILES - PERIOD_S - late, e);
		}
	http_client_free(client);
	return rc;
}

/* Send what large_signals.c writes, in as many requests as it needs. */
static int send_signals(const struct large_shop *s, struct cli *cli, struct err *e)
{
	static const struct {
		const char *path, *what;
		bool (*put)(struct buf *out, const struct large_shop *s, unsigned part);
	} signals[] = {
		{"/v1/traces", "traces", large_traces},
		{"/v1/logs", "log records", large_logs},
		{"/v1/metrics", "metrics", large_metrics},
	};
	struct http_client *client;
	struct buf url = {0}, body = {0};
	int rc = http_client_new(&client, &(struct net_client_options){0}, e);

	for (size_t i = 0; !rc && i < countof(signals); i++) {
		cli_note(cli, "sending %s ...", signals[i].what);
		buf_clear(&url);
		buf_printf(&url, "%s%s", s->url, signals[i].path);
		buf_put_char(&url, 0);
		for (unsigned part = 0; !rc; part++) {
			buf_clear(&body);
			if (!signals[i].put(&body, s, part))
				break;
			rc = buf_error(&body) ? buf_error(&body) : buf_error(&url);
			if (!rc)
				rc = post(client, url.p, buf_str(&body), "application/json", e);
		}
	}
	http_client_free(client);
	buf_fini(&url);
	buf_fini(&body);
	return rc;
}

/*
 * Threads share the senders: the server commits the requests of all of them together, so that they
 * do not wait for the disk one after the other.
 */
struct senders_job {
	const struct large_shop *shop;
	_Atomic unsigned next; /* sender */
	pthread_mutex_t mu;    /* guards what follows */
	int rc;		       /* of the first failure */
	struct err err;
};

static void *send_some(void *arg)
{
	struct senders_job *job = arg;
	struct err e = {0};
	int rc = 0;

	while (!rc) {
		unsigned sender = job->next++;

		if (sender >= job->shop->senders)
			return NULL;
		rc = send_as(job->shop, sender, &e);
	}
	job->next = job->shop->senders; /* the other threads stop */
	pthread_mutex_lock(&job->mu);
	if (!job->rc) {
		job->rc = rc;
		job->err = e;
	}
	pthread_mutex_unlock(&job->mu);
	return NULL;
}

static int send_profiles(const struct large_shop *s, struct err *e)
{
	struct senders_job job = {.shop = s, .mu = PTHREAD_MUTEX_INITIALIZER};
	pthread_t threads[THREADS];
	unsigned n = 0;

	while (n < THREADS && !pthread_create(&threads[n], NULL, send_some, &job))
		n++;
	if (!n)
		return err_set(e, -EAGAIN, "the demo could not start a thread");
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&job.mu);
	if (job.rc)
		*e = job.err;
	return job.rc;
}

int large_shop_send(const struct large_shop *s, struct cli *cli, struct err *e)
{
	int rc;

	cli_note(cli, "sending profiles of %u services in %u pods ...", s->services, s->pods);
	rc = send_profiles(s, e);
	return rc ? rc : send_signals(s, cli, e);
}
