/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function is in one of three states:
 *
 *	quiet	each slot, the sums of its windows are tested
 *	suspect	a window deviated: the model is frozen, and with each slot the beginning of the change
 *		is estimated again, until the change has lasted long enough to be reported, or is over
 *	found	the change was reported, and the model contains it; for a day, the detector checks
 *		whether the function returns to its former cost
 */
#include "query/drift/drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/container/vec.h"
#include "query/drift/drift_model.h"
#include "query/drift/drift_transients.h"

enum {
	DEPLOYS_MAX = 16,
	/* A model is tested when it has learned for this many slots. */
	TRAINING = DRIFT_SLOTS_PER_WEEK,
	/* For this many slots after a finding, the detector checks whether it has ended. */
	WATCHED_AFTER = DRIFT_SLOTS_PER_DAY,
	/* At least this many slots without the change are needed to decide that it has ended. */
	ENDED_SLOTS = 2,
	/* A suspicion ends after this many slots at the latest. */
	SUSPECT_MOST = DRIFT_KEPT - 8,
	/* A burst that begins within this many slots of a deploy cannot be told from its effect. */
	DEPLOY_SLOTS = 2,
	/* A suspicion is dropped after more consecutive slots without data. */
	GAP_MOST = 12,
	/* An improvement must last this many times as long as a regression. */
	IMPROVEMENT_WAITS = 2,
	/* Improvements are not looked for in shorter windows after a deploy. */
	IMPROVEMENT_DEPLOY_SLOTS = 12,
	/* The functions with models are chosen again after this many slots. */
	MODEL_PERIOD = DRIFT_SLOTS_PER_DAY,
	/* The median of fewer functions is not used as the total. */
	MEDIAN_FUNCTIONS = 20,
	/* A service must have this age in slots before functions are reported as new. */
	NEW_AFTER = DRIFT_SLOTS_PER_WEEK,
	/* The share of a new function is measured over this many slots. */
	NEW_LASTS = 12
};

/* Functions get a model from this share of the total on, and this many samples in 30 minutes. */
#define MIN_SHARE 0.0005
#define MIN_EXPECTED 5.0
/* Smaller changes are not reported: of the cost (ln 1.05), and of the share of the total. */
#define MIN_LOG_RATIO 0.0488
#define MIN_GAIN 0.0003
/* The smallest share of a function that is reported as new. */
#define NEW_SHARE 0.003
/* The median of functions with a smaller part of the total is not used as the total. */
#define MEDIAN_PART 0.3
/* A change has ended when the logarithm of its likelihood in the latest slots is below this. */
#define ENDED_EVIDENCE -4.0
/*
 * Standard deviations: of a window that raises a suspicion; of the whole change and of the slots after
 * the suspicion when it is reported; of the windows after a deploy; of bursts that are remembered.
 */
#define CANDIDATE_Z 4.0
#define CONFIRM_Z 4.8
#define LATER_Z 3.9
#define DEPLOY_Z 4.5
#define BURST_Z 6.0
/* The parts of the change that each third of its time and its latest slots must show. */
#define THIRD_PART 0.4
#define LATEST_PART 0.5

enum drift_state { DRIFT_QUIET, DRIFT_SUSPECT, DRIFT_FOUND };

struct drift_function {
	struct drift_model model;
	uint32_t id;
	enum drift_state state;
	uint64_t suspected, since, found; /* slots of the suspicion or the finding */
	double size;			  /* logarithm of its ratio */
	struct drift_function *next;	  /* of those that are free */
};

/* What is known of every function. */
struct drift_seen {
	uint64_t last; /* the newest slot that has it */
	float mean;    /* samples in a slot, exponential mean over a day, at `last` */
	float sum;     /* samples since it was first seen, until `run` is NEW_LASTS */
	uint8_t run;   /* slots since it was first seen */
	struct drift_function *function; /* NULL: no model */
};

/* Samples of a function divided by those that are usual. */
struct drift_weighed {
	double ratio, expected;
};

struct drift {
	struct arena arena;
	VEC(struct drift_seen) seen;
	VEC(struct drift_function *) monitored;
	VEC(uint32_t) young; /* functions that are not NEW_LASTS slots old */
	struct drift_function *free;
	float *now;   /* samples in the current slot, by function; as long as seen.cap */
	uint64_t gap; /* slots without data before the last one */
	uint64_t first, last, modelled; /* slots; last 0: there is none */
	double total_mean;
	float totals[NEW_LASTS]; /* by slot % NEW_LASTS */
	struct drift_transients transients;
	uint64_t deploys[DEPLOYS_MAX];
	uint32_t deploys_n;	       /* ever noted; the last DEPLOYS_MAX are kept */
	struct drift_weighed *weighed; /* as many as monitored.cap */
	drift_report *report;	       /* during drift_add() */
	void *context;
};

struct drift *drift_new(struct budget *budget)
{
	struct arena arena;
	struct drift *d;

	arena_init(&arena, budget);
	d = arena_zalloc(&arena, 1, sizeof(*d));
	if (!d) {
		arena_fini(&arena);
		return NULL;
	}
	d->arena = arena;
	return d;
}

void drift_free(struct drift *d)
{
	struct arena arena;

	if (!d)
		return;
	arena = d->arena; /* d itself is in it */
	arena_fini(&arena);
}

uint32_t drift_monitored(const struct drift *d)
{
	return d->monitored.n;
}

void drift_deploy(struct drift *d, uint64_t slot)
{
	d->deploys[d->deploys_n++ % DEPLOYS_MAX] = slot;
}

static void report_finding(struct drift *d, const struct drift_function *f, enum drift_kind kind,
			   uint64_t from, bool deploy)
{
	struct drift_sums s = drift_model_sums(&f->model, from, d->last);
	double r = drift_log_ratio(s), share = exp(f->model.level);
	double sigma = drift_model_sigma(&f->model, s, (uint32_t)(d->last - from + 1));

	d->report(d->context, &(struct drift_finding){
				      .kind = kind,
				      .function = f->id,
				      .since = f->since,
				      .found = d->last,
				      .ratio = exp(r),
				      .low = exp(r - 1.96 * sigma),
				      .high = exp(r + 1.96 * sigma),
				      .before = share,
				      .after = share * exp(r),
				      .z = fabs(r) / sigma,
				      .deploy = deploy,
			      });
}

/* The change is what the function costs from now on. */
static void accept_change(struct drift *d, struct drift_function *f, bool deploy)
{
	bool room = d->last > f->suspected + 3 && f->suspected >= f->since;

	/* the slots that raised the suspicion overestimate the change */
	report_finding(d, f, f->size > 0 ? DRIFT_REGRESSION : DRIFT_IMPROVEMENT,
		       room ? f->suspected + 1 : f->since, deploy);
	drift_model_shift(&f->model, f->since, f->size);
	f->state = DRIFT_FOUND;
	f->found = d->last;
}

/*
 * How strongly the last `slots` slots speak for a change by `size` and against none, as a logarithm of
 * likelihoods. Noise that is not of counting weakens it.
 */
static double evidence(const struct drift_model *m, struct drift_sums s, uint32_t slots,
		       double size)
{
	double sigma = drift_model_sigma(m, s, slots);

	return (s.n * size - s.expected * expm1(size)) / fmax(1, sigma * sigma * s.expected);
}

/* Estimate since when the function differs by about `size`: where the likelihood is the largest. */
static uint64_t estimate_begin(const struct drift_model *m, uint64_t oldest, double size)
{
	double sum = 0, best = 0;
	uint64_t at = m->last;

	oldest = drift_model_oldest(m, oldest);
	for (uint64_t slot = m->last; slot >= oldest; slot--) {
		uint32_t i = (uint32_t)(slot % DRIFT_KEPT);

		sum += m->n[i] * size - m->expected[i] * expm1(size);
		if (sum > best) {
			best = sum;
			at = slot;
		}
	}
	return at;
}

static bool large_enough(const struct drift_model *m, struct drift_sums s, double size)
{
	return fabs(size) > MIN_LOG_RATIO &&
	       fabs(s.n - s.expected) > MIN_GAIN * s.expected / exp(m->level);
}

/* The change must be in each third of its time. */
static bool in_each_third(const struct drift_model *m, uint64_t since, double size)
{
	uint64_t slots = m->last - since + 1;

	for (uint32_t i = 0; i < 3; i++) {
		struct drift_sums s =
			drift_model_sums(m, since + slots * i / 3, since + slots * (i + 1) / 3 - 1);

		if (drift_log_ratio(s) / size < THIRD_PART)
			return false;
	}
	return true;
}

static void find_suspicion(struct drift *d, struct drift_function *f)
{
	struct drift_model *m = &f->model;

	for (uint32_t w = 0; w < DRIFT_WINDOWS; w++) {
		struct drift_sums s = m->window[w];
		double r = drift_log_ratio(s), sigma;
		uint64_t oldest;

		if (s.expected < MIN_EXPECTED)
			continue;
		sigma = drift_model_sigma(m, s, drift_windows[w]);
		if (fabs(r) < CANDIDATE_Z * sigma || !large_enough(m, s, r))
			continue;
		oldest = m->last + 1 - drift_windows[w];
		oldest = oldest > m->born ? oldest : m->born;
		f->since = estimate_begin(m, oldest, r);
		f->size = drift_log_ratio(drift_model_sums(m, f->since, m->last));
		f->suspected = d->last;
		f->state = DRIFT_SUSPECT;
		return;
	}
}

/* Return whether the last slots say that the change is over, and since when. */
static bool has_ended(const struct drift_model *m, uint64_t since, double size, uint64_t *end)
{
	struct drift_sums s = {0};
	double least = ENDED_EVIDENCE;
	bool ended = false;

	since = drift_model_oldest(m, since);
	for (uint64_t slot = m->last; slot > since; slot--) {
		double e;

		s.n += m->n[slot % DRIFT_KEPT];
		s.expected += m->expected[slot % DRIFT_KEPT];
		if (m->last - slot + 1 < ENDED_SLOTS)
			continue;
		e = evidence(m, s, (uint32_t)(m->last - slot + 1), size);
		if (e < least) {
			least = e;
			*end = slot;
			ended = true;
		}
	}
	return ended;
}

/* The slots after those that raised the suspicion must show it by themselves. */
static bool goes_on(const struct drift_model *m, uint64_t suspected, double size)
{
	uint32_t slots = (uint32_t)(m->last - suspected);
	struct drift_sums s = drift_model_sums(m, suspected + 1, m->last);

	return slots >= ENDED_SLOTS && drift_log_ratio(s) / size > LATEST_PART &&
	       fabs(drift_log_ratio(s)) > LATER_Z * drift_model_sigma(m, s, slots);
}

static void follow_suspicion(struct drift *d, struct drift_function *f)
{
	struct drift_model *m = &f->model;
	uint64_t end, age = d->last - d->first, slots;
	double before = f->size;
	struct drift_sums s;
	uint32_t wait;

	if (has_ended(m, f->since, f->size, &end)) {
		s = drift_model_sums(m, f->since, end - 1);
		if (fabs(drift_log_ratio(s)) >
		    BURST_Z * drift_model_sigma(m, s, (uint32_t)(end - f->since)))
			drift_transients_add(&d->transients, end, (uint32_t)(end - f->since),
					     fabs(drift_log_ratio(s)));
		drift_model_forget(m, f->since, m->last);
		f->state = DRIFT_QUIET;
		return;
	}
	f->since = estimate_begin(m, f->since > 6 ? f->since - 6 : 1, f->size);
	slots = d->last - f->since + 1;
	s = drift_model_sums(m, f->since, d->last);
	f->size = drift_log_ratio(s);
	if (slots > SUSPECT_MOST) { /* too unsteady to be reported: the usual cost from now on */
		drift_model_shift(m, f->since, f->size);
		f->state = DRIFT_QUIET;
		return;
	}
	if (f->size / before <= 0 || fabs(f->size) < MIN_LOG_RATIO / 2) { /* there is none */
		drift_model_forget(m, f->since, m->last);
		f->state = DRIFT_QUIET;
		return;
	}
	wait = drift_transients_wait(&d->transients, d->last, age, fabs(f->size), 1);
	if (slots < (f->size > 0 ? wait : wait * IMPROVEMENT_WAITS))
		return;
	if (large_enough(m, s, f->size) && in_each_third(m, f->since, f->size) &&
	    fabs(f->size) > CONFIRM_Z * drift_model_sigma(m, s, (uint32_t)slots) &&
	    goes_on(m, f->suspected, f->size))
		accept_change(d, f, false);
}

/* A finding that goes away within a day was none. */
static void follow_finding(struct drift *d, struct drift_function *f)
{
	struct drift_model *m = &f->model;
	uint64_t end = estimate_begin(m, f->found, -f->size);
	uint32_t slots = (uint32_t)(d->last - end + 1);
	struct drift_sums s = drift_model_sums(m, end, d->last);

	if (slots >= ENDED_SLOTS && drift_log_ratio(s) / -f->size > LATEST_PART &&
	    evidence(m, s, slots, -f->size) > -2 * ENDED_EVIDENCE) {
		report_finding(d, f, DRIFT_ENDED, end, false);
		drift_transients_add(&d->transients, end, (uint32_t)(end - f->since),
				     fabs(f->size));
		drift_model_shift(m, end, -f->size);
		f->state = DRIFT_QUIET;
	} else if (d->last - f->found >= WATCHED_AFTER) {
		f->state = DRIFT_QUIET;
	}
}

/* Return whether bursts that begin at a deploy by chance are unlikely to last for this many slots. */
static bool outlasts_bursts(const struct drift *d, uint64_t slots, double size)
{
	double weeks = fmax(1, fmin(4, (double)(d->last - d->first) / DRIFT_SLOTS_PER_WEEK)), n = 0;
	uint32_t kept = d->deploys_n < DEPLOYS_MAX ? d->deploys_n : DEPLOYS_MAX;

	for (uint32_t i = 0; i < kept; i++)
		n += d->deploys[i] <= d->last && d->last - d->deploys[i] < 4 * DRIFT_SLOTS_PER_WEEK;
	return slots >= drift_transients_wait(&d->transients, d->last, d->last - d->first, size,
					      n / weeks * DEPLOY_SLOTS / DRIFT_SLOTS_PER_WEEK);
}

/* Compare the time since a deploy, if it is due. */
static void look_after_deploy(struct drift *d, struct drift_function *f, uint64_t deploy)
{
	struct drift_model *m = &f->model;
	uint64_t slots = d->last - deploy + 1;
	struct drift_sums s, before;
	double r;
	bool due = false;

	for (uint32_t w = 0; w < DRIFT_WINDOWS; w++)
		due |= slots == drift_windows[w];
	if (!due || deploy < m->born + DRIFT_SLOTS_PER_DAY ||
	    (f->state == DRIFT_FOUND && f->found >= deploy))
		return;
	s = drift_model_sums(m, deploy, d->last);
	before = drift_model_sums(m, deploy - DRIFT_SLOTS_PER_HOUR, deploy - 1);
	r = drift_log_ratio(s);
	/* chance halves a small count more easily than it doubles it */
	if (r < 0 && slots < IMPROVEMENT_DEPLOY_SLOTS)
		return;
	if (s.expected < MIN_EXPECTED || before.expected < MIN_EXPECTED ||
	    fabs(r) < DEPLOY_Z * drift_model_sigma(m, s, (uint32_t)slots) ||
	    !large_enough(m, s, r) || !in_each_third(m, deploy, r) ||
	    drift_log_ratio(before) / r > LATEST_PART)
		return;
	if (!outlasts_bursts(d, slots, fabs(r)))
		return;
	f->since = f->suspected = deploy;
	f->size = r;
	accept_change(d, f, true);
}

static int by_ratio(const void *a, const void *b)
{
	double x = ((const struct drift_weighed *)a)->ratio,
	       y = ((const struct drift_weighed *)b)->ratio;

	return (x > y) - (x < y);
}

/*
 * Return the total of this slot as the functions see it that behave as usual: their samples divided by
 * their usual share, as the weighted median. If one function takes much more than it used to, the share
 * of every other one falls, which is no improvement.
 */
static double usual_total(struct drift *d)
{
	double total = d->totals[d->last % NEW_LASTS], weight = 0, sum = 0, median;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->monitored.n; i++) {
		struct drift_function *f = d->monitored.at[i];
		double expected =
			drift_model_begin(&f->model, d->last, total, f->state == DRIFT_SUSPECT);

		if (d->last - f->model.born < TRAINING || expected < MIN_EXPECTED)
			continue;
		d->weighed[n++] = (struct drift_weighed){d->now[f->id] / expected, expected};
		weight += expected;
	}
	if (n < MEDIAN_FUNCTIONS || weight < MEDIAN_PART * total)
		return total;
	qsort(d->weighed, n, sizeof(*d->weighed), by_ratio);
	for (n = 0; sum < weight / 2; n++)
		sum += d->weighed[n].expected;
	median = d->weighed[n - 1].ratio;
	return total * fmin(fmax(median, 0.25), 4);
}

static void look_at_function(struct drift *d, struct drift_function *f, double total)
{
	uint32_t kept = d->deploys_n < DEPLOYS_MAX ? d->deploys_n : DEPLOYS_MAX;

	if (d->gap > GAP_MOST && f->state == DRIFT_SUSPECT) {
		/* what happened meanwhile is unknown, and so is since when */
		drift_model_forget(&f->model, f->since, f->model.last);
		f->state = DRIFT_QUIET;
	}
	drift_model_add(&f->model, d->last, d->now[f->id], total, f->state == DRIFT_SUSPECT);
	if (d->last - f->model.born < TRAINING)
		return;
	for (uint32_t i = 0; i < kept; i++)
		if (d->deploys[i] <= d->last && d->last - d->deploys[i] < drift_windows[3])
			look_after_deploy(d, f, d->deploys[i]);
	if (f->state == DRIFT_QUIET)
		find_suspicion(d, f);
	else if (f->state == DRIFT_SUSPECT)
		follow_suspicion(d, f);
	else
		follow_finding(d, f);
}

/* ---- functions ---- */

static float decayed(float mean, uint64_t slots)
{
	return mean * (float)exp(-(double)slots / DRIFT_SLOTS_PER_DAY);
}

static int add_seen(struct drift *d, uint32_t id)
{
	uint32_t cap = d->seen.cap;
	int rc = 0;
	float *now;

	if (id < d->seen.n)
		return 0;
	rc = vec_reserve(&d->arena, &d->seen, id + 1 - d->seen.n);
	if (rc)
		return rc;
	if (d->seen.cap != cap) {
		now = arena_resize(&d->arena, d->now, cap, d->seen.cap, sizeof(*now));
		if (!now)
			return -ENOMEM;
		d->now = now;
	}
	for (uint32_t i = d->seen.n; i <= id; i++) {
		d->seen.at[i] = (struct drift_seen){0};
		d->now[i] = 0;
	}
	d->seen.n = id + 1;
	return 0;
}

/* Report functions that are new in the service. */
static void look_at_young(struct drift *d)
{
	uint32_t kept = 0;
	double total = 0;

	for (uint32_t i = 0; i < NEW_LASTS; i++)
		total += d->totals[i];
	for (uint32_t i = 0; i < d->young.n; i++) {
		uint32_t id = d->young.at[i];
		struct drift_seen *s = &d->seen.at[id];

		s->sum += d->now[id];
		if (++s->run < NEW_LASTS) {
			d->young.at[kept++] = id;
			continue;
		}
		if (d->last - d->first < NEW_AFTER || s->sum < NEW_SHARE * total ||
		    s->sum - 2 * sqrtf(s->sum) < NEW_SHARE / 3 * total)
			continue;
		d->report(d->context, &(struct drift_finding){
					      .kind = DRIFT_NEW,
					      .function = id,
					      .since = d->last + 1 - NEW_LASTS,
					      .found = d->last,
					      .after = s->sum / total,
				      });
	}
	d->young.n = kept;
}

/* Give models to functions with a considerable share, and take them from others. */
static int choose_monitored(struct drift *d)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->monitored.n; i++) {
		struct drift_function *f = d->monitored.at[i];
		struct drift_seen *s = &d->seen.at[f->id];

		if (f->state != DRIFT_QUIET ||
		    decayed(s->mean, d->last - s->last) > MIN_SHARE / 4 * d->total_mean) {
			d->monitored.at[kept++] = f;
			continue;
		}
		s->function = NULL;
		f->next = d->free;
		d->free = f;
	}
	d->monitored.n = kept;
	for (uint32_t id = 0; id < d->seen.n && d->monitored.n < DRIFT_MAX_MONITORED; id++) {
		struct drift_seen *s = &d->seen.at[id];
		double mean = decayed(s->mean, d->last - s->last), scale = d->total_mean;
		struct drift_function *f = d->free;
		struct drift_weighed *weighed;
		uint32_t cap = d->monitored.cap;
		int rc;

		if (s->function || mean < MIN_SHARE * scale ||
		    mean * drift_windows[0] < MIN_EXPECTED)
			continue;
		rc = vec_reserve(&d->arena, &d->monitored, 1);
		if (rc)
			return rc;
		if (d->monitored.cap != cap) {
			weighed = arena_resize(&d->arena, d->weighed, cap, d->monitored.cap,
					       sizeof(*weighed));
			if (!weighed)
				return -ENOMEM;
			d->weighed = weighed;
		}
		if (f)
			d->free = f->next;
		else
			f = arena_alloc(&d->arena, 1, sizeof(*f));
		if (!f)
			return -ENOMEM;
		*f = (struct drift_function){.id = id};
		drift_model_init(&f->model, d->last + 1, mean / scale);
		s->function = f;
		d->monitored.at[d->monitored.n++] = f;
	}
	d->modelled = d->last;
	return 0;
}

static int add_counts(struct drift *d, const struct drift_slot *slot)
{
	for (uint32_t i = 0; i < slot->n; i++) {
		uint32_t id = slot->counts[i].function;
		struct drift_seen *s = &d->seen.at[id];

		if (!s->last) {
			int rc = vec_push(&d->arena, &d->young, id);

			if (rc)
				return rc;
			s->last = slot->slot;
		}
		d->now[id] = (float)slot->counts[i].n;
		s->mean = decayed(s->mean, slot->slot - s->last) +
			  (float)slot->counts[i].n / DRIFT_SLOTS_PER_DAY;
		s->last = slot->slot;
	}
	return 0;
}

static int check_slot(struct drift *d, const struct drift_slot *slot, struct err *e)
{
	uint32_t most = 0;

	if (slot->slot < 2 * DRIFT_KEPT || slot->slot > UINT32_MAX)
		return err_set(e, -EINVAL, "slot %llu is no time", (unsigned long long)slot->slot);
	if (slot->slot <= d->last)
		return err_set(e, -EINVAL, "slot %llu follows slot %llu",
			       (unsigned long long)slot->slot, (unsigned long long)d->last);
	for (uint32_t i = 0; i < slot->n; i++)
		most = slot->counts[i].function > most ? slot->counts[i].function : most;
	if (most >= DRIFT_MAX_FUNCTIONS)
		return err_set(e, -EINVAL, "function number %u is above %u", most,
			       DRIFT_MAX_FUNCTIONS - 1);
	return slot->n && add_seen(d, most) ? err_set(e, -ENOMEM, "out of memory") : 0;
}

int drift_add(struct drift *d, const struct drift_slot *slot, drift_report *report, void *context,
	      struct err *e)
{
	int rc = check_slot(d, slot, e);

	if (rc || !(slot->total > 0))
		return rc;
	d->report = report;
	d->context = context;
	if (!d->first)
		d->first = slot->slot;
	for (uint64_t s = d->last + 1; d->last && s < slot->slot && s <= d->last + NEW_LASTS; s++)
		d->totals[s % NEW_LASTS] = 0;
	d->totals[slot->slot % NEW_LASTS] = (float)slot->total;
	d->total_mean = d->total_mean * exp(-(double)(d->last ? slot->slot - d->last : 0) /
					    DRIFT_SLOTS_PER_DAY) +
			slot->total / DRIFT_SLOTS_PER_DAY;
	d->gap = d->last ? slot->slot - d->last - 1 : 0;
	d->last = slot->slot;
	rc = add_counts(d, slot);
	if (!rc) {
		double total = usual_total(d);

		look_at_young(d);
		for (uint32_t i = 0; i < d->monitored.n; i++)
			look_at_function(d, d->monitored.at[i], total);
		if (d->last - d->modelled >= MODEL_PERIOD && d->last - d->first >= MODEL_PERIOD)
			rc = choose_monitored(d);
	}
	for (uint32_t i = 0; i < slot->n; i++)
		d->now[slot->counts[i].function] = 0;
	return rc ? err_set(e, rc, "out of memory") : 0;
}
