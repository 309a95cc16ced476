/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage from decoded profiles to payloads. The payload owns its bytes, so that the batch may be
 * reused as soon as it is encoded, however long the payload waits in a queue.
 */
#include "pipeline/convert/encode_stage.h"

#include <errno.h>
#include <stdlib.h>

#include "format/otlp/encode.h"
#include "format/otlp/prepare.h"

struct encode_stage {
	struct consumer *next;
	struct budget *budget;
};

struct encoded {
	struct delivery delivery;
	struct payload *payload;
};

/* ---- the batch ---- */

/*
 * Make `view` the batch without the refused profiles; it shares everything else. Their samples are
 * not covered by a profile, so a view may only be normalized, which reads samples by profile.
 */
static int hide_refused(struct profile_batch *view, const struct profile_batch *b,
			const struct series_map *series, struct arena *arena)
{
	uint32_t refused = 0;

	*view = *b;
	view->profiles.n = 0;
	view->profiles.at = arena_alloc(arena, b->profiles.n, sizeof(*view->profiles.at));
	if (!view->profiles.at)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		if (refused < series->refused.n && series->refused.at[refused].profile == i)
			refused++;
		else
			view->profiles.at[view->profiles.n++] = b->profiles.at[i];
	}
	return 0;
}

/* Return the index of a text attribute that is not empty, or list.n. */
static uint32_t find_text(const struct profile_batch *b, struct list list, struct str key)
{
	for (uint32_t i = 0; i < list.n; i++) {
		const struct keyvalue *kv = &b->keyvalues.at[list.at + i];

		if (str_eq(kv->key, key) && kv->value.kind == VALUE_STRING && kv->value.s.n)
			return i;
	}
	return list.n;
}

/*
 * Rename service_name, the label of Pyroscope's protocols, to service.name. Of a resource that has
 * both, series are computed with service_name.
 */
static int rename_service(struct profile_batch *b, struct resource *r)
{
	struct list old = r->attributes;
	uint32_t label = find_text(b, old, STR("service_name")), first = b->keyvalues.n;
	int rc = 0;

	if (label == old.n)
		return 0;
	for (uint32_t i = 0; i < old.n && !rc; i++) {
		struct keyvalue kv = b->keyvalues.at[old.at + i];

		if (i == label)
			kv.key = STR("service.name");
		else if (str_eq(kv.key, STR("service.name")))
			continue;
		rc = vec_push(&b->arena, &b->keyvalues, kv);
	}
	r->attributes = (struct list){first, b->keyvalues.n - first};
	return rc;
}

static int encode_prepared(struct payload **out, struct profile_batch *b, struct budget *budget)
{
	struct proto_writer w;
	int rc = 0;

	for (uint32_t i = 0; i < b->resources.n && !rc; i++)
		rc = rename_service(b, &b->resources.at[i]);
	proto_writer_init(&w, budget);
	if (!rc)
		rc = otlp_encode(&w, b);
	if (!rc) {
		*out = payload_take_written(SIGNAL_PROFILES, b->sample_count, &w);
		rc = *out ? 0 : -ENOMEM;
	}
	proto_writer_fini(&w);
	return rc;
}

static int encode_batch(struct payload **out, const struct profile_batch *b,
			const struct series_map *series, struct budget *budget)
{
	struct profile_batch prepared, view = *b;
	struct arena scratch;
	int rc;

	arena_init(&scratch, budget);
	rc = profile_batch_init(&prepared, budget);
	if (!rc && series && series->refused.n)
		rc = hide_refused(&view, b, series, &scratch);
	if (!rc)
		rc = otlp_prepare(&prepared, &view);
	if (!rc)
		rc = encode_prepared(out, &prepared, budget);
	profile_batch_fini(&prepared);
	arena_fini(&scratch);
	return rc;
}

/* ---- the delivery ---- */

static void encoded_done(struct delivery *d, const struct delivery_result *result)
{
	struct encoded *x = d->owner;
	struct delivery *below = d->below;

	payload_release(x->payload);
	free(x);
	delivery_done(below, result);
}

static bool refuse_batch(struct delivery *d, int rc)
{
	if (rc == -ENOMEM)
		delivery_fail(d, rc, 1000, "out of memory for encoding profiles; try again");
	else
		delivery_fail(d, -EBADMSG, 0, "the profiles are too large for one OTLP message");
	return false;
}

static bool encode_consume(void *instance, struct delivery *d)
{
	struct encode_stage *s = instance;
	struct encoded *x = malloc(sizeof(*x));
	struct payload *p = NULL;
	int rc = x ? encode_batch(&p, d->batch, d->series, s->budget) : -ENOMEM;

	if (rc) {
		free(x);
		return refuse_batch(d, rc);
	}
	*x = (struct encoded){.delivery = *d, .payload = payload_keep(p, s->budget)};
	x->delivery.payload = p;
	x->delivery.batch = NULL;
	x->delivery.series = NULL;
	x->delivery.copied = false;
	x->delivery.done = encoded_done;
	x->delivery.owner = x;
	x->delivery.below = d;
	d->copied = true;
	consumer_consume(s->next, &x->delivery);
	payload_release(p);
	return true;
}

static int encode_create(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	struct encode_stage *s;

	(void)settings;
	for (unsigned i = 0; i < SIGNALS; i++)
		if (env->next[i] && !(encode_stage.signals & 1u << i))
			return err_set(e, -EINVAL, "decoded %s cannot be encoded as OTLP",
				       signal_names[i]);
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_errno(e, -ENOMEM, "encode stage");
	s->next = env->next[signal_index(SIGNAL_PROFILES)];
	s->budget = &env->host->memory;
	*instance = s;
	return 0;
}

const struct component encode_stage = {
	.name = "encode",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES,
	.form = FORM_DECODED,
	.help = "Encodes decoded profiles as OTLP for the components that follow.",
	.create = encode_create,
	.consume = encode_consume,
	.destroy = free,
};
