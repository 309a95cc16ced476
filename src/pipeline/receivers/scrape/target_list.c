/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/receivers/scrape/target_list.h"

#include <stdio.h>

void target_list_init(struct target_list *l)
{
	*l = (struct target_list){0};
	pthread_mutex_init(&l->mu, NULL);
}

void target_list_fini(struct target_list *l)
{
	pthread_mutex_destroy(&l->mu);
}

void target_list_add(struct target_list *l, struct listed_target *t)
{
	arena_init(&t->arena, NULL);
	pthread_mutex_lock(&l->mu);
	t->previous = l->last;
	t->next = NULL;
	if (l->last)
		l->last->next = t;
	else
		l->first = t;
	l->last = t;
	pthread_mutex_unlock(&l->mu);
}

void target_list_remove(struct target_list *l, struct listed_target *t)
{
	if (!t->labels)
		return;
	pthread_mutex_lock(&l->mu);
	if (t->previous)
		t->previous->next = t->next;
	else
		l->first = t->next;
	if (t->next)
		t->next->previous = t->previous;
	else
		l->last = t->previous;
	pthread_mutex_unlock(&l->mu);
	arena_fini(&t->arena);
	*t = (struct listed_target){0};
}

void target_list_update(struct target_list *l, struct listed_target *t, uint64_t time,
			uint64_t duration_ns, struct str error)
{
	pthread_mutex_lock(&l->mu);
	t->health = error.n ? TARGET_DOWN : TARGET_UP;
	t->last_scrape = time;
	t->duration_ns = duration_ns;
	snprintf(t->last_error, sizeof(t->last_error), "%.*s", STR_ARG(error));
	pthread_mutex_unlock(&l->mu);
}

static int copy_row(struct listed_target *t, const struct target_metadata *row)
{
	struct target_metadata copy = {.type = row->type};
	int rc = arena_copy_str(&t->arena, row->metric, &copy.metric);

	if (!rc)
		rc = arena_copy_str(&t->arena, row->help, &copy.help);
	if (!rc)
		rc = arena_copy_str(&t->arena, row->unit, &copy.unit);
	return rc ? rc : vec_push(&t->arena, &t->metadata, copy);
}

void target_list_set_metadata(struct target_list *l, struct listed_target *t,
			      const struct target_metadata *rows, uint32_t n)
{
	int rc = 0;

	pthread_mutex_lock(&l->mu);
	arena_fini(&t->arena);
	arena_init(&t->arena, NULL);
	memset(&t->metadata, 0, sizeof(t->metadata));
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = copy_row(t, &rows[i]);
	if (rc)
		t->metadata.n = 0;
	pthread_mutex_unlock(&l->mu);
}

void target_list_each(struct target_list *l,
		      void (*visit)(void *ctx, const struct listed_target *t), void *ctx)
{
	pthread_mutex_lock(&l->mu);
	for (const struct listed_target *t = l->first; t; t = t->next)
		visit(ctx, t);
	pthread_mutex_unlock(&l->mu);
}
