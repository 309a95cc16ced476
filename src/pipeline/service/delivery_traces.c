/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded list of operations, each with rings of recent deliveries. */
#include "pipeline/service/delivery_traces.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

const uint64_t traced_latency_bounds[TRACED_LATENCIES] = {
	0,
	10000,
	100000,
	NS_PER_MS,
	10 * NS_PER_MS,
	100 * NS_PER_MS,
	NS_PER_SECOND,
	10 * NS_PER_SECOND,
	100 * NS_PER_SECOND,
};

void delivery_traces_init(struct delivery_traces *t)
{
	*t = (struct delivery_traces){0};
	pthread_mutex_init(&t->mu, NULL);
}

void delivery_traces_fini(struct delivery_traces *t)
{
	while (t->first) {
		struct traced_operation *o = t->first;

		t->first = o->next;
		free(o);
	}
	pthread_mutex_destroy(&t->mu);
}

void delivery_traces_watch(struct delivery_traces *t, bool on)
{
	if (on)
		atomic_fetch_add(&t->watchers, 1);
	else
		atomic_fetch_sub(&t->watchers, 1);
}

/* Find an operation or append it. NULL without memory or if there are too many. */
static struct traced_operation *operation_named(struct delivery_traces *t, const char *name)
{
	struct traced_operation **at = &t->first;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if (*at || t->count == TRACED_OPERATIONS_MAX)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (!*at)
		return NULL;
	snprintf((*at)->name, sizeof((*at)->name), "%s", name);
	t->count++;
	return *at;
}

static struct traced_deliveries *place_of(struct traced_operation *o,
					  const struct traced_delivery *d)
{
	unsigned i = TRACED_LATENCIES - 1;

	if (d->rc)
		return &o->errors;
	while (i && d->latency_ns < traced_latency_bounds[i])
		i--;
	return &o->by_latency[i];
}

void delivery_traces_add(struct delivery_traces *t, const struct traced_name *name,
			 const struct traced_delivery *d)
{
	char text[TRACED_NAME_MAX];
	struct traced_operation *o;
	bool has_transport = name->transport && name->transport[0];

	if (!delivery_traces_watched(t))
		return;
	snprintf(text, sizeof(text), "%s/%s/%s%s%s", name->kind, name->id,
		 signal_names[signal_index(name->signal)], has_transport ? "/" : "",
		 has_transport ? name->transport : "");
	pthread_mutex_lock(&t->mu);
	o = operation_named(t, text);
	if (o) {
		struct traced_deliveries *to = place_of(o, d);

		to->kept[to->count++ % TRACED_KEPT] = *d;
	}
	pthread_mutex_unlock(&t->mu);
}

void delivery_traces_visit(struct delivery_traces *t,
			   void (*visit)(void *arg, const struct traced_operation *o), void *arg)
{
	pthread_mutex_lock(&t->mu);
	for (const struct traced_operation *o = t->first; o; o = o->next)
		visit(arg, o);
	pthread_mutex_unlock(&t->mu);
}
