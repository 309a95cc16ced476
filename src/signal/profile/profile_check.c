/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of the invariants of a batch, table by table: see profile.h. */
#include "signal/profile/profile.h"

static int invalid_row(struct err *e, const char *table, uint32_t row, const char *what)
{
	return err_set(e, -EINVAL, "%s[%u]: %s", table, row, what);
}

static bool in_pool(struct list l, uint32_t pool)
{
	return l.at <= pool && l.n <= pool - l.at;
}

static int check_attributes(const struct profile_batch *b, const uint32_t *ids, uint32_t n,
			    const char *table, uint32_t row, struct err *e)
{
	for (uint32_t i = 0; i < n; i++) {
		if (ids[i] >= b->attributes.n)
			return invalid_row(e, table, row, "attribute out of range");
		for (uint32_t k = 0; k < i; k++) {
			uint32_t one = b->attributes.at[ids[i]].key,
				 two = b->attributes.at[ids[k]].key;

			if (one == two || str_eq(string_of(b, one), string_of(b, two)))
				return invalid_row(e, table, row, "duplicate attribute key");
		}
	}
	return 0;
}

static int check_list(const struct profile_batch *b, struct list l, const char *table, uint32_t row,
		      struct err *e)
{
	if (!in_pool(l, b->attribute_refs.n))
		return invalid_row(e, table, row, "attribute list outside its pool");
	return check_attributes(b, b->attribute_refs.at + l.at, l.n, table, row, e);
}

static int check_first_rows(const struct profile_batch *b, struct err *e)
{
	static const struct link no_link;

	if (!b->strings.n || !b->mappings.n || !b->functions.n || !b->locations.n || !b->stacks.n ||
	    !b->links.n || !b->attributes.n)
		return err_set(e, -EINVAL, "a table has no row 0");

	const struct mapping *m = b->mappings.at;
	const struct function *f = b->functions.at;
	const struct location *l = b->locations.at;
	const struct attribute *a = b->attributes.at;

	if (b->strings.at[0].n || b->stacks.at[0].n ||
	    memcmp(b->links.at, &no_link, sizeof(no_link)) ||
	    (m->start | m->limit | m->offset | m->filename | m->attributes.n) ||
	    (f->name | f->system_name | f->filename) || f->start_line ||
	    (l->address | l->mapping | l->lines.n | l->attributes.n) ||
	    (a->key | a->unit | a->value.kind))
		return err_set(e, -EINVAL, "row 0 of a table is not zero");
	return 0;
}

static int check_frames(const struct profile_batch *b, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < b->functions.n; i++) {
		const struct function *f = &b->functions.at[i];

		if (f->name >= b->strings.n || f->system_name >= b->strings.n ||
		    f->filename >= b->strings.n)
			return invalid_row(e, "functions", i, "string out of range");
	}
	for (uint32_t i = 0; i < b->attributes.n; i++)
		if (b->attributes.at[i].key >= b->strings.n ||
		    b->attributes.at[i].unit >= b->strings.n)
			return invalid_row(e, "attributes", i, "string out of range");
	for (uint32_t i = 0; !rc && i < b->mappings.n; i++) {
		if (b->mappings.at[i].filename >= b->strings.n)
			return invalid_row(e, "mappings", i, "string out of range");
		rc = check_list(b, b->mappings.at[i].attributes, "mappings", i, e);
	}
	for (uint32_t i = 0; !rc && i < b->locations.n; i++) {
		const struct location *l = &b->locations.at[i];

		if (l->mapping >= b->mappings.n)
			return invalid_row(e, "locations", i, "mapping out of range");
		if (!in_pool(l->lines, b->lines.n))
			return invalid_row(e, "locations", i, "lines outside their pool");
		rc = check_list(b, l->attributes, "locations", i, e);
	}
	for (uint32_t i = 0; !rc && i < b->lines.n; i++)
		if (b->lines.at[i].function >= b->functions.n)
			return invalid_row(e, "lines", i, "function out of range");
	for (uint32_t i = 0; !rc && i < b->stacks.n; i++)
		if (!in_pool(b->stacks.at[i], b->stack_locations.n))
			return invalid_row(e, "stacks", i, "locations outside their pool");
	for (uint32_t i = 0; !rc && i < b->stack_locations.n; i++)
		if (b->stack_locations.at[i] >= b->locations.n)
			return invalid_row(e, "stack_locations", i, "location out of range");
	return rc;
}

static int check_profiles(const struct profile_batch *b, struct err *e)
{
	uint32_t samples = 0;
	int rc = 0;

	for (uint32_t i = 0; i < b->resources.n; i++)
		if (!in_pool(b->resources.at[i].attributes, b->keyvalues.n))
			return invalid_row(e, "resources", i, "attributes outside their pool");
	for (uint32_t i = 0; i < b->scopes.n; i++) {
		const struct scope *s = &b->scopes.at[i];

		if (s->resource >= b->resources.n)
			return invalid_row(e, "scopes", i, "resource out of range");
		if (i && s->resource < b->scopes.at[i - 1].resource)
			return invalid_row(e, "scopes", i, "not in the order of resources");
		if (!in_pool(s->attributes, b->keyvalues.n))
			return invalid_row(e, "scopes", i, "attributes outside their pool");
	}
	for (uint32_t i = 0; !rc && i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		if (p->scope >= b->scopes.n)
			return invalid_row(e, "profiles", i, "scope out of range");
		if (i && p->scope < b->profiles.at[i - 1].scope)
			return invalid_row(e, "profiles", i, "not in the order of scopes");
		if (p->sample_type.type >= b->strings.n || p->sample_type.unit >= b->strings.n ||
		    p->period_type.type >= b->strings.n || p->period_type.unit >= b->strings.n)
			return invalid_row(e, "profiles", i, "string out of range");
		if (p->sample_first != samples)
			return invalid_row(e, "profiles", i,
					   "does not begin where the last one ends");
		samples += p->sample_count;
		rc = check_list(b, p->attributes, "profiles", i, e);
	}
	if (!rc && samples != b->sample_count)
		return err_set(e, -EINVAL, "profiles cover %u of %u samples", samples,
			       b->sample_count);
	return rc;
}

static int check_sample(const struct profile_batch *b, uint32_t i, struct err *e)
{
	uint32_t attributes = b->sample_attributes_at[i],
		 attributes_end = b->sample_attributes_at[i + 1];

	if (b->sample_stack[i] >= b->stacks.n)
		return invalid_row(e, "samples", i, "stack out of range");
	if (b->sample_link[i] >= b->links.n)
		return invalid_row(e, "samples", i, "link out of range");
	if (attributes_end < attributes || b->sample_values_at[i + 1] < b->sample_values_at[i] ||
	    b->sample_times_at[i + 1] < b->sample_times_at[i])
		return invalid_row(e, "samples", i, "ends before it begins");
	if (attributes_end > b->sample_attributes.n || b->sample_values_at[i + 1] > b->values.n ||
	    b->sample_times_at[i + 1] > b->times.n)
		return invalid_row(e, "samples", i, "outside its pool");

	uint32_t values = b->sample_values_at[i + 1] - b->sample_values_at[i];
	uint32_t times = b->sample_times_at[i + 1] - b->sample_times_at[i];

	if (values && values != times && !(values == 1 && !times))
		return invalid_row(e, "samples", i, "number of values and times differ");
	return check_attributes(b, b->sample_attributes.at + attributes,
				attributes_end - attributes, "samples", i, e);
}

static int check_samples(const struct profile_batch *b, struct err *e)
{
	int rc = 0;

	if (b->sample_attributes_at[0] || b->sample_values_at[0] || b->sample_times_at[0])
		return err_set(e, -EINVAL, "a sample column does not begin at 0");
	for (uint32_t i = 0; !rc && i < b->sample_count; i++)
		rc = check_sample(b, i, e);
	if (!rc && (b->sample_attributes_at[b->sample_count] != b->sample_attributes.n ||
		    b->sample_values_at[b->sample_count] != b->values.n ||
		    b->sample_times_at[b->sample_count] != b->times.n))
		return err_set(e, -EINVAL, "a sample column does not end at the end of its pool");
	return rc;
}

int profile_batch_check(const struct profile_batch *b, struct err *e)
{
	int rc = check_first_rows(b, e);

	if (!rc)
		rc = check_frames(b, e);
	if (!rc)
		rc = check_profiles(b, e);
	if (!rc)
		rc = check_samples(b, e);
	return rc;
}
