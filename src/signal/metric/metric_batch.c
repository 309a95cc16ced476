/* SPDX-License-Identifier: Apache-2.0 */
/* Series with samples: memory and checks. */
#include "signal/metric/metric_batch.h"

#include <errno.h>
#include <stdio.h>

const char *const metric_type_names[METRIC_TYPES] = {
	[METRIC_UNKNOWN] = "unknown",
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
	[METRIC_GAUGE_HISTOGRAM] = "gaugehistogram",
	[METRIC_SUMMARY] = "summary",
	[METRIC_INFO] = "info",
	[METRIC_STATESET] = "stateset",
};

void metric_batch_init(struct metric_batch *b, struct budget *budget)
{
	*b = (struct metric_batch){0};
	arena_init(&b->arena, budget);
	buf_init(&b->scratch, budget);
}

void metric_batch_reset(struct metric_batch *b)
{
	struct arena arena = b->arena;
	struct buf scratch = b->scratch;

	arena_reset(&arena);
	buf_clear(&scratch);
	*b = (struct metric_batch){.arena = arena, .scratch = scratch};
}

void metric_batch_fini(struct metric_batch *b)
{
	buf_fini(&b->scratch);
	arena_fini(&b->arena);
}

void metric_batch_reject(struct metric_batch *b, uint32_t n, const char *reason, struct str labels)
{
	struct str name = metric_labels_get(labels, STR(METRIC_NAME_LABEL));

	if (!b->rejected && n)
		snprintf(b->reason, sizeof(b->reason), "%s%s%.*s", reason, name.n ? ": " : "",
			 STR_ARG(str_head(name, 60)));
	b->rejected += n;
}

int metric_batch_series(struct metric_batch *b, struct label *labels, uint32_t n, uint32_t *series,
			const char **wrong)
{
	struct str copy;
	int rc;

	buf_clear(&b->scratch);
	*wrong = metric_labels_put_all(&b->scratch, labels, n);
	if (buf_error(&b->scratch))
		return -ENOMEM;
	if (*wrong)
		return 1;
	rc = arena_copy_str(&b->arena, buf_str(&b->scratch), &copy);
	if (!rc)
		rc = vec_push(&b->arena, &b->series, copy);
	*series = b->series.n - 1;
	return rc;
}

int metric_batch_copy_series(struct metric_batch *b, struct str labels, uint32_t *series)
{
	struct str copy;
	int rc = arena_copy_str(&b->arena, labels, &copy);

	if (!rc)
		rc = vec_push(&b->arena, &b->series, copy);
	*series = b->series.n - 1;
	return rc;
}

/* Cut a text at a limit, between characters. */
static struct str cut_text(struct str s, size_t most)
{
	if (s.n > most)
		s.n = str_utf8_valid(str_head(s, most));
	return s;
}

int metric_batch_metadata(struct metric_batch *b, struct metric_metadata m)
{
	struct metric_metadata copy = {.type = m.type < METRIC_TYPES ? m.type : METRIC_UNKNOWN};
	int rc;

	if (!m.name.n || m.name.n > METRIC_NAME_MAX || str_utf8_valid(m.name) < m.name.n ||
	    str_utf8_valid(m.help) < m.help.n || str_utf8_valid(m.unit) < m.unit.n)
		return 0;
	rc = arena_copy_str(&b->arena, m.name, &copy.name);
	if (!rc)
		rc = arena_copy_str(&b->arena, cut_text(m.help, METRIC_HELP_MAX), &copy.help);
	if (!rc)
		rc = arena_copy_str(&b->arena, cut_text(m.unit, METRIC_HELP_MAX), &copy.unit);
	return rc ? rc : vec_push(&b->arena, &b->metadata, copy);
}

int metric_batch_check(const struct metric_batch *b, struct err *e)
{
	for (uint32_t i = 0; i < b->series.n; i++) {
		const char *wrong = metric_labels_check(b->series.at[i]);

		if (wrong || !b->series.at[i].n)
			return err_set(e, -EINVAL, "series %u: %s", i, wrong ? wrong : "empty");
	}
	for (uint32_t i = 0; i < b->samples.n; i++)
		if (b->samples.at[i].series >= b->series.n ||
		    !metric_time_valid(b->samples.at[i].time))
			return err_set(e, -EINVAL, "sample %u", i);
	for (uint32_t i = 0; i < b->histograms.n; i++)
		if (b->histograms.at[i].series >= b->series.n ||
		    !metric_time_valid(b->histograms.at[i].time) ||
		    native_check(&b->histograms.at[i].value))
			return err_set(e, -EINVAL, "histogram %u", i);
	for (uint32_t i = 0; i < b->exemplars.n; i++)
		if (b->exemplars.at[i].series >= b->series.n ||
		    !metric_time_valid(b->exemplars.at[i].time) ||
		    metric_labels_check(b->exemplars.at[i].labels))
			return err_set(e, -EINVAL, "exemplar %u", i);
	return 0;
}
