/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each profile is decoded into an intake, as by receivers of requests. The thread of the source
 * waits for the result, so that a source has one profile on its way at most, and sums are
 * subtracted from the last profile that was accepted. If the run is cancelled meanwhile, the
 * delivery outlives it.
 */
#include "pipeline/receivers/pprof/profile_delivery.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/pprof/pprof.h"
#include "pipeline/receivers/pyroscope/fixups.h"
#include "pipeline/receivers/pyroscope/ingest.h"

enum { PROFILE_SNIFF_BYTES = 64 * 1024, WAIT_STEP_MS = 100 };

/* A delivery on its way: held by the waiting thread and by done(). */
struct profile_flight {
	pthread_mutex_t mu; /* guards all below */
	pthread_cond_t finished;
	unsigned refs;
	bool done;
	struct delivery_result result;
	struct host *host;
	struct buf body; /* the batch borrows from it */
};

static struct profile_flight *flight_new(struct host *host, struct buf *body)
{
	struct profile_flight *f = calloc(1, sizeof(*f));
	pthread_condattr_t clock;

	if (!f)
		return NULL;
	pthread_mutex_init(&f->mu, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&f->finished, &clock);
	pthread_condattr_destroy(&clock);
	f->refs = 1;
	f->host = host;
	f->body = *body;
	*body = (struct buf){0};
	return f;
}

static void flight_unref(struct profile_flight *f)
{
	bool last;

	pthread_mutex_lock(&f->mu);
	last = --f->refs == 0;
	pthread_mutex_unlock(&f->mu);
	if (!last)
		return;
	pthread_cond_destroy(&f->finished);
	pthread_mutex_destroy(&f->mu);
	buf_fini(&f->body);
	free(f);
}

static void profile_delivered(struct intake *in, const struct delivery_result *result)
{
	struct profile_flight *f = in->owner;

	pthread_mutex_lock(&f->mu);
	f->result = *result;
	f->done = true;
	pthread_cond_signal(&f->finished);
	pthread_mutex_unlock(&f->mu);
	intake_put(&f->host->intakes, in);
	flight_unref(f);
}

/* Wait for the result. Return it with its reason, or -ECANCELED. */
static int await_flight(struct profile_flight *f, const struct scrape_run *run, struct err *e)
{
	int rc;

	pthread_mutex_lock(&f->mu);
	while (!f->done && !scrape_cancelled(run)) {
		uint64_t at = clock_monotonic_ns() + WAIT_STEP_MS * NS_PER_MS;
		struct timespec until = {.tv_sec = (time_t)(at / NS_PER_SECOND),
					 .tv_nsec = (long)(at % NS_PER_SECOND)};

		pthread_cond_timedwait(&f->finished, &f->mu, &until);
	}
	rc = f->done ? f->result.rc : -ECANCELED;
	if (rc)
		err_set(e, rc, "the profile was not accepted: %s",
			f->done ? f->result.reason : "ended");
	else if (f->result.rejected)
		rc = err_set(e, -EBADMSG, "%u profiles were refused: %s", f->result.rejected,
			     f->result.reason);
	pthread_mutex_unlock(&f->mu);
	return rc;
}

/* ---- decoding ---- */

/* The formats that services serve: pprof, and the text of tcmalloc, jemalloc and Go. */
static const struct format *served_format(struct str head)
{
	static const struct format *const served[] = {&format_pprof, &format_gperftools,
						      &format_heap_text, &format_contention_text,
						      &format_thread_text};
	const struct format *found = format_by_content(head);

	for (size_t i = 0; i < countof(served); i++)
		if (found == served[i])
			return found;
	return NULL;
}

/* Give the profiles the labels of the source; they are copied. */
static int put_source_labels(const struct profile_source *s, struct intake_work *w)
{
	struct keyvalue labels[PROFILE_LABELS_MAX];
	int rc = 0;

	for (uint32_t i = 0; i < s->label_count && !rc; i++) {
		labels[i].value.kind = VALUE_STRING;
		rc = arena_copy_str(&w->arena, s->labels[i].key, &labels[i].key);
		if (!rc)
			rc = arena_copy_str(&w->arena, s->labels[i].value.s, &labels[i].value.s);
	}
	return rc ? rc : fixup_resource(&w->batch, labels, s->label_count);
}

static int decode_served(const struct profile_source *s, struct intake_work *w, struct str in,
			 struct err *e)
{
	const struct format *format;
	int rc;

	if (!in.n)
		return err_set(e, -EBADMSG, "empty response, expected a profile");
	rc = pyroscope_unpack(&w->arena, in, s->body_max ? s->body_max : PROFILE_BODY_MAX, &in, e);
	if (rc)
		return rc;
	format = served_format(str_head(in, PROFILE_SNIFF_BYTES));
	if (!format)
		return err_set(e, -EBADMSG, "expected a profile in pprof's format, found %s",
			       in.n ? "something else" : "nothing");
	rc = format_decode(&w->batch, in, format, STR(""), NULL, NULL, e);
	if (!rc)
		rc = fixup_sample_attributes(&w->batch, false);
	return rc ? rc : put_source_labels(s, w);
}

static void set_content_ids(struct profile_batch *b, struct str body)
{
	static const uint8_t none[PROFILE_ID_SIZE];

	if (b->profiles.n && !memcmp(b->profiles.at[0].id, none, sizeof(none)))
		fixup_ids(b, body);
}

static int decode_profile_body(struct profile_source *s, struct intake *in, struct str body,
			       const struct fetched_profile *p, struct err *e)
{
	struct intake_work *w = in->work;
	int rc = decode_served(s, w, body, e);

	if (rc)
		return rc;
	fixup_time(&w->batch, p->time, 0);
	if (p->content_id)
		set_content_ids(&w->batch, body);
	return s->delta ? profile_delta_apply(s->delta, &w->batch, p->time, &w->arena, e) : 0;
}

/* ---- delivery ---- */

static struct consumer *next_of(const struct profile_source *s)
{
	return s->env->next[signal_index(SIGNAL_PROFILES)];
}

/* Decode and hand over; on 0 profile_delivered() is called. */
static int submit_profile(struct profile_source *s, struct profile_flight *f,
			  const struct fetched_profile *p, struct err *e)
{
	struct host *host = s->env->host;
	struct delivery_result why = {0};
	struct intake *in;
	int rc;

	if (!consumer_admit(next_of(s), f->body.n, &why))
		return err_set(e, why.rc, "the profile was not accepted: %s", why.reason);
	in = intake_get(&host->intakes);
	rc = in ? decode_profile_body(s, in, buf_str(&f->body), p, e) : -ENOMEM;
	if (!rc) {
		in->done = profile_delivered;
		in->owner = f;
		in->transport = s->transport;
		f->refs++; /* no other thread has it yet */
		rc = intake_deliver(in, next_of(s), STR(""), NULL);
		if (!rc)
			return 0;
		f->refs--;
	}
	rc = intake_explain(in, rc, e);
	intake_put(&host->intakes, in);
	return rc;
}

int profile_deliver(struct profile_source *s, struct fetched_profile *p,
		    const struct scrape_run *run, struct err *e)
{
	struct profile_flight *f = flight_new(s->env->host, &p->body);
	int rc;

	if (!f) {
		buf_fini(&p->body);
		return err_set(e, -ENOMEM, "out of memory");
	}
	rc = submit_profile(s, f, p, e);
	if (!rc) {
		rc = await_flight(f, run, e);
		/* What was refused for good is not sent again with the next profile. */
		if (s->delta && (!rc || rc == -EBADMSG || rc == -EINVAL))
			profile_delta_commit(s->delta);
	}
	flight_unref(f);
	return rc;
}

/* ---- reports ---- */

void profile_source_counters(struct profile_source *s)
{
	struct telemetry_label labels[] = {{"receiver", s->env->id}, {"scraper", "pprof"}};
	struct telemetry *t = &s->env->host->telemetry;

	s->scraped =
		telemetry_get(t, TELEMETRY_COUNTER, "otelcol_scraper_scraped_profile_records",
			      "Number of profiles successfully scraped.", labels, countof(labels));
	s->errored = telemetry_get(t, TELEMETRY_COUNTER, "otelcol_scraper_errored_profile_records",
				   "Number of profiles that were unable to be scraped.", labels,
				   countof(labels));
}

void profile_source_report(struct profile_source *s, const struct scrape_run *run, int rc,
			   const struct err *e)
{
	const struct log *log = s->env->log;

	if (rc && scrape_cancelled(run))
		return;
	telemetry_add(rc ? s->errored : s->scraped, 1);
	if (rc && !s->failing)
		log_warn(log, "profile not scraped", LOG_STR("receiver", str_from(s->env->id)),
			 LOG_STR(s->what, s->name),
			 LOG_STR("err", e->text[0] ? str_from(e->text) : STR("out of memory")));
	if (!rc && s->failing)
		log_info(log, "profiles are scraped again",
			 LOG_STR("receiver", str_from(s->env->id)), LOG_STR(s->what, s->name));
	s->failing = rc != 0;
}
