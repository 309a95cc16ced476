/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of the file, which hold one value of each type, from samples of the batch.
 *
 * Profiles that come from one pprof, or were merged from several, are consecutive in a scope and
 * have the same samples in the same order (a run): they are joined by position. If there are
 * several runs, samples with equal identity (labels of the resource, stack, link, set of
 * attributes) are found by hash and summed up. Identity is by index: duplicate rows in the batch
 * give separate samples with the same sums.
 */
#include "format/pprof/encode/encode_rows.h"

#include <errno.h>

#include "base/container/hash.h"

static uint32_t attribute_count(const struct profile_batch *b, uint32_t sample)
{
	return b->sample_attributes_at[sample + 1] - b->sample_attributes_at[sample];
}

static const uint32_t *attributes_of(const struct profile_batch *b, uint32_t sample)
{
	return b->sample_attributes.at + b->sample_attributes_at[sample];
}

/* Return whether two profiles have the same samples in the same order. */
static bool are_siblings(const struct profile_batch *b, const struct profile *p,
			 const struct profile *q)
{
	uint32_t one = p->sample_first, two = q->sample_first, n = p->sample_count;

	if (p->scope != q->scope || n != q->sample_count)
		return false;
	if (!n)
		return true;
	if (memcmp(b->sample_stack + one, b->sample_stack + two, n * sizeof(*b->sample_stack)) ||
	    memcmp(b->sample_link + one, b->sample_link + two, n * sizeof(*b->sample_link)))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t count = attribute_count(b, one + i);

		if (count != attribute_count(b, two + i) ||
		    (count && memcmp(attributes_of(b, one + i), attributes_of(b, two + i),
				     count * sizeof(uint32_t))))
			return false;
	}
	return true;
}

/* Return the end of the run of siblings with distinct types that begins at `first`. */
static uint32_t run_end(const struct pprof_encoder *x, uint32_t first)
{
	const struct profile *p = x->b->profiles.at;
	uint32_t end = first + 1;

	for (; end < x->b->profiles.n; end++) {
		for (uint32_t k = first; k < end; k++)
			if (x->profile_column[k] == x->profile_column[end])
				return end;
		if (!are_siblings(x->b, &p[first], &p[end]))
			break;
	}
	return end;
}

static uint32_t identity_hash(const struct profile_batch *b, uint32_t sample, uint32_t class)
{
	const uint32_t *ids = attributes_of(b, sample);
	uint64_t sum = 0; /* independent of the order of attributes */

	for (uint32_t i = 0; i < attribute_count(b, sample); i++)
		sum += hash_u64(ids[i]);
	return hash_u64(((uint64_t)b->sample_stack[sample] << 32 | b->sample_link[sample]) ^
			(sum * 31 + class));
}

static bool contains_id(const uint32_t *ids, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static bool same_sample_identity(const struct profile_batch *b, uint32_t one, uint32_t two)
{
	uint32_t n = attribute_count(b, one);
	const uint32_t *ids = attributes_of(b, one), *others = attributes_of(b, two);

	if (b->sample_stack[one] != b->sample_stack[two] ||
	    b->sample_link[one] != b->sample_link[two] || n != attribute_count(b, two))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (ids[i] != others[i] && !contains_id(others, n, ids[i]))
			return false;
	return true;
}

static int append_row(struct pprof_encoder *x, struct out_row row)
{
	int rc = vec_reserve(&x->arena, &x->values, x->columns.n);

	if (rc)
		return rc;
	memset(x->values.at + x->values.n, 0, x->columns.n * sizeof(*x->values.at));
	x->values.n += x->columns.n;
	return vec_push(&x->arena, &x->rows, row);
}

/* Find or add the row of a sample. If `index` is NULL, every sample gets its own row. */
static int find_or_add_row(struct pprof_encoder *x, struct idset *index, struct out_row row,
			   uint32_t *out)
{
	uint32_t hash = 0;
	int rc;

	if (index) {
		struct idset_cursor c;

		hash = identity_hash(x->b, row.sample, row.resource);
		c = idset_seek(index, hash);
		while (idset_next(index, &c, out))
			if (x->rows.at[*out].resource == row.resource &&
			    same_sample_identity(x->b, x->rows.at[*out].sample, row.sample))
				return 0;
	}
	*out = x->rows.n;
	rc = append_row(x, row);
	return rc || !index ? rc : idset_add(index, hash, *out);
}

static int add_run(struct pprof_encoder *x, struct idset *index, uint32_t first, uint32_t end)
{
	const struct profile *p = x->b->profiles.at;
	uint32_t resource = x->resource_class[x->b->scopes.at[p[first].scope].resource];
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p[first].sample_count; i++) {
		uint32_t row;

		rc = find_or_add_row(x, index,
				     (struct out_row){p[first].sample_first + i, resource}, &row);
		if (rc)
			break;

		int64_t *values = x->values.at + (size_t)row * x->columns.n;

		for (uint32_t k = first; k < end; k++) {
			int64_t *v = &values[x->profile_column[k]];
			int64_t more = sample_total(x->b, p[k].sample_first + i);

			*v = (int64_t)((uint64_t)*v + (uint64_t)more);
		}
	}
	return rc;
}

int pprof_plan_rows(struct pprof_encoder *x)
{
	uint32_t count = x->b->profiles.n;
	bool one_run = count && run_end(x, 0) == count;
	struct idset index;
	int rc = one_run ? 0 : idset_init(&index, &x->arena, 0);

	for (uint32_t first = 0, end; !rc && first < count; first = end) {
		end = one_run ? count : run_end(x, first);
		rc = add_run(x, one_run ? NULL : &index, first, end);
	}
	return rc;
}
