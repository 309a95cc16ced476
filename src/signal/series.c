/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps attributes to series.
 *
 * The labels of a profile are computed once. Sample attributes are processed by list: each distinct
 * list of attributes that are labels gets a number for the whole batch, and a profile caches the
 * series of each number, so a sample costs one comparison with its predecessor or one lookup. Most
 * profiles have no such attributes; for these only the column of_sample is filled.
 */
#include "signal/series.h"

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "signal/profile/profile_type.h"
#include "wire/proto.h"

const struct series_limits series_limits_default = {100, 1024, 4096};

/* How an attribute of a sample is used. */
enum use { USE_UNKNOWN, USE_NONE, USE_LABEL, USE_SERVICE };

/* The series of a list of sample attributes in the last profile that used it. */
struct list_series {
	uint32_t profile; /* + 1; 0: none yet */
	uint32_t series;
};

struct series_builder {
	struct series_map *m;
	const struct profile_batch *b;
	const struct series_limits *limits;
	struct arena *arena;

	VEC(struct label) labels; /* the set being built: sorted, names distinct */
	uint32_t own;		  /* number of labels given by the sender */
	struct label_set base;	  /* labels of the current profile */
	int64_t scale;
	bool scope_has_cpu_time; /* scope of the current profile */
	struct str reason;	 /* why the current profile is rejected; empty: it is not */

	uint8_t *use;			   /* by attribute of the batch: enum use */
	VEC(uint32_t) list_pool;	   /* of `lists` */
	VEC(struct list) lists;		   /* 0: the empty list */
	VEC(struct list_series) list_memo; /* by list */
	struct idset list_index, series_index;
};

/* Return whether attributes of that name are not used as labels: reserved or internal names. */
static bool is_hidden(struct str name)
{
	return !name.n || str_starts(name, STR("__")) || str_starts(name, STR("pprof.")) ||
	       str_eq(name, STR("service.name")) || str_eq(name, STR("service_name"));
}

/* Return whether samples store the attribute as a link instead. */
static bool is_link(struct str name)
{
	return str_eq(name, STR("span_id")) || str_eq(name, STR("trace_id")) ||
	       str_eq(name, STR("profile_id"));
}

/* Return the position of `name` in the set, or where to insert it. */
static uint32_t label_place(const struct series_builder *w, struct str name, bool *found)
{
	uint32_t low = 0, high = w->labels.n;

	*found = false;
	while (low < high && !*found) {
		uint32_t middle = low + (high - low) / 2;
		int order = str_cmp(w->labels.at[middle].name, name);

		if (!order)
			*found = true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

/* Insert a label in order. An existing one is kept, unless `replace` is set. */
static int set_label(struct series_builder *w, struct str name, struct str value, bool replace)
{
	bool found;
	uint32_t at = label_place(w, name, &found);
	int rc;

	if (found && replace)
		w->labels.at[at].value = value;
	if (found || !value.n)
		return 0;
	rc = vec_reserve(w->arena, &w->labels, 1);
	if (rc)
		return rc;
	memmove(&w->labels.at[at + 1], &w->labels.at[at],
		(w->labels.n - at) * sizeof(*w->labels.at));
	w->labels.at[at] = (struct label){name, value};
	w->labels.n++;
	return 0;
}

/* Reject the current profile; the first reason is kept. */
static int reject_long(struct series_builder *w, const char *what, struct str name, size_t n,
		       uint32_t limit)
{
	if (w->reason.n)
		return 0;
	return arena_printf(w->arena, &w->reason,
			    "label %s too long: '%.*s' has %zu bytes; limit %u", what,
			    STR_ARG(str_head(name, 64)), n, limit);
}

static int reject_text(struct series_builder *w, const char *what, struct str name)
{
	if (w->reason.n)
		return 0;
	return arena_printf(w->arena, &w->reason, "invalid label %s of '%.*s': not UTF-8", what,
			    STR_ARG(str_head(name, str_utf8_valid(str_head(name, 64)))));
}

/* Add a label given by the sender. If it exceeds a limit, the profile is rejected. */
static int add_sender_label(struct series_builder *w, struct str name, struct str value)
{
	uint32_t before = w->labels.n;
	int rc;

	if (is_hidden(name) || !value.n || w->reason.n)
		return 0;
	if (name.n > w->limits->name_bytes)
		return reject_long(w, "name", name, name.n, w->limits->name_bytes);
	if (value.n > w->limits->value_bytes)
		return reject_long(w, "value", name, value.n, w->limits->value_bytes);
	if (str_utf8_valid(name) < name.n)
		return reject_text(w, "name", name);
	if (str_utf8_valid(value) < value.n)
		return reject_text(w, "value", name);
	rc = set_label(w, name, value, false);
	w->own += w->labels.n - before;
	if (!rc && w->own > w->limits->labels)
		rc = arena_printf(w->arena, &w->reason, "too many labels: more than %u",
				  w->limits->labels);
	return rc;
}

/* Return the element of a list that has exactly one; else an empty value. */
static struct value only_element(struct str any_value)
{
	struct proto_reader r = proto_reader_of(any_value);
	struct str element = {0};
	uint32_t n = 0;

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(5, PROTO_BYTES)) { /* AnyValue.array_value */
			proto_skip(&r);
			continue;
		}

		struct proto_reader values = proto_message(&r);

		while (proto_next(&values))
			if (values.tag == PROTO_TAG(1, PROTO_BYTES)) {
				element = proto_bytes(&values);
				n++;
			} else {
				proto_skip(&values);
			}
	}
	r = proto_reader_of(element);
	if (n != 1 || !proto_next(&r))
		return (struct value){0};
	if (r.tag == PROTO_TAG(1, PROTO_BYTES))
		return VALUE_OF_STR(proto_bytes(&r));
	if (r.tag == PROTO_TAG(3, PROTO_VARINT))
		return VALUE_OF_INT((int64_t)proto_varint(&r));
	return (struct value){0};
}

/* Return the label value of a string, integer or boolean; empty for other kinds. */
static int value_text(struct arena *arena, struct value v, struct str *out)
{
	if (v.kind == VALUE_LIST)
		v = only_element(v.s);
	*out = (struct str){0};
	switch (v.kind) {
	case VALUE_STRING:
		*out = v.s;
		return 0;
	case VALUE_BOOL:
		*out = v.i ? STR("true") : STR("false");
		return 0;
	case VALUE_INT:
		return arena_printf(arena, out, "%lld", (long long)v.i);
	default:
		return 0;
	}
}

static int add_keyvalue_labels(struct series_builder *w, struct list attributes)
{
	int rc = 0;

	for (uint32_t i = 0; i < attributes.n && !rc; i++) {
		const struct keyvalue *kv = &w->b->keyvalues.at[attributes.at + i];
		struct str text;

		if (is_hidden(kv->key))
			continue;
		rc = value_text(w->arena, kv->value, &text);
		if (!rc)
			rc = add_sender_label(w, kv->key, text);
	}
	return rc;
}

static int add_attribute_labels(struct series_builder *w, struct list attributes)
{
	int rc = 0;

	for (uint32_t i = 0; i < attributes.n && !rc; i++) {
		const struct attribute *a =
			&w->b->attributes.at[w->b->attribute_refs.at[attributes.at + i]];
		struct str name = string_of(w->b, a->key), text;

		if (is_hidden(name))
			continue;
		rc = value_text(w->arena, a->value, &text);
		if (!rc)
			rc = add_sender_label(w, name, text);
	}
	return rc;
}

/* Return a string attribute of the resource, empty if it has none. */
static struct str resource_text(const struct profile_batch *b, const struct resource *r,
				struct str key)
{
	const struct value *v = profile_find_keyvalue(b, r->attributes, key);

	return v && v->kind == VALUE_STRING ? v->s : (struct str){0};
}

static int service_of_resource(struct series_builder *w, const struct resource *r,
			       struct str *service)
{
	struct str program;

	*service = resource_text(w->b, r, STR("service_name"));
	if (!service->n)
		*service = resource_text(w->b, r, STR("service.name"));
	if (service->n)
		return 0;
	program = resource_text(w->b, r, STR("process.executable.name"));
	*service = STR("unknown_service");
	return program.n ? arena_printf(w->arena, service, "unknown_service:%.*s", STR_ARG(program))
			 : 0;
}

static int set_service(struct series_builder *w, struct str service)
{
	int rc = 0;

	if (service.n > w->limits->value_bytes)
		return reject_long(w, "value", STR("service_name"), service.n,
				   w->limits->value_bytes);
	if (str_utf8_valid(service) < service.n)
		return reject_text(w, "value", STR("service_name"));
	rc = set_label(w, STR("__service_name__"), service, true);
	return rc ? rc : set_label(w, STR("service_name"), service, true);
}

/* Return the name given to the profile by its sender, or an empty string. */
static struct str sender_name(const struct profile_batch *b, const struct profile *p,
			      const struct resource *r)
{
	const struct attribute *a = profile_find_attribute(
		b, b->attribute_refs.at + p->attributes.at, p->attributes.n, STR("__name__"));

	if (a && a->value.kind == VALUE_STRING && a->value.s.n)
		return a->value.s;
	return resource_text(b, r, STR("__name__"));
}

static int set_type(struct series_builder *w, const struct profile_type *t)
{
	const struct label own[] = {
		{STR("__name__"), t->name},
		{STR("__period_type__"), t->period_type},
		{STR("__period_unit__"), t->period_unit},
		{STR("__profile_type__"), t->id},
		{STR("__type__"), t->sample_type},
		{STR("__unit__"), t->sample_unit},
	};
	int rc = 0;

	if (!t->name.n || !t->sample_type.n)
		w->reason = STR("no sample type");
	if (t->id.n > w->limits->value_bytes)
		rc = reject_long(w, "value", STR("__profile_type__"), t->id.n,
				 w->limits->value_bytes);
	if (!rc && str_utf8_valid(t->id) < t->id.n)
		rc = reject_text(w, "value", STR("__profile_type__"));
	for (size_t i = 0; i < countof(own) && !rc; i++)
		rc = set_label(w, own[i].name, own[i].value, true);
	return rc;
}

/* Copy the set being built to the arena. */
static int copy_labels(struct series_builder *w, struct label_set *out)
{
	struct label *copy = arena_alloc(w->arena, w->labels.n, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, w->labels.at, w->labels.n * sizeof(*copy));
	*out = (struct label_set){copy, w->labels.n};
	return 0;
}

/* Compute the labels common to all samples of the profile. */
static int build_profile_labels(struct series_builder *w, uint32_t p)
{
	const struct profile *row = &w->b->profiles.at[p];
	const struct scope *scope = &w->b->scopes.at[row->scope];
	const struct resource *resource = &w->b->resources.at[scope->resource];
	struct profile_naming naming;
	struct str service;
	int rc;

	if (!p || w->b->profiles.at[p - 1].scope != row->scope)
		w->scope_has_cpu_time = profile_scope_has_cpu_time(w->b, p);
	rc = profile_type_name(&naming, w->b, p, sender_name(w->b, row, resource),
			       w->scope_has_cpu_time, w->arena);
	w->reason = (struct str){0};
	w->labels.n = w->own = 0;
	if (!rc)
		rc = service_of_resource(w, resource, &service);
	if (!rc)
		rc = set_service(w, service);
	if (!rc)
		rc = set_type(w, &naming.type);
	if (!rc)
		rc = add_keyvalue_labels(w, resource->attributes);
	if (!rc)
		rc = add_keyvalue_labels(w, scope->attributes);
	if (!rc)
		rc = add_attribute_labels(w, row->attributes);
	w->scale = naming.scale;
	return rc ? rc : copy_labels(w, &w->base);
}

static uint32_t hash_label_set(struct label_set set)
{
	uint64_t hash = set.n;

	for (uint32_t i = 0; i < set.n; i++) {
		hash = hash * 31 + hash_bytes(set.at[i].name.p, set.at[i].name.n);
		hash = hash * 31 + hash_bytes(set.at[i].value.p, set.at[i].value.n);
	}
	return hash_u64(hash);
}

static bool equal_label_sets(struct label_set a, struct label_set b)
{
	if (a.n != b.n)
		return false;
	for (uint32_t i = 0; i < a.n; i++)
		if (!str_eq(a.at[i].name, b.at[i].name) || !str_eq(a.at[i].value, b.at[i].value))
			return false;
	return true;
}

/* Find or add the series of profile `p` with the set being built. */
static int find_or_add_series(struct series_builder *w, uint32_t p, uint32_t *id)
{
	struct series_map *m = w->m;
	struct label_set set = {w->labels.at, w->labels.n};
	uint32_t hash = hash_label_set(set);
	struct idset_cursor c = idset_seek(&w->series_index, hash);
	struct series row = {.profile = p, .scale = w->scale};
	int rc;

	while (idset_next(&w->series_index, &c, id))
		if (*id < m->series.n && m->series.at[*id].profile == p &&
		    equal_label_sets(m->series.at[*id].labels, set))
			return 0;
	rc = copy_labels(w, &row.labels);
	*id = m->series.n;
	if (!rc)
		rc = vec_push(w->arena, &m->series, row);
	return rc ? rc : idset_add(&w->series_index, hash, *id);
}

/* Build the set of the profile's labels and those of the list. */
static int build_list_labels(struct series_builder *w, struct list list)
{
	const uint32_t *ids = w->list_pool.at + list.at;
	int rc = vec_reserve(w->arena, &w->labels, w->base.n);

	if (rc)
		return rc;
	memcpy(w->labels.at, w->base.at, w->base.n * sizeof(*w->base.at));
	w->labels.n = w->base.n;

	uint32_t own = w->own;

	for (uint32_t i = 0; i < list.n && !rc; i++) {
		const struct attribute *a = &w->b->attributes.at[ids[i]];

		rc = w->use[ids[i]] == USE_SERVICE
			     ? set_service(w, a->value.s)
			     : add_sender_label(w, string_of(w->b, a->key), a->value.s);
	}
	w->own = own;
	return rc;
}

/* Return the series of a list of sample attributes in profile `p`. */
static int series_of_list(struct series_builder *w, uint32_t p, uint32_t list, uint32_t *series)
{
	struct list_series *memo = &w->list_memo.at[list];
	int rc = 0;

	if (memo->profile != p + 1) {
		rc = build_list_labels(w, w->lists.at[list]);
		if (!rc && w->reason.n)
			return 0;
		if (!rc)
			rc = find_or_add_series(w, p, &memo->series);
		memo->profile = p + 1;
	}
	*series = memo->series;
	return rc;
}

/* String attributes are labels. Numbers are not: they often differ per thread or request. */
static enum use use_of_attribute(const struct profile_batch *b, uint32_t id)
{
	const struct attribute *a = &b->attributes.at[id];
	struct str name = string_of(b, a->key);

	if (a->value.kind != VALUE_STRING || !a->value.s.n)
		return USE_NONE;
	if (str_eq(name, STR("service.name")))
		return USE_SERVICE;
	return is_hidden(name) || is_link(name) ? USE_NONE : USE_LABEL;
}

/* Intern the list at the end of the pool, from `from`: a known one is removed from the pool. */
static int intern_list(struct series_builder *w, uint32_t from, uint32_t *id)
{
	struct list list = {from, w->list_pool.n - from};
	size_t bytes = list.n * sizeof(uint32_t);

	*id = 0;
	if (!list.n)
		return 0;

	uint32_t hash = (uint32_t)hash_bytes(w->list_pool.at + from, bytes);
	struct idset_cursor c = idset_seek(&w->list_index, hash);
	int rc;

	while (idset_next(&w->list_index, &c, id)) {
		struct list other = w->lists.at[*id];

		if (other.n == list.n &&
		    !memcmp(w->list_pool.at + other.at, w->list_pool.at + from, bytes)) {
			w->list_pool.n = from;
			return 0;
		}
	}
	*id = w->lists.n;
	rc = vec_push(w->arena, &w->lists, list);
	if (!rc)
		rc = vec_push(w->arena, &w->list_memo, (struct list_series){0});
	return rc ? rc : idset_add(&w->list_index, hash, *id);
}

/* Return the number of the list of a sample's labels. */
static int list_of_sample(struct series_builder *w, uint32_t sample, uint32_t *id)
{
	const struct profile_batch *b = w->b;
	uint32_t at = b->sample_attributes_at[sample], end = b->sample_attributes_at[sample + 1];
	uint32_t from = w->list_pool.n;
	int rc = vec_reserve(w->arena, &w->list_pool, end - at);

	if (rc)
		return rc;
	for (; at < end; at++) {
		uint32_t attribute = b->sample_attributes.at[at];

		if (w->use[attribute] == USE_UNKNOWN)
			w->use[attribute] = (uint8_t)use_of_attribute(b, attribute);
		if (w->use[attribute] != USE_NONE)
			w->list_pool.at[w->list_pool.n++] = attribute;
	}
	return intern_list(w, from, id);
}

/* Return whether the sample has the same attributes as the previous one. */
static bool same_attributes(const struct profile_batch *b, uint32_t sample)
{
	const uint32_t *at = b->sample_attributes_at + sample;
	uint32_t n = at[1] - at[0];

	return n == at[0] - at[-1] &&
	       (!n || !memcmp(b->sample_attributes.at + at[0], b->sample_attributes.at + at[-1],
			      n * sizeof(uint32_t)));
}

/* Return SERIES_NONE for a sample with a negative total: it cannot be summed up and is dropped. */
static uint32_t unless_negative(const struct profile_batch *b, uint32_t sample, uint32_t series)
{
	return unlikely(sample_total(b, sample) < 0) ? SERIES_NONE : series;
}

static int assign_samples(struct series_builder *w, uint32_t p)
{
	const struct profile_batch *b = w->b;
	const struct profile *row = &b->profiles.at[p];
	uint32_t first = row->sample_first, end = first + row->sample_count, series = SERIES_NONE;
	bool plain = b->sample_attributes_at[first] == b->sample_attributes_at[end];
	int rc = 0;

	if (plain && first < end)
		rc = series_of_list(w, p, 0, &series);
	for (uint32_t i = first; i < end && !rc && !w->reason.n; i++) {
		if (!plain && (i == first || !same_attributes(b, i))) {
			uint32_t list;

			rc = list_of_sample(w, i, &list);
			if (!rc)
				rc = series_of_list(w, p, list, &series);
		}
		w->m->of_sample[i] = unless_negative(b, i, series);
	}
	return rc;
}

static int map_one_profile(struct series_builder *w, uint32_t p)
{
	const struct profile *row = &w->b->profiles.at[p];
	uint32_t series = w->m->series.n;
	int rc = build_profile_labels(w, p);

	if (!rc && !w->reason.n)
		rc = assign_samples(w, p);
	if (rc || !w->reason.n)
		return rc;
	w->m->series.n = series;
	for (uint32_t i = 0; i < row->sample_count; i++)
		w->m->of_sample[row->sample_first + i] = SERIES_NONE;
	return vec_push(w->arena, &w->m->refused, (struct series_refusal){p, w->reason});
}

int series_map_init(struct series_map *m, const struct profile_batch *batch,
		    const struct series_limits *limits, struct arena *arena)
{
	struct series_builder w = {.m = m,
				   .b = batch,
				   .limits = limits ? limits : &series_limits_default,
				   .arena = arena};
	int rc;

	*m = (struct series_map){0};
	m->of_sample = arena_alloc(arena, batch->sample_count, sizeof(*m->of_sample));
	w.use = arena_zalloc(arena, batch->attributes.n, sizeof(*w.use));
	rc = m->of_sample && w.use ? vec_push(arena, &w.lists, (struct list){0}) : -ENOMEM;
	if (!rc)
		rc = vec_push(arena, &w.list_memo, (struct list_series){0});
	if (!rc)
		rc = idset_init(&w.list_index, arena, 0);
	if (!rc)
		rc = idset_init(&w.series_index, arena, 0);
	for (uint32_t p = 0; p < batch->profiles.n && !rc; p++)
		rc = map_one_profile(&w, p);
	return rc;
}
