/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/test/rule_memory.h"

#include <errno.h>

static int memory_run(struct rule_io *io, struct str tenant, rule_work *work, void *arg,
		      struct err *e)
{
	struct rule_memory *m = (struct rule_memory *)io;

	(void)tenant;
	return work(arg, &m->memory.source, &m->options, e);
}

/* Get the series of an encoded label set. */
static struct promql_memory_series *find_series(struct rule_memory *m, struct str labels)
{
	struct promql_label list[METRIC_LABELS_MAX];
	struct label l;
	uint32_t n = 0;

	while (n < METRIC_LABELS_MAX && metric_labels_next(&labels, &l))
		list[n++] = (struct promql_label){l.name, l.value};
	return promql_memory_add(&m->memory, list, n);
}

static int memory_write(struct rule_io *io, struct str tenant, const struct metric_batch *batch,
			struct err *e)
{
	struct rule_memory *m = (struct rule_memory *)io;
	int rc = 0;

	(void)tenant;
	for (uint32_t i = 0; i < batch->samples.n && !rc; i++) {
		const struct metric_sample *in = &batch->samples.at[i];
		struct promql_memory_series *s = find_series(m, batch->series.at[in->series]);

		rc = s ? promql_memory_put(&m->memory, s, in->time, metric_value(in->bits), 0)
		       : -ENOMEM;
	}
	for (uint32_t i = 0; i < batch->histograms.n && !rc; i++) {
		const struct metric_histogram *in = &batch->histograms.at[i];
		struct promql_memory_series *s = find_series(m, batch->series.at[in->series]);

		rc = s ? promql_memory_put_histogram(&m->memory, s, in->time, &in->value, 0)
		       : -ENOMEM;
	}
	return rc ? err_set(e, rc, "out of memory for series") : 0;
}

int rule_memory_init(struct rule_memory *m, struct budget *budget)
{
	*m = (struct rule_memory){.io = {.run = memory_run, .write = memory_write},
				  .options.budget = budget};
	return promql_memory_init(&m->memory, budget);
}

void rule_memory_fini(struct rule_memory *m)
{
	promql_memory_fini(&m->memory);
}
