/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every decoder and encoder with one failing allocation, for each allocation in turn: the result is
 * the one without faults or -ENOMEM with a reason, never a partial result, and nothing leaks
 * (ASan).
 */
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "fault/inject.h"
#include "format/format.h"
#include "test/test.h"

/* The inputs are the fuzzing corpora in folders of these names. */
static const char *const corpora[] = {
	"folded", "jfr",	  "otlp", "otlp_json", "perf_script",
	"pprof",  "pprof_legacy", "trie", "v8",	       "speedscope",
};

enum { FILES_MAX = 6, INPUT_MAX = 64 * 1024 };

struct outcome {
	int rc;
	/* all encodings, concatenated */
	struct buf bytes;
	struct err e;
};

/* Decode the input and encode it in every format that has an encoder. */
static void convert(struct str in, struct outcome *o)
{
	struct decode_options decode = {0};
	struct encode_options encode = {0};
	struct profile_batch b;

	o->rc = profile_batch_init(&b, NULL);
	if (!o->rc)
		o->rc = format_decode(&b, in, NULL, STR(""), &decode, NULL, &o->e);
	for (unsigned i = 0; formats[i] && !o->rc; i++) {
		struct buf out = {0};

		if (!formats[i]->encode)
			continue;
		o->rc = formats[i]->encode(&out, &b, &encode, &o->e);
		inject_exempt(true);
		buf_put_str(&o->bytes, buf_str(&out));
		inject_exempt(false);
		buf_fini(&out);
		if (o->rc == -EINVAL || o->rc == -EBADMSG || o->rc == -ENOTSUP)
			o->rc = 0; /* some formats cannot represent every batch */
	}
	profile_batch_fini(&b);
}

static void check_input(const char *path, struct str in, enum inject_mode mode)
{
	struct inject_sweep s = inject_sweep(INJECT_MEMORY, mode);
	struct outcome clean = {0};

	while (inject_next(&s)) {
		struct outcome o = {0};

		inject_arm(&s);
		convert(in, &o);
		inject_disarm(&s);
		if (!s.round) {
			clean = o;
			continue;
		}
		if (o.rc == clean.rc && str_eq(buf_str(&o.bytes), buf_str(&clean.bytes))) {
			buf_fini(&o.bytes);
			continue;
		}
		if (o.rc != -ENOMEM)
			inject_report(&s, "%s: returned %d, without faults %d", path, o.rc,
				      clean.rc);
		buf_fini(&o.bytes);
	}
	buf_fini(&clean.bytes);
}

static struct str read_input(const char *path, char *room)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(room, 1, INPUT_MAX, f);
	fclose(f);
	return str_of(room, n);
}

static unsigned check_corpus(const char *name, enum inject_mode mode)
{
	static char room[INPUT_MAX];
	char folder[512], path[1024];
	struct dirent **entries;
	unsigned checked = 0;
	int n;

	snprintf(folder, sizeof(folder), "%s/fuzz/corpus/%s", getenv("SOURCE_ROOT"), name);
	n = scandir(folder, &entries, NULL, alphasort);
	assert_true(n > 2);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && checked < FILES_MAX) {
			check_input(path, read_input(path, room), mode);
			checked++;
		}
		free(entries[i]);
	}
	free(entries);
	return checked;
}

static void conversions_survive_each_failing_allocation(void **state)
{
	(void)state;
	if (!getenv("SOURCE_ROOT")) {
		print_message("skipped: SOURCE_ROOT does not name the source tree\n");
		skip();
	}
	for (size_t i = 0; i < countof(corpora); i++)
		assert_true(check_corpus(corpora[i], INJECT_ONE) > 0);
	inject_check();
}

static void conversions_survive_a_permanent_lack_of_memory(void **state)
{
	(void)state;
	if (!getenv("SOURCE_ROOT")) {
		print_message("skipped: SOURCE_ROOT does not name the source tree\n");
		skip();
	}
	for (size_t i = 0; i < countof(corpora); i++)
		assert_true(check_corpus(corpora[i], INJECT_REST) > 0);
	inject_check();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(conversions_survive_each_failing_allocation),
		test(conversions_survive_a_permanent_lack_of_memory),
	};

	inject_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
