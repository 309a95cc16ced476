/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consume() splits a payload by trace without a lock, and adds the pieces to the table of traces
 * under one. A thread decides the traces that are due, in the order of their first spans, and sends
 * those that are kept without a lock.
 *
 * When there are more than num_traces, decided traces are forgotten first, and then the oldest ones
 * are decided early; the same for the bytes that are held. If the thread cannot keep up, data is
 * refused until later.
 */
#include "pipeline/processors/tail_sampling/tail_sampling.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "pipeline/emit.h"
#include "pipeline/processors/processor.h"
#include "pipeline/processors/scratch.h"
#include "pipeline/processors/tail_sampling/trace_policy.h"
#include "pipeline/processors/tail_sampling/trace_split.h"
#include "pipeline/processors/tail_sampling/trace_table.h"

struct cache_settings {
	int64_t sampled, non_sampled;
};

struct tail_settings {
	uint64_t decision_wait_ns;
	int64_t num_traces;
	struct cache_settings cache;
	struct policy_list policies;
	bool drop_pending;
	int64_t max_trace_bytes;
	uint64_t max_held_bytes;
};

struct tail_metrics {
	struct telemetry_value *on_memory, *new_traces, *early, *too_large;
	struct telemetry_value *sampled, *not_sampled, *cached_sampled, *cached_not_sampled;
};

struct tail_state {
	struct consumer *next;
	const struct component_env *env;
	const struct tail_settings *settings;
	struct profiled_traces *profiled;
	uint64_t max_bytes;
	struct tail_metrics metrics;
	struct scratch_pool pool;
	struct arena arena;		/* of the policies */
	struct trace_policies policies; /* used by the thread; by stop() after its end */

	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t changed;
	struct trace_table table;
	struct trace_id_set sampled, non_sampled;
	bool idle; /* the thread waits for the first trace */
	bool stopping;
	struct thread thread;
};

static const struct delivery_result no_memory = {
	.rc = -ENOMEM, .retry_after_ms = 1000, .reason = "out of memory"};

/* ---- sending ---- */

/* The spans of a trace on their way, and the deliveries they came with. */
struct sent_trace {
	const struct tail_state *x;
	struct trace_spans spans; /* without the payloads */
};

static void sent_trace_done(void *owner, const struct delivery_result *result)
{
	struct sent_trace *sent = owner;

	if (result->rc && !sent->spans.ticket_count)
		log_warn(sent->x->env->log, "trace was refused, its spans are lost",
			 LOG_STR("processor", str_from(sent->x->env->id)),
			 LOG_STR("reason", str_from(result->reason)));
	trace_spans_finish(&sent->spans, result);
	free(sent);
}

/* Send the spans of a trace that is kept. */
static void send_trace(struct tail_state *x, struct str tenant, struct trace_spans *spans)
{
	struct sent_trace *sent = malloc(sizeof(*sent));
	struct emit_options options = {.tenant = tenant, .done = sent_trace_done, .owner = sent};
	struct payload *whole = NULL;

	if (!sent || payload_parts_merge(&whole, spans->parts.at, spans->parts.n,
					 &x->env->host->memory, NULL)) {
		free(sent);
		trace_spans_finish(spans, &no_memory);
		return;
	}
	payload_list_free(&spans->parts);
	*sent = (struct sent_trace){x, *spans};
	emit_payload(x->next, whole, &options);
}

/* Send or drop what a trace held. */
static void finish_spans(struct tail_state *x, struct str tenant, struct trace_spans *spans,
			 bool keep)
{
	if (keep && spans->parts.n)
		send_trace(x, tenant, spans);
	else
		trace_spans_finish(spans, &(struct delivery_result){0});
}

/* ---- deciding; the thread ---- */

/* Evaluate the policies for what a trace holds. Without memory for that it is kept. */
static bool decide_spans(struct tail_state *x, const struct trace_key *key,
			 const struct trace_spans *spans)
{
	struct scratch *s = scratch_take(&x->pool);
	struct otlp_tree *trees =
		s ? arena_alloc(&s->arena, spans->parts.n + 1, sizeof(*trees)) : NULL;
	struct policy_trace view = {.key = key,
				    .trees = trees,
				    .spans = spans->spans,
				    .bytes = spans->bytes,
				    .now_ns = clock_monotonic_ns()};
	enum trace_verdict verdict;

	for (uint32_t i = 0; trees && i < spans->parts.n; i++)
		if (!otlp_tree_read(&trees[view.tree_count], spans->parts.at[i], &s->arena, NULL))
			view.tree_count++;
	verdict = trees ? trace_policies_decide(&x->policies, &view) : TRACE_SAMPLED;
	scratch_give(&x->pool, s);
	telemetry_add(verdict == TRACE_SAMPLED ? x->metrics.sampled : x->metrics.not_sampled, 1);
	return verdict == TRACE_SAMPLED;
}

/* Decide the oldest trace that waits. Called and returns with the lock held. */
static void decide_oldest(struct tail_state *x, bool drop)
{
	struct held_trace *trace = x->table.waiting.oldest;
	struct trace_spans spans = trace_table_take(&x->table, trace), late;
	struct str tenant = str_of(trace->tenant, trace->tenant_n);
	bool keep;

	pthread_mutex_unlock(&x->mu);
	keep = !drop && !trace->too_large && decide_spans(x, &trace->key, &spans);
	finish_spans(x, tenant, &spans, keep);
	pthread_mutex_lock(&x->mu);
	late = trace_table_decide(&x->table, trace, keep ? TRACE_KEPT : TRACE_GONE,
				  clock_monotonic_ns());
	trace_id_set_add(keep ? &x->sampled : &x->non_sampled, &trace->key);
	if (!late.parts.n)
		return;
	pthread_mutex_unlock(&x->mu);
	finish_spans(x, tenant, &late, keep);
	pthread_mutex_lock(&x->mu);
}

static bool too_many_traces(const struct tail_state *x)
{
	return x->table.count > (uint64_t)x->settings->num_traces;
}

/* Forget decided traces as long as there are too many. Return whether traces have to be decided. */
static bool forget_decided(struct tail_state *x)
{
	while (too_many_traces(x) && x->table.decided.oldest)
		trace_table_remove(&x->table, x->table.decided.oldest);
	telemetry_set(x->metrics.on_memory, x->table.count);
	return x->table.waiting.oldest && (too_many_traces(x) || x->table.bytes > x->max_bytes);
}

static void wait_for_traces(struct tail_state *x)
{
	const struct held_trace *oldest = x->table.waiting.oldest;

	x->idle = true;
	if (!oldest) {
		pthread_cond_wait(&x->changed, &x->mu);
	} else {
		const struct timespec due = {.tv_sec = (time_t)(oldest->at_ns / NS_PER_SECOND),
					     .tv_nsec = (long)(oldest->at_ns % NS_PER_SECOND)};

		pthread_cond_timedwait(&x->changed, &x->mu, &due);
	}
	x->idle = false;
}

static void decide_run(void *arg)
{
	struct tail_state *x = arg;

	pthread_mutex_lock(&x->mu);
	while (!x->stopping) {
		const struct held_trace *oldest = x->table.waiting.oldest;

		if (forget_decided(x)) {
			telemetry_add(x->metrics.early, 1);
			decide_oldest(x, false);
		} else if (oldest && oldest->at_ns <= clock_monotonic_ns()) {
			decide_oldest(x, false);
		} else {
			wait_for_traces(x);
		}
	}
	pthread_mutex_unlock(&x->mu);
}

/* ---- consuming ---- */

/* Return the trace of a piece, or NULL with *keep if it is not in memory and was decided before. */
static struct held_trace *trace_of_piece(struct tail_state *x, const struct trace_key *key,
					 struct str tenant, bool *keep, bool *lost)
{
	struct held_trace *trace = trace_table_find(&x->table, key);

	if (trace)
		return trace;
	*keep = trace_id_set_has(&x->sampled, key);
	if (*keep || trace_id_set_has(&x->non_sampled, key)) {
		telemetry_add(*keep ? x->metrics.cached_sampled : x->metrics.cached_not_sampled, 1);
		return NULL;
	}
	trace = trace_table_add(&x->table, key, tenant,
				clock_monotonic_ns() + x->settings->decision_wait_ns);
	*lost |= !trace;
	if (trace)
		telemetry_add(x->metrics.new_traces, 1);
	return trace;
}

/* Return whether the trace is too large for more spans; if it becomes so, it is due to be dropped. */
static bool refuse_large(struct tail_state *x, struct held_trace *trace, const struct payload *p)
{
	uint64_t max = (uint64_t)x->settings->max_trace_bytes;

	if (!max || trace->state != TRACE_WAITS || trace->held.bytes + p->bytes <= max)
		return false;
	if (!trace->too_large) {
		telemetry_add(x->metrics.too_large, 1);
		trace_table_refuse(&x->table, trace);
	}
	return true;
}

/*
 * Add a piece to its trace: its payload is NULL then. The payload of a piece of a trace that was
 * kept stays, to be sent at once. The caller holds the lock.
 */
static void hold_piece(struct tail_state *x, struct trace_piece *piece, struct str tenant,
		       struct delivery_ticket *ticket, bool *lost)
{
	bool keep = false;
	struct held_trace *trace = trace_of_piece(x, &piece->key, tenant, &keep, lost);

	if (trace && trace->state <= TRACE_IN_DECISION) {
		if (!refuse_large(x, trace, piece->payload)) {
			*lost |= trace_table_hold(&x->table, trace, piece->payload, ticket) != 0;
			piece->payload = NULL;
		}
	} else if (trace ? trace->state == TRACE_KEPT : keep) {
		return;
	}
	payload_release(piece->payload);
	piece->payload = NULL;
}

/* Return whether the thread is too far behind. The caller holds the lock. */
static bool is_overloaded(const struct tail_state *x)
{
	return x->table.count > 2 * (uint64_t)x->settings->num_traces ||
	       x->table.bytes > x->max_bytes + x->max_bytes / 4;
}

/* Return whether a trace has to be decided before the thread would wake up. */
static bool needs_thread(const struct tail_state *x)
{
	return x->table.bytes > x->max_bytes || too_many_traces(x) ||
	       (x->table.waiting.oldest && !x->table.waiting.oldest->at_ns);
}

/* Add all pieces. Return 0, -EAGAIN (nothing was added) or -ENOMEM. */
static int add_pieces(struct tail_state *x, struct trace_pieces *pieces, struct str tenant,
		      struct delivery_ticket *ticket)
{
	bool lost = false, was_empty;
	int rc = 0;

	pthread_mutex_lock(&x->mu);
	was_empty = !x->table.waiting.oldest;
	if (is_overloaded(x))
		rc = -EAGAIN;
	for (uint32_t i = 0; i < pieces->list.n && !rc; i++)
		hold_piece(x, &pieces->list.at[i], tenant, ticket, &lost);
	if (x->idle && (was_empty || needs_thread(x)))
		pthread_cond_signal(&x->changed);
	pthread_mutex_unlock(&x->mu);
	return lost ? -ENOMEM : rc;
}

/* Send the pieces that are left: spans of traces that were kept before. */
static void send_late(struct tail_state *x, struct trace_pieces *pieces, struct str tenant,
		      struct delivery_ticket *ticket)
{
	for (uint32_t i = 0; i < pieces->list.n; i++) {
		struct trace_spans spans = {0};
		struct payload *p = pieces->list.at[i].payload;

		if (!p)
			continue;
		if (payload_list_add(&spans.parts, p)) {
			payload_release(p);
			continue;
		}
		if (ticket)
			spans.tickets = malloc(sizeof(struct delivery_ticket *));
		if (spans.tickets) {
			delivery_ticket_ref(ticket);
			spans.tickets[0] = ticket;
			spans.ticket_count = spans.ticket_room = 1;
		}
		send_trace(x, tenant, &spans);
	}
	pieces->list.n = 0;
}

/* Complete the delivery, as far as it does not wait for traces. */
static bool complete_delivery(struct delivery *d, struct delivery_ticket *ticket, int rc)
{
	static const struct delivery_result good;
	static const struct delivery_result full = {
		.rc = -EAGAIN,
		.retry_after_ms = 1000,
		.reason = "too many traces wait for their decision (tail_sampling)"};
	const struct delivery_result *result = !rc ? &good : rc == -EAGAIN ? &full : &no_memory;

	d->copied = true;
	if (ticket)
		delivery_ticket_drop(ticket, result);
	else
		delivery_done(d, result);
	return true;
}

static bool consume_traces(struct tail_state *x, struct delivery *d)
{
	struct scratch *s = scratch_take(&x->pool);
	struct trace_pieces pieces = {0};
	struct delivery_ticket *ticket = NULL;
	struct err e = {0};
	int rc = s ? trace_split(&pieces, d->payload, hash_bytes(d->tenant.p, d->tenant.n),
				 &s->arena, &x->env->host->memory, &e)
		   : -ENOMEM;

	if (!rc && x->env->durable) {
		ticket = delivery_ticket_new(d);
		rc = ticket ? 0 : -ENOMEM;
	}
	if (rc == -EBADMSG) {
		delivery_fail(d, rc, 0, "%s", e.text);
		scratch_give(&x->pool, s);
		return false;
	}
	if (!rc) {
		rc = add_pieces(x, &pieces, d->tenant, ticket);
		if (!rc)
			send_late(x, &pieces, d->tenant, ticket);
	}
	for (uint32_t i = 0; i < pieces.list.n; i++)
		payload_release(pieces.list.at[i].payload);
	scratch_give(&x->pool, s);
	return complete_delivery(d, ticket, rc);
}

static bool tail_consume(void *instance, struct delivery *d)
{
	struct tail_state *x = instance;

	if (d->signal == SIGNAL_TRACES)
		return consume_traces(x, d);
	profiled_traces_note(x->profiled, d->tenant, d->payload);
	return consumer_consume(x->next, d);
}

/* ---- life cycle ---- */

static int tail_check(const void *settings, struct err *e)
{
	const struct tail_settings *s = settings;

	for (uint32_t i = 0; i < s->policies.n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (str_eq(s->policies.at[i].name, s->policies.at[k].name))
				return err_set(e, -EINVAL, "duplicate policy name \"%.*s\"",
					       STR_ARG(s->policies.at[i].name));
	return s->policies.n ? 0 : err_set(e, -EINVAL, "missing required field \"policies\"");
}

#define TAIL_METRIC(name) "otelcol_processor_tail_sampling_" name

static struct telemetry_value *sampled_counter(struct telemetry *t, const char *name,
					       const char *help, bool sampled)
{
	const struct telemetry_label label = {"sampled", sampled ? "true" : "false"};

	return telemetry_get(t, TELEMETRY_COUNTER, name, help, &label, 1);
}

static void init_tail_metrics(struct tail_metrics *m, struct telemetry *t)
{
	m->on_memory = telemetry_get(t, TELEMETRY_GAUGE, TAIL_METRIC("sampling_traces_on_memory"),
				     "Tracks the number of traces current on memory", NULL, 0);
	m->new_traces = telemetry_get(t, TELEMETRY_COUNTER, TAIL_METRIC("new_trace_id_received"),
				      "Counts the arrival of new traces", NULL, 0);
	m->early =
		telemetry_get(t, TELEMETRY_COUNTER, TAIL_METRIC("sampling_trace_dropped_too_early"),
			      "Count of traces that were decided before decision_wait, for "
			      "lack of room",
			      NULL, 0);
	m->too_large =
		telemetry_get(t, TELEMETRY_COUNTER, TAIL_METRIC("traces_dropped_too_large"),
			      "Count of traces larger than maximum_trace_size_bytes", NULL, 0);
	m->sampled = sampled_counter(t, TAIL_METRIC("global_count_traces_sampled"),
				     "Global count of traces that were sampled or not", true);
	m->not_sampled = sampled_counter(t, TAIL_METRIC("global_count_traces_sampled"),
					 "Global count of traces that were sampled or not", false);
	m->cached_sampled =
		sampled_counter(t, TAIL_METRIC("early_releases_from_cache_decision"),
				"Number of spans that were decided by the decision cache", true);
	m->cached_not_sampled =
		sampled_counter(t, TAIL_METRIC("early_releases_from_cache_decision"),
				"Number of spans that were decided by the decision cache", false);
}

static void tail_destroy(void *instance)
{
	struct tail_state *x = instance;

	trace_table_fini(&x->table);
	trace_id_set_fini(&x->sampled);
	trace_id_set_fini(&x->non_sampled);
	trace_policies_fini(&x->policies);
	scratch_pool_fini(&x->pool);
	arena_fini(&x->arena);
	pthread_cond_destroy(&x->changed);
	pthread_mutex_destroy(&x->mu);
	free(x);
}

static void init_tail_lock(struct tail_state *x)
{
	pthread_condattr_t clock;

	pthread_mutex_init(&x->mu, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&x->changed, &clock);
	pthread_condattr_destroy(&clock);
}

static int init_tables(struct tail_state *x, const struct tail_settings *s, struct err *e)
{
	int rc = trace_table_init(&x->table, (uint32_t)s->num_traces);

	if (!rc)
		rc = trace_id_set_init(&x->sampled, (uint32_t)s->cache.sampled);
	if (!rc)
		rc = trace_id_set_init(&x->non_sampled, (uint32_t)s->cache.non_sampled);
	if (!rc)
		rc = trace_policies_init(&x->policies, &s->policies, x->env->host, &x->arena, e);
	return rc == -ENOMEM ? err_errno(e, rc, "tail_sampling") : rc;
}

static int tail_create(void **instance, const struct component_env *env, const void *settings,
		       struct err *e)
{
	const struct tail_settings *s = settings;
	struct tail_state *x = calloc(1, sizeof(*x));
	int rc = 0;

	if (!x)
		return err_errno(e, -ENOMEM, "tail_sampling");
	x->next = processor_next(env);
	x->env = env;
	x->settings = s;
	x->profiled = &env->host->profiled;
	x->max_bytes = s->max_held_bytes ? s->max_held_bytes : env->host->memory.limit / 2;
	arena_init(&x->arena, NULL);
	init_tail_lock(x);
	scratch_pool_init(&x->pool, &env->host->memory);
	if (env->next[signal_index(SIGNAL_TRACES)]) {
		init_tail_metrics(&x->metrics, &env->host->telemetry);
		rc = init_tables(x, s, e);
	}
	if (rc) {
		tail_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static int tail_sampling_start(void *instance, struct err *e)
{
	struct tail_state *x = instance;

	return x->table.buckets ? thread_start(&x->thread, "tail_sampling", decide_run, x, e) : 0;
}

static void tail_stop(void *instance)
{
	struct tail_state *x = instance;

	pthread_mutex_lock(&x->mu);
	x->stopping = true;
	pthread_cond_signal(&x->changed);
	pthread_mutex_unlock(&x->mu);
	thread_join(&x->thread);
	pthread_mutex_lock(&x->mu);
	while (x->table.waiting.oldest)
		decide_oldest(x, x->settings->drop_pending);
	pthread_mutex_unlock(&x->mu);
}

static const struct setting cache_table[] = {
	SET_INT(struct cache_settings, sampled, "sampled_cache_size", "0", 0, 10000000, "traces",
		"Remember this many traces that were kept, after they have left memory."),
	SET_INT(struct cache_settings, non_sampled, "non_sampled_cache_size", "0", 0, 10000000,
		"traces", "Remember this many traces that were dropped."),
	SET_END,
};

static const struct setting settings[] = {
	SET_DURATION(struct tail_settings, decision_wait_ns, "decision_wait", "30s",
		     "Decide a trace at this time after its first span."),
	SET_INT(struct tail_settings, num_traces, "num_traces", "50000", 1, 100000000, "traces",
		"Keep at most this many traces in memory, with those that are decided."),
	SET_BYTES(struct tail_settings, max_held_bytes, "max_held_bytes", "0",
		  "Hold at most this many bytes of spans; 0: half of the memory for data in "
		  "transit."),
	SET_CUSTOM(struct tail_settings, policies, "policies", policy_list_read, "list of policies",
		   "{name, type, and the settings of the type}: a trace is kept if one of them "
		   "says so."),
	SET_GROUP_ALWAYS(struct tail_settings, cache, "decision_cache", cache_table,
			 "Decisions of traces that are not in memory any more."),
	SET_INT(struct tail_settings, max_trace_bytes, "maximum_trace_size_bytes", "0", 0,
		INT64_MAX, "bytes", "Drop larger traces at once; 0: no limit."),
	SET_BOOL(struct tail_settings, drop_pending, "drop_pending_traces_on_shutdown", "false",
		 "Drop traces that wait at shutdown, instead of deciding them."),
	SET_IGNORED("expected_new_traces_per_sec", "memory is allocated as needed"),
	SET_IGNORED("decision_wait_after_root_received", "traces are decided after decision_wait"),
	SET_IGNORED("block_on_overflow", "the oldest traces are decided early"),
	SET_IGNORED("num_shards", "only the decisions are made by one thread"),
	SET_IGNORED("sample_on_first_match", "all policies are evaluated"),
	SET_IGNORED("sampling_strategy", "whole traces are decided: trace-complete"),
	SET_IGNORED("tail_storage", "traces are kept in memory"),
	SET_END,
};

const struct component tail_sampling_processor = {
	.name = "tail_sampling",
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES,
	.form = FORM_PAYLOAD,
	.help = "Decides by policies which traces are kept, when their spans have arrived.",
	.settings = settings,
	.settings_size = sizeof(struct tail_settings),
	.check = tail_check,
	.create = tail_create,
	.start = tail_sampling_start,
	.holds = true,
	.consume = tail_consume,
	.stop = tail_stop,
	.destroy = tail_destroy,
};
