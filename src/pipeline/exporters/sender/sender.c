/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sending half of exporters: one lane (send_lane.h) for each signal, statistics, and the end:
 * what is queued in memory goes to the destination, or to the next sender of the same id.
 */
#include "pipeline/exporters/sender/sender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/exporters/sender/send_attempt.h"
#include "pipeline/exporters/sender/send_disk.h"
#include "pipeline/exporters/sender/send_lane.h"

static void list_append(struct sender_list *list, struct sender *s)
{
	struct sender **at = &list->first;

	pthread_mutex_lock(&list->mu);
	while (*at)
		at = &(*at)->next;
	*at = s;
	pthread_mutex_unlock(&list->mu);
}

static void list_remove(struct sender_list *list, const struct sender *s)
{
	pthread_mutex_lock(&list->mu);
	for (struct sender **at = &list->first; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			break;
		}
	pthread_mutex_unlock(&list->mu);
}

static int init_lanes(struct sender *s)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < SIGNALS; i++)
		rc = lane_init(&s->lanes[i], s, (enum signal_kind)(1 << i));
	return rc;
}

static void sender_destroy(struct sender *s)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		lane_fini(&s->lanes[i]);
	pthread_mutex_destroy(&s->mu);
	free(s->id);
	free(s->destination);
	free(s);
}

/* Find the directory of the storage extension that the settings name, if any. */
static int find_storage(struct sender *s, const struct component_env *env, struct err *e)
{
	struct str id = s->settings.queue.storage;
	const struct extension *x;

	if (!id.n || !s->settings.queue.enabled)
		return 0;
	x = component_extension(env, id, e);
	if (x && !x->type->directory)
		err_set(e, -EINVAL,
			"\"sending_queue\": extension \"%.*s\" stores no data; `storage` has to be "
			"the id of a file_storage extension",
			STR_ARG(id));
	if (!x || !x->type->directory)
		return -EINVAL;
	s->storage = x->type->directory(x->instance);
	s->keys = x->type->keys ? x->type->keys(x->instance) : NULL;
	return 0;
}

int sender_new(struct sender **out, const struct sender_options *o, struct err *e)
{
	struct sender *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (!s)
		return err_errno(e, rc, "exporter");
	rc = -pthread_mutex_init(&s->mu, NULL);
	if (rc) {
		free(s);
		return err_errno(e, rc, "exporter");
	}
	s->host = o->env->host;
	s->log = o->env->log;
	s->ops = o->ops;
	s->exporter = o->exporter;
	s->settings = *o->settings;
	s->reachable = true;
	s->id = strdup(o->env->id);
	s->destination = strdup(o->destination);
	rc = s->id && s->destination ? init_lanes(s) : -ENOMEM;
	if (!rc)
		rc = find_storage(s, o->env, e);
	if (rc) {
		sender_destroy(s);
		return err_errno(e, rc, "exporter");
	}
	list_append(&s->host->exporters, s);
	*out = s;
	return 0;
}

int sender_start(struct sender *s, struct err *e)
{
	int rc = 0;

	if (!s->storage)
		return 0; /* consumers are started by the first delivery */
	for (unsigned i = 0; !rc && i < SIGNALS; i++)
		rc = send_disk_open(&s->lanes[i], e);
	for (unsigned i = 0; rc && i < SIGNALS; i++)
		send_disk_close(&s->lanes[i]);
	return rc;
}

bool sender_consume(struct sender *s, struct delivery *d)
{
	return lane_consume(&s->lanes[signal_index(d->signal)], d);
}

/* Return the newest sender of the same id that follows `s`, or NULL. The list is locked. */
static struct sender *find_heir(struct sender *s)
{
	struct sender *heir = NULL;

	for (struct sender *at = s->next; at; at = at->next)
		if (!at->stopping && !strcmp(at->id, s->id))
			heir = at;
	return heir;
}

/* Give the items to the sender that replaces `s`. Return false if there is none any more. */
static bool hand_over(struct sender *s, unsigned signal, struct send_list *items)
{
	struct sender_list *list = &s->host->exporters;
	struct sender *heir;

	pthread_mutex_lock(&list->mu);
	heir = find_heir(s);
	if (heir)
		lane_adopt(&heir->lanes[signal], items);
	pthread_mutex_unlock(&list->mu);
	return heir;
}

void sender_stop(struct sender *s)
{
	struct sender_list *list = &s->host->exporters;
	uint64_t deadline = clock_monotonic_ns() + SENDER_DRAIN_SECONDS * NS_PER_SECOND;
	struct send_list left;
	bool heir;

	pthread_mutex_lock(&list->mu);
	s->stopping = true;
	heir = find_heir(s);
	pthread_mutex_unlock(&list->mu);
	for (unsigned i = 0; i < SIGNALS; i++)
		lane_set_phase(&s->lanes[i], heir || s->storage ? SEND_HANDING_OVER : SEND_DRAINING,
			       deadline);
	for (unsigned i = 0; i < SIGNALS; i++)
		if (s->lanes[i].disk)
			disk_queue_wake(s->lanes[i].disk);
	for (unsigned i = 0; i < SIGNALS; i++) {
		lane_join(&s->lanes[i], &left);
		if (!heir || !hand_over(s, i, &left))
			send_drop_all(&s->lanes[i], &left);
		send_disk_close(&s->lanes[i]);
	}
}

void sender_free(struct sender *s)
{
	if (!s)
		return;
	list_remove(&s->host->exporters, s);
	sender_destroy(s);
}

/* ---- statistics ---- */

void sender_list_init(struct sender_list *l)
{
	l->first = NULL;
	pthread_mutex_init(&l->mu, NULL);
}

void sender_list_fini(struct sender_list *l)
{
	pthread_mutex_destroy(&l->mu);
}

static void copy_stats(struct sender *s, struct sender_stats *out)
{
	*out = (struct sender_stats){
		.accepted = atomic_load(&s->accepted),
		.sent = atomic_load(&s->attempted),
		.confirmed = atomic_load(&s->confirmed),
		.failed = atomic_load(&s->failed),
		.dropped = atomic_load(&s->dropped),
		.pending = atomic_load(&s->pending),
		.duplicates = atomic_load(&s->duplicates),
		.reachable = atomic_load(&s->reachable),
		.last_success = atomic_load(&s->last_success),
		.last_failure = atomic_load(&s->last_failure),
	};
	snprintf(out->id, sizeof(out->id), "%s", s->id);
	snprintf(out->destination, sizeof(out->destination), "%s", s->destination);
	for (unsigned i = 0; i < SIGNALS; i++)
		out->pending += send_disk_items(&s->lanes[i]);
	pthread_mutex_lock(&s->mu);
	memcpy(out->last_error, s->last_error, sizeof(out->last_error));
	pthread_mutex_unlock(&s->mu);
}

unsigned sender_list_copy(struct sender_list *l, struct sender_stats *at, unsigned room)
{
	unsigned n = 0;

	pthread_mutex_lock(&l->mu);
	for (struct sender *s = l->first; s; s = s->next) {
		if (s->stopping)
			continue;
		if (n < room)
			copy_stats(s, &at[n]);
		n++;
	}
	pthread_mutex_unlock(&l->mu);
	return n;
}
