/* SPDX-License-Identifier: Apache-2.0 */
/* libvarve inside the server, with a sink that delivers to the pipeline instead of the network. */
#include "cli/server/self_profile.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "cli/version.h"
#include "format/otlp/otlp.h"
#include "sdk/debug/debug_pprof.h"
#include "sdk/debug/take_profile.h"
#include "sdk/sdk.h"

/*
 * Under load the server allocates gigabytes a second: one sample per 512 KiB took 3 % of its time.
 */
enum { HEAP_INTERVAL = 2 << 20 };

/* Receives the profilers' messages, decodes and delivers them as a receiver does. */
struct self_sink {
	struct sink sink; /* must be first: deliver_message() casts it */
	struct self_profile_options o;
};

/* A message in delivery: the batch borrows strings from `body`. May outlive the sink. */
struct message {
	struct host *host;
	struct buf body;
};

static void message_free(struct message *m)
{
	if (!m)
		return;
	buf_fini(&m->body);
	free(m);
}

static void on_delivered(struct intake *in, const struct delivery_result *result)
{
	struct message *m = in->owner;

	if (result->rc)
		log_warn(m->host->log, "a profile of the server itself was lost",
			 LOG_STR("err", str_from(result->reason)));
	intake_put(&m->host->intakes, in);
	message_free(m);
}

/* Deliver to the pipeline; the target is locked. */
static int deliver_locked(struct self_sink *s, struct export_item *item, struct err *e)
{
	struct consumer *to = s->o.target->to;
	struct delivery_result why = {0};
	struct message *m;
	struct intake *in;
	int rc = -ENOMEM;

	if (!to)
		return 0;
	if (!consumer_admit(to, item->body.n, &why))
		return err_set(e, why.rc == -EAGAIN ? -EBUSY : why.rc, "%s", why.reason);
	m = calloc(1, sizeof(*m));
	in = intake_get(&s->o.host->intakes);
	if (m && in) {
		*m = (struct message){s->o.host, item->body};
		item->body = (struct buf){0};
		item->sent_bytes = m->body.n;
		rc = otlp_decode(&in->work->batch, buf_str(&m->body), &(struct decode_options){0},
				 e);
		in->done = on_delivered;
		in->owner = m;
		rc = rc ? rc : intake_deliver(in, to, s->o.tenant, NULL);
	}
	if (rc) {
		intake_put(&s->o.host->intakes, in);
		message_free(m);
	}
	return rc;
}

/* Does not wait for the result and does not retry: a profile that the pipeline refuses is lost. */
static int deliver_message(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
			   uint64_t *retry_after_ms, struct err *e)
{
	struct self_sink *s = (struct self_sink *)sink;
	int rc;

	(void)timeout_ms, (void)retry_after_ms;
	if (item->signal != EXPORT_PROFILES)
		return 0;
	pthread_mutex_lock(&s->o.target->mu);
	rc = deliver_locked(s, item, e);
	pthread_mutex_unlock(&s->o.target->mu);
	return rc;
}

static void sink_free(struct sink *sink)
{
	free(sink);
}

int self_profile_configured(const struct config *c, bool *configured, struct err *e)
{
	const struct config_node *n = config_find(c->root, "service.telemetry.profiles");

	*configured = !n || str_eq(n->text, STR("true"));
	if (!*configured && !str_eq(n->text, STR("false")))
		return config_fail(n, e, "service.telemetry.profiles: expected true or false");
	return 0;
}

const char *self_profile_impossible(void)
{
#if defined(__SANITIZE_THREAD__)
	return "built with the thread sanitizer";
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
	return "built with the thread sanitizer";
#endif
#endif
	return NULL;
}

int self_profile_start(const struct self_profile_options *o, struct err *e)
{
	const struct varve_options options = {
		.service_name = API_OWN_SERVICE,
		.service_version = version_build,
		.profiles = VARVE_CPU | VARVE_THREADS | (VARVE_SELF_HEAP ? VARVE_HEAP : 0),
		.heap_interval = HEAP_INTERVAL,
		.export_interval_ms = 15000,
		.no_traces = 1,
		.no_metrics = 1,
		.no_logs = 1,
		.no_link = 1,
	};
	struct self_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return err_errno(e, -ENOMEM, "profile this process");
	*s = (struct self_sink){
		.sink = {.name = "pipeline", .deliver = deliver_message, .free = sink_free},
		.o = *o};
	return sdk_start_inside(&options, &s->sink, e);
}

void self_profile_stop(void)
{
	varve_stop();
}

int self_profile_answer(struct request *r, struct reply *out, struct err *e)
{
	struct endpoint_answer a = {.status = 200, .content_type = "text/plain; charset=utf-8"};
	struct endpoint_request request = {
		.method = r->sender->method == METHOD_POST ? STR("POST") : STR("GET"),
		.path = r->sender->path,
		.query = r->query,
		.body = r->body,
	};
	struct sdk *running = sdk_acquire();
	int rc;

	sdk_release(running);
	if (!running)
		return err_set(e, -EAGAIN,
			       "this server does not profile itself: start it without "
			       "--no-self-profile and with service.telemetry.profiles: true");
	debug_pprof_answer(NULL, &request, &a);
	rc = buf_error(&a.body);
	if (!rc && a.file_name)
		rc = arena_printf(r->arena, &out->header.value, "attachment; filename=\"%s%s\"",
				  a.file_name, a.delta ? "-delta" : "");
	if (rc) {
		buf_fini(&a.body);
		return rc;
	}
	if (a.file_name)
		out->header.name = STR("content-disposition");
	out->status = a.status;
	out->content_type = str_from(a.content_type);
	out->body = a.body;
	return 0;
}

int self_profile_take(void *arg, unsigned seconds, const _Atomic bool *cancelled, struct buf *out,
		      struct err *e)
{
	struct sdk *running = sdk_acquire();
	const char *impossible = self_profile_impossible();
	int rc;

	(void)arg;
	if (!running)
		return err_set(e, -EAGAIN, "this process does not profile itself%s%s",
			       impossible ? ": " : "", impossible ? impossible : "");
	rc = sdk_take_pprof(running, VARVE_CPU, seconds, cancelled, out, e);
	sdk_release(running);
	return rc;
}
