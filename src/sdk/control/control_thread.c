/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control thread: report, take the answer, wait. The interval is the server's, with a jitter of
 * a fifth; after failures it doubles up to a minute, and up to five if the server has no such path.
 */
#include "sdk/control/control_thread.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/debug/take_profile.h"
#include "sdk/export/body_seal.h"
#include "sdk/export/http_client.h"
#include "sdk/hook/guest.h"
#include "wire/text.h"

#define AGENT_PATH "/api/v1/agent/"

enum {
	POLL_MS = 4000,
	AT_ONCE_MS = 50, /* after a change, so that the server knows it */
	FAILED_MS_MOST = 60000,
	UNSUPPORTED_MS_MOST = 300000,
	TICK_MS = 500, /* while a lease is in effect, to end it in time */
	TIMEOUT_MS = 5000,
	UPLOAD_TIMEOUT_MS = 60000,
};

/* A profile that the server asked for. */
struct capture {
	struct thread thread;
	uint64_t id; /* 0: none so far */
	unsigned kind, seconds;
	_Atomic unsigned state;		  /* enum control_capture_state */
	char error[CONTROL_TEXT_MAX + 1]; /* set before the state */
};

struct control_thread {
	struct sdk *sdk;
	struct thread thread;
	int wake; /* an eventfd */
	_Atomic bool stop;
	struct lease_limits limits;
	const char *service, *host;
	struct post_client client, uploader;
	struct capture capture;
	uint64_t wait_ms;
	unsigned failures;
	uint32_t random;
};

/* ---- options ---- */

static bool is_loopback_host(const char *host)
{
	struct in_addr address; /* a name may begin with 127., too */

	if (inet_pton(AF_INET, host, &address) == 1)
		return (ntohl(address.s_addr) >> 24) == 127;
	return !strcmp(host, "::1") || !strcmp(host, "localhost");
}

static const char *default_port(const struct varve_options *o)
{
	return o->protocol == VARVE_PROTOCOL_GRPC	 ? "4317"
	       : o->protocol == VARVE_PROTOCOL_PYROSCOPE ? "4040"
							 : "4318";
}

static const char *endpoint_of(const struct varve_options *o)
{
	return o->endpoint ? o->endpoint : "http://127.0.0.1:4318";
}

bool control_thread_wanted(const struct varve_options *o)
{
	struct post_url url;

	if (o->control == VARVE_CONTROL_OFF || o->directory || (o->on_profile && !o->endpoint) ||
	    post_url_read(&url, endpoint_of(o), default_port(o), NULL))
		return false;
	return o->control == VARVE_CONTROL_ON || is_loopback_host(url.host);
}

/* ---- profiles on demand ---- */

static int upload_profile(struct control_thread *t, struct buf *profile, struct err *e)
{
	struct post_answer a = {.grpc_status = -1};
	char path[256];
	struct post_request r = {.method = "POST",
				 .path = path,
				 .content_type = "application/octet-stream",
				 .timeout_ms = UPLOAD_TIMEOUT_MS,
				 .stop = &t->stop};
	int rc = t->sdk->keys ? body_seal(profile, 0, t->sdk->keys, e) : 0;

	if (rc)
		return rc;
	if (profile->n > CONTROL_PROFILE_MAX)
		return err_set(e, -EFBIG, "the profile has more than %d bytes",
			       CONTROL_PROFILE_MAX);
	r.body = buf_str(profile);
	snprintf(path, sizeof(path), AGENT_PATH "profile?capture=%llu&instance=%s",
		 (unsigned long long)t->capture.id, t->sdk->instance_id);
	rc = post_send(&t->uploader, &r, &a, e);
	if (!rc && a.status != 200)
		rc = err_set(e, -EREMOTEIO, "the server answers the upload with HTTP %u", a.status);
	post_answer_fini(&a);
	return rc;
}

static void run_capture(void *arg)
{
	struct control_thread *t = arg;
	struct buf profile = {0};
	struct err e = {0};
	int rc;

	guest_own_begin();
	rc = sdk_take_pprof(t->sdk, (enum varve_profile)t->capture.kind, t->capture.seconds, NULL,
			    &profile, &e);
	rc = rc ? rc : upload_profile(t, &profile, &e);
	if (rc)
		snprintf(t->capture.error, sizeof(t->capture.error), "%.*s", CONTROL_TEXT_MAX,
			 e.text[0] ? e.text : strerror(-rc));
	buf_fini(&profile);
	atomic_store(&t->capture.state, rc ? CONTROL_CAPTURE_FAILED : CONTROL_CAPTURE_DONE);
	guest_own_end();
	(void)!eventfd_write(t->wake, 1); /* report it */
}

static bool capture_is_running(struct control_thread *t)
{
	return atomic_load(&t->capture.state) == CONTROL_CAPTURE_RUNNING;
}

static void refuse_capture(struct capture *c, const char *why)
{
	snprintf(c->error, sizeof(c->error), "%s", why);
	atomic_store(&c->state, CONTROL_CAPTURE_FAILED);
}

/* Start what the order asks for. Return whether something changed. */
static bool take_capture(struct control_thread *t, const struct control_order *order)
{
	struct capture *c = &t->capture;

	if (!order->capture || order->capture == c->id || capture_is_running(t))
		return false;
	thread_join(&c->thread);
	*c = (struct capture){.id = order->capture,
			      .kind = order->capture_kind,
			      .seconds = order->capture_seconds,
			      .state = CONTROL_CAPTURE_RUNNING};
	if (!(c->kind & t->limits.profiles))
		refuse_capture(c, "control.profiles of the process does not permit this kind");
	else if (guest_own_start(&c->thread, "varve-capture", run_capture, t, NULL))
		refuse_capture(c, "no thread for the profile");
	return true;
}

/* ---- reports ---- */

static int make_report(struct control_thread *t, struct buf *out)
{
	struct lease lease;
	unsigned state = atomic_load(&t->capture.state);
	struct control_report r = {.instance = str_from(t->sdk->instance_id),
				   .service = str_from(t->service),
				   .host = str_from(t->host),
				   .version = STR(VARVE_VERSION),
				   .pid = (uint64_t)getpid(),
				   .max_cpu_hz = t->limits.max_cpu_hz,
				   .max_profiles = t->limits.profiles,
				   .max_seconds = t->limits.max_seconds,
				   .capture = t->capture.id,
				   .capture_state = state};

	if (state == CONTROL_CAPTURE_FAILED)
		r.capture_error = str_from(t->capture.error);
	sdk_settings_report(t->sdk, &r, &lease);
	return control_report_encode(out, &r);
}

/* Count a failure and set the time until the next attempt. */
static void wait_after_failure(struct control_thread *t, bool unsupported)
{
	uint64_t most = unsupported ? UNSUPPORTED_MS_MOST : FAILED_MS_MOST;
	unsigned doubled = t->failures < 8 ? t->failures++ : 8;

	t->wait_ms = (uint64_t)POLL_MS << doubled;
	if (t->wait_ms > most)
		t->wait_ms = most;
}

static void take_order(struct control_thread *t, struct str message)
{
	struct control_order order;
	bool changed;

	if (control_order_decode(&order, message, NULL)) {
		wait_after_failure(t, false);
		return;
	}
	t->failures = 0;
	t->wait_ms = order.poll_ms < CONTROL_POLL_MS_MIN ? POLL_MS : order.poll_ms;
	changed = sdk_settings_order(t->sdk, &order, &t->limits, clock_monotonic_ns());
	changed |= take_capture(t, &order);
	if (changed)
		t->wait_ms = AT_ONCE_MS;
}

static void report_once(struct control_thread *t)
{
	struct post_answer a = {.grpc_status = -1};
	struct buf body = {0};
	struct post_request r = {.method = "POST",
				 .path = AGENT_PATH "poll",
				 .content_type = "application/x-protobuf",
				 .timeout_ms = TIMEOUT_MS,
				 .stop = &t->stop};
	int rc = make_report(t, &body);

	r.body = buf_str(&body);
	rc = rc ? rc : post_send(&t->client, &r, &a, NULL);
	if (rc || a.status != 200)
		wait_after_failure(t,
				   !rc && (a.status == 404 || a.status == 405 || a.status == 501));
	else
		take_order(t, buf_str(&a.body));
	post_answer_fini(&a);
	buf_fini(&body);
}

/* ---- the thread ---- */

/* Return a time within a fifth of `ms`, so that the instances of a service spread. */
static uint64_t with_jitter(struct control_thread *t, uint64_t ms)
{
	t->random = t->random * 1664525 + 1013904223;
	return ms * 4 / 5 + ms * 2 / 5 * (t->random >> 16) / 65536;
}

/* Wait, and end the lease in time. Return early when a profile is done or the library stops. */
static void wait_for_next(struct control_thread *t)
{
	struct pollfd wake = {.fd = t->wake, .events = POLLIN};
	uint64_t end = clock_monotonic_ns() + with_jitter(t, t->wait_ms) * NS_PER_MS, now, left;
	eventfd_t count;

	while (!atomic_load(&t->stop) && (now = clock_monotonic_ns()) < end) {
		if (sdk_settings_check_time(t->sdk, now))
			return; /* report the end */
		left = (end - now) / NS_PER_MS + 1;
		if (poll(&wake, 1, left < TICK_MS ? (int)left : TICK_MS) > 0) {
			(void)!eventfd_read(t->wake, &count);
			return;
		}
	}
}

static void run_control(void *arg)
{
	struct control_thread *t = arg;

	guest_own_begin();
	while (!atomic_load(&t->stop)) {
		report_once(t);
		wait_for_next(t);
	}
	guest_own_end();
}

static const char *resource_text(const struct sdk *s, struct str key)
{
	for (uint32_t i = 0; i < s->resource_count; i++)
		if (str_eq(s->resource[i].key, key) && s->resource[i].value.kind == VALUE_STRING)
			return s->resource[i].value.s.p; /* the arena's texts end with NUL */
	return "";
}

static void free_control(struct control_thread *t)
{
	post_client_fini(&t->client);
	post_client_fini(&t->uploader);
	if (t->wake >= 0)
		close(t->wake);
	free(t);
}

int control_thread_start(struct control_thread **out, struct sdk *s, struct err *e)
{
	const struct varve_options *o = &s->options.o;
	struct control_thread *t = calloc(1, sizeof(*t));
	int rc, rc2;

	if (!t)
		return err_errno(e, -ENOMEM, "control");
	*t = (struct control_thread){.sdk = s,
				     .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
				     .limits = {.max_cpu_hz = o->control_max_hz,
						.profiles = o->control_profiles,
						.max_seconds = o->control_max_seconds},
				     .service = resource_text(s, STR("service.name")),
				     .host = resource_text(s, STR("host.name")),
				     .random = (uint32_t)clock_monotonic_ns() ^ (uint32_t)getpid()};
	rc = post_client_init(&t->client, endpoint_of(o), o->headers, default_port(o), e);
	rc2 = post_client_init(&t->uploader, endpoint_of(o), o->headers, default_port(o), e);
	rc = rc ? rc : rc2;
	if (!rc)
		rc = body_seal_mark(s->keys, &t->uploader, 1);
	if (!rc && t->wake < 0)
		rc = err_errno(e, -errno, "control");
	rc = rc ? rc : guest_own_start(&t->thread, "varve-control", run_control, t, e);
	if (rc)
		free_control(t);
	else
		*out = t;
	return rc;
}

void control_thread_stop(struct control_thread *t)
{
	if (!t)
		return;
	atomic_store(&t->stop, true);
	(void)!eventfd_write(t->wake, 1);
	thread_join(&t->thread);
	thread_join(&t->capture.thread);
	free_control(t);
}

void control_thread_forked(struct control_thread *t)
{
	if (!t)
		return;
	post_client_forked(&t->client, true);
	post_client_forked(&t->uploader, true);
	free_control(t);
}
