/* SPDX-License-Identifier: Apache-2.0 */
/* States of rules, and what both kinds of rules have in common. */
#include "rules/eval/rule_state.h"

#include <stdlib.h>

void rule_state_init(struct rule_state *s, struct budget *budget)
{
	*s = (struct rule_state){0};
	arena_init(&s->arena, budget);
}

void rule_state_fini(struct rule_state *s)
{
	arena_fini(&s->arena);
	*s = (struct rule_state){0};
}

const char *alert_state_name(enum alert_state s)
{
	return s == ALERT_FIRING ? "firing" : s == ALERT_PENDING ? "pending" : "inactive";
}

uint32_t rule_join_labels(struct label *out, const struct rule_sample *s, const struct label *extra,
			  uint32_t extra_count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->label_count; i++)
		if (!str_eq(s->labels[i].name, STR(METRIC_NAME_LABEL)))
			out[n++] = (struct label){s->labels[i].name, s->labels[i].value};
	for (uint32_t i = 0; i < extra_count; i++) {
		uint32_t k = 0;

		while (k < n && !str_eq(out[k].name, extra[i].name))
			k++;
		out[k] = extra[i];
		n += k == n;
	}
	return n;
}

int rule_label_key(struct arena *a, struct label *labels, uint32_t n, struct str *key,
		   struct err *e)
{
	struct buf b = {0};
	const char *wrong;
	int rc;

	buf_init(&b, a->budget);
	wrong = metric_labels_put_all(&b, labels, n);
	rc = buf_error(&b);
	if (!rc && wrong)
		rc = err_set(e, -EINVAL, "%s", wrong);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&b), key);
	buf_fini(&b);
	return rc;
}

static int put_series(struct metric_batch *b, struct str key, uint32_t *series)
{
	struct str copy;
	int rc = arena_copy_str(&b->arena, key, &copy);

	*series = b->series.n;
	return rc ? rc : vec_push(&b->arena, &b->series, copy);
}

static int put_float(struct metric_batch *b, struct str key, int64_t time_ms, uint64_t bits)
{
	struct metric_sample s = {.time = time_ms, .bits = bits};
	int rc = put_series(b, key, &s.series);

	return rc ? rc : vec_push(&b->arena, &b->samples, s);
}

int rule_put_stale(struct metric_batch *b, struct str key, int64_t time_ms)
{
	return put_float(b, key, time_ms, NATIVE_STALE_BITS);
}

static int put_histogram(struct metric_batch *b, struct str key, int64_t time_ms,
			 const struct native_histogram *h)
{
	struct metric_histogram s = {.time = time_ms};
	int rc = put_series(b, key, &s.series);

	if (!rc)
		rc = native_copy(&s.value, h, &b->arena);
	return rc ? rc : vec_push(&b->arena, &b->histograms, s);
}

int rule_put_sample(struct rule_run *r, struct str key, double value,
		    const struct native_histogram *h)
{
	int rc = h ? put_histogram(r->batch, key, r->sample_ms, h)
		   : put_float(r->batch, key, r->sample_ms, metric_bits(value));

	return rc ? rc : vec_push(&r->after->arena, &r->after->series, key);
}

static int compare_keys(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

int rule_finish_series(struct rule_run *r)
{
	const struct rule_state *before = r->before;
	struct rule_state *after = r->after;
	uint32_t k = 0;
	int rc = 0;

	if (after->series.n)
		qsort(after->series.at, after->series.n, sizeof(*after->series.at), compare_keys);
	for (uint32_t i = 0; i < before->series.n && !rc; i++) {
		struct str key = before->series.at[i];

		while (k < after->series.n && str_cmp(after->series.at[k], key) < 0)
			k++;
		if (k == after->series.n || !str_eq(after->series.at[k], key))
			rc = rule_put_stale(r->batch, key, r->sample_ms);
	}
	return rc;
}
