/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a target. */
#include "pipeline/receivers/prometheus/scraped_state.h"

#include <errno.h>

#include "base/container/hash.h"

enum { UNUSED_ROWS_MAX = 1000 };

int scraped_state_init(struct scraped_state *s)
{
	int rc;

	*s = (struct scraped_state){0};
	arena_init(&s->arena, NULL);
	rc = idset_init(&s->series_by_text, &s->arena, 0);
	if (!rc)
		rc = idset_init(&s->points_by_hash, &s->arena, 0);
	if (!rc)
		rc = idset_init(&s->metas_by_name, &s->arena, 0);
	if (!rc)
		rc = idset_init(&s->families_by_hash, &s->arena, 0);
	return rc;
}

void scraped_state_fini(struct scraped_state *s)
{
	arena_fini(&s->arena);
}

uint32_t scraped_find_series(const struct scraped_state *s, struct str text, uint32_t hash)
{
	struct idset_cursor c = idset_seek(&s->series_by_text, hash);
	uint32_t id;

	while (idset_next(&s->series_by_text, &c, &id))
		if (str_eq(s->series.at[id].text, text))
			return id;
	return SCRAPED_NONE;
}

/* ---- metas ---- */

static uint32_t meta_at(const struct scraped_state *s, struct str name)
{
	struct idset_cursor c = idset_seek(&s->metas_by_name, hash32(name));
	uint32_t id;

	while (idset_next(&s->metas_by_name, &c, &id))
		if (str_eq(s->metas.at[id].name, name))
			return id;
	return SCRAPED_NONE;
}

static int add_meta(struct scraped_state *s, struct str name, uint32_t *id)
{
	struct scraped_meta m = {0};
	int rc = arena_copy_str(&s->arena, name, &m.name);

	if (!rc)
		rc = vec_push(&s->arena, &s->metas, m);
	if (!rc)
		rc = idset_add(&s->metas_by_name, hash32(name), s->metas.n - 1);
	*id = s->metas.n - 1;
	s->unknown_version++;
	return rc;
}

static int set_meta_text(struct scraped_state *s, struct str *at, struct str text)
{
	return str_eq(*at, text) ? 0 : arena_copy_str(&s->arena, text, at);
}

int scraped_note_meta(struct scraped_state *s, const struct text_entry *entry)
{
	struct str name = scraped_text(entry->name, &s->arena);
	uint32_t id = meta_at(s, name);
	int rc = id == SCRAPED_NONE ? add_meta(s, name, &id) : 0;

	if (rc)
		return rc;
	s->metas.at[id].seq = s->seq;
	switch (entry->kind) {
	case TEXT_TYPE:
		if (s->metas.at[id].type != entry->type)
			s->metas.at[id].version++;
		s->metas.at[id].type = entry->type;
		return 0;
	case TEXT_HELP:
		return set_meta_text(s, &s->metas.at[id].help, entry->text);
	case TEXT_UNIT:
		return set_meta_text(s, &s->metas.at[id].unit, entry->text);
	case TEXT_SAMPLE:
		break;
	}
	return 0;
}

#define TYPE_BIT(type) (1u << (type))

/* The suffixes of samples, and the types of families that have them. */
static const struct {
	struct str text;
	unsigned types;
} suffixes[] = {
	{STR_INIT("_bucket"), TYPE_BIT(SCRAPED_HISTOGRAM) | TYPE_BIT(SCRAPED_GAUGEHISTOGRAM)},
	{STR_INIT("_count"), TYPE_BIT(SCRAPED_HISTOGRAM) | TYPE_BIT(SCRAPED_SUMMARY)},
	{STR_INIT("_sum"), TYPE_BIT(SCRAPED_HISTOGRAM) | TYPE_BIT(SCRAPED_SUMMARY)},
	{STR_INIT("_total"), TYPE_BIT(SCRAPED_COUNTER)},
	{STR_INIT("_created"),
	 TYPE_BIT(SCRAPED_COUNTER) | TYPE_BIT(SCRAPED_HISTOGRAM) | TYPE_BIT(SCRAPED_SUMMARY)},
	{STR_INIT("_info"), TYPE_BIT(SCRAPED_INFO)},
	{STR_INIT("_gcount"), TYPE_BIT(SCRAPED_GAUGEHISTOGRAM)},
	{STR_INIT("_gsum"), TYPE_BIT(SCRAPED_GAUGEHISTOGRAM)},
};

uint32_t scraped_find_meta(const struct scraped_state *s, struct str name, struct str *suffix)
{
	uint32_t id = meta_at(s, name);

	*suffix = (struct str){0};
	for (size_t i = 0; i < countof(suffixes) && id == SCRAPED_NONE; i++) {
		if (!str_ends(name, suffixes[i].text))
			continue;
		id = meta_at(s, str_head(name, name.n - suffixes[i].text.n));
		if (id != SCRAPED_NONE && !(suffixes[i].types & TYPE_BIT(s->metas.at[id].type)))
			id = SCRAPED_NONE;
		if (id != SCRAPED_NONE)
			*suffix = suffixes[i].text;
	}
	return id;
}

/* ---- rows ---- */

uint32_t scraped_resource_at(struct scraped_state *s, struct str job, struct str instance)
{
	struct scraped_resource r = {0};

	for (uint32_t i = 0; i < s->resources.n; i++)
		if (str_eq(s->resources.at[i].job, job) &&
		    str_eq(s->resources.at[i].instance, instance))
			return i;
	if (arena_copy_str(&s->arena, job, &r.job) ||
	    arena_copy_str(&s->arena, instance, &r.instance) ||
	    vec_push(&s->arena, &s->resources, r))
		return SCRAPED_NONE;
	return s->resources.n - 1;
}

uint32_t scraped_scope_at(struct scraped_state *s, uint32_t resource, struct str name,
			  struct str version)
{
	struct scraped_scope row = {
		.resource = resource, .first_family = SCRAPED_NONE, .last_family = SCRAPED_NONE};

	for (uint32_t i = 0; i < s->scopes.n; i++)
		if (s->scopes.at[i].resource == resource && str_eq(s->scopes.at[i].name, name) &&
		    str_eq(s->scopes.at[i].version, version))
			return i;
	if (arena_copy_str(&s->arena, name, &row.name) ||
	    arena_copy_str(&s->arena, version, &row.version) ||
	    vec_push(&s->arena, &s->scopes, row))
		return SCRAPED_NONE;
	return s->scopes.n - 1;
}

uint32_t scraped_family_at(struct scraped_state *s, uint32_t scope, struct str name,
			   enum scraped_type type, uint32_t meta)
{
	uint32_t hash = hash32(name) ^ hash_u64((uint64_t)scope << 8 | type), id;
	struct scraped_scope *row;
	struct idset_cursor c = idset_seek(&s->families_by_hash, hash);
	struct scraped_family f = {.type = type,
				   .scope = scope,
				   .meta = meta,
				   .next = SCRAPED_NONE,
				   .first_point = SCRAPED_NONE,
				   .last_point = SCRAPED_NONE};

	while (idset_next(&s->families_by_hash, &c, &id)) {
		const struct scraped_family *known = &s->families.at[id];

		if (known->scope == scope && known->type == type && str_eq(known->name, name))
			return id;
	}
	if (arena_copy_str(&s->arena, name, &f.name) || vec_push(&s->arena, &s->families, f) ||
	    idset_add(&s->families_by_hash, hash, s->families.n - 1))
		return SCRAPED_NONE;
	id = s->families.n - 1;
	row = &s->scopes.at[scope];
	if (row->last_family == SCRAPED_NONE)
		row->first_family = id;
	else
		s->families.at[row->last_family].next = id;
	row->last_family = id;
	return id;
}

static uint32_t hash_attributes(const struct attributes *a)
{
	uint32_t h = a->list.n;

	for (uint32_t i = 0; i < a->list.n; i++)
		h = (h * 31 + hash32(a->list.at[i].key)) * 31 + hash32(a->list.at[i].value.s);
	return h;
}

static bool equal_attributes(const struct attributes *a, const struct attributes *b)
{
	if (a->list.n != b->list.n)
		return false;
	for (uint32_t i = 0; i < a->list.n; i++)
		if (!str_eq(a->list.at[i].key, b->list.at[i].key) ||
		    !str_eq(a->list.at[i].value.s, b->list.at[i].value.s))
			return false;
	return true;
}

int scraped_copy_attributes(struct attributes *out, const struct attributes *from,
			    struct arena *arena)
{
	int rc = 0;

	*out = (struct attributes){0};
	for (uint32_t i = 0; i < from->list.n && !rc; i++) {
		struct otlp_attribute a = {.value = {.kind = VALUE_STRING}};

		rc = arena_copy_str(arena, from->list.at[i].key, &a.key);
		if (!rc)
			rc = arena_copy_str(arena, from->list.at[i].value.s, &a.value.s);
		if (!rc)
			rc = vec_push(arena, &out->list, a);
	}
	return rc;
}

uint32_t scraped_point_at(struct scraped_state *s, uint32_t family,
			  const struct attributes *attributes)
{
	uint32_t hash = hash_attributes(attributes) ^ hash_u64(family), id;
	struct idset_cursor c = idset_seek(&s->points_by_hash, hash);
	struct scraped_point p = {.family = family, .hash = hash, .next = SCRAPED_NONE};
	struct scraped_family *f = &s->families.at[family];

	while (idset_next(&s->points_by_hash, &c, &id))
		if (s->points.at[id].family == family &&
		    equal_attributes(&s->points.at[id].attributes, attributes))
			return id;
	if (scraped_copy_attributes(&p.attributes, attributes, &s->arena) ||
	    vec_push(&s->arena, &s->points, p) ||
	    idset_add(&s->points_by_hash, hash, s->points.n - 1))
		return SCRAPED_NONE;
	id = s->points.n - 1;
	if (f->last_point == SCRAPED_NONE)
		f->first_point = id;
	else
		s->points.at[f->last_point].next = id;
	f->last_point = id;
	return id;
}

/* ---- compaction ---- */

/* New indices by old ones; SCRAPED_NONE: not copied (yet). */
struct state_maps {
	uint32_t *points, *metas;
};

static bool meta_is_used(const struct scraped_state *s, uint32_t i)
{
	return s->metas.at[i].seq == s->seq;
}

static int copy_metas(struct scraped_state *to, const struct scraped_state *from,
		      struct state_maps *maps)
{
	int rc = 0;

	for (uint32_t i = 0; i < from->metas.n && !rc; i++) {
		const struct scraped_meta *m = &from->metas.at[i];
		uint32_t id;

		if (!meta_is_used(from, i))
			continue;
		rc = add_meta(to, m->name, &id);
		if (rc)
			break;
		maps->metas[i] = id;
		to->metas.at[id].type = m->type;
		to->metas.at[id].version = m->version;
		to->metas.at[id].seq = m->seq;
		rc = set_meta_text(to, &to->metas.at[id].help, m->help);
		if (!rc)
			rc = set_meta_text(to, &to->metas.at[id].unit, m->unit);
	}
	to->unknown_version = from->unknown_version;
	return rc;
}

/* Copy the rows above a point, and the point with what it remembers. */
static uint32_t copy_point(struct scraped_state *to, const struct scraped_state *from,
			   uint32_t point, const struct state_maps *maps)
{
	const struct scraped_point *p = &from->points.at[point];
	const struct scraped_family *f = &from->families.at[p->family];
	const struct scraped_scope *scope = &from->scopes.at[f->scope];
	const struct scraped_resource *r = &from->resources.at[scope->resource];
	uint32_t meta = f->meta == SCRAPED_NONE ? SCRAPED_NONE : maps->metas[f->meta];
	uint32_t id = scraped_resource_at(to, r->job, r->instance);

	if (id != SCRAPED_NONE)
		id = scraped_scope_at(to, id, scope->name, scope->version);
	if (id != SCRAPED_NONE)
		id = scraped_family_at(to, id, f->name, f->type, meta);
	if (id != SCRAPED_NONE)
		id = scraped_point_at(to, id, &p->attributes);
	if (id == SCRAPED_NONE)
		return id;
	to->points.at[id].start = p->start;
	to->points.at[id].previous = p->previous;
	to->points.at[id].seq = p->seq;
	to->points.at[id].explicit_time = p->explicit_time;
	to->points.at[id].live = p->live;
	return id;
}

/* Copy the attributes of target_info. */
static int copy_info(struct scraped_state *to, const struct scraped_state *from,
		     struct scraped_series *copy)
{
	const struct scraped_resource *r = &from->resources.at[copy->resource];
	struct attributes *info = arena_zalloc(&to->arena, 1, sizeof(*info));

	copy->resource = scraped_resource_at(to, r->job, r->instance);
	if (!info || copy->resource == SCRAPED_NONE)
		return -ENOMEM;
	if (scraped_copy_attributes(info, copy->info, &to->arena))
		return -ENOMEM;
	copy->info = info;
	return 0;
}

/* Copy a series and what it refers to. */
static int copy_series(struct scraped_state *to, const struct scraped_state *from,
		       const struct scraped_series *series, struct state_maps *maps)
{
	struct scraped_series copy = *series;
	int rc = arena_copy_str(&to->arena, series->text, &copy.text);

	if (!rc && series->role == ROLE_INFO)
		rc = copy_info(to, from, &copy);
	if (rc)
		return rc;
	if (series->meta != SCRAPED_NONE)
		copy.meta = maps->metas[series->meta];
	if (series->point != SCRAPED_NONE) {
		uint32_t *point = &maps->points[series->point];

		if (*point == SCRAPED_NONE)
			*point = copy_point(to, from, series->point, maps);
		copy.point = *point;
		if (copy.point == SCRAPED_NONE)
			return -ENOMEM;
	}
	rc = vec_push(&to->arena, &to->series, copy);
	return rc ? rc : idset_add(&to->series_by_text, copy.hash, to->series.n - 1);
}

static int copy_used(struct scraped_state *to, const struct scraped_state *from,
		     struct state_maps *maps)
{
	int rc;

	memset(maps->points, 0xff, from->points.n * sizeof(uint32_t));
	memset(maps->metas, 0xff, from->metas.n * sizeof(uint32_t));
	rc = copy_metas(to, from, maps);
	to->seq = from->seq;
	for (uint32_t i = 0; i < from->series.n && !rc; i++)
		if (from->series.at[i].seq == from->seq)
			rc = copy_series(to, from, &from->series.at[i], maps);
	return rc;
}

/* Return whether most rows are unused. */
static bool wastes_rows(const struct scraped_state *s)
{
	uint32_t series = 0, metas = 0;

	for (uint32_t i = 0; i < s->series.n; i++)
		series += s->series.at[i].seq == s->seq;
	for (uint32_t i = 0; i < s->metas.n; i++)
		metas += meta_is_used(s, i);
	return s->series.n - series >= series + UNUSED_ROWS_MAX ||
	       s->metas.n - metas >= metas + UNUSED_ROWS_MAX;
}

int scraped_state_compact(struct scraped_state *s)
{
	struct state_maps maps;
	struct scraped_state to;
	int rc;

	if (!wastes_rows(s))
		return 0;
	maps.points = arena_alloc(&s->arena, s->points.n + 1, sizeof(uint32_t));
	maps.metas = arena_alloc(&s->arena, s->metas.n + 1, sizeof(uint32_t));
	if (!maps.points || !maps.metas)
		return -ENOMEM;
	rc = scraped_state_init(&to);
	if (!rc)
		rc = copy_used(&to, s, &maps);
	if (rc) {
		scraped_state_fini(&to);
		return rc;
	}
	scraped_state_fini(s);
	*s = to;
	s->series_by_text.arena = s->points_by_hash.arena = &s->arena;
	s->metas_by_name.arena = s->families_by_hash.arena = &s->arena;
	return 0;
}
