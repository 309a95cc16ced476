/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: what is current on a thread, as text and as a value that can be passed to another
 * thread or process.
 */
#include <errno.h>

#include "sdk/trace/span_slot.h"
#include "sdk/trace/span_w3c.h"

static void set_context(struct varve_context *out, const struct span_ids *ids, uint8_t flags,
			const char *state, size_t state_size)
{
	memcpy(out->trace_id, ids->trace_id, 16);
	memcpy(out->span_id, ids->span_id, 8);
	out->flags = flags;
	if (state_size)
		memcpy(out->trace_state, state, state_size);
	out->trace_state[state_size] = 0;
}

static void clear_context(struct varve_context *out)
{
	static const struct span_ids none;

	set_context(out, &none, 0, "", 0);
}

/* Copy what is current on this thread. False: nothing is. */
static bool read_current(const struct span_thread *t, struct varve_context *out)
{
	struct span_ids ids;

	if (!span_has_ids(t)) {
		clear_context(out);
		return false;
	}
	memcpy(&ids, &t->context, sizeof(ids));
	set_context(out, &ids, t->context.trace_flags, t->trace_state, t->state_size);
	return true;
}

int varve_context_current(struct varve_context *out)
{
	struct span_thread *t = span_enter();
	bool any = false;

	if (t) {
		any = read_current(t, out);
		span_leave(t);
	} else {
		clear_context(out);
	}
	return any ? 0 : -ENOENT;
}

int varve_traceparent(char out[VARVE_TRACEPARENT_SIZE])
{
	struct varve_context c;
	int rc = varve_context_current(&c);

	out[0] = 0;
	return rc ? rc : varve_context_format(&c, out);
}

int varve_context_of(const struct varve_span *span, struct varve_context *out)
{
	struct span_thread *t = span ? span_enter() : NULL;
	struct span_slot *s = t ? span_lock(span) : NULL;

	clear_context(out);
	if (s) {
		set_context(out, &s->ids, s->flags, s->trace_state, s->state_size);
		span_unlock(s);
	}
	if (t)
		span_leave(t);
	return s ? 0 : -ENOENT;
}

int varve_context_parse(struct varve_context *out, const char *traceparent, const char *tracestate)
{
	struct span_ids ids;
	uint8_t flags;
	int rc;

	clear_context(out);
	rc = traceparent_parse(traceparent, &ids, &flags);
	if (rc)
		return rc;
	/*
	 * A malformed tracestate is dropped and the traceparent used, as the specification
	 * requires.
	 */
	set_context(out, &ids, flags, tracestate, tracestate_check(tracestate));
	return 0;
}

int varve_context_format(const struct varve_context *context,
			 char traceparent[VARVE_TRACEPARENT_SIZE])
{
	static const struct span_ids none;
	struct span_ids ids;

	traceparent[0] = 0;
	memcpy(ids.trace_id, context->trace_id, 16);
	memcpy(ids.span_id, context->span_id, 8);
	if (!memcmp(ids.trace_id, none.trace_id, 16) || !memcmp(ids.span_id, none.span_id, 8))
		return -EINVAL;
	traceparent_format(traceparent, &ids, context->flags);
	return 0;
}

static void make_context_current(struct span_thread *t, const struct varve_context *c)
{
	struct span_ids ids;

	memcpy(ids.trace_id, c->trace_id, 16);
	memcpy(ids.span_id, c->span_id, 8);
	span_make_current(t, &ids, c->flags, c->trace_state,
			  (uint16_t)strnlen(c->trace_state, SPAN_STATE_MAX));
}

void varve_context_attach(const struct varve_context *context, struct varve_context *previous)
{
	struct span_thread *t = span_enter();

	if (!t) {
		clear_context(previous);
		return;
	}
	read_current(t, previous);
	make_context_current(t, context);
	span_leave(t);
}

void varve_context_detach(const struct varve_context *previous)
{
	struct span_thread *t = span_enter();

	if (!t)
		return;
	make_context_current(t, previous);
	span_leave(t);
}

void varve_with_span(const struct varve_context *context, void (*fn)(void *arg), void *arg)
{
	struct varve_context previous;

	varve_context_attach(context, &previous);
	fn(arg);
	varve_context_detach(&previous);
}
