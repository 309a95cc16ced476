/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of OTLP. The state of a request lives in the exchange's arena until it is answered, and
 * so does its delivery. A payload owns its memory: it takes over the body of the request where the
 * body is not compressed.
 */
#include "pipeline/receivers/otlp/otlp_export.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "format/otlp/logs.h"
#include "format/otlp/otlp.h"
#include "format/otlp/schema.h"
#include "format/otlp/traces.h"
#include "net/http/admission.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "pipeline/admission/limits.h"
#include "pipeline/convert/profile_payload.h"
#include "pipeline/convert/prometheus/prom_batch.h"
#include "pipeline/receivers/otlp/otlp_response.h"
#include "pipeline/receivers/receive_sealed.h"
#include "signal/otlp/attributes.h"
#include "signal/otlp/validate.h"

struct export
{
	struct otlp_target *target;
	struct http_exchange *x;
	struct rpc_call *call; /* gRPC; NULL: HTTP */
	enum otlp_encoding encoding;
	enum signal_kind signal;
	char warning[200];

	/* Of a message that is delivered as payload. */
	struct payload *payload;
	struct delivery delivery;
	struct service_names services;
};

	/* ---- paths ---- */

#define SERVICE "/opentelemetry.proto.collector."

const struct otlp_path otlp_paths[] = {
	{SERVICE "profiles.v1development.ProfilesService/Export", SIGNAL_PROFILES, true},
	{SERVICE "profiles.v1experimental.ProfilesService/Export", SIGNAL_PROFILES, true},
	{SERVICE "trace.v1.TraceService/Export", SIGNAL_TRACES, true},
	{SERVICE "metrics.v1.MetricsService/Export", SIGNAL_METRICS, true},
	{SERVICE "logs.v1.LogsService/Export", SIGNAL_LOGS, true},
	{"/v1development/profiles", SIGNAL_PROFILES, false},
	{"/v1/traces", SIGNAL_TRACES, false},
	{"/v1/metrics", SIGNAL_METRICS, false},
	{"/api/v1/otlp/v1/metrics", SIGNAL_METRICS, false}, /* as Prometheus */
	{"/prometheus/api/v1/otlp/v1/metrics", SIGNAL_METRICS, false},
	{"/v1/logs", SIGNAL_LOGS, false},
	{NULL},
};

enum signal_kind otlp_signal_of(struct str path)
{
	for (const struct otlp_path *p = otlp_paths; p->path; p++)
		if (str_eq(path, str_from(p->path)))
			return p->signal;
	return SIGNAL_PROFILES;
}

static const char *transport_of(const struct export *ex)
{
	return ex->call ? "grpc" : "http";
}

/* ---- responses ---- */

static void export_fail(struct export *ex, int rc, uint32_t retry_ms, const char *reason)
{
	struct rpc_error error = {
		.code = receive_code(rc), .message = str_from(reason), .retry_after_ms = retry_ms};

	if (ex->call)
		rpc_fail(ex->call, &error);
	else
		otlp_http_fail(ex->x, rc == -EFBIG ? 413 : otlp_http_status(error.code), &error);
}

static void export_succeed(struct export *ex, const struct delivery_result *result)
{
	struct http_response r = {.status = 200};
	struct str reason = str_from(result->rejected ? result->reason : ex->warning);

	otlp_response(&r.body, ex->encoding, ex->signal, result->rejected, reason);
	if (ex->call) {
		rpc_reply(ex->call, &r.body);
		return;
	}
	r.content_type = ex->encoding == OTLP_ENCODING_JSON ? STR("application/json")
							    : STR("application/x-protobuf");
	http_respond(ex->x, &r);
}

static void export_answer(struct export *ex, const struct delivery_result *result)
{
	if (result->rc)
		export_fail(ex, result->rc, result->retry_after_ms,
			    result->reason[0] ? result->reason : "the data could not be stored");
	else
		export_succeed(ex, result);
}

/* Refuse a message that was not delivered. `in` may be NULL. */
static void export_refuse(struct export *ex, struct intake *in, int rc, struct err *e)
{
	struct host *host = ex->target->host;
	struct receipt receipt = {0};

	rc = intake_explain(in, rc, e);
	intake_put(&host->intakes, in);
	receive_count(host, rc);
	receipt_refuse(&receipt, rc, e->text);
	receive_note(host, ex->x, &receipt);
	export_fail(ex, rc == -EOVERFLOW ? -EBADMSG : rc, rc == -ENOMEM ? 1000 : 0, e->text);
}

/* ---- decoded ---- */

/* Keep the decoder's first warning; it is reported to the sender with the success. */
static void note_warning(void *arg, const char *text)
{
	struct export *ex = arg;

	if (!ex->warning[0])
		snprintf(ex->warning, sizeof(ex->warning), "%s", text);
}

static int decode_metrics(struct export *ex, struct intake *in, struct str message, struct err *e)
{
	struct host *host = ex->target->host;
	const struct prom_batch_options options = {.strategy = host->metric_names,
						   .tenant = ex->x->tenant,
						   .deltas = &host->deltas,
						   .cache = &in->work->series_of_metrics};
	struct payload_slice slice;
	struct payload payload;
	struct buf converted;
	uint32_t items;
	int rc = 0;

	buf_init(&converted, &host->memory);
	if (ex->encoding == OTLP_ENCODING_JSON) {
		rc = schema_json_to_proto(&converted, otlp_request_schema(ex->signal), message,
					  &in->work->arena, e);
		if (!rc) /* the batch borrows from the message */
			rc = arena_copy_str(&in->work->arena, buf_str(&converted), &message);
	}
	buf_fini(&converted);
	if (!rc)
		rc = otlp_validate(ex->signal, message, &items, e);
	if (rc)
		return rc;
	payload_borrow(&payload, &slice, ex->signal, items, message);
	return prom_batch_read(&in->work->metrics, &payload, &options, e);
}

static int decode_export(struct export *ex, struct intake *in, struct str message, struct err *e)
{
	struct decode_options options = {.warn = note_warning, .warn_arg = ex};

	if (!message.n)
		return 0; /* an empty message is valid */
	if (ex->signal == SIGNAL_METRICS)
		return decode_metrics(ex, in, message, e);
	if (ex->signal == SIGNAL_TRACES)
		return ex->encoding == OTLP_ENCODING_JSON
			       ? otlp_traces_decode_json(&in->work->spans, message, e)
			       : otlp_traces_decode(&in->work->spans, message, e);
	if (ex->encoding == OTLP_ENCODING_JSON)
		return format_otlp_json.decode(&in->work->batch, message, &options, e);
	return otlp_decode(&in->work->batch, message, &options, e);
}

static void decoded_done(struct intake *in, const struct delivery_result *result)
{
	struct export *ex = in->owner;
	struct receipt receipt = {0};

	receipt_add(&receipt, in, result);
	receive_note(ex->target->host, ex->x, &receipt);
	intake_put(&ex->target->host->intakes, in);
	export_answer(ex, result);
}

static int deliver_decoded(struct export *ex, struct intake *in)
{
	struct consumer *next = ex->target->next[signal_index(ex->signal)];

	in->done = decoded_done;
	in->owner = ex;
	in->account = ex->x->account;
	in->transport = transport_of(ex);
	if (ex->signal == SIGNAL_METRICS) {
		intake_deliver_metrics(in, next, ex->x->tenant);
		return 0;
	}
	if (ex->signal != SIGNAL_TRACES)
		return intake_deliver(in, next, ex->x->tenant, NULL);
	intake_deliver_spans(in, next, ex->x->tenant);
	return 0;
}

static void export_decoded(struct export *ex, struct str message)
{
	struct intake *in = intake_get(&ex->target->host->intakes);
	struct err e = {0};
	int rc = in ? decode_export(ex, in, message, &e) : -ENOMEM;

	if (!rc)
		rc = deliver_decoded(ex, in);
	if (rc)
		export_refuse(ex, in, rc, &e);
}

/* ---- payloads ---- */

/*
 * Up to this size messages are copied: the server reuses the buffer of the body, which is larger.
 */
#define COPIED_MAX (32 * KIB)

/* Return a payload that takes over the body, or a copy of a small or decompressed message. */
static struct payload *take_message(struct export *ex, uint32_t items, struct str message)
{
	struct budget *budget = &ex->target->host->memory;
	struct http_body body;
	struct payload *p;

	if (message.n <= COPIED_MAX || message.p < ex->x->body.p ||
	    message.p >= ex->x->body.p + ex->x->body.n)
		return payload_copy(ex->signal, items, message, budget);
	http_detach_body(ex->x, &body);
	p = payload_take_part(ex->signal, items, &body.raw, message, budget);
	http_body_fini(&body);
	return p;
}

/* Decode profiles of any layout and encode them in the current one. */
static int reencode_profiles(struct export *ex, struct str message, struct payload **out,
			     struct err *e)
{
	struct host *host = ex->target->host;
	struct intake *in = intake_get(&host->intakes);
	int rc = in ? decode_export(ex, in, message, e) : -ENOMEM;

	if (!rc) {
		rc = profile_payload_encode(out, &in->work->batch, &host->memory);
		if (rc)
			err_set(e, rc, "the profiles are too large for one OTLP message");
	}
	rc = intake_explain(in, rc, e);
	intake_put(&host->intakes, in);
	return rc;
}

/* Convert a message in JSON. */
static int convert_json(struct export *ex, struct str json, struct payload **out, struct err *e)
{
	struct budget *budget = &ex->target->host->memory;
	struct arena scratch;
	struct buf message;
	uint32_t items;
	int rc;

	buf_init(&message, budget);
	arena_init(&scratch, budget);
	rc = schema_json_to_proto(&message, otlp_request_schema(ex->signal), json, &scratch, e);
	arena_fini(&scratch);
	if (!rc) {
		rc = otlp_validate(ex->signal, buf_str(&message), &items, e);
		if (rc)
			err_prefix(e, "converted from JSON");
	}
	if (!rc) {
		*out = payload_take(ex->signal, items, &message);
		rc = *out ? 0 : -ENOMEM;
	}
	buf_fini(&message);
	return rc;
}

static int make_payload(struct export *ex, struct str message, struct payload **out, struct err *e)
{
	bool profiles = ex->signal == SIGNAL_PROFILES;
	uint32_t items;
	int rc;

	if (ex->encoding == OTLP_ENCODING_JSON)
		return convert_json(ex, message, out, e);
	if (profiles && !otlp_is_current(message))
		return reencode_profiles(ex, message, out, e);
	rc = otlp_validate(ex->signal, message, &items, profiles ? NULL : e);
	if (rc) /* the decoder repairs mistakes in profiles, or explains them */
		return profiles ? reencode_profiles(ex, message, out, e) : rc;
	*out = take_message(ex, items, message);
	return *out ? 0 : -ENOMEM;
}

static void payload_export_done(struct delivery *d, const struct delivery_result *result)
{
	struct export *ex = d->owner;
	struct receipt receipt = {.services = &ex->services};

	if (result->rc)
		receipt_refuse(&receipt, result->rc, result->reason);
	else if (ex->signal == SIGNAL_TRACES)
		receipt.spans = ex->payload->items - min_size(result->rejected, ex->payload->items);
	else if (ex->signal == SIGNAL_PROFILES)
		receipt.samples = ex->payload->items;
	receipt.duplicates = result->duplicates;
	if (!result->rc && result->rejected) {
		receipt.refused[REFUSED_REJECTED] = result->rejected;
		receipt.reason = result->reason;
	}
	receive_note(ex->target->host, ex->x, &receipt);
	payload_release(ex->payload);
	export_answer(ex, result);
}

/* Note the services of the first resources. */
static void note_services(struct export *ex)
{
	struct proto_reader r = proto_reader_of(ex->payload->slices[0].bytes);

	for (unsigned i = 0; i < SERVICES_LOOKED_AT && proto_next(&r); i++) {
		struct proto_reader resource;
		struct value service;

		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		resource = proto_message(&r);
		if (proto_next_is(&resource, PROTO_TAG(1, PROTO_BYTES)) &&
		    otlp_attribute_find(proto_bytes(&resource), OTLP_RESOURCE_ATTRIBUTES,
					STR("service.name"), &service) &&
		    service.kind == VALUE_STRING)
			service_names_add(&ex->services, service.s);
	}
}

static void deliver_payload(struct export *ex)
{
	struct http_exchange *x = ex->x;
	struct payload *p = payload_keep(ex->payload, NULL);

	ex->delivery = (struct delivery){
		.signal = ex->signal,
		.tenant = x->tenant,
		.received = clock_realtime_ns(),
		.transport = transport_of(ex),
		.account = x->account,
		.payload = p,
		.services = &ex->services,
		.metadata = ex->target->include_metadata ? x->headers : NULL,
		.metadata_count = ex->target->include_metadata ? (uint32_t)x->header_count : 0,
		.done = payload_export_done,
		.owner = ex,
	};
	consumer_consume(ex->target->next[signal_index(ex->signal)], &ex->delivery);
	payload_release(p); /* kept: the delivery may be done before its consumer returns */
}

/* Logs are decoded only before the store, so a token for some services is checked here. */
static int check_log_services(const struct export *ex, struct err *e)
{
	const struct account *account = ex->x->account;
	struct log_batch logs;
	int rc;

	if (!account || !account->services.n)
		return 0;
	log_batch_init(&logs, &ex->target->host->memory);
	rc = otlp_logs_decode(&logs, ex->payload->slices[0].bytes, e);
	for (uint32_t i = 0; !rc && i < logs.services.n; i++)
		if (!limits_permit_service(account, logs.services.at[i]))
			rc = err_set(e, -EPERM,
				     "the token does not permit to write the service \"%.*s\"",
				     STR_ARG(str_head(logs.services.at[i], 64)));
	log_batch_fini(&logs);
	return rc;
}

static void export_payload(struct export *ex, struct str message)
{
	struct err e = {0};
	int rc;

	/* services are checked in decoded data only: intake.c */
	if (ex->x->account && ex->x->account->services.n && ex->signal != SIGNAL_LOGS)
		rc = err_set(&e, -EPERM,
			     "a token for some services cannot send data through a pipeline that "
			     "does not decode it");
	else
		rc = make_payload(ex, message, &ex->payload, &e);
	if (!rc && ex->signal == SIGNAL_LOGS)
		rc = check_log_services(ex, &e);
	if (rc || !ex->payload) {
		payload_release(take_ptr(&ex->payload));
		export_refuse(ex, NULL, rc, &e);
		return;
	}
	note_services(ex);
	if (ex->payload->items)
		deliver_payload(ex);
	else /* nothing to deliver: an empty request succeeds */
		payload_export_done(&(struct delivery){.owner = ex}, &(struct delivery_result){0});
}

/* ---- requests ---- */

/*
 * Acknowledge metrics or logs without a pipeline; log a warning for the first message of a signal.
 */
static void discard_message(struct export *ex, struct str message)
{
	struct host *host = ex->target->host;
	const char *name = signal_names[signal_index(ex->signal)];
	struct delivery_result result = {0};
	struct err e = {0};
	int rc = ex->encoding == OTLP_ENCODING_PROTOBUF
			 ? otlp_validate(ex->signal, message, &result.rejected, &e)
			 : 0; /* JSON is not counted */

	if (rc) {
		export_refuse(ex, NULL, rc, &e);
		return;
	}
	snprintf(ex->warning, sizeof(ex->warning), "%s are discarded: no pipeline accepts them",
		 name);
	snprintf(result.reason, sizeof(result.reason), "%s", ex->warning);
	if (!(atomic_fetch_or(&host->discarded, ex->signal) & ex->signal))
		log_warn(host->log, "discarding a signal without a pipeline",
			 LOG_STR("signal", str_from(name)));
	export_succeed(ex, &result);
}

static void export_message(struct export *ex, struct str message)
{
	unsigned signal = signal_index(ex->signal);

	if (!ex->target->next[signal])
		discard_message(ex, message);
	else if (ex->target->form[signal] == FORM_PAYLOAD)
		export_payload(ex, message);
	else
		export_decoded(ex, message);
}

static void export_http(struct export *ex)
{
	struct http_exchange *x = ex->x;
	struct receipt receipt = {0};
	struct err e = {0};
	int rc;

	ex->encoding = otlp_encoding_of(x);
	rc = receive_unseal(ex->target->host, x, &e);
	if (!rc)
		rc = http_decode_body(x, &e);
	if (!rc) {
		export_message(ex, x->body);
		return;
	}
	if (rc == -ENOTSUP)
		rc = -EBADMSG;
	receipt_refuse(&receipt, rc, e.text);
	receive_note(ex->target->host, x, &receipt);
	export_fail(ex, rc, rc == -ENOMEM ? 1000 : 0, e.text);
}

static void export_call(struct export *ex)
{
	struct err e = {0};
	int rc = receive_unseal_call(ex->target->host, ex->call, &e);

	if (rc)
		export_refuse(ex, NULL, rc, &e);
	else
		export_message(ex, ex->call->message);
}

void otlp_export(struct receive_job *job)
{
	struct http_exchange *x = job->x;
	struct export *ex = arena_zalloc(x->arena, 1, sizeof(*ex));

	if (!ex) {
		http_respond_text(x, 503, "out of memory");
		return;
	}
	*ex = (struct export){
		.target = job->receiver, .x = x, .signal = otlp_signal_of(x->route->path)};
	if (job->protocol != RECEIVE_OTLP_GRPC) {
		export_http(ex);
		return;
	}
	ex->encoding = OTLP_ENCODING_PROTOBUF;
	ex->call = rpc_begin(x);
	if (ex->call)
		export_call(ex);
}
