/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST /api/v1/upload: store a profile of any supported format. URL parameters complement the file:
 * service, label=name=value (repeated), time. Without a body an opened file is stored (file=ID).
 * The response is sent once the data is on disk.
 */
#include <pthread.h>
#include <stdio.h>

#include "api/endpoint.h"
#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "base/time_text.h"
#include "format/format.h"
#include "pipeline/receivers/receive.h"

struct upload {
	struct file *opened; /* the owner of `bytes`, in use; NULL: the body */
	struct str bytes;
	struct profile_batch batch;
	struct series_map series;
	const struct format *format;
	struct store_write write; /* used without a pipeline */
	struct delivery delivery; /* used with a pipeline */
	struct service_names services;
	/* the result; `mu` guards `done` */
	pthread_mutex_t mu;
	pthread_cond_t answered;
	bool done;
	int rc;
	uint32_t duplicates, rejected;
	struct err *e;
};

/* ---- input ---- */

static int read_upload_attributes(struct request *r, struct keyvalue **out, uint32_t *n,
				  struct err *e)
{
	struct texts labels;
	struct str service;
	struct keyvalue *at;
	int rc = request_param(r, "service", &service, e);

	if (!rc)
		rc = request_params(r, "label", &labels, e);
	if (rc)
		return rc;
	at = arena_alloc(r->arena, labels.list.n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*n = 0;
	if (service.n)
		at[(*n)++] = (struct keyvalue){STR("service.name"), VALUE_OF_STR(service)};
	for (uint32_t i = 0; i < labels.list.n; i++) {
		struct str value = labels.list.at[i], name = str_cut(&value, '=');

		if (!name.n || !value.p)
			return err_set(e, -EINVAL, "label: expected name=value, found \"%.*s\"",
				       STR_ARG(str_head(labels.list.at[i], 60)));
		at[(*n)++] = (struct keyvalue){name, VALUE_OF_STR(value)};
	}
	*out = at;
	return 0;
}

static int set_times(struct request *r, struct profile_batch *b, struct err *e)
{
	struct str text;
	uint64_t time = 0;
	int rc = request_param(r, "time", &text, e);

	if (!rc && text.n)
		rc = time_parse(text, r->now_ns, &time, e);
	for (uint32_t i = 0; i < b->profiles.n && !rc && time; i++)
		b->profiles.at[i].time_unix_nano = time;
	return rc;
}

/* Select the bytes: the body, or without one the opened file. With a body `file` is only a name. */
static int select_bytes(struct upload *u, struct request *r, struct str *file, struct err *e)
{
	int rc = request_unseal(r, e);

	u->bytes = r->body;
	if (!rc && !r->body.n && file->n == 2 * FILE_ID_SIZE && r->files)
		rc = files_open(r->files, r, *file, &u->opened, e);
	if (!rc && u->opened) {
		u->bytes = u->opened->bytes;
		u->format = u->opened->format;
		*file = u->opened->name;
	}
	if (!rc && !u->bytes.n)
		rc = err_set(e, -EINVAL, "expected a profile, found an empty body");
	return rc;
}

static int read_profile(struct upload *u, struct request *r, struct err *e)
{
	struct keyvalue *attributes = NULL;
	const struct format *wanted = NULL;
	struct str name, file;
	uint32_t n = 0;
	int rc = request_param(r, "format", &name, e);

	if (!rc)
		rc = request_param(r, "file", &file, e);
	if (!rc && name.n && !(wanted = format_by_name(name)))
		rc = err_set(e, -EINVAL, "format: unknown format \"%.*s\"",
			     STR_ARG(str_head(name, 40)));
	if (!rc)
		rc = select_bytes(u, r, &file, e);
	if (!rc)
		rc = read_upload_attributes(r, &attributes, &n, e);
	if (!rc)
		rc = format_decode(&u->batch, u->bytes, wanted ? wanted : u->format, file,
				   &(struct decode_options){0}, &u->format, e);
	if (!rc)
		rc = profile_set_resource(&u->batch, attributes, n);
	return rc ? rc : set_times(r, &u->batch, e);
}

/* ---- storing ---- */

static void answered(struct upload *u, const struct delivery_result *result)
{
	pthread_mutex_lock(&u->mu);
	u->done = true;
	u->rc = result->rc;
	u->duplicates = result->duplicates;
	u->rejected = result->rejected + u->series.refused.n;
	if (!u->rc && result->rejected && u->rejected >= u->batch.profiles.n)
		u->rc = -EINVAL; /* nothing was stored */
	if (u->rc && result->reason[0])
		err_set(u->e, u->rc, "%s", result->reason);
	pthread_cond_signal(&u->answered);
	pthread_mutex_unlock(&u->mu);
}

static void upload_written(struct store_write *w, int rc, const struct err *e)
{
	struct delivery_result result = {
		.rc = rc, .rejected = w->rejected, .duplicates = w->duplicates};

	snprintf(result.reason, sizeof(result.reason), "%s", rc && e ? e->text : w->reason);
	answered(w->owner, &result);
}

static void upload_delivered(struct delivery *d, const struct delivery_result *result)
{
	answered(d->owner, result);
}

/* Submit the profiles to the pipeline, subject to its limits; without one to the store. */
static int submit_upload(struct upload *u, struct request *r, struct err *e)
{
	struct consumer *pipeline = r->api ? r->api->options.uploads : NULL;
	struct delivery_result why = {0};
	int rc;

	if (!pipeline) {
		u->write = (struct store_write){
			.tenant = r->tenant,
			.batch = &u->batch,
			.series = &u->series,
			.received = r->now_ns,
			.done = upload_written,
			.owner = u,
		};
		rc = r->store->ops->put(r->store, &u->write, e);
		return rc < 0 ? rc : 0;
	}
	if (!limits_admit(r->account, &why))
		return err_set(e, -EBUSY, "%s", why.reason);
	limits_charge(r->account, u->bytes.n, u->batch.profiles.n);
	if (!consumer_admit(pipeline, u->bytes.n, &why))
		return err_set(e, why.rc, "%s", why.reason);
	u->delivery = (struct delivery){
		.signal = SIGNAL_PROFILES,
		.tenant = r->tenant,
		.received = r->now_ns,
		.account = r->account,
		.batch = &u->batch,
		.series = &u->series,
		.services = &u->services,
		.done = upload_delivered,
		.owner = u,
	};
	consumer_consume(pipeline, &u->delivery);
	return 0;
}

/* Deliver the profiles and wait for the result. May block: runs on a thread of the pool. */
static int deliver_upload(struct upload *u, struct request *r, struct err *e)
{
	int rc = series_map_init(&u->series, &u->batch, &series_limits_default, r->arena);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < u->series.series.n; i++) {
		struct str service =
			label_set_get(u->series.series.at[i].labels, STR("service_name"));

		if (!limits_permit_service(r->account, service))
			return err_set(e, -EPERM,
				       "the token does not permit to write the service \"%.*s\"",
				       STR_ARG(str_head(service, 64)));
	}
	if (u->series.refused.n && !u->series.series.n)
		return err_set(e, -EINVAL, "%.*s", STR_ARG(u->series.refused.at[0].reason));
	service_names_add_series(&u->services, &u->series);
	u->e = e;
	rc = submit_upload(u, r, e);
	if (rc)
		return rc;
	pthread_mutex_lock(&u->mu);
	while (!u->done)
		pthread_cond_wait(&u->answered, &u->mu);
	pthread_mutex_unlock(&u->mu);
	return u->rc;
}

/* Record the upload in the senders' statistics, as receivers do. */
static void record_sender(const struct upload *u, const struct request *r, int rc,
			  const struct err *e)
{
	struct host *host = r->api ? r->api->options.host : NULL;
	char reason[SENDER_REFUSAL];
	struct receipt receipt = {.protocol = RECEIVE_UPLOAD,
				  .x = r->sender,
				  .bytes = r->body.n,
				  .services = &u->services};

	if (!host || !r->sender)
		return;
	if (rc) {
		receipt_refuse(&receipt, rc, e->text);
	} else {
		receipt.profiles = u->batch.profiles.n - u->series.refused.n;
		receipt.samples = u->batch.sample_count;
		receipt.duplicates = u->duplicates;
		receipt.refused[REFUSED_REJECTED] = u->series.refused.n;
	}
	if (!rc && u->series.refused.n) {
		snprintf(reason, sizeof(reason), "%.*s", STR_ARG(u->series.refused.at[0].reason));
		receipt.reason = reason;
	}
	senders_note(&host->senders, &receipt);
}

int varve_upload(struct request *r, struct reply *out, struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct upload u = {.mu = PTHREAD_MUTEX_INITIALIZER, .answered = PTHREAD_COND_INITIALIZER};
	int rc = profile_batch_init(&u.batch, r->limits.budget);

	if (!rc)
		rc = read_profile(&u, r, e);
	if (!rc)
		rc = deliver_upload(&u, r, e);
	record_sender(&u, r, rc, e);
	if (!rc) {
		out->content_type = STR("application/json");
		json_open_object(&w);
		put_text(&w, "format", str_from(u.format->name));
		put_u64(&w, "profiles", u.batch.profiles.n);
		put_u64(&w, "samples", u.batch.sample_count);
		put_u64(&w, "series", u.series.series.n);
		put_u64(&w, "rejected", u.rejected);
		put_u64(&w, "duplicates", u.duplicates);
		rc = view_close(&w);
	}
	profile_batch_fini(&u.batch);
	files_release(r->files, u.opened);
	pthread_mutex_destroy(&u.mu);
	pthread_cond_destroy(&u.answered);
	return rc;
}
