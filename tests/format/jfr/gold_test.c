/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real recordings, compared with the pprof files that Pyroscope makes of them: for each golden file
 * RECORDING.jfr.gz.TYPE.LABELHASH.pb.gz the same stacks of function names with the same sums.
 */
#include <glob.h>
#include <unistd.h>
#include <xxhash.h>

#include "format/decode_helper.h"
#include "format/jfr/jfr.h"
#include "format/pprof/pprof_support.h"

/* A stack as text and its sum. */
struct total {
	char *stack;
	int64_t sum;
};

struct totals {
	struct total *at;
	size_t n;
};

static int by_stack(const void *a, const void *b)
{
	return strcmp(((const struct total *)a)->stack, ((const struct total *)b)->stack);
}

static char *stack_text(const struct profile_batch *b, uint32_t stack)
{
	struct buf text = {0};
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	while (n--) {
		const struct location *l = &b->locations.at[locations[n]];

		for (uint32_t i = l->lines.n; i--;) {
			uint32_t function = b->lines.at[l->lines.at + i].function;

			buf_put_str(&text, string_of(b, b->functions.at[function].name));
			buf_put_char(&text, ';');
		}
	}
	buf_put_char(&text, '\0');
	assert_ok(buf_error(&text));
	return text.p;
}

static bool has_label(const struct profile_batch *b, uint32_t sample, uint64_t hash)
{
	uint32_t at = b->sample_attributes_at[sample];
	const struct attribute *a = profile_find_attribute(b, b->sample_attributes.at + at,
							   b->sample_attributes_at[sample + 1] - at,
							   STR("thread_name"));
	char text[256];

	if (hash == XXH64("", 0, 0)) /* no labels: all samples */
		return true;
	if (!a)
		return false;
	snprintf(text, sizeof(text), "thread_name\xff%.*s\xff", STR_ARG(a->value.s));
	return XXH64(text, strlen(text), 0) == hash;
}

/* Return the sums by stack of the samples whose labels have this hash. */
static struct totals totals_of(const struct profile_batch *b, const struct profile *p,
			       uint64_t hash)
{
	struct totals t = {.at = calloc(p->sample_count + 1, sizeof(*t.at))};
	size_t merged = 0;

	for (uint32_t i = p->sample_first; i < p->sample_first + p->sample_count; i++)
		if (has_label(b, i, hash))
			t.at[t.n++] = (struct total){stack_text(b, b->sample_stack[i]),
						     sample_total(b, i)};
	qsort(t.at, t.n, sizeof(*t.at), by_stack);
	for (size_t i = 0; i < t.n; i++) {
		if (merged && strcmp(t.at[merged - 1].stack, t.at[i].stack) == 0) {
			t.at[merged - 1].sum += t.at[i].sum;
			free(t.at[i].stack);
		} else {
			t.at[merged++] = t.at[i];
		}
	}
	t.n = merged;
	return t;
}

static void totals_fini(struct totals *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->at[i].stack);
	free(t->at);
}

static const struct profile *same_type(const struct profile_batch *b,
				       const struct profile_batch *gold)
{
	const struct profile *g = &gold->profiles.at[0];

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		if (str_eq(string_of(b, p->sample_type.type),
			   string_of(gold, g->sample_type.type)) &&
		    str_eq(string_of(b, p->sample_type.unit),
			   string_of(gold, g->sample_type.unit)) &&
		    str_eq(string_of(b, p->period_type.type), string_of(gold, g->period_type.type)))
			return p;
	}
	fail_msg("the recording has no such profile");
	return NULL;
}

/* Return the number between the last dots before "pb.gz". */
static uint64_t label_hash(const char *path)
{
	const char *end = strstr(path, ".pb.gz"), *at = end;

	while (at > path && at[-1] != '.')
		at--;
	return strtoull(at, NULL, 10);
}

static void compare_gold(struct arena *a, const struct profile_batch *b, const char *path)
{
	struct profile_batch gold;
	struct err e = {0};

	assert_ok(profile_batch_init(&gold, NULL));
	assert_ok_err(decode_as(&gold, NULL, read_whole(a, path), &e), &e);
	assert_int_equal(gold.profiles.n, 1);

	struct totals expected = totals_of(&gold, &gold.profiles.at[0], XXH64("", 0, 0));
	struct totals found = totals_of(b, same_type(b, &gold), label_hash(path));

	assert_true(expected.n > 0);
	assert_int_equal(found.n, expected.n);
	for (size_t i = 0; i < found.n; i++) {
		assert_string_equal(found.at[i].stack, expected.at[i].stack);
		assert_int_equal(found.at[i].sum, expected.at[i].sum);
	}
	totals_fini(&found);
	totals_fini(&expected);
	profile_batch_fini(&gold);
}

static unsigned compare_recording(struct arena *a, const char *path)
{
	char pattern[4096], labels[4096];
	struct decode_options o = {0};
	struct profile_batch b;
	struct err e = {0};
	glob_t golds;

	snprintf(labels, sizeof(labels), "%.*s.labels.pb.gz", (int)(strlen(path) - 7), path);
	if (access(labels, R_OK) == 0)
		o.labels = read_whole(a, labels);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(format_decode(&b, read_whole(a, path), NULL, str_from(path), &o, NULL, &e),
		      &e);
	assert_batch_valid(&b);

	snprintf(pattern, sizeof(pattern), "%s.*.pb.gz", path);
	assert_ok(glob(pattern, 0, NULL, &golds));
	for (size_t i = 0; i < golds.gl_pathc; i++)
		compare_gold(a, &b, golds.gl_pathv[i]);

	unsigned n = (unsigned)golds.gl_pathc;

	globfree(&golds);
	profile_batch_fini(&b);
	return n;
}

/* Find all recordings among the fixtures; skip the test if there are none. */
static void find_recordings(glob_t *found)
{
	char *folder = fixture_path("jfr"), pattern[4096];

	if (!folder) {
		print_message("no fixtures: recordings are not compared\n");
		skip();
	}
	snprintf(pattern, sizeof(pattern), "%s/*.jfr.gz", folder);
	free(folder);
	assert_ok(glob(pattern, 0, NULL, found));
}

static void recordings_match_pyroscopes_golden_files_by_stack(void **state)
{
	unsigned golds = 0;
	struct arena a;
	glob_t found;

	(void)state;
	find_recordings(&found);
	arena_init(&a, NULL);
	for (size_t i = 0; i < found.gl_pathc; i++)
		golds += compare_recording(&a, found.gl_pathv[i]);
	assert_true(golds >= 9);
	arena_fini(&a);
	globfree(&found);
}

/* Return the decompressed bytes of a recording. */
static struct str unpacked(struct arena *a, const char *path)
{
	struct str out;
	struct err e = {0};

	assert_ok_err(decompress_bytes(COMPRESS_GZIP, read_whole(a, path), a, NULL, &out, &e), &e);
	return out;
}

static void mutants_of_recordings_never_crash(void **state)
{
	struct arena a;
	glob_t found;

	(void)state;
	find_recordings(&found);
	arena_init(&a, NULL);
	for (size_t i = 0; i < found.gl_pathc; i++)
		survives_mutation(&format_jfr, unpacked(&a, found.gl_pathv[i]), 10000);
	arena_fini(&a);
	globfree(&found);
}

static void truncated_recordings_never_crash(void **state)
{
	struct arena a;
	glob_t found;

	(void)state;
	find_recordings(&found);
	arena_init(&a, NULL);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct str whole = unpacked(&a, found.gl_pathv[i]);

		for (size_t n = 0; n < whole.n; n += 499) {
			char *copy = exact_copy(str_head(whole, n));

			decode_anything(&format_jfr, str_of(copy, n));
			free(copy);
		}
	}
	arena_fini(&a);
	globfree(&found);
}

TEST_MAIN(test(recordings_match_pyroscopes_golden_files_by_stack),
	  test(mutants_of_recordings_never_crash), test(truncated_recordings_never_crash))
