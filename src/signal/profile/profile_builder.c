/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interns rows into the batch's tables. Each table has its own hash and equality over the fields of
 * a row (never over padding); the index holds only ids. Memory is reserved before anything is
 * added, so that a failed allocation leaves no partial row.
 *
 * Before a row is hashed, the predicted row is compared (row_predictor.h): when batches are merged,
 * the prediction is mostly right.
 */
#include "signal/profile/profile_builder.h"

#include "base/container/hash.h"
#include "signal/profile/profile_rows.h"

static uint32_t hash_row(const uint64_t *fields, size_t n)
{
	return (uint32_t)hash_bytes(fields, n * sizeof(*fields));
}

static uint64_t hash_ids(const uint32_t *ids, uint32_t n)
{
	return hash_bytes(ids, n * sizeof(*ids));
}

static bool same_ids(const uint32_t *a, uint32_t a_n, const uint32_t *b, uint32_t b_n)
{
	return a_n == b_n && (!a_n || memcmp(a, b, a_n * sizeof(*a)) == 0);
}

/* Append ids to a pool that has enough capacity. */
static struct list put_ids(uint32_t *pool, uint32_t *pool_n, const uint32_t *ids, uint32_t n)
{
	struct list l = {n ? *pool_n : 0, n};

	if (n)
		memcpy(pool + *pool_n, ids, n * sizeof(*ids));
	*pool_n += n;
	return l;
}

/* strings */

static uint32_t find_string(const struct profile_builder *b, struct str s, uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->strings, hash);
	uint32_t id;

	while (idset_next(&b->strings, &c, &id))
		if (str_eq(b->batch->strings.at[id], s))
			return id;
	return UINT32_MAX;
}

uint32_t profile_find_string(const struct profile_builder *b, struct str s)
{
	return find_string(b, s, hash32(s));
}

static int add_string(struct profile_builder *b, struct str s, bool copy, uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash;
	int rc;

	*id = row_predictor_guess(&b->next.string);
	if (*id < batch->strings.n && str_eq(batch->strings.at[*id], s)) {
		row_predictor_step(&b->next.string, *id);
		return 0;
	}
	hash = hash32(s);
	*id = find_string(b, s, hash);
	if (*id != UINT32_MAX) {
		row_predictor_learn(&b->next.string, &batch->arena, *id);
		return 0;
	}
	rc = vec_reserve(&batch->arena, &batch->strings, 1);
	if (!rc && copy)
		rc = arena_copy_str(&batch->arena, s, &s);
	if (!rc)
		rc = idset_add(&b->strings, hash, batch->strings.n);
	if (rc)
		return rc;
	*id = batch->strings.n++;
	row_predictor_learn(&b->next.string, &batch->arena, *id);
	batch->strings.at[*id] = s;
	return 0;
}

int profile_add_string(struct profile_builder *b, struct str s, uint32_t *id)
{
	return add_string(b, s, true, id);
}

int profile_borrow_string(struct profile_builder *b, struct str s, uint32_t *id)
{
	return add_string(b, s, false, id);
}

/* functions */

static uint32_t hash_function(const struct function *f)
{
	uint64_t fields[] = {f->name, f->system_name, f->filename, (uint64_t)f->start_line};

	return hash_row(fields, countof(fields));
}

static bool same_function(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->system_name == b->system_name &&
	       a->filename == b->filename && a->start_line == b->start_line;
}

static uint32_t find_function(const struct profile_builder *b, const struct function *f,
			      uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->functions, hash);
	uint32_t id;

	while (idset_next(&b->functions, &c, &id))
		if (same_function(&b->batch->functions.at[id], f))
			return id;
	return UINT32_MAX;
}

int profile_add_function(struct profile_builder *b, const struct function *f, uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash;
	int rc;

	*id = row_predictor_guess(&b->next.function);
	if (*id < batch->functions.n && same_function(&batch->functions.at[*id], f)) {
		row_predictor_step(&b->next.function, *id);
		return 0;
	}
	hash = hash_function(f);
	*id = find_function(b, f, hash);
	if (*id != UINT32_MAX) {
		row_predictor_learn(&b->next.function, &batch->arena, *id);
		return 0;
	}
	rc = vec_reserve(&batch->arena, &batch->functions, 1);
	if (!rc)
		rc = idset_add(&b->functions, hash, batch->functions.n);
	if (rc)
		return rc;
	*id = batch->functions.n++;
	row_predictor_learn(&b->next.function, &batch->arena, *id);
	batch->functions.at[*id] = *f;
	return 0;
}

/* mappings */

static uint32_t hash_mapping(const struct mapping *m, const uint32_t *attributes, uint32_t n)
{
	uint64_t fields[] = {m->start, m->limit, m->offset, m->filename, hash_ids(attributes, n)};

	return hash_row(fields, countof(fields));
}

static uint32_t find_mapping(const struct profile_builder *b, const struct mapping *m,
			     const uint32_t *attributes, uint32_t n, uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->mappings, hash);
	uint32_t id;

	while (idset_next(&b->mappings, &c, &id)) {
		const struct mapping *o = &b->batch->mappings.at[id];

		if (o->start == m->start && o->limit == m->limit && o->offset == m->offset &&
		    o->filename == m->filename &&
		    same_ids(b->batch->attribute_refs.at + o->attributes.at, o->attributes.n,
			     attributes, n))
			return id;
	}
	return UINT32_MAX;
}

int profile_add_mapping(struct profile_builder *b, const struct mapping *row,
			const uint32_t *attributes, uint32_t n, uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash = hash_mapping(row, attributes, n);
	int rc;

	*id = find_mapping(b, row, attributes, n, hash);
	if (*id != UINT32_MAX)
		return 0;
	rc = vec_reserve(&batch->arena, &batch->mappings, 1);
	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->attribute_refs, n);
	if (!rc)
		rc = idset_add(&b->mappings, hash, batch->mappings.n);
	if (rc)
		return rc;
	*id = batch->mappings.n++;
	batch->mappings.at[*id] = *row;
	batch->mappings.at[*id].attributes =
		put_ids(batch->attribute_refs.at, &batch->attribute_refs.n, attributes, n);
	return 0;
}

/* locations */

static struct location_parts location_view(const struct profile_batch *b, uint32_t id)
{
	const struct location *l = &b->locations.at[id];

	return (struct location_parts){
		.address = l->address,
		.mapping = l->mapping,
		.lines = b->lines.at + l->lines.at,
		.line_count = l->lines.n,
		.attributes = b->attribute_refs.at + l->attributes.at,
		.attribute_count = l->attributes.n,
	};
}

static uint32_t hash_location(const struct location_parts *p)
{
	uint64_t fields[] = {p->address, p->mapping, p->line_count,
			     p->attribute_count ? hash_ids(p->attributes, p->attribute_count) : 0,
			     0};

	for (uint32_t i = 0; i < p->line_count; i++) {
		uint64_t line[] = {fields[4], p->lines[i].function, (uint64_t)p->lines[i].line,
				   (uint64_t)p->lines[i].column};

		fields[4] = hash_bytes(line, sizeof(line));
	}
	return hash_row(fields, countof(fields));
}

static bool same_lines(const struct line *a, const struct line *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].function != b[i].function || a[i].line != b[i].line ||
		    a[i].column != b[i].column)
			return false;
	return true;
}

static bool same_location(const struct profile_batch *b, uint32_t id,
			  const struct location_parts *p)
{
	struct location_parts o = location_view(b, id);

	return o.address == p->address && o.mapping == p->mapping &&
	       o.line_count == p->line_count && same_lines(o.lines, p->lines, p->line_count) &&
	       same_ids(o.attributes, o.attribute_count, p->attributes, p->attribute_count);
}

static uint32_t find_location(const struct profile_builder *b, const struct location_parts *p,
			      uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->locations, hash);
	uint32_t id;

	while (idset_next(&b->locations, &c, &id))
		if (same_location(b->batch, id, p))
			return id;
	return UINT32_MAX;
}

int profile_add_location(struct profile_builder *b, const struct location_parts *parts,
			 uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash;
	int rc;

	*id = row_predictor_guess(&b->next.location);
	if (*id < batch->locations.n && same_location(batch, *id, parts)) {
		row_predictor_step(&b->next.location, *id);
		return 0;
	}
	hash = hash_location(parts);
	*id = find_location(b, parts, hash);
	if (*id != UINT32_MAX) {
		row_predictor_learn(&b->next.location, &batch->arena, *id);
		return 0;
	}
	rc = vec_reserve(&batch->arena, &batch->locations, 1);
	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->lines, parts->line_count);
	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->attribute_refs, parts->attribute_count);
	if (!rc)
		rc = idset_add(&b->locations, hash, batch->locations.n);
	if (rc)
		return rc;
	*id = batch->locations.n++;
	row_predictor_learn(&b->next.location, &batch->arena, *id);
	batch->locations.at[*id] = (struct location){
		.address = parts->address,
		.mapping = parts->mapping,
		.lines = {parts->line_count ? batch->lines.n : 0, parts->line_count},
		.attributes = put_ids(batch->attribute_refs.at, &batch->attribute_refs.n,
				      parts->attributes, parts->attribute_count),
	};
	if (parts->line_count)
		memcpy(batch->lines.at + batch->lines.n, parts->lines,
		       parts->line_count * sizeof(*parts->lines));
	batch->lines.n += parts->line_count;
	return 0;
}

int profile_add_frame(struct profile_builder *b, struct str name, struct str filename, int64_t line,
		      uint32_t *location)
{
	struct function f = {0};
	struct line l = {.line = line};
	int rc = profile_add_string(b, name, &f.name);

	if (!rc)
		rc = profile_add_string(b, filename, &f.filename);
	if (!rc)
		rc = profile_add_function(b, &f, &l.function);
	if (!rc)
		rc = profile_add_location(b, &(struct location_parts){.lines = &l, .line_count = 1},
					  location);
	return rc;
}

/* stacks */

static bool same_stack(const struct profile_batch *b, uint32_t id, const uint32_t *locations,
		       uint32_t n)
{
	uint32_t found_n;
	const uint32_t *found = stack_of(b, id, &found_n);

	return same_ids(found, found_n, locations, n);
}

static uint32_t find_stack(const struct profile_builder *b, const uint32_t *locations, uint32_t n,
			   uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->stacks, hash);
	uint32_t id;

	while (idset_next(&b->stacks, &c, &id))
		if (same_stack(b->batch, id, locations, n))
			return id;
	return UINT32_MAX;
}

int profile_add_stack(struct profile_builder *b, const uint32_t *locations, uint32_t n,
		      uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash;
	int rc;

	*id = b->next.stack++;
	if (*id < batch->stacks.n && same_stack(batch, *id, locations, n))
		return 0;
	hash = (uint32_t)hash_ids(locations, n);
	*id = find_stack(b, locations, n, hash);
	b->next.stack = *id + 1;
	if (*id != UINT32_MAX)
		return 0;
	rc = vec_reserve(&batch->arena, &batch->stacks, 1);
	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->stack_locations, n);
	if (!rc)
		rc = idset_add(&b->stacks, hash, batch->stacks.n);
	if (rc)
		return rc;
	*id = batch->stacks.n++;
	b->next.stack = batch->stacks.n;
	batch->stacks.at[*id] =
		put_ids(batch->stack_locations.at, &batch->stack_locations.n, locations, n);
	return 0;
}

/* links */

static uint32_t find_link(const struct profile_builder *b, const struct link *link, uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->links, hash);
	uint32_t id;

	while (idset_next(&b->links, &c, &id))
		if (memcmp(&b->batch->links.at[id], link, sizeof(*link)) == 0)
			return id;
	return UINT32_MAX;
}

int profile_add_link(struct profile_builder *b, const struct link *link, uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash = (uint32_t)hash_bytes(link, sizeof(*link));
	int rc;

	*id = find_link(b, link, hash);
	if (*id != UINT32_MAX)
		return 0;
	rc = vec_reserve(&batch->arena, &batch->links, 1);
	if (!rc)
		rc = idset_add(&b->links, hash, batch->links.n);
	if (rc)
		return rc;
	*id = batch->links.n++;
	batch->links.at[*id] = *link;
	return 0;
}

/* attributes */

static uint32_t hash_attribute(const struct attribute *a)
{
	uint64_t fields[] = {a->key, a->unit, value_hash(&a->value)};

	return hash_row(fields, countof(fields));
}

static uint32_t find_attribute(const struct profile_builder *b, const struct attribute *a,
			       uint32_t hash)
{
	struct idset_cursor c = idset_seek(&b->attributes, hash);
	uint32_t id;

	while (idset_next(&b->attributes, &c, &id)) {
		const struct attribute *o = &b->batch->attributes.at[id];

		if (o->key == a->key && o->unit == a->unit && value_eq(&o->value, &a->value))
			return id;
	}
	return UINT32_MAX;
}

int profile_add_attribute_row(struct profile_builder *b, struct attribute row, bool copy,
			      uint32_t *id)
{
	struct profile_batch *batch = b->batch;
	uint32_t hash = hash_attribute(&row);
	int rc;

	*id = find_attribute(b, &row, hash);
	if (*id != UINT32_MAX)
		return 0;
	rc = vec_reserve(&batch->arena, &batch->attributes, 1);
	if (!rc && copy)
		rc = profile_copy_value(&batch->arena, &row.value);
	if (!rc)
		rc = idset_add(&b->attributes, hash, batch->attributes.n);
	if (rc)
		return rc;
	*id = batch->attributes.n++;
	batch->attributes.at[*id] = row;
	return 0;
}

int profile_add_attribute(struct profile_builder *b, struct str key, struct value value,
			  struct str unit, uint32_t *id)
{
	struct attribute row = {.value = value};
	int rc = profile_add_string(b, key, &row.key);

	if (!rc)
		rc = profile_add_string(b, unit, &row.unit);
	return rc ? rc : profile_add_attribute_row(b, row, true, id);
}

/* Index the existing rows; of equal rows the first one. */
static int index_rows(struct profile_builder *b)
{
	const struct profile_batch *batch = b->batch;
	uint32_t hash;
	int rc = 0;

#define INDEX(table, hash_of_row, find)                                                            \
	for (uint32_t id = 0; !rc && id < batch->table.n; id++) {                                  \
		hash = (uint32_t)(hash_of_row);                                                    \
		if ((find) == UINT32_MAX)                                                          \
			rc = idset_add(&b->table, hash, id);                                       \
	}
	INDEX(strings, hash32(batch->strings.at[id]), find_string(b, batch->strings.at[id], hash))
	INDEX(functions, hash_function(&batch->functions.at[id]),
	      find_function(b, &batch->functions.at[id], hash))
	INDEX(links, hash_bytes(&batch->links.at[id], sizeof(struct link)),
	      find_link(b, &batch->links.at[id], hash))
	INDEX(attributes, hash_attribute(&batch->attributes.at[id]),
	      find_attribute(b, &batch->attributes.at[id], hash))
#undef INDEX
	for (uint32_t id = 0; !rc && id < batch->mappings.n; id++) {
		const struct mapping *m = &batch->mappings.at[id];
		const uint32_t *attributes = batch->attribute_refs.at + m->attributes.at;

		hash = hash_mapping(m, attributes, m->attributes.n);
		if (find_mapping(b, m, attributes, m->attributes.n, hash) == UINT32_MAX)
			rc = idset_add(&b->mappings, hash, id);
	}
	for (uint32_t id = 0; !rc && id < batch->locations.n; id++) {
		struct location_parts parts = location_view(batch, id);

		hash = hash_location(&parts);
		if (find_location(b, &parts, hash) == UINT32_MAX)
			rc = idset_add(&b->locations, hash, id);
	}
	for (uint32_t id = 0, n; !rc && id < batch->stacks.n; id++) {
		const uint32_t *locations = stack_of(batch, id, &n);

		hash = (uint32_t)hash_ids(locations, n);
		if (find_stack(b, locations, n, hash) == UINT32_MAX)
			rc = idset_add(&b->stacks, hash, id);
	}
	return rc;
}

int profile_builder_init(struct profile_builder *b, struct profile_batch *batch)
{
	struct idset *sets[] = {&b->strings, &b->mappings, &b->functions, &b->locations,
				&b->stacks,  &b->links,	   &b->attributes};
	uint32_t rows[] = {batch->strings.n,   batch->mappings.n, batch->functions.n,
			   batch->locations.n, batch->stacks.n,	  batch->links.n,
			   batch->attributes.n};

	*b = (struct profile_builder){.batch = batch};
	for (size_t i = 0; i < countof(sets); i++) {
		int rc = idset_init(sets[i], &batch->arena, rows[i]);

		if (rc)
			return rc;
	}
	return index_rows(b);
}
