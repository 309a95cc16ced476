/* SPDX-License-Identifier: Apache-2.0 */
#include "query/drift/drift_watch.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"

/* A function is told apart from this share of a slot on; and always, once it was. */
#define NAMED_SHARE 0.0001
/* A build that has this share of a slot, and did not run before, is a deploy. */
#define BUILD_SHARE 0.1

struct drift_watch *drift_watch_new(struct str tenant, struct str service, struct str type,
				    struct budget *budget)
{
	struct drift_watch *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return NULL;
	arena_init(&w->arena, budget);
	w->drift = drift_new(budget);
	rc = w->drift ? idset_init(&w->index, &w->arena, 64) : -ENOMEM;
	rc = rc ? rc : arena_copy_str(&w->arena, tenant, &w->tenant);
	rc = rc ? rc : arena_copy_str(&w->arena, service, &w->service);
	rc = rc ? rc : arena_copy_str(&w->arena, type, &w->type);
	if (!rc)
		return w;
	drift_watch_free(w);
	return NULL;
}

void drift_watch_free(struct drift_watch *w)
{
	if (!w)
		return;
	drift_free(w->drift);
	arena_fini(&w->arena);
	free(w);
}

struct drift_source drift_watch_source(const struct drift_watch *w, const struct drift_step *step)
{
	return (struct drift_source){.store = step->store,
				     .tenant = w->tenant,
				     .service = w->service,
				     .type = w->type,
				     .budget = step->memory,
				     .cancelled = step->cancelled};
}

/* Set *id to the number of a function; UINT32_MAX if it gets none. 0 or -ENOMEM. */
static int number_of(struct drift_watch *w, struct str key, bool add, uint32_t *id)
{
	uint32_t hash = hash32(key);
	struct idset_cursor at = idset_seek(&w->index, hash);
	struct str copy;
	int rc;

	while (idset_next(&w->index, &at, id))
		if (str_eq(w->keys.at[*id], key))
			return 0;
	*id = UINT32_MAX;
	if (!add || w->keys.n >= DRIFT_NAMES_MAX)
		return 0;
	rc = arena_copy_str(&w->arena, key, &copy);
	rc = rc ? rc : idset_add(&w->index, hash, w->keys.n);
	rc = rc ? rc : vec_push(&w->arena, &w->keys, copy);
	*id = w->keys.n - 1;
	return rc;
}

static void keep_finding(void *context, const struct drift_finding *f)
{
	struct drift_watch *w = context;

	if (w->finding_n < DRIFT_FINDINGS_MAX)
		w->findings[w->finding_n++] = *f;
}

/* Note the builds of the slot, and those versions of `ran` that began with it. */
static void note_deploys(struct drift_watch *w, uint64_t slot, const struct drift_costs *costs,
			 const struct drift_versions *ran)
{
	bool deploy = false;

	for (uint32_t i = 0; i < ran->n; i++) {
		const struct drift_version *v = &ran->at[i];

		if (v->first <= slot && v->last >= slot)
			deploy |= drift_versions_note(&w->versions, str_from(v->text), false, slot,
						      slot);
	}
	for (uint32_t i = 0; i < costs->builds.n; i++) {
		const struct drift_build *b = &costs->builds.at[i];

		if ((double)b->self >= BUILD_SHARE * (double)costs->total)
			deploy |= drift_versions_note(&w->versions, b->id, true, slot, slot);
	}
	if (deploy && w->first != slot)
		drift_deploy(w->drift, slot);
}

static int add_slot(struct drift_watch *w, uint64_t slot, const struct drift_costs *costs,
		    const struct drift_versions *ran, struct err *e)
{
	struct drift_slot out = {.slot = slot};
	uint64_t unit = drift_costs_unit(costs);

	if (!costs->total)
		return 0;
	w->first = w->first ? w->first : slot;
	w->unit = w->unit && w->unit < unit ? w->unit : unit;
	w->total = costs->total;
	w->counts.n = 0;
	for (uint32_t i = 0; i < costs->functions.n; i++) {
		const struct drift_cost *f = &costs->functions.at[i];
		double n = (double)f->self / (double)w->unit;
		bool add = (double)f->self >= NAMED_SHARE * (double)costs->total;
		uint32_t id;
		int rc = number_of(w, f->key, add, &id);

		if (!rc && id != UINT32_MAX && f->self)
			rc = vec_push(&w->arena, &w->counts, (struct drift_count){id, n});
		if (rc)
			return err_set(e, rc, "out of memory for the names of functions");
	}
	out.total = (double)costs->total / (double)w->unit;
	out.counts = w->counts.at;
	out.n = w->counts.n;
	note_deploys(w, slot, costs, ran);
	return drift_add(w->drift, &out, keep_finding, w, e);
}

static uint64_t begin_of(uint64_t slot)
{
	return slot * DRIFT_SLOT_SECONDS * NS_PER_SECOND;
}

/* Read one slot, and add it. */
static int read_slot(struct drift_watch *w, const struct drift_source *source, uint64_t slot,
		     const struct drift_versions *ran, struct arena *scratch, struct err *e)
{
	struct drift_costs costs;
	int rc;

	arena_reset(scratch);
	w->finding_n = 0;
	rc = drift_costs_init(&costs, scratch);
	if (!rc)
		rc = drift_costs_add(&costs, source, begin_of(slot), begin_of(slot + 1), e);
	if (rc)
		return rc;
	rc = add_slot(w, slot, &costs, ran, e);
	w->full |= rc == -ENOMEM;
	return rc;
}

int drift_watch_step(struct drift_watch *w, const struct drift_step *step, uint64_t end,
		     uint32_t most, struct err *e)
{
	struct drift_source source = drift_watch_source(w, step);
	struct drift_versions ran = {0};
	struct arena scratch;
	int rc;

	if (w->next >= end)
		return 0;
	end = end - w->next > most ? w->next + most : end;
	rc = drift_versions_read(&ran, &source, begin_of(w->next), begin_of(end), e);
	arena_init(&scratch, step->memory);
	while (!rc && w->next < end) {
		rc = read_slot(w, &source, w->next, &ran, &scratch, e);
		if (!rc || rc == -ENOMEM)
			w->next++;
		if (!rc && w->finding_n)
			rc = step->found(step->ctx, w);
	}
	arena_fini(&scratch);
	return rc;
}
