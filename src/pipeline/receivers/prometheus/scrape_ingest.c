/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A known series costs one lookup. A new one, or one whose type has changed, is resolved: its
 * labels are read, joined with those of the target, relabelled, and split into what identifies
 * resource, scope, metric and data point.
 */
#include "pipeline/receivers/prometheus/scrape_ingest.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "wire/text.h"

struct scrape {
	struct scraped_state *s;
	const struct scrape_rules *rules;
	uint64_t time;
	struct scrape_counts *counts;
	struct arena *scratch;
	struct err *e;
};

/* ---- labels ---- */

/* Move labels that the target has, too, to exported_NAME. */
static int export_label(struct prom_labels *l, struct arena *arena, struct str name,
			struct str value)
{
	struct str free_name = name;
	int rc;

	do {
		rc = arena_printf(arena, &free_name, "exported_%.*s", STR_ARG(free_name));
		if (rc)
			return rc;
	} while (prom_labels_get(l, free_name).n);
	return prom_labels_set(l, arena, free_name, value);
}

static int add_target_labels(struct prom_labels *l, const struct scrape_rules *rules,
			     struct arena *arena)
{
	struct prom_labels scraped;
	int rc = prom_labels_dup(&scraped, l, arena);

	for (uint32_t i = 0; i < rules->target->list.n && !rc; i++) {
		const struct prom_label *t = &rules->target->list.at[i];

		if (rules->honor_labels && prom_labels_get(l, t->name).n)
			continue;
		rc = prom_labels_set(l, arena, t->name, t->value);
	}
	for (uint32_t i = 0; i < scraped.list.n && !rc && !rules->honor_labels; i++) {
		const struct prom_label *x = &scraped.list.at[i];

		if (prom_labels_get(rules->target, x->name).n)
			rc = export_label(l, arena, x->name, x->value);
	}
	return rc;
}

static int add_external_labels(struct prom_labels *l, const struct scrape_rules *rules,
			       struct arena *arena)
{
	int rc = 0;

	for (uint32_t i = 0; i < rules->external_labels.n && !rc; i++) {
		const struct setting_pair *x = &rules->external_labels.at[i];

		if (!prom_labels_get(l, x->name).n)
			rc = prom_labels_set(l, arena, x->name, x->value);
	}
	return rc;
}

static int check_label_limits(const struct prom_labels *l, const struct scrape_limits *m,
			      struct err *e)
{
	if (m->labels && l->list.n > m->labels)
		return err_set(e, -E2BIG, "label_limit exceeded: %u labels, limit is %lld",
			       l->list.n, (long long)m->labels);
	for (uint32_t i = 0; i < l->list.n; i++) {
		const struct prom_label *x = &l->list.at[i];

		if (m->label_name_length && x->name.n > (uint64_t)m->label_name_length)
			return err_set(e, -E2BIG,
				       "label_name_length_limit exceeded: label \"%.*s\", limit "
				       "is %lld",
				       STR_ARG(str_head(x->name, 80)),
				       (long long)m->label_name_length);
		if (m->label_value_length && x->value.n > (uint64_t)m->label_value_length)
			return err_set(e, -E2BIG,
				       "label_value_length_limit exceeded: label \"%.*s\", limit "
				       "is %lld",
				       STR_ARG(str_head(x->name, 80)),
				       (long long)m->label_value_length);
	}
	return 0;
}

/* Relabel a series. Return 1, 0 if it is dropped, or an error. */
static int relabel_series(struct scrape *x, struct prom_labels *l)
{
	int rc;

	if (!x->rules->relabel)
		return 1;
	pthread_mutex_lock(x->rules->relabel_mu);
	rc = relabel_apply(x->rules->relabel, l, x->scratch, x->e);
	pthread_mutex_unlock(x->rules->relabel_mu);
	return rc;
}

/* Read and complete the labels of a series. Return 1, 0 if it is dropped, or an error. */
static int series_labels(struct scrape *x, struct str text, struct prom_labels *l,
			 struct str *scraped_name)
{
	struct str name;
	int rc = scraped_labels(l, text, x->scratch, x->e);

	if (rc)
		return rc;
	*scraped_name = l->list.at[0].value;
	prom_labels_sort(l);
	name = prom_labels_repeated(l);
	if (name.n)
		return err_set(x->e, -EBADMSG,
			       "invalid sample: non-unique label names: \"%.*s\" in \"%.*s\"",
			       STR_ARG(str_head(name, 60)), STR_ARG(str_head(text, 120)));
	rc = add_target_labels(l, x->rules, x->scratch);
	if (!rc)
		rc = relabel_series(x, l);
	if (rc <= 0)
		return rc;
	if (!prom_labels_get(l, STR("__name__")).n)
		return err_set(x->e, -EBADMSG, "relabelling removed the name of \"%.*s\"",
			       STR_ARG(str_head(text, 120)));
	rc = check_label_limits(l, &x->rules->limits, x->e);
	if (!rc)
		rc = add_external_labels(l, x->rules, x->scratch);
	return rc ? rc : 1;
}

/* ---- resolving a series ---- */

/* What a sample is, by its name and the type of its family. */
static enum scraped_role role_of(enum scraped_type type, struct str suffix)
{
	static const struct {
		struct str suffix;
		enum scraped_role role;
	} roles[] = {
		{STR_INIT("_bucket"), ROLE_BUCKET},
		{STR_INIT("_count"), ROLE_COUNT},
		{STR_INIT("_sum"), ROLE_SUM},
		{STR_INIT("_created"), ROLE_CREATED},
	};

	if (type == SCRAPED_GAUGEHISTOGRAM)
		return ROLE_DROPPED;
	for (size_t i = 0; i < countof(roles); i++)
		if (str_eq(suffix, roles[i].suffix))
			return roles[i].role;
	return type == SCRAPED_SUMMARY ? ROLE_QUANTILE : ROLE_VALUE;
}

struct resolved {
	struct str name; /* of the family */
	enum scraped_type type;
	enum scraped_role role;
	double bound;
};

/* Find the family of a sample. Relabelling may have changed its name. */
static void resolve_family(struct scrape *x, struct str scraped_name, struct str name,
			   struct scraped_series *row, struct resolved *out)
{
	struct str suffix;
	const struct scraped_meta *m;

	row->meta = scraped_find_meta(x->s, scraped_name, &suffix);
	*out = (struct resolved){.name = name, .role = ROLE_VALUE};
	row->meta_version = x->s->unknown_version;
	if (row->meta == SCRAPED_NONE)
		return;
	m = &x->s->metas.at[row->meta];
	row->meta_version = m->version;
	out->type = m->type;
	out->role = role_of(m->type, suffix);
	if (out->role == ROLE_VALUE && m->type != SCRAPED_HISTOGRAM)
		return;
	/* A part of a histogram or summary: the metric has the name without the suffix. */
	if (m->type == SCRAPED_COUNTER && out->role == ROLE_CREATED)
		out->name = str_ends(name, suffix) ? str_head(name, name.n - suffix.n) : name;
	else if (str_ends(name, suffix) && out->role != ROLE_VALUE)
		out->name = str_head(name, name.n - suffix.n);
	else
		*out = (struct resolved){.name = name, .role = ROLE_VALUE};
}

/* Read the bound of a bucket or quantile; without one the sample is a number of unknown type. */
static void resolve_bound(const struct prom_labels *l, struct str name, struct resolved *out)
{
	struct str label = out->role == ROLE_BUCKET ? STR("le") : STR("quantile");

	if (out->role != ROLE_BUCKET && out->role != ROLE_QUANTILE)
		return;
	if (scraped_value(prom_labels_get(l, label), &out->bound) || isnan(out->bound))
		*out = (struct resolved){.name = name, .role = ROLE_VALUE};
}

static bool is_attribute(struct str name, enum scraped_role role)
{
	static const struct str others[] = {STR_INIT("job"), STR_INIT("instance"),
					    STR_INIT("otel_scope_name"),
					    STR_INIT("otel_scope_version")};

	if (str_starts(name, STR("__")) || (role == ROLE_BUCKET && str_eq(name, STR("le"))) ||
	    (role == ROLE_QUANTILE && str_eq(name, STR("quantile"))))
		return false;
	for (size_t i = 0; i < countof(others); i++)
		if (str_eq(name, others[i]))
			return false;
	return true;
}

static int series_attributes(struct scrape *x, struct prom_labels *l, enum scraped_role role,
			     struct attributes *out)
{
	int rc = 0;

	*out = (struct attributes){0};
	prom_labels_sort(l);
	for (uint32_t i = 0; i < l->list.n && !rc; i++)
		if (is_attribute(l->list.at[i].name, role))
			rc = vec_push(x->scratch, &out->list,
				      (struct otlp_attribute){
					      .key = l->list.at[i].name,
					      .value = VALUE_OF_STR(l->list.at[i].value)});
	return rc;
}

static int resolve_info(struct scrape *x, struct scraped_series *row, const struct attributes *a)
{
	struct attributes *info = arena_zalloc(&x->s->arena, 1, sizeof(*info));

	if (!info)
		return -ENOMEM;
	row->role = ROLE_INFO;
	row->info = info;
	return scraped_copy_attributes(info, a, &x->s->arena);
}

/* The counter that a _created sample belongs to: `name` or name_total, whichever exists. */
static uint32_t resolve_point(struct scrape *x, struct scraped_series *row,
			      const struct resolved *r, const struct prom_labels *l,
			      const struct attributes *a)
{
	struct str name = r->name;
	uint32_t id =
		scraped_scope_at(x->s, row->resource, prom_labels_get(l, STR("otel_scope_name")),
				 prom_labels_get(l, STR("otel_scope_version")));

	if (r->role == ROLE_CREATED && r->type == SCRAPED_COUNTER &&
	    arena_printf(x->scratch, &name, "%.*s_total", STR_ARG(r->name)))
		return SCRAPED_NONE;
	if (id != SCRAPED_NONE)
		id = scraped_family_at(x->s, id, name, r->type, row->meta);
	return id == SCRAPED_NONE ? id : scraped_point_at(x->s, id, a);
}

static int resolve_row(struct scrape *x, struct scraped_series *row, struct prom_labels *l,
		       struct str scraped_name)
{
	struct str name = prom_labels_get(l, STR("__name__"));
	struct attributes a;
	struct resolved r;
	int rc;

	resolve_family(x, scraped_name, name, row, &r);
	resolve_bound(l, name, &r);
	row->role = r.role;
	row->bound = r.bound;
	if (r.role == ROLE_DROPPED)
		return 0;
	row->resource = scraped_resource_at(x->s, prom_labels_get(l, STR("job")),
					    prom_labels_get(l, STR("instance")));
	if (row->resource == SCRAPED_NONE)
		return -ENOMEM;
	rc = series_attributes(x, l, r.role, &a);
	if (rc)
		return rc;
	if (str_eq(name, STR("target_info")))
		return resolve_info(x, row, &a);
	if (str_eq(name, STR("otel_scope_info"))) {
		row->role = ROLE_DROPPED;
		return 0;
	}
	row->point = resolve_point(x, row, &r, l, &a);
	return row->point == SCRAPED_NONE ? -ENOMEM : 0;
}

/* Fill the row of a series. */
static int resolve_series(struct scrape *x, struct scraped_series *row)
{
	struct prom_labels l;
	struct str scraped_name = {0};
	int rc = series_labels(x, row->text, &l, &scraped_name);

	row->point = row->meta = SCRAPED_NONE;
	row->meta_version = x->s->unknown_version;
	row->role = ROLE_DROPPED;
	if (rc <= 0)
		return rc;
	return resolve_row(x, row, &l, scraped_name);
}

static bool is_outdated(const struct scraped_state *s, const struct scraped_series *row)
{
	return row->meta_version !=
	       (row->meta == SCRAPED_NONE ? s->unknown_version : s->metas.at[row->meta].version);
}

/* Return the row of a series that was not known, or SCRAPED_NONE with *rc. */
static uint32_t add_series(struct scrape *x, struct str text, uint32_t hash, int *rc)
{
	struct scraped_series row = {.hash = hash};

	*rc = arena_copy_str(&x->s->arena, text, &row.text);
	if (!*rc)
		*rc = resolve_series(x, &row);
	if (!*rc)
		*rc = vec_push(&x->s->arena, &x->s->series, row);
	if (!*rc)
		*rc = idset_add(&x->s->series_by_text, hash, x->s->series.n - 1);
	return *rc ? SCRAPED_NONE : x->s->series.n - 1;
}

static uint32_t find_series(struct scrape *x, struct str text, int *rc)
{
	uint32_t hash = hash32(text), id = scraped_find_series(x->s, text, hash);

	*rc = 0;
	if (id == SCRAPED_NONE)
		return add_series(x, text, hash, rc);
	if (unlikely(is_outdated(x->s, &x->s->series.at[id])))
		*rc = resolve_series(x, &x->s->series.at[id]);
	return id;
}

/* ---- samples ---- */

/* Return the data point, which is begun if this is its first sample of this scrape. */
static struct scraped_point *touch_point(struct scrape *x, uint32_t id)
{
	struct scraped_point *p = &x->s->points.at[id];

	if (p->seq == x->s->seq)
		return p;
	p->seq = x->s->seq;
	p->time = x->time;
	p->has_value = p->has_count = p->has_sum = p->explicit_time = false;
	p->created = 0;
	p->buckets.n = p->exemplars.n = 0;
	return p;
}

/* Set the ids of an exemplar from its labels; the others become attributes. */
static int exemplar_labels(struct scrape *x, const struct prom_labels *l, struct otlp_exemplar *out)
{
	struct attributes *others = arena_zalloc(x->scratch, 1, sizeof(*others));
	int rc = others ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < l->list.n && !rc; i++) {
		const struct prom_label *label = &l->list.at[i];
		size_t n;

		if (str_eq(label->name, STR("trace_id")) && label->value.n == 32 &&
		    !hex_decode(label->value, out->trace_id, sizeof(out->trace_id), &n))
			continue;
		if (str_eq(label->name, STR("span_id")) && label->value.n == 16 &&
		    !hex_decode(label->value, out->span_id, sizeof(out->span_id), &n))
			continue;
		rc = vec_push(x->scratch, &others->list,
			      (struct otlp_attribute){.key = label->name,
						      .value = VALUE_OF_STR(label->value)});
	}
	out->attributes = others;
	return rc;
}

static int add_exemplar(struct scrape *x, struct scraped_point *p, struct str text)
{
	struct scraped_exemplar in;
	struct otlp_exemplar out = {.time = p->time};
	int rc = scraped_exemplar(&in, text, x->scratch, x->e);

	if (rc)
		return rc;
	out.d = in.value;
	if (in.has_time && in.time_ms >= 0)
		out.time = (uint64_t)in.time_ms * NS_PER_MS;
	rc = exemplar_labels(x, &in.labels, &out);
	return rc ? rc : vec_push(&x->s->arena, &p->exemplars, out);
}

/* Put a value into its data point. Of repeated samples the first one counts. */
static int set_sample(struct scrape *x, struct scraped_point *p, const struct scraped_series *row,
		      double value)
{
	switch (row->role) {
	case ROLE_VALUE:
		p->value = p->has_value ? p->value : value;
		p->has_value = true;
		return 0;
	case ROLE_COUNT:
		p->count = p->has_count ? p->count : value;
		p->has_count = true;
		return 0;
	case ROLE_SUM:
		p->sum = p->has_sum ? p->sum : value;
		p->has_sum = true;
		return 0;
	case ROLE_CREATED:
		p->created = value;
		return 0;
	case ROLE_BUCKET:
	case ROLE_QUANTILE:
		return vec_push(&x->s->arena, &p->buckets,
				(struct scraped_bucket){row->bound, value});
	case ROLE_DROPPED:
	case ROLE_INFO:
		break;
	}
	return 0;
}

static int put_sample(struct scrape *x, const struct text_entry *entry, uint32_t id)
{
	const struct scraped_series *row = &x->s->series.at[id];
	struct scraped_point *p;
	int rc;

	if (row->role == ROLE_INFO) {
		x->s->resources.at[row->resource].info = row->info;
		x->s->resources.at[row->resource].info_seq = x->s->seq;
		return 0;
	}
	p = touch_point(x, row->point);
	if (entry->has_time && x->rules->honor_timestamps && entry->time_ms > 0) {
		p->time = (uint64_t)entry->time_ms * NS_PER_MS;
		p->explicit_time = !x->rules->track_timestamps_staleness;
	}
	rc = set_sample(x, p, row, entry->value);
	if (!rc && entry->exemplar.n)
		rc = add_exemplar(x, p, entry->exemplar);
	return rc;
}

static int ingest_sample(struct scrape *x, const struct text_entry *entry)
{
	struct scraped_state *s = x->s;
	struct scraped_series *row;
	uint32_t id;
	int rc;

	id = find_series(x, entry->series, &rc);
	if (rc)
		return rc;
	row = &s->series.at[id];
	x->counts->scraped++;
	x->counts->added += row->role != ROLE_DROPPED && (!row->seq || row->seq + 1 < s->seq);
	row->seq = s->seq;
	if (row->role == ROLE_DROPPED)
		return 0;
	x->counts->kept++;
	if (x->rules->limits.samples && x->counts->kept > (uint64_t)x->rules->limits.samples)
		return err_set(x->e, -E2BIG, "sample_limit of %lld exceeded",
			       (long long)x->rules->limits.samples);
	return put_sample(x, entry, id);
}

int scrape_ingest(struct scraped_state *s, const struct scrape_rules *rules,
		  const struct scrape_input *in, struct scrape_counts *counts,
		  struct arena *scratch, struct err *e)
{
	struct scrape x = {s, rules, in->time, counts, scratch, e};
	struct text_parser parser;
	struct text_entry entry;
	int rc;

	s->seq++;
	*counts = (struct scrape_counts){0};
	text_parser_init(&parser, in->format, in->body);
	while ((rc = text_parser_next(&parser, &entry, e)) > 0) {
		rc = entry.kind == TEXT_SAMPLE ? ingest_sample(&x, &entry)
					       : scraped_note_meta(s, &entry);
		if (rc)
			break;
	}
	if (rc == -EBADMSG && e && str_find_str(str_from(e->text), STR("line ")) != 0)
		err_prefix(e, "line %u", parser.line);
	return rc;
}
