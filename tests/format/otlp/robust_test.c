/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid input, lack of memory, many samples: no crash, no leak, no allocation per sample. */
#include "format/otlp/otlp_support.h"

#include "signal/random_batch.h"

static void ignore(void *arg, enum otlp_check_level level, const char *path, const char *text)
{
	(void)arg;
	(void)level;
	(void)path;
	(void)text;
}

/* Decode any input. A decoded batch holds the invariants and can be encoded as a valid message. */
static bool decode_any(const struct format *f, struct str in)
{
	struct budget budget = {.limit = 64 * MIB};
	struct profile_batch b;
	struct buf out;
	struct err e = {0};
	int rc;

	buf_init(&out, &budget);
	assert_ok(profile_batch_init(&b, &budget));
	rc = f->decode(&b, in, NULL, &e);
	if (rc) {
		assert_true(e.text[0]);
	} else {
		assert_ok_err(profile_batch_check(&b, &e), &e);
		assert_ok_err(f->encode(&out, &b, NULL, &e), &e);
		if (b.profiles.n)
			assert_int_equal(otlp_check(buf_str(&out), OTLP_CHECK_ALL, &budget, ignore,
						    NULL, &e),
					 0);
	}
	(void)!otlp_check(in, OTLP_CHECK_ALL, &budget, ignore, NULL, NULL);
	profile_batch_fini(&b);
	buf_fini(&out);
	assert_int_equal(budget.used, 0);
	return rc == 0;
}

static void truncate_everywhere(const struct format *f, struct str in)
{
	for (size_t n = 0; n <= in.n; n++) {
		char *copy = malloc(n ? n : 1); /* exact size: a sanitizer detects overreads */

		memcpy(copy, in.p, n);
		decode_any(f, str_of(copy, n));
		free(copy);
	}
}

static void mutate(const struct format *f, struct str in, unsigned count)
{
	uint64_t seed = 42;
	char *copy = malloc(in.n);

	for (unsigned i = 0; i < count; i++) {
		memcpy(copy, in.p, in.n);
		for (uint32_t k = 1 + test_random(&seed, 4); k > 0; k--)
			copy[test_random(&seed, (uint32_t)in.n)] = (char)test_random(&seed, 256);
		decode_any(f, str_of(copy, in.n));
	}
	free(copy);
}

static void make(struct buf *proto, struct buf *json)
{
	otlp_text(proto, OTLP_TEXT_EVERYTHING);
	otlp_convert(json, &format_otlp, buf_str(proto), &format_otlp_json);
}

static void truncation_at_every_byte_is_safe(void **state)
{
	struct buf proto = {0}, json = {0};

	(void)state;
	make(&proto, &json);
	truncate_everywhere(&format_otlp, buf_str(&proto));
	truncate_everywhere(&format_otlp_json, buf_str(&json));
	buf_fini(&proto);
	buf_fini(&json);
}

static void ten_thousand_mutants_are_safe(void **state)
{
	struct buf proto = {0}, json = {0};

	(void)state;
	make(&proto, &json);
	mutate(&format_otlp, buf_str(&proto), 10000);
	mutate(&format_otlp_json, buf_str(&json), 10000);
	buf_fini(&proto);
	buf_fini(&json);
}

static void mutants_of_the_real_file_are_safe(void **state)
{
	struct buf in = {0};

	(void)state;
	if (!otlp_read_fixture(&in, "otlp/profile-1.9.otlp"))
		skip();
	mutate(&format_otlp, buf_str(&in), 2000);
	buf_fini(&in);
}

/* A truncated list of comment indices (layout 1.8): its partial contents must not be used. */
static void a_truncated_list_of_comments_is_rejected(void **state)
{
	static const char message[] =
		"\x0a\x4a\x12\x48\x12\x46\x0a\x06\x08\x01\x10\x01\x18\x01\x0a\x06\x08\x02\x10\x02"
		"\x18\x02\x12\x0d\x08\x00\x10\x02\x1a\x02\x0a\x14\x22\x01\x00\x28\x3b\x12\x0c\x08"
		"\x01\x10\x01\x1a\x02\x01\x02\x32\x02\xe9\x07\x1a\x02\x00\x01\x20\xe8\x07\x28\xf4"
		"\x03\x32\x02\x08\x01\x38\x80\x04\x42\x01\xce\x48\x01\x72\x01\x00\x12\x58\x0a\x08"
		"\x08\x01\x10\x02\x20\x01\x30\x01\x12\x0c\x08\x00\x10\x10\x1a\x04\x08\x00\x10\x07"
		"\x20\x01\x12\x05\x10\x20\x2a\x01\x00\x1a\x02\x08\x01\x22\x1c\x0a\x10\x00\x01\x0a"
		"\x00\x00\x00\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x12\x08\x00\x01\x02\x03\x04"
		"\x05\x06\x03\x2a\x00\x2a\x01\x61\x2a\x01\x62\x32\x07\x0a\x01\x61\x12\x02\x18\x2a"
		"\x3a\x04\x08\x01\x10\x02";

	(void)state;
	assert_false(decode_any(&format_otlp, str_of(message, sizeof(message) - 1)));
}

/* Each allocation of the decoder fails once. */
static void failing_allocations_are_errors(void **state)
{
	const struct format *const both[] = {&format_otlp, &format_otlp_json};
	struct buf in[2] = {{0}, {0}};

	(void)state;
	make(&in[0], &in[1]);
	for (size_t i = 0; i < countof(both); i++) {
		bool done = false;

		for (unsigned nth = 1; !done; nth++) {
			struct budget budget = {.limit = SIZE_MAX};
			struct profile_batch b;
			struct err e = {0};
			int rc;

			assert_ok(profile_batch_init(&b, &budget));
			b.arena.fail_after = nth;
			rc = both[i]->decode(&b, buf_str(&in[i]), NULL, &e);
			done = rc == 0;
			if (rc) {
				assert_int_equal(rc, -ENOMEM);
				assert_true(e.text[0]);
			}
			profile_batch_fini(&b);
			assert_int_equal(budget.used, 0);
			assert_true(nth < 1000);
		}
	}
	buf_fini(&in[0]);
	buf_fini(&in[1]);
}

/* The same through the budget, which is also charged by encoder and checker. */
static void a_small_budget_is_an_error(void **state)
{
	struct buf proto = {0}, json = {0};

	(void)state;
	make(&proto, &json);
	for (size_t limit = 0; limit < 128 * KIB; limit += 509) {
		struct budget budget = {.limit = limit};
		struct profile_batch b;
		struct buf out;
		struct err e = {0};
		int rc;

		buf_init(&out, &budget);
		rc = profile_batch_init(&b, &budget);
		if (!rc)
			rc = format_otlp_json.decode(&b, buf_str(&json), NULL, &e);
		if (!rc)
			rc = format_otlp_json.encode(&out, &b, NULL, &e);
		assert_true(rc == 0 || rc == -ENOMEM);
		(void)!otlp_check(buf_str(&proto), OTLP_CHECK_ALL, &budget, ignore, NULL, NULL);
		buf_fini(&out);
		profile_batch_fini(&b);
		assert_int_equal(budget.used, 0);
	}
	buf_fini(&proto);
	buf_fini(&json);
}

/* Huge lengths and counts in a short message must not allocate. */
static void a_short_message_cannot_allocate_much_memory(void **state)
{
	struct budget budget = {.limit = SIZE_MAX};
	struct profile_batch b;
	struct err e = {0};
	struct str lie = STR("\x12\xff\xff\xff\xff\x0f\x0a\xff\xff\xff\xff\x0f\x0a\x7f");

	(void)state;
	assert_ok(profile_batch_init(&b, &budget));
	assert_int_equal(otlp_decode(&b, lie, NULL, &e), -EBADMSG);
	assert_true(budget.peak < MIB);
	profile_batch_fini(&b);
}

static void make_samples(struct buf *out, unsigned count)
{
	struct buf samples = {0}, profile = {0}, scope = {0}, resource = {0};

	otlp_text(out,
		  "2{ 1{} 2{} 2{ 2:7 } 3{} 4{} 5\"\" 5\"thread\" 5\"cpu\" 6{} 6{ 1:1 2{ 3:4 } }"
		  " 6{ 1:2 2{ 3:1 } } 7{} 7{ 1[1] } }");
	for (unsigned i = 0; i < count; i++)
		otlp_text(&samples, i % 2 ? "2{ 1:1 2[1 2] 4[5] 5<1000> }"
					  : "2{ 1:1 2[2 1] 4[900 700] 5<1000 1001> }");
	buf_put_str(&profile, buf_str(&samples));
	otlp_text(&profile, "3@1000 4:100");
#define WRAP(outer, field, inner)                                                                  \
	otlp_text_varint(outer, PROTO_TAG(field, PROTO_BYTES));                                    \
	otlp_text_varint(outer, (inner)->n);                                                       \
	buf_put_str(outer, buf_str(inner))
	WRAP(&scope, 2, &profile);
	WRAP(&resource, 2, &scope);
	WRAP(out, 1, &resource);
#undef WRAP
	buf_fini(&samples);
	buf_fini(&profile);
	buf_fini(&scope);
	buf_fini(&resource);
}

/* The linker redirects malloc and realloc to these (--wrap in meson.build). */
static unsigned malloc_calls;
void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	malloc_calls++;
	return __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
	malloc_calls++;
	return __real_realloc(p, size);
}

static size_t decode_mallocs(struct profile_batch *b, struct str in, unsigned samples)
{
	unsigned before = malloc_calls;
	struct err e = {0};

	assert_ok_err(otlp_decode(b, in, NULL, &e), &e);
	before = malloc_calls - before;
	assert_int_equal(b->sample_count, samples);
	return before;
}

static void allocations_do_not_grow_with_samples(void **state)
{
	static const unsigned counts[] = {1000, 100000};
	size_t fresh[2];

	(void)state;
	for (size_t i = 0; i < countof(counts); i++) {
		struct profile_batch b;
		struct buf in = {0};

		make_samples(&in, counts[i]);
		assert_ok(profile_batch_init(&b, NULL));
		fresh[i] = decode_mallocs(&b, buf_str(&in), counts[i]);
		for (int warm = 0; warm < 3; warm++) {
			size_t calls;

			assert_ok(profile_batch_reset(&b));
			calls = decode_mallocs(&b, buf_str(&in), counts[i]);
			if (warm)
				assert_int_equal(calls, 0);
		}
		profile_batch_fini(&b);
		buf_fini(&in);
	}
	assert_true(fresh[0] > 0); /* the counter works */
	assert_true(fresh[0] <= 16);
	assert_true(fresh[1] <= 32);
}

TEST_MAIN(test(truncation_at_every_byte_is_safe), test(ten_thousand_mutants_are_safe),
	  test(mutants_of_the_real_file_are_safe), test(a_truncated_list_of_comments_is_rejected),
	  test(failing_allocations_are_errors), test(a_small_budget_is_an_error),
	  test(a_short_message_cannot_allocate_much_memory),
	  test(allocations_do_not_grow_with_samples))
