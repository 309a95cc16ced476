/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries of payloads that components made. One allocation holds the delivery, the tenant and
 * the headers. The payload is released when consume() has returned and the delivery is done,
 * whichever is later.
 */
#include "pipeline/emit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http/http.h"

struct emitted {
	struct delivery delivery;
	struct payload *payload;
	void (*done)(void *owner, const struct delivery_result *result);
	void *owner;
	_Atomic unsigned pending; /* consume() and done() */
};

static void emitted_unref(struct emitted *m)
{
	if (atomic_fetch_sub_explicit(&m->pending, 1, memory_order_acq_rel) != 1)
		return;
	payload_release(m->payload);
	free(m);
}

static void emitted_done(struct delivery *d, const struct delivery_result *result)
{
	struct emitted *m = d->owner;

	if (m->done)
		m->done(m->owner, result);
	emitted_unref(m);
}

static struct str copy_text(char **at, struct str s)
{
	char *copy = *at;

	if (s.n)
		memcpy(copy, s.p, s.n);
	*at += s.n;
	return str_of(copy, s.n);
}

static size_t options_size(const struct emit_options *o)
{
	size_t size = o->tenant.n + o->metadata_count * sizeof(struct http_header);

	for (uint32_t i = 0; i < o->metadata_count; i++)
		size += o->metadata[i].name.n + o->metadata[i].value.n;
	return size;
}

static struct emitted *emitted_new(struct payload *p, const struct emit_options *o)
{
	struct emitted *m = malloc(sizeof(*m) + options_size(o));
	struct http_header *headers = (void *)(m + 1);
	char *at = (char *)(headers + o->metadata_count);

	if (!m)
		return NULL;
	*m = (struct emitted){.payload = p, .done = o->done, .owner = o->owner, .pending = 2};
	for (uint32_t i = 0; i < o->metadata_count; i++) {
		headers[i].name = copy_text(&at, o->metadata[i].name);
		headers[i].value = copy_text(&at, o->metadata[i].value);
	}
	m->delivery = (struct delivery){.signal = p->signal,
					.tenant = copy_text(&at, o->tenant),
					.received = clock_realtime_ns(),
					.transport = o->transport,
					.payload = p,
					.metadata = o->metadata_count ? headers : NULL,
					.metadata_count = o->metadata_count,
					.done = emitted_done,
					.owner = m};
	return m;
}

void emit_payload(struct consumer *next, struct payload *p, const struct emit_options *options)
{
	static const struct emit_options none;
	const struct emit_options *o = options ? options : &none;
	struct emitted *m = p && p->items ? emitted_new(p, o) : NULL;
	struct delivery_result result = {0};

	if (m) {
		consumer_consume(next, &m->delivery);
		emitted_unref(m);
		return;
	}
	if (!p || p->items)
		result = (struct delivery_result){
			.rc = -ENOMEM, .retry_after_ms = 1000, .reason = "out of memory"};
	payload_release(p);
	if (o->done)
		o->done(o->owner, &result);
}
