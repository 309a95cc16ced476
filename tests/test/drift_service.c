/* SPDX-License-Identifier: Apache-2.0 */
#include "test/drift_service.h"

#include <math.h>

enum { START = 2900000 - 2900000 % DRIFT_SLOTS_PER_WEEK, NIGHTLY = 7 };

double drift_service_random(struct drift_service *s)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return (double)((s->seed ^ s->seed >> 29) >> 11) / (double)(1ull << 53);
}

static double normal(struct drift_service *s)
{
	double u = drift_service_random(s) + 1e-18, v = drift_service_random(s);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double exponential(struct drift_service *s)
{
	return -log(1 - drift_service_random(s));
}

static double poisson(struct drift_service *s, double mean)
{
	double limit, product = 1;
	int n = -1;

	if (mean > 40)
		return fmax(0, floor(mean + sqrt(mean) * normal(s) + 0.5));
	limit = exp(-mean);
	do {
		n++;
		product *= drift_service_random(s);
	} while (product > limit);
	return n;
}

void drift_service_init(struct drift_service *s, const struct drift_service_options *options,
			uint64_t seed)
{
	double sum = 0;

	*s = (struct drift_service){
		.options = *options, .seed = seed * 7919 + 17, .slot = START, .machines = 1};
	for (uint32_t i = 0; i < DRIFT_FUNCTIONS; i++)
		sum += 1.0 / (i + 1);
	for (uint32_t i = 0; i < DRIFT_FUNCTIONS; i++) {
		s->share[i] = 1.0 / (i + 1) / sum;
		s->amplitude[i] = 0.08 * M_SQRT2 * (0.5 + drift_service_random(s));
		s->phase[i] = 2 * M_PI * drift_service_random(s);
		s->weekend[i] = 0.05 * normal(s);
		s->noise[i] = options->noise * normal(s);
	}
}

static void begin_burst(struct drift_service *s)
{
	double slots = 2 * exponential(s);
	uint32_t n = 1;

	if (s->bursts_n == DRIFT_BURSTS_MAX)
		return;
	if (s->options.harder) {
		slots = 2 * exp(0.9 * normal(s)); /* some last for hours */
		n = 1 + (uint32_t)(4 * drift_service_random(s));
	}
	s->bursts[s->bursts_n++] = (struct drift_burst){
		.first = (uint32_t)((DRIFT_FUNCTIONS - n) * drift_service_random(s)),
		.n = n,
		.ends = (double)s->slot + drift_service_random(s) + slots,
		.factor = 1.3 + 1.7 * drift_service_random(s),
	};
}

/* What happens in this slot: bursts that begin and end, deploys, machines that come and go. */
static void happen(struct drift_service *s)
{
	const struct drift_service_options *o = &s->options;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->bursts_n; i++)
		if (s->bursts[i].ends > (double)s->slot)
			s->bursts[kept++] = s->bursts[i];
	s->bursts_n = kept;
	if (drift_service_random(s) < o->bursts_a_week / DRIFT_SLOTS_PER_WEEK)
		begin_burst(s);
	s->deployed = drift_service_random(s) < o->deploys_a_week / DRIFT_SLOTS_PER_WEEK;
	for (uint32_t i = 0; s->deployed && i < DRIFT_FUNCTIONS; i++)
		s->step[i] += o->deploy_change * normal(s);
	if (o->harder && drift_service_random(s) < 4.0 / DRIFT_SLOTS_PER_WEEK)
		s->machines = 0.5 + drift_service_random(s);
}

/* The logarithm of what a function costs now, divided by its share. */
static double cost(struct drift_service *s, uint32_t i)
{
	double day = (double)(s->slot % DRIFT_SLOTS_PER_DAY) / DRIFT_SLOTS_PER_DAY;
	uint64_t weekday = s->slot / DRIFT_SLOTS_PER_DAY % 7;
	double keeps = exp(-1.0 / DRIFT_SLOTS_PER_HOUR), log_cost;

	s->noise[i] = keeps * s->noise[i] + s->options.noise * sqrt(1 - keeps * keeps) * normal(s);
	log_cost = s->noise[i] + s->step[i] + s->amplitude[i] * sin(2 * M_PI * day + s->phase[i]) +
		   (weekday < 2 ? s->weekend[i] : 0);
	if (s->options.harder) {
		s->wander[i] += 0.0015 * normal(s) - s->wander[i] / (2 * DRIFT_SLOTS_PER_DAY);
		log_cost += s->wander[i];
		/* a job of an hour, which does not always begin at the same time */
		if (i % 50 == NIGHTLY &&
		    s->slot % DRIFT_SLOTS_PER_DAY >= 12 + s->slot / DRIFT_SLOTS_PER_DAY * 7 % 5 &&
		    s->slot % DRIFT_SLOTS_PER_DAY < 18 + s->slot / DRIFT_SLOTS_PER_DAY * 7 % 5)
			log_cost += 1;
	}
	return log_cost;
}

/* The factor of bursts in this slot: one that ends within it counts for its part. */
static double burst_factor(const struct drift_service *s, uint32_t i)
{
	double factor = 1;

	for (uint32_t b = 0; b < s->bursts_n; b++) {
		const struct drift_burst *burst = &s->bursts[b];

		if (i - burst->first < burst->n)
			factor *= 1 + (burst->factor - 1) * fmin(1, burst->ends - (double)s->slot);
	}
	return factor;
}

struct drift_slot drift_service_next(struct drift_service *s)
{
	double day, load;
	struct drift_slot out;

	s->slot++;
	happen(s);
	day = (double)(s->slot % DRIFT_SLOTS_PER_DAY) / DRIFT_SLOTS_PER_DAY;
	load = 0.5 * s->options.cores * s->options.hertz * DRIFT_SLOT_SECONDS * s->machines *
	       (1 + 0.35 * sin(2 * M_PI * day));
	out = (struct drift_slot){.slot = s->slot, .counts = s->counts};
	for (uint32_t i = 0; i < DRIFT_FUNCTIONS; i++) {
		double n = poisson(s, load * s->share[i] * exp(cost(s, i)) * burst_factor(s, i));

		out.total += n;
		if (n > 0)
			s->counts[out.n++] = (struct drift_count){.function = i, .n = n};
	}
	if (s->options.harder && drift_service_random(s) < 0.003)
		out = (struct drift_slot){.slot = s->slot};
	return out;
}
