/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage from payloads to decoded data. Each payload is decoded into an intake, as a receiver
 * does; the result of the decoded delivery, with what decoding refused, becomes the result of the
 * original one.
 */
#include "pipeline/convert/decode_stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/otlp/logs.h"
#include "format/otlp/otlp.h"
#include "format/otlp/traces.h"
#include "pipeline/convert/prometheus/prom_batch.h"

struct decode_stage {
	struct host *host;
	struct consumer *next[SIGNALS];
};

/* A delivery while its decoded data is on the way. */
struct decoding {
	struct delivery *below; /* with the payload */
	struct intake *intake;
	struct host *host;
	char warning[200]; /* the first repair that decoding made */
};

static void note_warning(void *arg, const char *text)
{
	struct decoding *g = arg;

	if (!g->warning[0])
		snprintf(g->warning, sizeof(g->warning), "%s", text);
}

static void decoded_done(struct intake *in, const struct delivery_result *result)
{
	struct decoding *g = in->owner;
	struct delivery *below = g->below;
	struct delivery_result both = *result;

	if (!both.rc && !both.rejected && !both.reason[0])
		memcpy(both.reason, g->warning, sizeof(g->warning));
	below->copied = in->delivery.copied;
	intake_put(&g->host->intakes, in);
	free(g);
	delivery_done(below, &both);
}

/* Return the message as one string, copied to the intake's arena if it has several slices. */
static int join_slices(struct str *out, const struct payload *p, struct arena *arena)
{
	char *at;

	if (p->slice_count == 1) {
		*out = p->slices[0].bytes;
		return 0;
	}
	at = arena_alloc(arena, p->bytes, 1);
	if (!at)
		return -ENOMEM;
	*out = str_of(at, p->bytes);
	for (uint32_t i = 0; i < p->slice_count; i++) {
		struct str s = p->slices[i].bytes;

		if (s.n)
			memcpy(at, s.p, s.n);
		at += s.n;
	}
	return 0;
}

static int decode_payload(struct decoding *g, struct err *e)
{
	struct decode_options options = {.warn = note_warning, .warn_arg = g};
	const struct payload *p = g->below->payload;
	struct intake_work *work = g->intake->work;
	struct str message;
	int rc;

	if (p->signal == SIGNAL_METRICS) {
		const struct prom_batch_options metrics = {.strategy = g->host->metric_names,
							   .tenant = g->below->tenant,
							   .deltas = &g->host->deltas,
							   .cache = &work->series_of_metrics};

		return prom_batch_read(&work->metrics, p, &metrics, e);
	}
	rc = join_slices(&message, p, &work->arena);
	if (rc || !message.n)
		return rc;
	if (p->signal == SIGNAL_LOGS)
		return otlp_logs_decode(&work->logs, message, e);
	return p->signal == SIGNAL_TRACES ? otlp_traces_decode(&work->spans, message, e)
					  : otlp_decode(&work->batch, message, &options, e);
}

static int deliver_decoded(struct decoding *g, struct consumer *next, bool *copied)
{
	struct delivery *below = g->below;
	struct intake *in = g->intake;

	in->done = decoded_done;
	in->owner = g;
	in->account = below->account;
	in->from = below;
	in->copied = copied;
	if (below->signal == SIGNAL_PROFILES)
		return intake_deliver(in, next, below->tenant, NULL);
	if (below->signal == SIGNAL_LOGS)
		intake_deliver_logs(in, next, below->tenant);
	else if (below->signal == SIGNAL_METRICS)
		intake_deliver_metrics(in, next, below->tenant);
	else
		intake_deliver_spans(in, next, below->tenant);
	return 0;
}

static bool decode_consume(void *instance, struct delivery *d)
{
	struct decode_stage *s = instance;
	struct decoding *g = malloc(sizeof(*g));
	struct intake *in = g ? intake_get(&s->host->intakes) : NULL;
	bool copied = false;
	struct err e = {0};
	int rc = -ENOMEM;

	if (in) {
		*g = (struct decoding){.below = d, .intake = in, .host = s->host};
		rc = decode_payload(g, &e);
		if (!rc)
			rc = deliver_decoded(g, s->next[signal_index(d->signal)], &copied);
		if (!rc)
			return copied;
	}
	rc = intake_explain(in, rc, &e);
	intake_put(&s->host->intakes, in);
	free(g);
	delivery_fail(d, rc == -EOVERFLOW ? -EBADMSG : rc, rc == -ENOMEM ? 1000 : 0, "%s", e.text);
	return false;
}

static int decode_create(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	struct decode_stage *s;

	(void)settings;
	for (unsigned i = 0; i < SIGNALS; i++)
		if (env->next[i] && !(decode_stage.signals & 1u << i))
			return err_set(e, -EINVAL,
				       "%s cannot be decoded for the components that follow",
				       signal_names[i]);
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_errno(e, -ENOMEM, "decode stage");
	s->host = env->host;
	memcpy(s->next, env->next, sizeof(s->next));
	*instance = s;
	return 0;
}

const struct component decode_stage = {
	.name = "decode",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_LOGS | SIGNAL_METRICS,
	.form = FORM_PAYLOAD,
	.help = "Decodes OTLP for the components that follow.",
	.create = decode_create,
	.consume = decode_consume,
	.destroy = free,
};
