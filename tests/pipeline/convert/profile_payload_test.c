/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of profiles that are merged and split: all samples stay, with what they refer to. */
#include "pipeline/convert/profile_payload.h"

#include <errno.h>

#include "format/otlp/otlp.h"
#include "signal/random_batch.h"

static struct payload *random_profiles(uint64_t seed)
{
	struct profile_builder builder;
	struct profile_batch b;
	struct payload *p = NULL;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(random_batch(&builder, seed, 3, 60));
	assert_ok(profile_payload_encode(&p, &b, NULL));
	assert_int_equal(p->items, b.sample_count);
	profile_batch_fini(&b);
	return p;
}

/* ---- the samples as text ---- */

static void put_frames(struct buf *out, const struct profile_batch *b, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct location *l = &b->locations.at[locations[i]];

		for (uint32_t k = 0; k < l->lines.n; k++) {
			const struct line *line = &b->lines.at[l->lines.at + k];
			const struct function *f = &b->functions.at[line->function];

			buf_printf(out, "%.*s@%.*s:%lld;", STR_ARG(string_of(b, f->name)),
				   STR_ARG(string_of(b, f->filename)), (long long)line->line);
		}
	}
}

static void put_sample(struct buf *out, const struct profile_batch *b, uint32_t i)
{
	const struct link *link = &b->links.at[b->sample_link[i]];

	put_frames(out, b, b->sample_stack[i]);
	buf_printf(out, " link %u,%u", link->trace_id[0], link->span_id[0]);
	for (uint32_t k = b->sample_attributes_at[i]; k < b->sample_attributes_at[i + 1]; k++) {
		const struct attribute *a = &b->attributes.at[b->sample_attributes.at[k]];

		buf_printf(out, " %.*s=%lld", STR_ARG(string_of(b, a->key)), (long long)a->value.i);
	}
	for (uint32_t k = b->sample_values_at[i]; k < b->sample_values_at[i + 1]; k++)
		buf_printf(out, " %lld", (long long)b->values.at[k]);
	for (uint32_t k = b->sample_times_at[i]; k < b->sample_times_at[i + 1]; k++)
		buf_printf(out, " at %llu", (unsigned long long)b->times.at[k]);
}

/* Append a line for each sample of a payload, in order, with its profile and resource. */
static void put_payload(struct buf *out, const struct payload *p)
{
	struct decode_options options = {0};
	struct profile_batch b;
	struct err e = {0};
	uint32_t samples = 0;

	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(p->slice_count, 1);
	assert_ok_err(otlp_decode(&b, p->slices[0].bytes, &options, &e), &e);
	for (uint32_t i = 0; i < b.profiles.n; i++) {
		const struct profile *row = &b.profiles.at[i];
		const struct resource *r = &b.resources.at[b.scopes.at[row->scope].resource];
		const struct value *service =
			profile_find_keyvalue(&b, r->attributes, STR("service.name"));

		for (uint32_t k = 0; k < row->sample_count; k++, samples++) {
			assert_non_null(service);
			buf_printf(out, "%.*s %.*s ", STR_ARG(service->s),
				   STR_ARG(string_of(&b, row->sample_type.type)));
			put_sample(out, &b, row->sample_first + k);
			buf_put_char(out, '\n');
		}
	}
	assert_int_equal(samples, p->items);
	profile_batch_fini(&b);
}

static void put_all(struct buf *out, struct payload *const *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put_payload(out, parts[i]);
}

static void assert_same_text(struct buf *a, struct buf *b)
{
	if (!str_eq(buf_str(a), buf_str(b)))
		fail_msg("other samples:\n%.*s\nexpected:\n%.*s", STR_ARG(buf_str(a)),
			 STR_ARG(buf_str(b)));
	buf_fini(a);
	buf_fini(b);
}

static int compare_lines(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Sort each run of as many lines as the parts have items: within a part, resources are joined. */
static void sort_by_part(struct buf *text, const struct payload_list *parts)
{
	struct str rest = buf_str(text), lines[2000];
	struct buf sorted = {0};

	for (uint32_t i = 0; i < parts->n; i++) {
		uint32_t n = parts->at[i]->items;

		assert_true(n <= countof(lines));
		for (uint32_t k = 0; k < n; k++)
			assert_true(str_next_line(&rest, &lines[k]));
		qsort(lines, n, sizeof(*lines), compare_lines);
		for (uint32_t k = 0; k < n; k++)
			buf_printf(&sorted, "%.*s\n", STR_ARG(lines[k]));
	}
	assert_int_equal(rest.n, 0);
	buf_fini(text);
	*text = sorted;
}

/* Check that the parts have the samples of the whole, in order. */
static void expect_parts(const struct payload_list *parts, const struct payload *whole)
{
	struct buf found = {0}, expected = {0};

	put_all(&found, parts->at, parts->n);
	put_payload(&expected, whole);
	sort_by_part(&found, parts);
	sort_by_part(&expected, parts);
	assert_same_text(&found, &expected);
}

/* ---- tests ---- */

enum { PARTS = 5 };

static struct payload *merged_profiles(struct payload *parts[PARTS])
{
	struct payload *whole = NULL;
	struct err e = {0};

	for (uint32_t i = 0; i < PARTS; i++)
		parts[i] = random_profiles(i + 1);
	assert_ok_err(payload_parts_merge(&whole, parts, PARTS, NULL, &e), &e);
	return whole;
}

static void release_parts(struct payload *parts[PARTS])
{
	for (uint32_t i = 0; i < PARTS; i++)
		payload_release(parts[i]);
}

static void merging_keeps_all_samples_in_order(void **state)
{
	struct payload *parts[PARTS], *whole = merged_profiles(parts);
	struct buf found = {0}, expected = {0};
	size_t bytes = 0;
	uint32_t items = 0;

	(void)state;
	for (uint32_t i = 0; i < PARTS; i++) {
		items += parts[i]->items;
		bytes += parts[i]->bytes;
	}
	assert_int_equal(whole->items, items);
	assert_true(whole->bytes < bytes); /* the parts have functions in common */
	put_payload(&found, whole);
	put_all(&expected, parts, PARTS);
	assert_same_text(&found, &expected);
	payload_release(whole);
	release_parts(parts);
}

static void splitting_by_items_keeps_all_samples_in_order(void **state)
{
	static const uint64_t limits[] = {1, 2, 7, 60, 100, 499};
	struct payload *parts[PARTS], *whole = merged_profiles(parts);

	(void)state;
	for (size_t i = 0; i < countof(limits); i++) {
		struct payload_list list = {0};
		struct err e = {0};

		assert_ok_err(payload_parts_split(&list, whole, limits[i], 0, NULL, &e), &e);
		assert_int_equal(list.n, (whole->items + limits[i] - 1) / limits[i]);
		for (uint32_t k = 0; k + 1 < list.n; k++)
			assert_int_equal(list.at[k]->items, limits[i]);
		expect_parts(&list, whole);
		payload_list_free(&list);
	}
	payload_release(whole);
	release_parts(parts);
}

static void splitting_by_bytes_keeps_the_limit(void **state)
{
	struct payload *parts[PARTS], *whole = merged_profiles(parts);
	struct payload_list list = {0};
	struct err e = {0};

	(void)state;
	assert_ok_err(payload_parts_split(&list, whole, 0, 8000, NULL, &e), &e);
	assert_true(list.n > 2 && list.n < 2 * whole->bytes / 8000 + 10);
	for (uint32_t i = 0; i < list.n; i++)
		assert_true(list.at[i]->bytes <= 8000);
	expect_parts(&list, whole);
	payload_list_free(&list);

	/* nothing fits: it is not cut */
	assert_ok_err(payload_parts_split(&list, whole, 0, 50, NULL, &e), &e);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.at[0]->items, whole->items);
	payload_list_free(&list);
	payload_release(whole);
	release_parts(parts);
}

static void damage_and_lack_of_memory_are_errors(void **state)
{
	struct payload *parts[PARTS], *whole = merged_profiles(parts), *out = NULL;
	struct budget budget = {0};
	struct payload_list list = {0};
	struct err e = {0};

	(void)state;
	for (; budget.limit < 4000000; budget.limit = budget.limit * 5 / 4 + 1000) {
		int rc = payload_parts_merge(&out, parts, PARTS, &budget, NULL);

		assert_true(!rc || rc == -ENOMEM);
		payload_release(take_ptr(&out));
		rc = payload_parts_split(&list, whole, 20, 0, &budget, NULL);
		assert_true(!rc || rc == -ENOMEM);
		payload_list_free(&list);
		assert_int_equal(budget.used, 0);
	}
	payload_release(parts[PARTS - 1]);
	parts[PARTS - 1] = payload_copy(SIGNAL_PROFILES, 9, STR("\x0a\x7fxx"), NULL);
	assert_int_equal(payload_parts_merge(&out, parts, PARTS, NULL, &e), -EBADMSG);
	assert_err_says(&e, "at byte");
	assert_int_equal(payload_parts_split(&list, parts[PARTS - 1], 1, 0, NULL, &e), -EBADMSG);
	payload_list_free(&list);
	payload_release(whole);
	release_parts(parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(merging_keeps_all_samples_in_order),
		test(splitting_by_items_keeps_all_samples_in_order),
		test(splitting_by_bytes_keeps_the_limit),
		test(damage_and_lack_of_memory_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
