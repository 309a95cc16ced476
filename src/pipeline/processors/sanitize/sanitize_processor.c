/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A delivery without a finding is passed on as it is. Payloads of traces, metrics and logs are
 * changed without decoding them; those of profiles are decoded, because the strings of their
 * dictionary have no meaning without the tables that refer to them. Changed decoded data is a view
 * of the original batch, and gets new series: two series may have become one.
 */
#include "pipeline/processors/sanitize/sanitize_processor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/otlp/otlp.h"
#include "pipeline/convert/profile_payload.h"
#include "pipeline/forward.h"
#include "pipeline/processors/processor.h"
#include "pipeline/processors/sanitize/rule_set.h"
#include "signal/otlp/validate.h"
#include "signal/profile/profile_ops.h"
#include "signal/sanitize/sanitize_metrics.h"
#include "signal/sanitize/sanitize_otlp.h"
#include "signal/sanitize/sanitize_profile.h"
#include "signal/sanitize/sanitize_spans.h"

enum { CACHE_BITS = 16 }; /* 512 KiB, of which what is used becomes memory */

struct sanitize_state {
	struct consumer *next;
	struct host *host;
	struct rule_set set;
	struct telemetry_value **redacted; /* by rule */
};

static void count_findings(const struct sanitize_state *x, const struct sanitize_run *r)
{
	for (uint32_t i = 0; i < sanitizer_rule_count(x->set.z); i++)
		telemetry_add(x->redacted[i], r->counts[i]);
}

static bool refuse_unsanitized(struct delivery *d, int rc)
{
	if (rc == -EBADMSG)
		delivery_fail(d, rc, 0, "damaged data");
	else
		delivery_fail(d, -ENOMEM, 1000, "out of memory");
	return false;
}

/* ---- payloads ---- */

/* Return the payload of the sanitized slices, whose bytes are copied, or NULL without memory. */
static struct payload *join_sanitized(const struct delivery *d, const struct str *slices,
				      bool removed, struct budget *budget)
{
	const struct payload *p = d->payload;
	uint32_t items = p->items;
	struct buf message;

	buf_init(&message, budget);
	for (uint32_t i = 0; i < p->slice_count; i++)
		buf_put_str(&message, slices[i]);
	if (removed && !buf_error(&message) &&
	    otlp_validate(d->signal, buf_str(&message), &items, NULL))
		items = 0;
	return payload_take(d->signal, items, &message);
}

/* Sanitize traces, metrics or logs. Return a verdict or -errno; *out is the changed payload. */
static int sanitize_slices(struct sanitize_state *x, struct rule_run *r, const struct delivery *d,
			   struct payload **out)
{
	const struct payload *p = d->payload;
	struct str *slices = arena_alloc(r->run.arena, p->slice_count + 1, sizeof(*slices));
	bool changed = false, any_removed = false;

	if (!slices)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->slice_count; i++) {
		bool removed;
		int verdict =
			sanitize_otlp(&r->run, d->signal, p->slices[i].bytes, &slices[i], &removed);

		if (verdict < 0)
			return verdict;
		changed |= verdict == SANITIZE_CHANGED;
		any_removed |= removed;
	}
	if (changed)
		*out = join_sanitized(d, slices, any_removed, &x->host->memory);
	return changed ? SANITIZE_CHANGED : SANITIZE_KEEP;
}

/* Encode the result, without the samples that were removed. */
static int encode_sanitized(struct sanitize_state *x, struct sanitized_profile *s,
			    struct payload **out)
{
	struct budget *budget = &x->host->memory;
	struct profile_batch filtered;
	int rc;

	if (!s->dropped)
		return profile_payload_encode(out, &s->batch, budget);
	rc = profile_batch_init(&filtered, budget);
	if (!rc)
		rc = profile_filter(&filtered, &s->batch, sanitized_sample_kept, s);
	if (!rc)
		rc = profile_payload_encode(out, &filtered, budget);
	profile_batch_fini(&filtered);
	return rc;
}

static int sanitize_profile_payload(struct sanitize_state *x, struct rule_run *r,
				    const struct delivery *d, struct payload **out)
{
	struct sanitized_profile changed;
	struct profile_batch batch;
	struct buf joined;
	struct str message;
	int rc = profile_batch_init(&batch, &x->host->memory);

	buf_init(&joined, &x->host->memory);
	message = payload_str(d->payload, &joined);
	if (!rc && !message.n && d->payload->bytes)
		rc = -ENOMEM;
	if (!rc && message.n)
		rc = otlp_decode(&batch, message, &(struct decode_options){0}, NULL);
	if (!rc)
		rc = sanitize_profile(&r->run, &batch, &changed);
	if (rc == SANITIZE_CHANGED)
		rc = encode_sanitized(x, &changed, out) ?: SANITIZE_CHANGED;
	profile_batch_fini(&batch);
	buf_fini(&joined);
	return rc == -EINVAL ? -EBADMSG : rc;
}

/*
 * Correct the names in the statistics of senders. One that was cut off there may be the begin of a
 * secret that has no form any more: it is left out.
 */
static void correct_services(struct rule_run *r, struct service_names *services)
{
	struct service_names old;

	if (!services)
		return;
	old = *services;
	*services = (struct service_names){0};
	for (unsigned i = 0; i < old.n; i++) {
		struct str name = str_from(old.at[i]);
		int verdict =
			sanitize_text(&r->run, SANITIZE_VALUES, STR("service.name"), name, &name);

		if (name.n < SENDER_SERVICE - 1 &&
		    (verdict == SANITIZE_KEEP || verdict == SANITIZE_CHANGED))
			service_names_add(services, name);
	}
}

static bool consume_payload(struct sanitize_state *x, struct delivery *d)
{
	struct payload *changed = NULL;
	struct rule_run r = {0};
	int verdict = rule_run_start(&r, &x->set);

	if (!verdict)
		verdict = d->signal == SIGNAL_PROFILES
				  ? sanitize_profile_payload(x, &r, d, &changed)
				  : sanitize_slices(x, &r, d, &changed);
	if (verdict >= 0)
		count_findings(x, &r.run);
	if (verdict == SANITIZE_CHANGED)
		correct_services(&r, d->services);
	rule_run_end(&r);
	if (verdict < 0)
		return refuse_unsanitized(d, verdict);
	return verdict ? delivery_forward(x->next, d, changed) : consumer_consume(x->next, d);
}

/* ---- decoded data ---- */

/* A delivery of changed decoded data. */
struct sanitized_delivery {
	struct delivery delivery;
	struct rule_run run; /* its arena has the changed texts */
	struct sanitized_profile profile;
	struct profile_batch filtered; /* of `profile`, if samples were removed */
	struct series_map series;
	struct span_batch spans;
	struct metric_batch metrics;
	uint32_t rejected; /* profiles that have no series any more */
	char reason[160];
};

static void sanitized_free(struct sanitized_delivery *s)
{
	if (!s)
		return;
	profile_batch_fini(&s->filtered);
	rule_run_end(&s->run);
	free(s);
}

static void sanitized_done(struct delivery *d, const struct delivery_result *result)
{
	struct sanitized_delivery *s = d->owner;
	struct delivery *below = d->below;
	struct delivery_result both = *result;

	if (!both.rc && s->rejected) {
		both.rejected += s->rejected;
		snprintf(both.reason, sizeof(both.reason), "%s", s->reason);
	}
	below->copied = d->copied;
	sanitized_free(s);
	delivery_done(below, &both);
}

/* Compute the series of the changed batch, and note those that are refused only now. */
static int make_series(struct sanitized_delivery *s, const struct delivery *d,
		       const struct profile_batch *batch)
{
	int rc = series_map_init(&s->series, batch, NULL, s->run.run.arena);

	if (rc || s->series.refused.n <= d->series->refused.n)
		return rc;
	s->rejected = s->series.refused.n - d->series->refused.n;
	snprintf(s->reason, sizeof(s->reason), "%.*s",
		 STR_ARG(s->series.refused.at[s->series.refused.n - 1].reason));
	return 0;
}

static int sanitize_batch(struct sanitize_state *x, struct sanitized_delivery *s,
			  const struct delivery *d)
{
	const struct profile_batch *batch = &s->profile.batch;
	int rc = sanitize_profile(&s->run.run, d->batch, &s->profile);

	if (rc != SANITIZE_CHANGED)
		return rc;
	rc = 0;
	if (s->profile.dropped) {
		rc = profile_batch_init(&s->filtered, &x->host->memory);
		if (!rc)
			rc = profile_filter(&s->filtered, batch, sanitized_sample_kept,
					    &s->profile);
		batch = &s->filtered;
	}
	if (!rc)
		rc = make_series(s, d, batch);
	s->delivery.batch = batch;
	s->delivery.series = &s->series;
	return rc ? rc : SANITIZE_CHANGED;
}

static int sanitize_decoded(struct sanitize_state *x, struct sanitized_delivery *s,
			    const struct delivery *d)
{
	uint32_t removed;
	int rc = rule_run_start(&s->run, &x->set);

	if (rc)
		return rc;
	s->delivery = *d;
	if (d->batch) {
		rc = sanitize_batch(x, s, d);
	} else if (d->spans) {
		rc = sanitize_spans(&s->run.run, d->spans, &s->spans, &removed);
		s->delivery.spans = &s->spans;
	} else {
		rc = sanitize_metrics(&s->run.run, d->metrics, &s->metrics);
		s->delivery.metrics = &s->metrics;
	}
	if (rc >= 0)
		count_findings(x, &s->run.run);
	return rc;
}

/* The statistics of senders are shown, too. */
static void set_services(struct rule_run *r, const struct delivery *d)
{
	if (d->metrics)
		correct_services(r, d->services);
	if (!d->services || d->metrics)
		return;
	*d->services = (struct service_names){0};
	if (d->batch)
		service_names_add_series(d->services, d->series);
	else
		service_names_add_spans(d->services, d->spans);
}

static bool is_empty_delivery(const struct delivery *d)
{
	if (d->metrics)
		return !delivery_items(d) && !d->metrics->metadata.n;
	return d->batch ? !d->series->series.n : !d->spans->spans.n;
}

static bool forward_sanitized(struct sanitize_state *x, struct sanitized_delivery *s,
			      struct delivery *d)
{
	set_services(&s->run, &s->delivery);
	s->delivery.copied = false;
	s->delivery.done = sanitized_done;
	s->delivery.owner = s;
	s->delivery.below = d;
	if (!is_empty_delivery(&s->delivery))
		return consumer_consume(x->next, &s->delivery);
	delivery_done(&s->delivery, &(struct delivery_result){0});
	return false;
}

static bool consume_decoded(struct sanitize_state *x, struct delivery *d)
{
	struct sanitized_delivery *s = calloc(1, sizeof(*s));
	int verdict = s ? sanitize_decoded(x, s, d) : -ENOMEM;

	if (verdict == SANITIZE_CHANGED)
		return forward_sanitized(x, s, d);
	sanitized_free(s);
	if (verdict < 0)
		return refuse_unsanitized(d, verdict);
	return consumer_consume(x->next, d);
}

static bool sanitize_consume(void *instance, struct delivery *d)
{
	return d->payload ? consume_payload(instance, d) : consume_decoded(instance, d);
}

/* ---- life cycle ---- */

static void sanitize_destroy(void *instance)
{
	struct sanitize_state *x = instance;

	rule_set_fini(&x->set);
	free(x->redacted);
	free(x);
}

static int get_counters(struct sanitize_state *x, const struct component_env *env)
{
	uint32_t rules = sanitizer_rule_count(x->set.z);

	x->redacted = calloc(rules, sizeof(struct telemetry_value *));
	if (!x->redacted)
		return -ENOMEM;
	for (uint32_t i = 0; i < rules; i++) {
		const struct telemetry_label label = {"rule", sanitizer_rule_name(x->set.z, i)};

		x->redacted[i] = telemetry_get(
			&env->host->telemetry, TELEMETRY_COUNTER, "varve_sanitize_redacted_total",
			"Findings of the processor sanitize, by rule.", &label, 1);
	}
	return 0;
}

static int sanitize_create(void **instance, const struct component_env *env, const void *settings,
			   struct err *e)
{
	struct sanitize_state *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "sanitize");
	x->next = processor_next(env);
	x->host = env->host;
	rc = rule_set_init(&x->set, settings, CACHE_BITS, &env->host->memory, e);
	if (!rc && get_counters(x, env))
		rc = err_errno(e, -ENOMEM, "sanitize");
	if (rc) {
		sanitize_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

const struct component sanitize_processor = {
	.name = "sanitize",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_ANY,
	.help = "Replaces secrets and personal data in all texts of all signals.",
	.settings = sanitize_setting_table,
	.settings_size = sizeof(struct sanitize_settings),
	.check = sanitize_settings_check,
	.create = sanitize_create,
	.consume = sanitize_consume,
	.destroy = sanitize_destroy,
};
