/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/eval/promql_annotations.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "query/promql/syntax/promql_parser.h"
#include "signal/metric/number_text.h"

enum { TEXT_MAX = 1024, LIST_MAX = 1000 };

/* Return the annotation of that text, added if it is new; NULL if memory is exhausted. */
static struct promql_annotation *find_or_add(struct promql_annotations *a, enum promql_note note,
					     uint32_t at, struct str text)
{
	struct promql_annotation added = {.note = note, .at = at};

	/* The latest ones are the likely ones. */
	for (uint32_t i = a->list.n; i-- > 0;) {
		struct promql_annotation *old = &a->list.at[i];

		if (old->note == note && str_eq(old->text, text)) {
			old->at = at;
			return old;
		}
	}
	if (a->list.n >= LIST_MAX)
		return &a->list.at[LIST_MAX - 1];
	if (arena_copy_str(a->arena, text, &added.text) || vec_push(a->arena, &a->list, added))
		return NULL;
	return &a->list.at[a->list.n - 1];
}

int promql_annotate(struct promql_annotations *a, enum promql_note note, uint32_t at,
		    const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	return find_or_add(a, note, at, str_of(text, min_size((size_t)n, sizeof(text) - 1)))
		       ? 0
		       : -ENOMEM;
}

int promql_annotate_quantile(struct promql_annotations *a, uint32_t at, double q)
{
	struct buf b = {0};
	int rc;

	number_text(&b, q, NUMBER_SHORT);
	rc = promql_annotate(a, PROMQL_WARNING, at,
			     "quantile value should be between 0 and 1, got %.*s",
			     STR_ARG(buf_str(&b)));
	buf_fini(&b);
	return rc;
}

int promql_annotate_overlap(struct promql_annotations *a, uint32_t at, struct str metric)
{
	struct promql_annotation *found;
	struct buf b = {0};

	buf_put_str(&b, STR("sample has start time that overlaps with previous sample timestamp "
			    "for metric "));
	buf_printf(&b, "\"%.*s\"", STR_ARG(str_head(metric, 200)));
	found = buf_error(&b) ? NULL : find_or_add(a, PROMQL_WARNING, at, buf_str(&b));
	buf_fini(&b);
	if (!found)
		return -ENOMEM;
	found->is_counted = true;
	found->count++;
	return 0;
}

int promql_annotate_monotonic(struct promql_annotations *a, uint32_t at, struct str metric,
			      const struct promql_monotonic *m)
{
	struct promql_annotation *found;
	struct promql_monotonic *all;
	struct buf b = {0};

	buf_put_str(&b, STR("input to histogram_quantile needed to be fixed for monotonicity (see "
			    "https://prometheus.io/docs/prometheus/latest/querying/functions/"
			    "#histogram_quantile)"));
	if (metric.n)
		buf_printf(&b, " for metric name \"%.*s\"", STR_ARG(str_head(metric, 200)));
	found = buf_error(&b) ? NULL : find_or_add(a, PROMQL_INFO, at, buf_str(&b));
	buf_fini(&b);
	if (!found)
		return -ENOMEM;
	all = &found->monotonic;
	if (!found->count++)
		*all = *m;
	found->is_monotonic = true;
	all->min_bucket = m->min_bucket < all->min_bucket ? m->min_bucket : all->min_bucket;
	all->max_bucket = m->max_bucket > all->max_bucket ? m->max_bucket : all->max_bucket;
	all->max_diff = m->max_diff > all->max_diff ? m->max_diff : all->max_diff;
	all->from_ms = m->from_ms < all->from_ms ? m->from_ms : all->from_ms;
	all->to_ms = m->to_ms > all->to_ms ? m->to_ms : all->to_ms;
	return 0;
}

static void put_time(struct buf *b, int64_t ms)
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;
	char text[64];

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return;
	buf_put_str(b, str_from(text));
}

void promql_annotation_put(struct buf *b, const struct promql_annotation *note, struct str query)
{
	const struct promql_monotonic *m = &note->monotonic;

	buf_put_str(b,
		    note->note == PROMQL_WARNING ? STR("PromQL warning: ") : STR("PromQL info: "));
	buf_put_str(b, note->text);
	if (note->is_monotonic) {
		buf_put_str(b, STR(", from buckets "));
		number_text(b, m->min_bucket, NUMBER_SHORT);
		buf_put_str(b, STR(" to "));
		number_text(b, m->max_bucket, NUMBER_SHORT);
		buf_printf(b, ", with a max diff of %.2g, over %llu samples from ", m->max_diff,
			   (unsigned long long)note->count);
		put_time(b, m->from_ms);
		buf_put_str(b, STR(" to "));
		put_time(b, m->to_ms);
	}
	if (note->is_counted && note->count > 1)
		buf_printf(b, " (%llu occurrences)", (unsigned long long)note->count);
	buf_put_str(b, STR(" ("));
	promql_put_position(b, query, note->at);
	buf_put_char(b, ')');
}
