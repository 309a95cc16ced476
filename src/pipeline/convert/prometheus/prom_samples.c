/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms have cumulative buckets in Prometheus. */
#include "pipeline/convert/prometheus/prom_samples.h"

#include <errno.h>
#include <math.h>

#include "base/buf.h"
#include "signal/otlp/value_text.h"

double prom_stale_value(void)
{
	uint64_t bits = 0x7ff0000000000002;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Return the exemplar whose value is in (low, high], the last one; or NULL. */
static const struct prom_exemplar *exemplar_in(const struct prom_point *p, double low, double high)
{
	for (uint32_t i = p->exemplar_count; i-- > 0;)
		if (p->exemplars[i].value > low && p->exemplars[i].value <= high)
			return &p->exemplars[i];
	return NULL;
}

static int histogram_samples(const struct prom_point *p,
			     int (*each)(void *arg, const struct prom_sample *s), void *arg)
{
	struct buf le = {0};
	double stale = prom_stale_value(), low = -INFINITY;
	uint64_t below = 0;
	int rc = 0;

	for (uint32_t i = 0; i <= p->pair_count && !rc; i++) {
		bool last = i == p->pair_count;
		double bound = last ? INFINITY : p->pairs[i].at;
		struct prom_sample s = {.suffix = STR("_bucket"), .more.name = STR("le")};

		if (!last && isinf(bound)) /* the last bucket is always there */
			continue;
		below += last ? 0 : (uint64_t)p->pairs[i].value;
		buf_clear(&le);
		otlp_double_text(&le, bound);
		s.more.value = buf_str(&le);
		s.value = p->stale ? stale : (double)(last ? p->count : below);
		s.exemplar = p->stale ? NULL : exemplar_in(p, low, bound);
		low = bound;
		rc = buf_error(&le) ? -ENOMEM : each(arg, &s);
	}
	buf_fini(&le);
	return rc;
}

static int summary_samples(const struct prom_point *p,
			   int (*each)(void *arg, const struct prom_sample *s), void *arg)
{
	struct buf quantile = {0};
	int rc = 0;

	for (uint32_t i = 0; i < p->pair_count && !rc; i++) {
		buf_clear(&quantile);
		otlp_double_text(&quantile, p->pairs[i].at);
		rc = buf_error(&quantile)
			     ? -ENOMEM
			     : each(arg, &(struct prom_sample){
						 .more = {STR("quantile"), buf_str(&quantile)},
						 .value = p->stale ? prom_stale_value()
								   : p->pairs[i].value});
	}
	buf_fini(&quantile);
	return rc;
}

int prom_samples(const struct prom_point *p, int (*each)(void *arg, const struct prom_sample *s),
		 void *arg)
{
	double stale = prom_stale_value();
	int rc;

	if (p->metric->type != PROM_HISTOGRAM && p->metric->type != PROM_SUMMARY)
		return each(arg, &(struct prom_sample){
					 .value = p->stale ? stale : p->value,
					 .exemplar = p->exemplar_count && !p->stale
							     ? &p->exemplars[p->exemplar_count - 1]
							     : NULL});
	rc = p->metric->type == PROM_HISTOGRAM ? histogram_samples(p, each, arg)
					       : summary_samples(p, each, arg);
	if (!rc && (p->has_sum || p->stale))
		rc = each(arg, &(struct prom_sample){.suffix = STR("_sum"),
						     .value = p->stale ? stale : p->sum});
	if (!rc)
		rc = each(arg, &(struct prom_sample){.suffix = STR("_count"),
						     .value = p->stale ? stale : (double)p->count});
	return rc;
}
