/* SPDX-License-Identifier: Apache-2.0 */
/* Appending of rows that are never shared: resources, scopes, profiles, samples. */
#include "signal/profile/profile_rows.h"

int profile_copy_value(struct arena *arena, struct value *v)
{
	switch (v->kind) {
	case VALUE_STRING:
	case VALUE_BYTES:
	case VALUE_LIST:
	case VALUE_MAP:
		return arena_copy_str(arena, v->s, &v->s);
	default:
		return 0;
	}
}

static int copy_keyvalue(struct arena *arena, struct keyvalue *kv)
{
	int rc = arena_copy_str(arena, kv->key, &kv->key);

	return rc ? rc : profile_copy_value(arena, &kv->value);
}

static int add_keyvalues(struct profile_batch *batch, const struct keyvalue *attributes, uint32_t n,
			 struct list *out)
{
	uint32_t first = batch->keyvalues.n;
	int rc = vec_reserve(&batch->arena, &batch->keyvalues, n);

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct keyvalue kv = attributes[i];

		rc = copy_keyvalue(&batch->arena, &kv);
		if (!rc)
			batch->keyvalues.at[batch->keyvalues.n++] = kv;
	}
	if (rc)
		batch->keyvalues.n = first;
	*out = (struct list){n ? first : 0, n};
	return rc;
}

int profile_add_resource(struct profile_builder *b, const struct keyvalue *attributes, uint32_t n)
{
	struct profile_batch *batch = b->batch;
	struct resource row = {0};
	int rc = add_keyvalues(batch, attributes, n, &row.attributes);

	return rc ? rc : vec_push(&batch->arena, &batch->resources, row);
}

int profile_add_scope(struct profile_builder *b, struct str name, struct str version,
		      const struct keyvalue *attributes, uint32_t n)
{
	struct profile_batch *batch = b->batch;
	struct scope row = {.resource = batch->resources.n - 1};
	int rc = add_keyvalues(batch, attributes, n, &row.attributes);

	if (!rc)
		rc = arena_copy_str(&batch->arena, name, &row.name);
	if (!rc)
		rc = arena_copy_str(&batch->arena, version, &row.version);
	return rc ? rc : vec_push(&batch->arena, &batch->scopes, row);
}

int profile_add_profile(struct profile_builder *b, const struct profile *row,
			const uint32_t *attributes, uint32_t n)
{
	struct profile_batch *batch = b->batch;
	int rc = vec_reserve(&batch->arena, &batch->profiles, 1);

	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->attribute_refs, n);
	if (rc)
		return rc;

	struct profile *p = &batch->profiles.at[batch->profiles.n++];

	*p = *row;
	p->scope = batch->scopes.n - 1;
	p->attributes = (struct list){n ? batch->attribute_refs.n : 0, n};
	p->sample_first = batch->sample_count;
	p->sample_count = 0;
	for (uint32_t i = 0; i < n; i++)
		batch->attribute_refs.at[batch->attribute_refs.n++] = attributes[i];
	return 0;
}

int profile_begin(struct profile_builder *b, struct str type, struct str unit)
{
	struct profile row = {0};
	int rc = profile_add_string(b, type, &row.sample_type.type);

	if (!rc)
		rc = profile_add_string(b, unit, &row.sample_type.unit);
	if (!rc)
		rc = profile_add_resource(b, NULL, 0);
	if (!rc)
		rc = profile_add_scope(b, STR(""), STR(""), NULL, 0);
	if (!rc)
		rc = profile_add_profile(b, &row, NULL, 0);
	return rc;
}

int profile_add_sample(struct profile_builder *b, uint32_t stack, uint32_t link,
		       const uint32_t *attributes, uint32_t n, int64_t value)
{
	struct profile_batch *batch = b->batch;
	int rc = vec_reserve(&batch->arena, &batch->sample_attributes, n);

	if (!rc)
		rc = vec_reserve(&batch->arena, &batch->values, 1);
	if (!rc)
		rc = profile_batch_reserve_samples(batch, 1);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		batch->sample_attributes.at[batch->sample_attributes.n++] = attributes[i];
	batch->values.at[batch->values.n++] = value;
	return profile_sample_end(batch, stack, link);
}
