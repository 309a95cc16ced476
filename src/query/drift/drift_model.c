/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The level is an exponential mean with a half-life of three days; the season is the mean of what an
 * hour of the week deviates from it, shrunk towards 0 while it rests on few samples or weeks. Both are
 * learned hour by hour. What sums deviate beyond the error of counting is learned for each window,
 * because noise with a memory does not average out as independent samples do.
 */
#include "query/drift/drift_model.h"

#include <math.h>
#include <string.h>

const uint16_t drift_windows[DRIFT_WINDOWS] = {3, 12, 48, 144};

enum {
	DAYS = 21, /* of which day[] is the mean */
	WEEKS = 6, /* and week[] */
	/* ages from which they are learned */
	DAY_FROM = DRIFT_SLOTS_PER_DAY,
	WEEK_FROM = DRIFT_SLOTS_PER_WEEK,
	UNREST_FROM = DRIFT_SLOTS_PER_WEEK * 2
};

#define LEVEL_STEP (1 - exp2(-1.0 / 72))	   /* for an hour */
#define UNREST_MEMORY (3.0 * DRIFT_SLOTS_PER_WEEK) /* slots */
#define UNREST_PRIOR 0.0036			   /* (6 %)^2, until something is learned */
#define UNREST_PRIOR_N 6
#define UNREST_LEAST 0.0006 /* (2.5 %)^2: quiet weeks do not promise more */
#define CLIP 0.5	    /* limit of a logarithm that is learned */
#define CLIP_SIGMAS 2.2
#define CLIP_BIAS 1.05	  /* the mean square of normal noise divided by that of clipped noise */
#define HOUR_NOISE 0.0009 /* (3 %)^2: what an hour deviates in addition to counting */
#define DAY_SIZE 0.01	  /* (10 %)^2: usual sizes of seasons */
#define WEEK_SIZE 0.0016  /* (4 %)^2 */

static double clamp(double x, double limit)
{
	return fmin(fmax(x, -limit), limit);
}

void drift_model_init(struct drift_model *m, uint64_t slot, double share)
{
	memset(m, 0, sizeof(*m));
	m->born = slot;
	m->last = slot - 1;
	m->level = log(share);
}

double drift_log_ratio(struct drift_sums s)
{
	return log((s.n + 0.5) / (s.expected + 0.5));
}

/*
 * Return the weight of the mean deviation of `times` observed hours, between 0 and 1. `size` is the
 * usual variance of seasons, `expected` the expected number of samples in an hour.
 */
static double season_weight(double size, double expected, uint32_t times)
{
	return times ? size / (size + (1 / fmax(expected, 0.01) + HOUR_NOISE) / times) : 0;
}

/* The share that is usual in this hour. */
static double share_of_hour(const struct drift_model *m, uint64_t hour, double expected)
{
	uint32_t d = (uint32_t)(hour % DRIFT_DAY_HOURS), w = (uint32_t)(hour % DRIFT_HOURS);

	return exp(m->level + season_weight(DAY_SIZE, expected, m->days[d]) * m->day[d] +
		   season_weight(WEEK_SIZE, expected, m->weeks[w]) * m->week[w]);
}

/* Add a value to the mean of at most `most`. */
static void add_to_mean(float *mean, uint8_t *n, uint32_t most, double value)
{
	if (*n < most)
		++*n;
	*mean += (float)((value - *mean) / *n);
}

/*
 * Learn from the hour that ended: first the level, then the day, then what the week adds. The level
 * does not follow what the seasons explain.
 */
static void learn_hour(struct drift_model *m, uint64_t hour, uint64_t age)
{
	uint32_t d = (uint32_t)(hour % DRIFT_DAY_HOURS), w = (uint32_t)(hour % DRIFT_HOURS);
	double deviation = clamp(drift_log_ratio(m->hour), CLIP), day = m->day[d],
	       week = m->week[w];
	double early = age < DAY_FROM ? 4 : 1; /* the first level is a guess */

	if (m->hour.expected < 0.5)
		return;
	if (age >= DAY_FROM) {
		add_to_mean(&m->day[d], &m->days[d], DAYS, deviation);
		deviation -= day;
	}
	if (age >= WEEK_FROM) {
		add_to_mean(&m->week[w], &m->weeks[w], WEEKS, deviation);
		deviation -= week;
	}
	m->level += early * LEVEL_STEP * deviation;
}

/* Learn how far the window that ends with this slot deviates. */
static void learn_unrest(struct drift_model *m, uint32_t w)
{
	struct drift_sums s = m->window[w];
	double r = drift_log_ratio(s), counting, most, step;

	if (s.expected < 5)
		return;
	counting = 1 / s.expected;
	most = CLIP_SIGMAS * drift_model_sigma(m, s, drift_windows[w]);
	r = clamp(r, most);
	step = fmax(drift_windows[w] / 4.0 / UNREST_MEMORY,
		    1.0 / (m->unrest_n[w] + UNREST_PRIOR_N));
	if (!m->unrest_n[w])
		m->unrest[w] = (float)UNREST_PRIOR;
	m->unrest[w] += (float)(step * (r * r * CLIP_BIAS - counting - m->unrest[w]));
	m->unrest_n[w]++;
}

double drift_model_sigma(const struct drift_model *m, struct drift_sums s, uint32_t slots)
{
	uint32_t w = 0;
	double unrest;

	while (w + 1 < DRIFT_WINDOWS && drift_windows[w + 1] <= slots)
		w++;
	unrest = m->unrest_n[w] ? m->unrest[w] : UNREST_PRIOR;
	if (w + 1 < DRIFT_WINDOWS && slots > drift_windows[w] && m->unrest_n[w]) {
		double part = log((double)slots / drift_windows[w]) /
			      log((double)drift_windows[w + 1] / drift_windows[w]);
		double next = m->unrest_n[w + 1] ? m->unrest[w + 1] : UNREST_PRIOR;

		unrest += part * (next - unrest);
	}
	return sqrt(fmax(unrest, UNREST_LEAST) + 1 / fmax(s.expected, 0.5));
}

/* Advance by one slot: what is counted in it, and the windows without what leaves them. */
static void step(struct drift_model *m, uint64_t slot, double n, double expected)
{
	for (uint32_t w = 0; w < DRIFT_WINDOWS; w++) {
		uint32_t out = (uint32_t)((slot - drift_windows[w]) % DRIFT_KEPT);

		m->window[w].n += n - m->n[out];
		m->window[w].expected += expected - m->expected[out];
		/* sums of differences keep rounding errors: begin anew where that is exact */
		if (m->window[w].expected < 1e-3)
			m->window[w] = (struct drift_sums){0};
	}
	m->n[slot % DRIFT_KEPT] = (float)n;
	m->expected[slot % DRIFT_KEPT] = (float)expected;
	m->last = slot;
}

static void add_windows(struct drift_model *m)
{
	for (uint32_t w = 0; w < DRIFT_WINDOWS; w++)
		m->window[w] = drift_model_sums(m, m->last + 1 - drift_windows[w], m->last);
}

double drift_model_begin(struct drift_model *m, uint64_t slot, double total, bool frozen)
{
	uint64_t hour = slot / DRIFT_SLOTS_PER_HOUR;

	if (slot - m->last > DRIFT_KEPT) {
		memset(m->n, 0, sizeof(m->n));
		memset(m->expected, 0, sizeof(m->expected));
		memset(m->window, 0, sizeof(m->window));
		m->last = slot - 1;
	}
	while (m->last + 1 < slot)
		step(m, m->last + 1, 0, 0);
	if (hour != m->ratio_hour) {
		if (m->ratio_hour && !frozen)
			learn_hour(m, m->ratio_hour, slot - m->born);
		m->hour = (struct drift_sums){0};
		m->ratio_hour = hour;
		m->ratio = share_of_hour(m, hour, total * exp(m->level) * DRIFT_SLOTS_PER_HOUR);
	}
	return total * m->ratio;
}

void drift_model_add(struct drift_model *m, uint64_t slot, double n, double total, bool frozen)
{
	m->hour.n += n;
	m->hour.expected += total * exp(m->level);
	step(m, slot, n, total * m->ratio);
	if (slot % DRIFT_SLOTS_PER_DAY == 0)
		add_windows(m);
	if (frozen || slot - m->born < UNREST_FROM)
		return;
	for (uint32_t w = 0; w < DRIFT_WINDOWS; w++)
		if (slot % (drift_windows[w] / 3) == 0)
			learn_unrest(m, w);
}

uint64_t drift_model_oldest(const struct drift_model *m, uint64_t from)
{
	uint64_t kept = m->last + 1 > DRIFT_KEPT ? m->last + 1 - DRIFT_KEPT : 0;

	return from > kept ? from : kept;
}

struct drift_sums drift_model_sums(const struct drift_model *m, uint64_t from, uint64_t to)
{
	struct drift_sums s = {0};

	for (uint64_t slot = drift_model_oldest(m, from); slot <= to; slot++) {
		s.n += m->n[slot % DRIFT_KEPT];
		s.expected += m->expected[slot % DRIFT_KEPT];
	}
	return s;
}

void drift_model_shift(struct drift_model *m, uint64_t since, double log_ratio)
{
	float factor = (float)exp(log_ratio);

	m->level += log_ratio;
	m->ratio *= factor;
	m->hour.expected *= factor;
	for (uint64_t slot = drift_model_oldest(m, since); slot <= m->last; slot++)
		m->expected[slot % DRIFT_KEPT] *= factor;
	add_windows(m);
}

void drift_model_forget(struct drift_model *m, uint64_t from, uint64_t to)
{
	for (uint64_t slot = drift_model_oldest(m, from); slot <= to; slot++) {
		m->n[slot % DRIFT_KEPT] = 0;
		m->expected[slot % DRIFT_KEPT] = 0;
	}
	add_windows(m);
}
