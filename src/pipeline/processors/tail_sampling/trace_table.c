/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of traces by tenant and id, with two lists in the order of age. */
#include "pipeline/processors/tail_sampling/trace_table.h"

#include <errno.h>
#include <stdlib.h>

enum { BUCKETS_MAX = 1 << 20 };

int trace_table_init(struct trace_table *t, uint32_t expected)
{
	uint32_t buckets = 64;

	*t = (struct trace_table){0};
	while (buckets < expected && buckets < BUCKETS_MAX)
		buckets *= 2;
	t->buckets = calloc(buckets, sizeof(struct held_trace *));
	t->mask = buckets - 1;
	return t->buckets ? 0 : -ENOMEM;
}

/* ---- what a trace holds ---- */

void trace_spans_finish(struct trace_spans *s, const struct delivery_result *result)
{
	payload_list_free(&s->parts);
	for (uint32_t i = 0; i < s->ticket_count; i++)
		delivery_ticket_drop(s->tickets[i], result);
	free((void *)s->tickets);
	*s = (struct trace_spans){0};
}

static int reserve_ticket(struct trace_spans *s)
{
	uint32_t room = s->ticket_room ? 2 * s->ticket_room : 2;
	struct delivery_ticket **tickets;

	if (s->ticket_count < s->ticket_room)
		return 0;
	tickets = reallocarray((void *)s->tickets, room, sizeof(struct delivery_ticket *));
	if (!tickets)
		return -ENOMEM;
	s->tickets = tickets;
	s->ticket_room = room;
	return 0;
}

int trace_table_hold(struct trace_table *t, struct held_trace *trace, struct payload *p,
		     struct delivery_ticket *ticket)
{
	struct trace_spans *s = &trace->held;
	int rc = ticket ? reserve_ticket(s) : 0;

	if (!rc)
		rc = payload_list_add(&s->parts, p);
	if (rc) {
		payload_release(p);
		return rc;
	}
	if (ticket) {
		delivery_ticket_ref(ticket);
		s->tickets[s->ticket_count++] = ticket;
	}
	s->spans += p->items;
	s->bytes += p->bytes;
	t->bytes += p->bytes;
	return 0;
}

static struct trace_spans take_spans(struct trace_table *t, struct held_trace *trace)
{
	struct trace_spans s = trace->held;

	t->bytes -= s.bytes;
	trace->held = (struct trace_spans){0};
	return s;
}

/* ---- lists ---- */

static void trace_list_append(struct trace_list *l, struct held_trace *trace)
{
	trace->older = l->newest;
	trace->newer = NULL;
	*(trace->older ? &trace->older->newer : &l->oldest) = trace;
	l->newest = trace;
}

static void trace_list_remove(struct trace_list *l, struct held_trace *trace)
{
	*(trace->older ? &trace->older->newer : &l->oldest) = trace->newer;
	*(trace->newer ? &trace->newer->older : &l->newest) = trace->older;
	trace->older = trace->newer = NULL;
}

/* ---- traces ---- */

static struct held_trace **trace_place(const struct trace_table *t, const struct trace_key *key)
{
	struct held_trace **at = &t->buckets[trace_key_hash(key) & t->mask];

	while (*at && !trace_key_eq(&(*at)->key, key))
		at = &(*at)->same_hash;
	return at;
}

struct held_trace *trace_table_find(const struct trace_table *t, const struct trace_key *key)
{
	return *trace_place(t, key);
}

struct held_trace *trace_table_add(struct trace_table *t, const struct trace_key *key,
				   struct str tenant, uint64_t due_ns)
{
	struct held_trace *trace = malloc(sizeof(*trace) + tenant.n);

	if (!trace)
		return NULL;
	*trace = (struct held_trace){.key = *key, .at_ns = due_ns, .tenant_n = tenant.n};
	if (tenant.n)
		memcpy(trace->tenant, tenant.p, tenant.n);
	*trace_place(t, key) = trace;
	trace_list_append(&t->waiting, trace);
	t->count++;
	return trace;
}

void trace_table_refuse(struct trace_table *t, struct held_trace *trace)
{
	struct trace_list *l = &t->waiting;

	trace_list_remove(l, trace);
	trace->too_large = true;
	trace->at_ns = 0;
	trace->newer = l->oldest;
	*(trace->newer ? &trace->newer->older : &l->newest) = trace;
	l->oldest = trace;
}

struct trace_spans trace_table_take(struct trace_table *t, struct held_trace *trace)
{
	trace_list_remove(&t->waiting, trace);
	trace->state = TRACE_IN_DECISION;
	return take_spans(t, trace);
}

struct trace_spans trace_table_decide(struct trace_table *t, struct held_trace *trace,
				      enum trace_state state, uint64_t now_ns)
{
	trace->state = state;
	trace->at_ns = now_ns;
	trace_list_append(&t->decided, trace);
	return take_spans(t, trace);
}

void trace_table_remove(struct trace_table *t, struct held_trace *trace)
{
	trace_list_remove(&t->decided, trace);
	*trace_place(t, &trace->key) = trace->same_hash;
	t->count--;
	free(trace);
}

static void free_traces(struct trace_list *l)
{
	while (l->oldest) {
		struct held_trace *trace = l->oldest;

		l->oldest = trace->newer;
		trace_spans_finish(&trace->held, &(struct delivery_result){0});
		free(trace);
	}
}

void trace_table_fini(struct trace_table *t)
{
	free_traces(&t->waiting);
	free_traces(&t->decided);
	free((void *)t->buckets);
	*t = (struct trace_table){0};
}
