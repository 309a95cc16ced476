/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit is a label: its name and value are adjacent bytes of a label set, so one lookup finds
 * what became of the same label of an earlier series. Senders repeat themselves: a label set without
 * a finding costs one lookup in later batches. Rows are copied from the first change on.
 * Series that are removed give up their number, so the rows that refer to series are renumbered.
 */
#include "signal/sanitize/sanitize_metrics.h"

#include <errno.h>

#include "base/container/bytes_key.h"
#include "base/container/map.h"

#define SERIES_REMOVED UINT32_MAX

/* What became of a text, or of a label as a part of a label set. */
struct examined {
	unsigned place; /* enum sanitize_place */
	struct str text;
	struct label out; /* of a text: the value */
	bool is_label;
	int verdict;
};

struct metrics_walk {
	struct sanitize_run *run;
	const struct metric_batch *from;
	struct metric_batch *out;
	struct map numbers; /* of `known` plus one, by hash */
	VEC(struct examined) known;
	struct buf text;
	struct label labels[METRIC_LABELS_MAX]; /* of the label set that is examined */
	bool changed;
};

/* ---- distinct texts ---- */

static uint64_t hash_of(const struct examined *x)
{
	return key_of_bytes(x->text.p, x->text.n).hash +
	       0x9e3779b97f4a7c15u * (x->place * 2 + x->is_label);
}

/* Set the result of an equal text that was examined before. Return false if there is none. */
static bool find_examined(const struct metrics_walk *w, uint64_t hash, struct examined *x)
{
	const struct examined *other;
	uint64_t number;

	if (!map_get(&w->numbers, hash, &number))
		return false;
	other = &w->known.at[number - 1];
	if (other->place != x->place || other->is_label != x->is_label ||
	    !str_eq(other->text, x->text))
		return false;
	*x = *other;
	return true;
}

static int add_examined(struct metrics_walk *w, uint64_t hash, const struct examined *x)
{
	int rc = vec_push(w->run->arena, &w->known, *x);

	return rc ? -ENOMEM : map_set(&w->numbers, hash, w->known.n);
}

/* Cut a text that has grown at its limit, between characters. */
static struct str cut_text(struct str s, size_t most)
{
	if (s.n > most)
		s.n = str_utf8_valid(str_head(s, most));
	return s;
}

/* Examine a text that is no value of a label. Return a verdict or -ENOMEM. */
static int examine_text(struct metrics_walk *w, enum sanitize_place place, struct str text,
			struct str *out)
{
	struct examined x = {.place = place, .text = text};
	uint64_t hash = hash_of(&x);

	if (!find_examined(w, hash, &x)) {
		x.verdict = sanitize_text(w->run, place, (struct str){0}, text, &x.out.value);
		if (x.verdict < 0 || add_examined(w, hash, &x))
			return -ENOMEM;
	}
	*out = x.verdict == SANITIZE_CHANGED ? x.out.value : text;
	return x.verdict;
}

/* ---- labels ---- */

/* A metric without a name is none: removing the name removes the item. */
static int examine_metric_name(struct metrics_walk *w, struct str *name)
{
	int verdict = examine_text(w, SANITIZE_OTHER, *name, name);

	*name = cut_text(*name, METRIC_NAME_MAX);
	return verdict == SANITIZE_REMOVE ? SANITIZE_REMOVE_ITEM : verdict;
}

static int examine_new_label(struct metrics_walk *w, enum sanitize_place place, struct label *l)
{
	struct str key = l->name, value = l->value;
	int of_key, of_value;

	if (str_eq(key, STR(METRIC_NAME_LABEL)))
		return examine_metric_name(w, &l->value);
	of_key = examine_text(w, SANITIZE_KEYS, key, &l->name);
	of_value = sanitize_text(w->run, place, key, value, &l->value);
	if (of_key < 0 || of_value < 0)
		return -ENOMEM;
	l->name = cut_text(l->name, METRIC_NAME_MAX);
	l->value = cut_text(l->value, METRIC_VALUE_MAX);
	return of_key > of_value ? of_key : of_value;
}

/* Examine a label, whose bytes in the label set are `bytes`. Return a verdict or -ENOMEM. */
static int examine_label(struct metrics_walk *w, enum sanitize_place place, struct str bytes,
			 struct label *l)
{
	struct examined x = {.place = place, .text = bytes, .is_label = true, .out = *l};
	uint64_t hash = hash_of(&x);

	if (!find_examined(w, hash, &x)) {
		x.verdict = examine_new_label(w, place, &x.out);
		if (x.verdict < 0 || add_examined(w, hash, &x))
			return -ENOMEM;
	}
	*l = x.out;
	return x.verdict;
}

/* The source of a series: a resource or a scope of OpenTelemetry, a target of Prometheus. */
static enum sanitize_place place_of_value(bool is_target, struct str name)
{
	return is_target || str_eq(name, STR("job")) || str_eq(name, STR("instance")) ||
			       str_starts(name, STR("otel_scope_"))
		       ? SANITIZE_VALUES
		       : SANITIZE_METRICS;
}

/* Leave out labels whose names have become equal to that of one before. Return their number. */
static uint32_t distinct_labels(struct label *at, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;

		while (k < kept && !str_eq(at[k].name, at[i].name))
			k++;
		if (k == kept)
			at[kept++] = at[i];
	}
	return kept;
}

/* Make the label set of the first n labels of the walk, which may be empty. */
static int make_labels(struct metrics_walk *w, uint32_t n, struct str *out)
{
	*out = (struct str){0};
	n = distinct_labels(w->labels, n);
	if (!n)
		return SANITIZE_CHANGED;
	buf_clear(&w->text);
	if (metric_labels_put_all(&w->text, w->labels, n))
		return SANITIZE_REMOVE_ITEM;
	if (buf_error(&w->text) || arena_copy_str(w->run->arena, buf_str(&w->text), out))
		return -ENOMEM;
	return SANITIZE_CHANGED;
}

/*
 * Examine a label set. Return SANITIZE_KEEP, SANITIZE_CHANGED, SANITIZE_REMOVE_ITEM or -ENOMEM; *out
 * is the set to use.
 */
static int examine_labels(struct metrics_walk *w, struct str in, struct str *out)
{
	bool is_target = str_eq(metric_labels_get(in, STR(METRIC_NAME_LABEL)), STR("target_info"));
	/* apart from the hashes of runs of other kinds */
	uint64_t hash = key_of_bytes(in.p, in.n).hash + 0x94d049bb133111ebu;
	struct str rest = in, left = in;
	bool changed = false;
	uint32_t n = 0;
	struct label l;

	*out = in;
	if (sanitize_knows_run(w->run->z, hash))
		return SANITIZE_KEEP;
	for (; metric_labels_next(&rest, &l); left = rest) {
		enum sanitize_place place = place_of_value(is_target, l.name);
		int verdict = examine_label(w, place, str_head(left, left.n - rest.n), &l);

		if (verdict < 0 || verdict == SANITIZE_REMOVE_ITEM)
			return verdict;
		changed |= verdict != SANITIZE_KEEP;
		if (verdict == SANITIZE_REMOVE)
			continue;
		if (n == METRIC_LABELS_MAX)
			return SANITIZE_REMOVE_ITEM;
		w->labels[n++] = l;
	}
	if (rest.n) /* damaged: what cannot be examined is not kept */
		return SANITIZE_REMOVE_ITEM;
	if (changed)
		return make_labels(w, n, out);
	sanitize_learn_run(w->run->z, hash);
	return SANITIZE_KEEP;
}

/* ---- rows ---- */

/* Copy a table of the result before its first change. */
#define COPY_ROWS(w, table)                                                                        \
	copy_rows(w, (void **)&(w)->out->table.at, (w)->from->table.at, (w)->from->table.n,        \
		  sizeof(*(w)->from->table.at))

static int copy_rows(struct metrics_walk *w, void **to, const void *from, uint32_t n, size_t size)
{
	w->changed = true;
	if (*to != from || !n)
		return 0;
	*to = arena_alloc(w->run->arena, n, size);
	if (!*to)
		return -ENOMEM;
	memcpy(*to, from, n * size);
	return 0;
}

/*
 * Examine the labels of all series. *numbers is set to the new number of each series, or stays NULL
 * if none is removed. Return 0 or -ENOMEM.
 */
static int examine_series(struct metrics_walk *w, uint32_t **numbers)
{
	uint32_t n = w->from->series.n, kept = 0;
	uint32_t *map = arena_alloc(w->run->arena, n + 1u, sizeof(*map));

	if (!map)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct str labels;
		int verdict = examine_labels(w, w->from->series.at[i], &labels);

		if (verdict < 0 || (verdict && COPY_ROWS(w, series)))
			return -ENOMEM;
		map[i] = kept;
		if (verdict == SANITIZE_REMOVE_ITEM || !labels.n)
			map[i] = SERIES_REMOVED;
		else if (w->out->series.at != w->from->series.at)
			w->out->series.at[kept++] = labels;
		else
			kept++;
	}
	w->out->series.n = kept;
	if (kept < n)
		*numbers = map;
	return 0;
}

/* Keep the rows of series that are kept. Each row begins with the number of its series. */
#define RENUMBER_ROWS(w, table, numbers)                                                           \
	(COPY_ROWS(w, table) ? -ENOMEM                                                             \
			     : renumber_rows((w)->out->table.at, &(w)->out->table.n,               \
					     sizeof(*(w)->out->table.at), numbers))

static int renumber_rows(void *rows, uint32_t *n, size_t size, const uint32_t *numbers)
{
	char *from = rows, *to = rows;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++, from += size) {
		uint32_t series;

		memcpy(&series, from, sizeof(series));
		if (numbers[series] == SERIES_REMOVED)
			continue;
		memmove(to, from, size);
		memcpy(to, &numbers[series], sizeof(series));
		to += size;
		kept++;
	}
	*n = kept;
	return 0;
}

_Static_assert(!offsetof(struct metric_sample, series) &&
		       !offsetof(struct metric_histogram, series) &&
		       !offsetof(struct metric_exemplar, series),
	       "rows begin with the number of the series");

static int examine_exemplars(struct metrics_walk *w)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->from->exemplars.n; i++) {
		struct metric_exemplar x = w->from->exemplars.at[i];
		int verdict = examine_labels(w, x.labels, &x.labels);

		if (verdict < 0 || (verdict && COPY_ROWS(w, exemplars)))
			return -ENOMEM;
		if (verdict == SANITIZE_REMOVE_ITEM)
			continue;
		if (w->out->exemplars.at != w->from->exemplars.at)
			w->out->exemplars.at[kept] = x;
		kept++;
	}
	w->out->exemplars.n = kept;
	return 0;
}

/* Examine a text of metadata. Return SANITIZE_KEEP, SANITIZE_CHANGED, SANITIZE_REMOVE_ITEM or -ENOMEM. */
static int examine_description(struct metrics_walk *w, struct str *text)
{
	int verdict = examine_text(w, SANITIZE_OTHER, *text, text);

	if (verdict == SANITIZE_REMOVE) {
		*text = (struct str){0};
		return SANITIZE_CHANGED;
	}
	*text = cut_text(*text, METRIC_HELP_MAX);
	return verdict;
}

static int examine_metadata_row(struct metrics_walk *w, struct metric_metadata *m)
{
	int of_name = examine_metric_name(w, &m->name);
	int of_help = examine_description(w, &m->help);
	int of_unit = examine_description(w, &m->unit);

	if (of_name < 0 || of_help < 0 || of_unit < 0)
		return -ENOMEM;
	if (of_name == SANITIZE_REMOVE_ITEM || of_help == SANITIZE_REMOVE_ITEM ||
	    of_unit == SANITIZE_REMOVE_ITEM || !m->name.n)
		return SANITIZE_REMOVE_ITEM;
	return of_name || of_help || of_unit ? SANITIZE_CHANGED : SANITIZE_KEEP;
}

static int examine_metadata(struct metrics_walk *w)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->from->metadata.n; i++) {
		struct metric_metadata m = w->from->metadata.at[i];
		int verdict = examine_metadata_row(w, &m);

		if (verdict < 0 || (verdict && COPY_ROWS(w, metadata)))
			return -ENOMEM;
		if (verdict == SANITIZE_REMOVE_ITEM)
			continue;
		if (w->out->metadata.at != w->from->metadata.at)
			w->out->metadata.at[kept] = m;
		kept++;
	}
	w->out->metadata.n = kept;
	return 0;
}

/* ---- the batch ---- */

static int examine_batch(struct metrics_walk *w)
{
	uint32_t *numbers = NULL;
	int rc = examine_series(w, &numbers);

	if (!rc)
		rc = examine_exemplars(w);
	if (!rc)
		rc = examine_metadata(w);
	if (rc || !numbers)
		return rc;
	rc = RENUMBER_ROWS(w, samples, numbers);
	if (!rc)
		rc = RENUMBER_ROWS(w, histograms, numbers);
	if (!rc)
		rc = RENUMBER_ROWS(w, exemplars, numbers);
	return rc;
}

int sanitize_metrics(struct sanitize_run *r, const struct metric_batch *b, struct metric_batch *out)
{
	struct metrics_walk w = {.run = r, .from = b, .out = out};
	int rc;

	*out = *b;
	out->arena = (struct arena){0};
	out->scratch = (struct buf){0};
	buf_init(&w.text, r->arena->budget);
	rc = map_init(&w.numbers, r->arena, 256);
	if (!rc)
		rc = examine_batch(&w);
	buf_fini(&w.text);
	return rc ? rc : w.changed ? SANITIZE_CHANGED : SANITIZE_KEEP;
}
