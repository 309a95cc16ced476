/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

int intake_pool_init(struct intake_pool *p, struct budget *budget)
{
	*p = (struct intake_pool){.budget = budget};
	return -pthread_mutex_init(&p->mu, NULL);
}

static void intake_free(struct intake *in)
{
	if (!in)
		return;
	profile_batch_fini(&in->batch);
	arena_fini(&in->arena);
	free(in);
}

void intake_pool_fini(struct intake_pool *p)
{
	while (p->free) {
		struct intake *in = p->free;

		p->free = in->next;
		intake_free(in);
	}
	pthread_mutex_destroy(&p->mu);
}

static struct intake *intake_new(struct budget *budget)
{
	struct intake *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	arena_init(&in->arena, budget);
	if (profile_batch_init(&in->batch, budget)) {
		intake_free(in);
		return NULL;
	}
	return in;
}

struct intake *intake_get(struct intake_pool *p)
{
	struct intake *in;

	pthread_mutex_lock(&p->mu);
	in = p->free;
	if (in) {
		p->free = in->next;
		p->kept--;
	}
	pthread_mutex_unlock(&p->mu);
	if (!in)
		in = intake_new(p->budget);
	if (in)
		in->counters = &p->counters;
	return in;
}

/* What the arena holds, about. */
static size_t batch_bytes(const struct profile_batch *b)
{
	return (size_t)b->sample_cap * 20 + b->strings.cap * sizeof(*b->strings.at) +
	       b->locations.cap * sizeof(*b->locations.at) +
	       b->functions.cap * sizeof(*b->functions.at) +
	       b->stack_locations.cap * sizeof(*b->stack_locations.at) +
	       b->values.cap * sizeof(*b->values.at) + b->times.cap * sizeof(*b->times.at);
}

void intake_put(struct intake_pool *p, struct intake *in)
{
	bool keep;

	if (!in)
		return;
	keep = batch_bytes(&in->batch) < INTAKE_KEPT_BYTES && !profile_batch_reset(&in->batch);
	arena_reset(&in->arena);
	in->done = NULL;
	in->owner = NULL;
	pthread_mutex_lock(&p->mu);
	if (keep && p->kept < INTAKE_KEPT) {
		in->next = p->free;
		p->free = in;
		p->kept++;
		in = NULL;
	}
	pthread_mutex_unlock(&p->mu);
	intake_free(in);
}

static void delivered(struct delivery *d, const struct delivery_result *result)
{
	struct intake *in = d->owner;
	struct delivery_result both = *result;

	if (both.rc) {
		count_add(in->counters, delivery_may_retry(both.rc) ? COUNT_FAILED : COUNT_BAD, 1);
	} else {
		count_add(in->counters, COUNT_PROFILES,
			  in->batch.profiles.n - in->refused.rejected - both.rejected);
		count_add(in->counters, COUNT_SAMPLES, in->batch.sample_count);
		count_add(in->counters, COUNT_DUPLICATES, both.duplicates);
		count_add(in->counters, COUNT_REJECTED, in->refused.rejected + both.rejected);
	}
	if (!both.rc && in->refused.rejected) {
		both.rejected += in->refused.rejected;
		memcpy(both.reason, in->refused.reason, sizeof(both.reason));
	}
	in->done(in, &both);
}

/* The profiles without a series, in words: the first one's reason stands for all. */
static void note_refused(struct intake *in)
{
	in->refused = (struct delivery_result){.rejected = in->series.refused.n};
	if (!in->series.refused.n)
		return;

	const struct series_refusal *first = &in->series.refused.at[0];

	snprintf(in->refused.reason, sizeof(in->refused.reason), "profile %u: %.*s", first->profile,
		 STR_ARG(first->reason));
}

int intake_deliver(struct intake *in, struct consumer *next, struct str tenant,
		   const struct series_limits *limits)
{
	int rc = series_map_init(&in->series, &in->batch, limits, &in->arena);

	if (rc)
		return rc;
	note_refused(in);
	in->delivery = (struct delivery){
		.signal = SIGNAL_PROFILES,
		.tenant = tenant,
		.received = clock_realtime_ns(),
		.batch = &in->batch,
		.series = &in->series,
		.done = delivered,
		.owner = in,
	};
	if (!in->series.series.n) /* nothing to keep: an empty request succeeds */
		delivered(&in->delivery, &(struct delivery_result){0});
	else
		consumer_consume(next, &in->delivery);
	return 0;
}
