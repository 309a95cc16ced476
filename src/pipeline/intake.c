/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of intakes, and the delivery of decoded batches. */
#include "pipeline/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/admission/limits.h"

int intake_pool_init(struct intake_pool *p, struct budget *budget)
{
	*p = (struct intake_pool){.budget = budget};
	return -pthread_mutex_init(&p->mu, NULL);
}

static void work_free(struct intake_work *w)
{
	if (!w)
		return;
	profile_batch_fini(&w->batch);
	span_batch_fini(&w->spans);
	log_batch_fini(&w->logs);
	metric_batch_fini(&w->metrics);
	prom_series_cache_fini(&w->series_of_metrics);
	arena_fini(&w->arena);
	free(w);
}

void intake_pool_fini(struct intake_pool *p)
{
	while (p->free_work) {
		struct intake_work *w = p->free_work;

		p->free_work = w->next;
		work_free(w);
	}
	while (p->free) {
		struct intake *in = p->free;

		p->free = in->next;
		free(in);
	}
	pthread_mutex_destroy(&p->mu);
}

static struct intake_work *work_new(struct budget *budget)
{
	struct intake_work *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	arena_init(&w->arena, budget);
	span_batch_init(&w->spans, budget);
	log_batch_init(&w->logs, budget);
	metric_batch_init(&w->metrics, budget);
	w->series_of_metrics.budget = budget;
	if (profile_batch_init(&w->batch, budget)) {
		work_free(w);
		return NULL;
	}
	return w;
}

struct intake *intake_get(struct intake_pool *p)
{
	struct intake_work *work;
	struct intake *in;

	pthread_mutex_lock(&p->mu);
	in = p->free;
	work = p->free_work;
	if (in)
		p->free = in->next;
	if (work) {
		p->free_work = work->next;
		p->kept--;
	}
	pthread_mutex_unlock(&p->mu);
	if (!work)
		work = work_new(p->budget);
	if (!in)
		in = malloc(sizeof(*in));
	if (!in || !work) {
		work_free(work);
		free(in);
		return NULL;
	}
	*in = (struct intake){.work = work, .pool = p, .counters = &p->counters};
	return in;
}

/* Return the approximate memory of a batch. */
static size_t batch_bytes(const struct profile_batch *b)
{
	return (size_t)b->sample_cap * 20 + b->strings.cap * sizeof(*b->strings.at) +
	       b->locations.cap * sizeof(*b->locations.at) +
	       b->functions.cap * sizeof(*b->functions.at) +
	       b->stack_locations.cap * sizeof(*b->stack_locations.at) +
	       b->values.cap * sizeof(*b->values.at) + b->times.cap * sizeof(*b->times.at);
}

/* Reset `w` for reuse. Return false if it is too large to keep in the pool, or memory is short. */
static bool may_keep(struct intake_pool *p, struct intake_work *w)
{
	const struct budget *b = p->budget;

	return batch_bytes(&w->batch) < INTAKE_KEPT_BYTES &&
	       (!b || atomic_load(&b->used) <= b->limit / INTAKE_KEPT_PART) &&
	       !profile_batch_reset(&w->batch);
}

bool intake_pool_trim(struct intake_pool *p)
{
	struct intake_work *w;

	pthread_mutex_lock(&p->mu);
	w = p->free_work;
	if (w) {
		p->free_work = w->next;
		p->kept--;
	}
	pthread_mutex_unlock(&p->mu);
	work_free(w);
	return w;
}

static size_t work_bytes(const struct intake_work *w)
{
	return arena_bytes(&w->arena) + arena_bytes(&w->batch.arena) +
	       arena_bytes(&w->spans.arena) + arena_bytes(&w->logs.arena) +
	       arena_bytes(&w->metrics.arena);
}

/*
 * Return whether a message that ran out of memory would do so on an idle server, too: it holds at
 * least 1/HOLDS of the limit (buffers grow by doubling, so a message that hits the limit holds
 * about half of it; with less, the system itself was out of memory), other messages hold at most
 * 1/OTHERS, and the rest of the process has borrowed little. The body of the message counts as
 * borrowed.
 */
static bool is_too_large(const struct intake *in)
{
	enum { HOLDS = 3, OTHERS = 8, LENT = 4 };
	const struct budget *b = in->pool->budget, *rest = b ? b->rest : NULL;
	size_t own = work_bytes(in->work), used, lent, spare;

	if (!b || own < b->limit / HOLDS)
		return false;
	used = atomic_load(&b->used);
	if (used > own + b->limit / OTHERS)
		return false;
	if (!rest)
		return true;
	lent = atomic_load(&rest->used);
	/* what the others can borrow without reducing our own limit */
	spare = rest->limit - min_size(rest->limit, b->limit - b->own);
	return lent <= budget_borrows(b, 0, used) + max_size(spare, rest->limit / LENT);
}

int intake_explain(const struct intake *in, int rc, struct err *e)
{
	if (rc != -ENOMEM)
		return rc;
	*e = (struct err){0}; /* which allocation failed does not matter to the sender */
	if (in)
		while (intake_pool_trim(in->pool)) /* pooled memory must not count as in use */
			;
	if (in && is_too_large(in))
		return err_set(e, -EFBIG,
			       "the message needs more memory than decoding has (%zu bytes): send "
			       "smaller messages, or raise --memory-limit",
			       in->pool->budget->limit);
	return err_set(e, -ENOMEM, "out of memory for decoding; try again");
}

/* Return work to the pool, or free it. `w` may be NULL. */
static void work_put(struct intake_pool *p, struct intake_work *w)
{
	bool keep;

	if (!w)
		return;
	keep = may_keep(p, w) && arena_bytes(&w->spans.arena) < INTAKE_KEPT_BYTES &&
	       arena_bytes(&w->logs.arena) < INTAKE_KEPT_BYTES &&
	       arena_bytes(&w->metrics.arena) < INTAKE_KEPT_BYTES &&
	       arena_bytes(&w->arena) < INTAKE_KEPT_BYTES;
	span_batch_reset(&w->spans);
	log_batch_reset(&w->logs);
	metric_batch_reset(&w->metrics);
	arena_reset(&w->arena);
	pthread_mutex_lock(&p->mu);
	if (keep && p->kept < INTAKE_KEPT) {
		w->next = p->free_work;
		p->free_work = w;
		p->kept++;
		w = NULL;
	}
	pthread_mutex_unlock(&p->mu);
	work_free(w);
}

void intake_put(struct intake_pool *p, struct intake *in)
{
	if (!in)
		return;
	work_put(p, take_ptr(&in->work));
	pthread_mutex_lock(&p->mu);
	in->next = p->free;
	p->free = in;
	pthread_mutex_unlock(&p->mu);
}

static void delivery_finished(struct delivery *d, const struct delivery_result *result)
{
	struct intake *in = d->owner;
	struct delivery_result both = *result;

	if (d->copied) /* intake_deliver() gives it back */
		in->work = NULL;
	if (both.rc) {
		count_add(in->counters,
			  delivery_may_retry(both.rc) ? COUNT_FAILED
			  : both.rc == -EDQUOT	      ? COUNT_REJECTED
						      : COUNT_BAD,
			  both.rc == -EDQUOT ? in->profiles : 1);
	} else if (d->signal == SIGNAL_METRICS) {
		count_add(in->counters, COUNT_METRIC_SAMPLES,
			  in->points - min_size(both.rejected, in->points));
		count_add(in->counters, COUNT_REJECTED_METRIC_SAMPLES,
			  in->refused.rejected + both.rejected);
	} else if (d->signal == SIGNAL_TRACES) {
		count_add(in->counters, COUNT_SPANS, in->spans - both.rejected);
		count_add(in->counters, COUNT_REJECTED_SPANS, in->refused.rejected + both.rejected);
	} else if (d->signal == SIGNAL_LOGS) {
		count_add(in->counters, COUNT_LOGS, in->logs - both.rejected - both.duplicates);
		count_add(in->counters, COUNT_REJECTED_LOGS, in->refused.rejected + both.rejected);
	} else {
		count_add(in->counters, COUNT_PROFILES,
			  in->profiles - in->refused.rejected - both.rejected);
		count_add(in->counters, COUNT_SAMPLES, in->samples);
		count_add(in->counters, COUNT_DUPLICATES, both.duplicates);
		count_add(in->counters, COUNT_REJECTED, in->refused.rejected + both.rejected);
	}
	if (!both.rc && in->refused.rejected) {
		both.rejected += in->refused.rejected;
		memcpy(both.reason, in->refused.reason, sizeof(both.reason));
	}
	in->done(in, &both);
}

/* Record the profiles without a series in in->refused, with the reason of the first. */
static void note_refused(struct intake *in)
{
	const struct series_map *series = &in->work->series;

	in->refused = (struct delivery_result){.rejected = series->refused.n};
	if (!series->refused.n)
		return;

	const struct series_refusal *first = &series->refused.at[0];

	snprintf(in->refused.reason, sizeof(in->refused.reason), "profile %u: %.*s", first->profile,
		 STR_ARG(first->reason));
}

/* Refuse a write of a service that the token does not permit: all of it, so that none is lost. */
static bool refuse_service(struct intake *in, struct str service)
{
	struct delivery_result refused = {.rc = -EPERM};

	if (limits_permit_service(in->account, service))
		return false;
	snprintf(refused.reason, sizeof(refused.reason),
		 "the token does not permit to write the service \"%.*s\"",
		 STR_ARG(str_head(service, 64)));
	delivery_finished(&in->delivery, &refused);
	return true;
}

/* Return whether a service of the series is refused; then the intake is done. */
static bool refuse_series(struct intake *in)
{
	const struct series_map *series = &in->work->series;

	for (uint32_t i = 0; in->account && in->account->services.n && i < series->series.n; i++)
		if (refuse_service(in,
				   label_set_get(series->series.at[i].labels, STR("service_name"))))
			return true;
	return false;
}

static bool refuse_spans(struct intake *in)
{
	const struct span_batch *b = &in->work->spans;

	for (uint32_t i = 0; in->account && in->account->services.n && i < b->spans.n; i++)
		if (refuse_service(in, b->spans.at[i].service))
			return true;
	return false;
}

/* Fill in the delivery except for its data, and hand it to the next consumer, unless it is empty. */
static void deliver_work(struct intake *in, struct consumer *next, struct delivery d, bool empty)
{
	struct intake_pool *pool = in->pool;
	struct intake_work *work = in->work;
	bool *result = in->copied;
	bool copied = false;

	d.received = in->from ? in->from->received : clock_realtime_ns();
	d.account = in->account;
	d.services = in->from ? in->from->services : &in->services;
	d.transport = in->transport;
	d.done = delivery_finished;
	d.owner = in;
	if (in->from) {
		d.transport = in->from->transport;
		d.metadata = in->from->metadata;
		d.metadata_count = in->from->metadata_count;
	}
	in->delivery = d;
	if (empty) /* nothing to store: an empty request succeeds */
		delivery_finished(&in->delivery, &(struct delivery_result){0});
	else
		copied = consumer_consume(next, &in->delivery);
	if (result)
		*result = copied;
	if (copied) /* `in` may be gone by now */
		work_put(pool, work);
}

int intake_deliver(struct intake *in, struct consumer *next, struct str tenant,
		   const struct series_limits *limits)
{
	struct intake_work *work = in->work;
	struct delivery d = {.signal = SIGNAL_PROFILES,
			     .tenant = tenant,
			     .batch = &work->batch,
			     .series = &work->series};
	int rc = series_map_init(&work->series, &work->batch, limits, &work->arena);

	rc = rc ? rc : profile_key_strings(&work->batch);

	if (rc)
		return rc;
	note_refused(in);
	service_names_add_series(&in->services, &work->series);
	in->profiles = work->batch.profiles.n;
	in->samples = work->batch.sample_count;
	limits_charge(in->account, 0, in->profiles);
	in->delivery = (struct delivery){.signal = SIGNAL_PROFILES, .owner = in};
	if (!refuse_series(in))
		deliver_work(in, next, d, !work->series.series.n);
	return 0;
}

void intake_deliver_spans(struct intake *in, struct consumer *next, struct str tenant)
{
	struct intake_work *work = in->work;
	struct delivery d = {.signal = SIGNAL_TRACES, .tenant = tenant, .spans = &work->spans};

	in->refused = (struct delivery_result){.rejected = work->spans.rejected};
	snprintf(in->refused.reason, sizeof(in->refused.reason), "%s", work->spans.reason);
	service_names_add_spans(&in->services, &work->spans);
	in->spans = work->spans.spans.n;
	in->delivery = (struct delivery){.signal = SIGNAL_TRACES, .owner = in};
	if (!refuse_spans(in))
		deliver_work(in, next, d, !in->spans);
}

static bool refuse_logs(struct intake *in)
{
	const struct log_batch *b = &in->work->logs;

	for (uint32_t i = 0; in->account && in->account->services.n && i < b->services.n; i++)
		if (refuse_service(in, b->services.at[i]))
			return true;
	return false;
}

void intake_deliver_logs(struct intake *in, struct consumer *next, struct str tenant)
{
	struct intake_work *work = in->work;
	struct delivery d = {.signal = SIGNAL_LOGS, .tenant = tenant, .logs = &work->logs};

	in->refused = (struct delivery_result){.rejected = work->logs.rejected};
	snprintf(in->refused.reason, sizeof(in->refused.reason), "%s", work->logs.reason);
	for (uint32_t i = 0; i < work->logs.services.n && i < SERVICES_LOOKED_AT; i++)
		service_names_add(&in->services, work->logs.services.at[i]);
	in->logs = work->logs.logs.n;
	in->delivery = (struct delivery){.signal = SIGNAL_LOGS, .owner = in};
	if (!refuse_logs(in))
		deliver_work(in, next, d, !in->logs);
}

/* Return whether a service of the metrics, the last part of the label job, is refused. */
static bool refuse_metrics(struct intake *in)
{
	const struct metric_batch *b = &in->work->metrics;

	for (uint32_t i = 0; in->account && in->account->services.n && i < b->series.n; i++) {
		struct str job = metric_labels_get(b->series.at[i], STR("job"));

		if (refuse_service(in, str_from_at(job, str_find_last(job, '/') < job.n
								? str_find_last(job, '/') + 1
								: 0)))
			return true;
	}
	return false;
}

void intake_deliver_metrics(struct intake *in, struct consumer *next, struct str tenant)
{
	struct intake_work *work = in->work;
	struct metric_batch *b = &work->metrics;
	struct delivery d = {.signal = SIGNAL_METRICS, .tenant = tenant, .metrics = b};

	in->refused = (struct delivery_result){.rejected = b->rejected};
	snprintf(in->refused.reason, sizeof(in->refused.reason), "%s", b->reason);
	in->points = b->samples.n + b->histograms.n;
	in->delivery = (struct delivery){.signal = SIGNAL_METRICS, .owner = in};
	if (!refuse_metrics(in))
		deliver_work(in, next, d, !in->points && !b->metadata.n);
}
