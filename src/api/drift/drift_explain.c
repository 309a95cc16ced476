/* SPDX-License-Identifier: Apache-2.0 */
#include "api/drift/drift_explain.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"

/* Related functions that changed less than this do not take part in a move: noise, seasons. */
#define RELATED_CHANGE 0.15
/* The part of the gain that the others must have lost, and the most they may have. */
#define MOVED_LEAST 0.6
#define MOVED_MOST 1.7

/* The ranges that are compared: as long before the change as after it. */
enum { RANGE_LEAST = DRIFT_SLOTS_PER_HOUR, RANGE_MOST = DRIFT_SLOTS_PER_DAY };

struct explaining {
	const struct drift_finding *finding;
	struct drift_costs before, after;
	uint64_t from[2], to[2]; /* slots: before, after */
};

static uint64_t time_of(uint64_t slot)
{
	return slot * DRIFT_SLOT_SECONDS * NS_PER_SECOND;
}

static void set_ranges(struct explaining *x)
{
	uint64_t since = x->finding->since, found = x->finding->found + 1, length = found - since;

	length = length < RANGE_LEAST ? RANGE_LEAST : length > RANGE_MOST ? RANGE_MOST : length;
	x->from[0] = since - length;
	x->to[0] = since;
	x->from[1] = found - since > RANGE_MOST ? found - RANGE_MOST : since;
	x->to[1] = found;
}

static int read_costs(struct drift_costs *c, const struct drift_source *source, struct str target,
		      uint64_t from, uint64_t to, struct arena *arena, struct err *e)
{
	int rc = drift_costs_init(c, arena);

	c->target = target;
	return rc ? rc : drift_costs_add(c, source, time_of(from), time_of(to), e);
}

static double share_of(const struct drift_costs *c, struct str key)
{
	const struct drift_cost *f = drift_costs_find(c, key);

	return f && c->total ? (double)f->self / (double)c->total : 0;
}

/* Return by how much the share of a function changed; 0 if it is too little to be part of a move. */
static double considerable_change(const struct explaining *x, struct str key)
{
	double before = share_of(&x->before, key), after = share_of(&x->after, key);

	return fabs(after - before) >= RELATED_CHANGE * fmax(before, after) ? after - before : 0;
}

static bool has_moved(const struct explaining *x, struct str target)
{
	const struct drift_costs *sides[2] = {&x->before, &x->after};
	double gain = share_of(&x->after, target) - share_of(&x->before, target), others = 0;

	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 0; i < sides[side]->functions.n; i++) {
			const struct drift_cost *f = &sides[side]->functions.at[i];
			const struct drift_cost *old =
				side ? drift_costs_find(&x->before, f->key) : NULL;
			double change;

			if (!f->related || str_eq(f->key, target) || (old && old->related))
				continue;
			change = considerable_change(x, f->key);
			others += change * gain < 0 ? change : 0;
		}
	return fabs(others) > 0 && fabs(others) >= MOVED_LEAST * fabs(gain) &&
	       fabs(others) <= MOVED_MOST * fabs(gain);
}

static double per_second(const struct drift_costs *c, uint64_t from, uint64_t to)
{
	return (double)c->total / ((double)(to - from) * DRIFT_SLOT_SECONDS);
}

static void fill_function(struct drift_event_function *out, const struct explaining *x,
			  struct str key)
{
	const struct drift_finding *f = x->finding;
	const struct drift_cost *cost = drift_costs_find(&x->after, key);

	if (!cost)
		cost = drift_costs_find(&x->before, key);
	*out = (struct drift_event_function){.name = cost ? cost->name : key,
					     .file = cost ? cost->file : (struct str){0},
					     .ratio = f->ratio,
					     .low = f->low,
					     .high = f->high,
					     .before = f->before,
					     .after = f->after,
					     .z = f->z};
	if (f->kind != DRIFT_ENDED)
		out->extra = (f->after - f->before) * per_second(&x->after, x->from[1], x->to[1]);
}

static int put_versions(const struct drift_watch *w, const struct explaining *x, unsigned side,
			struct arena *arena, struct str *out)
{
	struct buf text = {0};
	int rc;

	drift_versions_put(&w->versions, x->from[side], x->to[side], x->from[!side], x->to[!side],
			   &text);
	rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

int drift_explain(const struct drift_watch *w, const struct drift_step *step,
		  const struct drift_finding *f, struct arena *arena, struct drift_event *out,
		  struct err *e)
{
	struct drift_source source = drift_watch_source(w, step);
	struct str key = drift_watch_key(w, f->function);
	struct explaining x = {.finding = f};
	int rc;

	set_ranges(&x);
	rc = read_costs(&x.before, &source, key, x.from[0], x.to[0], arena, e);
	if (!rc)
		rc = read_costs(&x.after, &source, key, x.from[1], x.to[1], arena, e);
	if (rc)
		return rc;
	if (f->kind != DRIFT_ENDED && has_moved(&x, key))
		return 0;
	*out = (struct drift_event){.tenant = w->tenant,
				    .service = w->service,
				    .type = w->type,
				    .kind = f->kind,
				    .since = time_of(f->since),
				    .found = time_of(f->found + 1),
				    .deploy = f->deploy,
				    .before_from = time_of(x.from[0]),
				    .before_to = time_of(x.to[0]),
				    .after_from = time_of(x.from[1]),
				    .after_to = time_of(x.to[1]),
				    .function_n = 1};
	fill_function(&out->functions[0], &x, key);
	out->extra = out->functions[0].extra;
	rc = put_versions(w, &x, 0, arena, &out->versions_before);
	if (!rc)
		rc = put_versions(w, &x, 1, arena, &out->versions_after);
	return rc ? err_set(e, rc, "out of memory") : 1;
}
