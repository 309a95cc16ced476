/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof encoder: round trips, and batches that pprof cannot represent directly. */
#include "format/otlp/otlp.h"
#include "format/pprof/pprof_make.h"
#include "format/pprof/pprof_support.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_rows.h"
#include "signal/sample_profile.h"

/* A decoded batch, and the bytes that it borrows. */
struct decoded {
	struct profile_batch b;
	struct buf bytes;
};

static void decode_bytes(struct decoded *d)
{
	struct err e = {0};

	assert_ok(profile_batch_init(&d->b, NULL));
	assert_ok_err(pprof_decode(&d->b, buf_str(&d->bytes), &(struct decode_options){0}, &e), &e);
	assert_ok_err(profile_batch_check(&d->b, &e), &e);
}

static void free_decoded(struct decoded *d)
{
	profile_batch_fini(&d->b);
	buf_fini(&d->bytes);
}

static void encode_and_decode(const struct profile_batch *b, struct decoded *out)
{
	struct err e = {0};

	*out = (struct decoded){0};
	assert_ok_err(pprof_encode_raw(&out->bytes, b, &(struct encode_options){0}, &e), &e);
	decode_bytes(out);
}

static const struct value *profile_text(const struct profile_batch *b, uint32_t profile,
					struct str key)
{
	struct list l = b->profiles.at[profile].attributes;
	const struct attribute *a =
		profile_find_attribute(b, b->attribute_refs.at + l.at, l.n, key);

	return a ? &a->value : NULL;
}

static void assert_same_header(const struct profile_batch *a, const struct profile_batch *b)
{
	const struct str keys[] = {PPROF_ATTR_COMMENT, PPROF_ATTR_DOC_URL, PPROF_ATTR_DROP_FRAMES,
				   PPROF_ATTR_KEEP_FRAMES};

	assert_int_equal(a->profiles.n, b->profiles.n);
	for (uint32_t p = 0; p < a->profiles.n; p++) {
		const struct profile *one = &a->profiles.at[p], *two = &b->profiles.at[p];

		assert_int_equal(one->time_unix_nano, two->time_unix_nano);
		assert_int_equal(one->duration_nano, two->duration_nano);
		assert_int_equal(one->period, two->period);
		assert_str_equal(string_of(a, one->period_type.type),
				 string_of(b, two->period_type.type));
		assert_str_equal(string_of(a, one->period_type.unit),
				 string_of(b, two->period_type.unit));
		for (size_t k = 0; k < countof(keys); k++) {
			const struct value *v = profile_text(a, p, keys[k]),
					   *w = profile_text(b, p, keys[k]);

			assert_true(v ? w && value_eq(v, w) : !w);
		}
	}

	const struct value *v = profile_find_keyvalue(a, a->scopes.at[0].attributes,
						      PPROF_ATTR_DEFAULT_SAMPLE_TYPE),
			   *w = profile_find_keyvalue(b, b->scopes.at[0].attributes,
						      PPROF_ATTR_DEFAULT_SAMPLE_TYPE);

	assert_true(v ? w && value_eq(v, w) : !w);
}

static void assert_same_profile(const char *name, const struct profile_batch *a,
				const struct profile_batch *b)
{
	struct dump one = dump_batch(a), two = dump_batch(b);

	assert_dumps_equal(name, &two, &one);
	assert_int_equal(a->sample_count, b->sample_count);
	assert_same_header(a, b);
	dump_free(&one);
	dump_free(&two);
}

static void all_fields_of_pprof_round_trip(void **state)
{
	struct decoded in = {0}, out;

	(void)state;
	make_profile(&in.bytes);
	decode_bytes(&in);
	encode_and_decode(&in.b, &out);
	assert_same_profile("made", &in.b, &out.b);

	/* the label without a value, which dumps omit */
	uint32_t at = out.b.sample_attributes_at[0];
	const struct attribute *bare =
		profile_find_attribute(&out.b, out.b.sample_attributes.at + at,
				       out.b.sample_attributes_at[1] - at, STR("bare"));

	assert_non_null(bare);
	assert_int_equal(bare->value.kind, VALUE_EMPTY);
	free_decoded(&in);
	free_decoded(&out);
}

/* Merging, filtering and encoding to OTLP normalize a batch. */
static void all_fields_round_trip_through_a_normalized_batch(void **state)
{
	struct decoded in = {0}, out;
	struct profile_batch normal;

	(void)state;
	make_profile(&in.bytes);
	decode_bytes(&in);
	assert_ok(profile_batch_init(&normal, NULL));
	assert_ok(profile_normalize(&normal, &in.b));
	encode_and_decode(&normal, &out);
	assert_same_profile("normalized", &in.b, &out.b);
	profile_batch_fini(&normal);
	free_decoded(&in);
	free_decoded(&out);
}

/* Return false if the file does not exist. */
static bool decode_fixture(const char *name, struct decoded *in)
{
	char *path = fixture_path(name);
	struct arena a;

	*in = (struct decoded){0};
	if (!path)
		return false;
	arena_init(&a, NULL);
	buf_put_str(&in->bytes, read_plain(&a, path));
	arena_fini(&a);
	free(path);
	decode_bytes(in);
	return true;
}

static void fixtures_round_trip(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < countof(pprof_fixtures); i++) {
		struct decoded in, out;

		if (!decode_fixture(pprof_fixtures[i], &in))
			continue;
		encode_and_decode(&in.b, &out);
		assert_same_profile(pprof_fixtures[i], &in.b, &out.b);
		free_decoded(&in);
		free_decoded(&out);
		seen++;
	}
	if (!seen) {
		print_message("no fixtures\n");
		skip();
	}
}

/* Convert pprof -> batch -> OTLP bytes -> batch -> pprof bytes -> batch, and compare. */
static void assert_round_trip(const char *name, const struct format *f, const struct decoded *in)
{
	struct profile_batch middle;
	struct decoded out;
	struct buf bytes = {0};
	struct err e = {0};

	assert_ok_err(f->encode(&bytes, &in->b, &(struct encode_options){0}, &e), &e);
	assert_ok(profile_batch_init(&middle, NULL));
	assert_ok_err(f->decode(&middle, buf_str(&bytes), &(struct decode_options){0}, &e), &e);
	encode_and_decode(&middle, &out);
	assert_same_profile(name, &in->b, &out.b);
	free_decoded(&out);
	profile_batch_fini(&middle);
	buf_fini(&bytes);
}

static void all_fields_round_trip_through_otlp(void **state)
{
	const struct format *const ways[] = {&format_otlp, &format_otlp_json};
	struct decoded in = {0};

	(void)state;
	make_profile(&in.bytes);
	decode_bytes(&in);
	for (size_t k = 0; k < countof(ways); k++)
		assert_round_trip("made by hand", ways[k], &in);
	free_decoded(&in);
	for (size_t i = 0; i < countof(pprof_fixtures); i++) {
		if (!decode_fixture(pprof_fixtures[i], &in))
			continue;
		for (size_t k = 0; k < countof(ways); k++)
			assert_round_trip(pprof_fixtures[i], ways[k], &in);
		free_decoded(&in);
	}
}

static void encoding_is_deterministic(void **state)
{
	struct decoded in = {0}, once, twice;

	(void)state;
	make_profile(&in.bytes);
	decode_bytes(&in);
	encode_and_decode(&in.b, &once);
	encode_and_decode(&in.b, &twice);
	assert_str_equal(buf_str(&once.bytes), buf_str(&twice.bytes));
	free_decoded(&twice);
	encode_and_decode(&once.b, &twice); /* encoding again changes nothing */
	assert_str_equal(buf_str(&once.bytes), buf_str(&twice.bytes));
	free_decoded(&in);
	free_decoded(&once);
	free_decoded(&twice);
}

static void output_is_gzip_by_default(void **state)
{
	struct decoded in = {0}, raw;
	struct buf out = {0};
	struct err e = {0};
	struct str plain;

	(void)state;
	make_profile(&in.bytes);
	decode_bytes(&in);
	encode_and_decode(&in.b, &raw);
	assert_ok_err(format_pprof.encode(&out, &in.b, &(struct encode_options){0}, &e), &e);
	assert_ok_err(decompress_bytes(COMPRESS_GZIP, buf_str(&out), &in.b.arena, NULL, &plain, &e),
		      &e);
	assert_str_equal(plain, buf_str(&raw.bytes));
	buf_fini(&out);
	free_decoded(&in);
	free_decoded(&raw);
}

/* Two profiles of one scope with samples in different order. */
static void build_crossed(struct profile_builder *x, uint32_t *stacks)
{
	struct profile row = {0};
	uint32_t frames[2];

	for (int i = 0; i < 2; i++) {
		assert_ok(profile_add_frame(x, i ? STR("b") : STR("a"), STR(""), 0, &frames[i]));
		assert_ok(profile_add_stack(x, &frames[i], 1, &stacks[i]));
	}
	assert_ok(profile_add_resource(x, NULL, 0));
	assert_ok(profile_add_scope(x, STR(""), STR(""), NULL, 0));
	assert_ok(profile_add_string(x, STR("one"), &row.sample_type.type));
	assert_ok(profile_add_profile(x, &row, NULL, 0));
	assert_ok(profile_add_sample(x, stacks[0], 0, NULL, 0, 1));
	assert_ok(profile_add_sample(x, stacks[1], 0, NULL, 0, 2));
	assert_ok(profile_add_string(x, STR("two"), &row.sample_type.type));
	assert_ok(profile_add_profile(x, &row, NULL, 0));
	assert_ok(profile_add_sample(x, stacks[1], 0, NULL, 0, 20));
	assert_ok(profile_add_sample(x, stacks[0], 0, NULL, 0, 10));
	assert_ok(profile_add_sample(x, 0, 0, NULL, 0, 30));
}

static void samples_of_profiles_are_joined_by_stack_and_labels(void **state)
{
	struct profile_batch b;
	struct profile_builder x;
	struct decoded out;
	uint32_t stacks[2];

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&x, &b));
	build_crossed(&x, stacks);
	encode_and_decode(&b, &out);
	assert_int_equal(out.b.profiles.n, 2);
	assert_int_equal(out.b.sample_count, 6); /* three samples of two values */
	assert_int_equal(sample_total(&out.b, 0), 1);
	assert_int_equal(sample_total(&out.b, 3), 10);
	assert_int_equal(sample_total(&out.b, 1), 2);
	assert_int_equal(sample_total(&out.b, 4), 20);
	assert_int_equal(sample_total(&out.b, 2), 0);
	assert_int_equal(sample_total(&out.b, 5), 30);
	free_decoded(&out);
	profile_batch_fini(&b);
}

static struct str label_of(const struct profile_batch *b, uint32_t sample, const char *key)
{
	uint32_t at = b->sample_attributes_at[sample];
	const struct attribute *a =
		profile_find_attribute(b, b->sample_attributes.at + at,
				       b->sample_attributes_at[sample + 1] - at, str_from(key));

	return a ? a->value.s : (struct str){0};
}

static void differing_resources_become_labels_and_the_rest_comments(void **state)
{
	struct profile_batch b;
	struct profile_builder x;
	struct decoded out;
	struct list_item item;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&x, &b));
	for (int i = 0; i < 2; i++) {
		struct keyvalue pairs[] = {
			{STR("service.name"), VALUE_OF_STR(i ? STR("shop") : STR("bank"))},
			{STR("host.name"), VALUE_OF_STR(STR("h1"))},
		};
		uint32_t frame, stack;

		assert_ok(profile_add_resource(&x, pairs, 2));
		assert_ok(profile_add_scope(&x, STR("lib"), STR(""), NULL, 0));
		assert_ok(profile_add_profile(&x, &(struct profile){.period = 1}, NULL, 0));
		assert_ok(profile_add_frame(&x, STR("f"), STR(""), 0, &frame));
		assert_ok(profile_add_stack(&x, &frame, 1, &stack));
		assert_ok(profile_add_sample(&x, stack, 0, NULL, 0, 5));
	}
	encode_and_decode(&b, &out);
	assert_int_equal(out.b.sample_count, 2);
	assert_str_equal(label_of(&out.b, 0, "service.name"), STR("bank"));
	assert_str_equal(label_of(&out.b, 1, "service.name"), STR("shop"));
	assert_int_equal(label_of(&out.b, 0, "host.name").n, 0);

	struct proto_reader r = list_value_reader(profile_text(&out.b, 0, PPROF_ATTR_COMMENT));

	assert_true(list_value_next(&r, &item));
	assert_str_equal(item.value.s, STR("otel.scope.name=lib"));
	assert_true(list_value_next(&r, &item));
	assert_str_equal(item.value.s, STR("host.name=h1"));
	assert_false(list_value_next(&r, &item));
	free_decoded(&out);
	profile_batch_fini(&b);
}

static void values_of_all_kinds_become_labels(void **state)
{
	struct profile_batch b;
	struct profile_builder x;
	struct decoded out;
	uint32_t ids[5];

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&x, &b));
	assert_ok(profile_begin(&x, STR("n"), STR("count")));
	assert_ok(profile_add_attribute(&x, STR("yes"), VALUE_OF_BOOL(true), STR(""), &ids[0]));
	assert_ok(profile_add_attribute(
		&x, STR("half"), (struct value){.kind = VALUE_DOUBLE, .d = 0.5}, STR(""), &ids[1]));
	assert_ok(profile_add_attribute(&x, STR("raw"),
					(struct value){.kind = VALUE_BYTES, .s = STR("\x01\xff")},
					STR(""), &ids[2]));
	assert_ok(profile_add_attribute(&x, STR("zero"), VALUE_OF_INT(0), STR(""), &ids[3]));
	/* {"k": [1, "s"]} */
	assert_ok(profile_add_attribute(
		&x, STR("map"),
		(struct value){.kind = VALUE_MAP,
			       .s = STR("\x32\x12\x0a\x10\x0a\x01k\x12\x0b\x2a\x09\x0a\x02\x18\x01"
					"\x0a\x03\x0a\x01s")},
		STR(""), &ids[4]));
	assert_ok(profile_add_sample(&x, 0, 0, ids, 5, 1));
	encode_and_decode(&b, &out);
	assert_str_equal(label_of(&out.b, 0, "yes"), STR("true"));
	assert_str_equal(label_of(&out.b, 0, "half"), STR("0.5"));
	assert_str_equal(label_of(&out.b, 0, "raw"), STR("01ff"));
	assert_str_equal(label_of(&out.b, 0, "zero"), STR("0"));
	assert_str_equal(label_of(&out.b, 0, "map"), STR("{\"k\":[1,\"s\"]}"));
	free_decoded(&out);
	profile_batch_fini(&b);
}

static void values_at_several_times_are_summed_and_links_become_labels(void **state)
{
	struct profile_batch b;
	struct profile_builder x;
	struct decoded out;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&x, &b));
	assert_ok(build_sample_profile(&x));
	for (uint64_t t = 1; t <= 3; t++)
		assert_ok(vec_push(&b.arena, &b.times, t));
	assert_ok(profile_sample_end(&b, 0, 0));
	encode_and_decode(&b, &out);
	assert_int_equal(out.b.sample_count, 2);
	assert_int_equal(sample_total(&out.b, 0), -5);
	assert_int_equal(sample_total(&out.b, 1), 3);
	assert_int_equal(out.b.times.n, 0);
	assert_int_equal(out.b.links.at[out.b.sample_link[0]].trace_id[0], 1);
	assert_int_equal(out.b.links.at[out.b.sample_link[0]].span_id[0], 2);
	free_decoded(&out);
	profile_batch_fini(&b);
}

static void sample_type_order_of_the_scope_is_restored(void **state)
{
	struct profile_batch b;
	struct profile_builder x;
	struct decoded out;
	struct list_item order[] = {{.value = VALUE_OF_INT(1)}, {.value = VALUE_OF_INT(0)}};
	struct keyvalue pair = {.key = PPROF_ATTR_SAMPLE_TYPE_ORDER};
	struct profile row = {0};

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&x, &b));
	assert_ok(list_value_encode(&b.arena, order, 2, &pair.value));
	assert_ok(profile_add_resource(&x, NULL, 0));
	assert_ok(profile_add_scope(&x, STR(""), STR(""), &pair, 1));
	for (int i = 0; i < 2; i++) {
		assert_ok(profile_add_string(&x, i ? STR("samples") : STR("cpu"),
					     &row.sample_type.type));
		assert_ok(profile_add_profile(&x, &row, NULL, 0));
		assert_ok(profile_add_sample(&x, 0, 0, NULL, 0, i + 1));
	}
	encode_and_decode(&b, &out);
	assert_str_equal(string_of(&out.b, out.b.profiles.at[0].sample_type.type), STR("samples"));
	assert_int_equal(sample_total(&out.b, 0), 2);
	assert_int_equal(sample_total(&out.b, 1), 1);
	free_decoded(&out);
	profile_batch_fini(&b);
}

static void every_allocation_failure_is_an_error(void **state)
{
	struct decoded in = {0};
	bool done = false;

	(void)state;
	make_profile(&in.bytes);
	decode_bytes(&in);
	for (size_t limit = 0; !done; limit += 97) {
		struct budget budget = {.limit = limit};
		struct buf out;
		struct err e = {0};
		int rc;

		buf_init(&out, &budget);
		rc = pprof_encode(&out, &in.b, &(struct encode_options){0}, &e);
		assert_true(rc == 0 || rc == -ENOMEM);
		done = rc == 0;
		buf_fini(&out);
		assert_int_equal(budget.used, 0);
	}
	free_decoded(&in);
}

TEST_MAIN(test(all_fields_of_pprof_round_trip),
	  test(all_fields_round_trip_through_a_normalized_batch), test(fixtures_round_trip),
	  test(all_fields_round_trip_through_otlp), test(encoding_is_deterministic),
	  test(output_is_gzip_by_default), test(samples_of_profiles_are_joined_by_stack_and_labels),
	  test(differing_resources_become_labels_and_the_rest_comments),
	  test(values_of_all_kinds_become_labels),
	  test(values_at_several_times_are_summed_and_links_become_labels),
	  test(sample_type_order_of_the_scope_is_restored),
	  test(every_allocation_failure_is_an_error))
