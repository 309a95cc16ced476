/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/convert/prometheus/text_batch.h"

#include <errno.h>

#include "pipeline/receivers/prometheus/text_parser.h"

struct text_batch {
	struct metric_batch *batch;
	const struct text_batch_options *options;
	VEC(struct label) labels;      /* of the current series */
	struct metric_metadata family; /* the lines of a family are adjacent */
	struct err *e;
};

static bool is_set(const struct text_batch_options *o, struct str name)
{
	for (uint32_t i = 0; i < o->label_count; i++)
		if (str_eq(o->labels[i].name, name))
			return true;
	return false;
}

static int add_sample(struct text_batch *t, const struct text_entry *entry)
{
	const struct text_batch_options *o = t->options;
	struct metric_batch *b = t->batch;
	struct metric_sample sample = {.time = entry->has_time ? entry->time_ms : o->time,
				       .bits = metric_bits(entry->value)};
	struct prom_labels labels = {0};
	const char *wrong;
	int rc = scraped_labels(&labels, entry->series, &b->arena, t->e);

	t->labels.n = 0;
	for (uint32_t i = 0; i < labels.list.n && !rc; i++) {
		const struct prom_label *l = &labels.list.at[i];

		if (!is_set(o, l->name))
			rc = vec_push(&b->arena, &t->labels, (struct label){l->name, l->value});
	}
	for (uint32_t i = 0; i < o->label_count && !rc; i++)
		rc = vec_push(&b->arena, &t->labels, o->labels[i]);
	if (rc)
		return rc;
	rc = metric_batch_series(b, t->labels.at, t->labels.n, &sample.series, &wrong);
	if (rc > 0) {
		metric_batch_reject(b, 1, wrong, entry->series);
		return 0;
	}
	return rc ? rc : vec_push(&b->arena, &b->samples, sample);
}

static int end_family(struct text_batch *t)
{
	struct metric_metadata m = t->family;

	t->family = (struct metric_metadata){0};
	return m.name.n && t->options->metadata ? metric_batch_metadata(t->batch, m) : 0;
}

static int note_family(struct text_batch *t, const struct text_entry *entry)
{
	static const uint8_t types[] = {
		[SCRAPED_UNKNOWN] = METRIC_UNKNOWN,
		[SCRAPED_COUNTER] = METRIC_COUNTER,
		[SCRAPED_GAUGE] = METRIC_GAUGE,
		[SCRAPED_HISTOGRAM] = METRIC_HISTOGRAM,
		[SCRAPED_GAUGEHISTOGRAM] = METRIC_GAUGE_HISTOGRAM,
		[SCRAPED_SUMMARY] = METRIC_SUMMARY,
		[SCRAPED_INFO] = METRIC_INFO,
		[SCRAPED_STATESET] = METRIC_STATESET,
	};
	struct arena *a = &t->batch->arena;
	struct str name = scraped_text(entry->name, a);
	int rc = str_eq(name, t->family.name) ? 0 : end_family(t);

	t->family.name = name;
	if (entry->kind == TEXT_TYPE)
		t->family.type = types[entry->type];
	else if (entry->kind == TEXT_HELP)
		t->family.help = scraped_text(entry->text, a);
	else
		t->family.unit = entry->text;
	return rc;
}

int text_batch_add(struct metric_batch *b, struct str text, const struct text_batch_options *o,
		   struct err *e)
{
	struct text_batch t = {.batch = b, .options = o, .e = e};
	struct text_parser parser;
	struct text_entry entry;
	int rc;

	text_parser_init(&parser, TEXT_PROMETHEUS, text);
	while ((rc = text_parser_next(&parser, &entry, e)) == 1) {
		rc = entry.kind == TEXT_SAMPLE ? add_sample(&t, &entry) : note_family(&t, &entry);
		if (rc)
			return rc;
	}
	return rc ? rc : end_family(&t);
}
