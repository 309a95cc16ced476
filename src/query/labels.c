/* SPDX-License-Identifier: Apache-2.0 */
/* Label filters; results per attribute row and filter are cached in labels.known. */
#include "query/labels.h"

#include <inttypes.h>
#include <stdio.h>

#include "wire/proto.h"

int labels_init(struct labels *l, const struct profile_batch *batch,
		const struct label_filter *filters, uint32_t count, struct arena *arena)
{
	*l = (struct labels){.batch = batch, .filters = filters, .filter_count = count};
	if (!count)
		return 0;
	l->known = arena_zalloc(arena, batch->attributes.n, count);
	l->by_profile = arena_zalloc(arena, count, sizeof(*l->by_profile));
	return l->known && l->by_profile ? 0 : -ENOMEM;
}

static int text_matches(const struct label_filter *filter, struct str text, struct err *e)
{
	return filter->value ? regex_match(filter->value, text, e) : 1;
}

/* Return the string inside an encoded AnyValue, or an empty one. */
static struct str any_string(struct proto_reader any)
{
	struct str text = {0};

	while (proto_next(&any)) {
		if (any.tag == PROTO_TAG(1, PROTO_BYTES))
			text = proto_bytes(&any);
		else
			proto_skip(&any);
	}
	return text;
}

/* Match a label with several values: any string of an encoded AnyValue with an array_value. */
static int list_matches(const struct label_filter *filter, struct str encoded, struct err *e)
{
	struct proto_reader any = proto_reader_of(encoded);
	int rc = 0;

	while (!rc && proto_next(&any)) {
		if (any.tag != PROTO_TAG(5, PROTO_BYTES)) {
			proto_skip(&any);
			continue;
		}

		struct proto_reader array = proto_message(&any);

		while (!rc && proto_next(&array)) {
			if (array.tag == PROTO_TAG(1, PROTO_BYTES))
				rc = text_matches(filter, any_string(proto_message(&array)), e);
			else
				proto_skip(&array);
		}
	}
	return rc;
}

static int value_matches(const struct label_filter *filter, const struct value *v, struct err *e)
{
	char number[40];

	switch (v->kind) {
	case VALUE_STRING:
	case VALUE_BYTES:
		return text_matches(filter, v->s, e);
	case VALUE_BOOL:
		return text_matches(filter, v->i ? STR("true") : STR("false"), e);
	case VALUE_INT:
		snprintf(number, sizeof(number), "%" PRId64, v->i);
		return text_matches(filter, str_from(number), e);
	case VALUE_DOUBLE:
		snprintf(number, sizeof(number), "%.15g", v->d);
		return text_matches(filter, str_from(number), e);
	case VALUE_LIST:
		return filter->value ? list_matches(filter, v->s, e) : 1;
	default:
		return filter->value ? 0 : 1;
	}
}

/* Return 1 if the attribute row matches the filter, 0 if not, or -errno. */
static int attribute_matches(struct labels *l, uint32_t filter, uint32_t id, struct err *e)
{
	uint8_t *known = &l->known[(size_t)id * l->filter_count + filter];

	if (!*known) {
		const struct attribute *a = &l->batch->attributes.at[id];
		const struct label_filter *f = &l->filters[filter];
		int rc = 0;

		if (str_eq(string_of(l->batch, a->key), f->key))
			rc = value_matches(f, &a->value, e);
		if (rc < 0)
			return rc;
		*known = rc ? 2 : 1;
	}
	return *known == 2;
}

static int keyvalues_match(struct labels *l, uint32_t filter, struct list attributes, struct err *e)
{
	const struct label_filter *f = &l->filters[filter];
	const struct value *v = profile_find_keyvalue(l->batch, attributes, f->key);

	return v ? value_matches(f, v, e) : 0;
}

int labels_enter_profile(struct labels *l, uint32_t profile, struct err *e)
{
	const struct profile_batch *b = l->batch;
	const struct profile *p = &b->profiles.at[profile];
	const struct scope *scope = &b->scopes.at[p->scope];

	for (uint32_t i = 0; i < l->filter_count; i++) {
		int rc = keyvalues_match(l, i, b->resources.at[scope->resource].attributes, e);

		if (!rc)
			rc = keyvalues_match(l, i, scope->attributes, e);
		for (uint32_t k = 0; k < p->attributes.n && !rc; k++)
			rc = attribute_matches(l, i, b->attribute_refs.at[p->attributes.at + k], e);
		if (rc < 0)
			return rc;
		l->by_profile[i] = rc;
	}
	return 0;
}

int labels_match(struct labels *l, uint32_t sample, struct err *e)
{
	const struct profile_batch *b = l->batch;
	uint32_t end = b->sample_attributes_at[sample + 1];

	for (uint32_t i = 0; i < l->filter_count; i++) {
		int rc = l->by_profile[i];

		for (uint32_t k = b->sample_attributes_at[sample]; k < end && !rc; k++)
			rc = attribute_matches(l, i, b->sample_attributes.at[k], e);
		if (rc <= 0)
			return rc;
	}
	return 1;
}
