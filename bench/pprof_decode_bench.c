/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of pprof into a batch, and encoding: a file of several MB like a heap profile. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "format/pprof/pprof.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"

enum { SAMPLES = 120000, LOCATIONS = 20000, FUNCTIONS = 9000, DEPTH = 28, ROUNDS = 25 };

struct work {
	struct profile_batch batch;
	struct str in;
	struct buf out;
	int rc;
};

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static int add_locations(struct profile_builder *x, uint32_t *locations)
{
	uint32_t functions[FUNCTIONS], mapping;
	struct mapping app = {.start = 0x400000, .limit = 0x4000000};
	int rc = profile_add_mapping(x, &app, NULL, 0, &mapping);

	for (uint32_t i = 0; !rc && i < FUNCTIONS; i++) {
		char name[96];
		struct function f = {.start_line = i % 900};

		snprintf(name, sizeof(name),
			 "github.com/example/service/internal/part%u.(*Worker).Do%u", i % 97, i);
		rc = profile_add_string(x, str_from(name), &f.name);
		f.system_name = f.name;
		snprintf(name, sizeof(name),
			 "/src/github.com/example/service/internal/part%u/file%u.go", i % 97,
			 i % 800);
		if (!rc)
			rc = profile_add_string(x, str_from(name), &f.filename);
		if (!rc)
			rc = profile_add_function(x, &f, &functions[i]);
	}
	for (uint32_t i = 0; !rc && i < LOCATIONS; i++) {
		struct line lines[2] = {{functions[i % FUNCTIONS], i % 1000, 0},
					{functions[(i * 7) % FUNCTIONS], i % 800, 0}};

		rc = profile_add_location(x,
					  &(struct location_parts){.address = 0x400000 + 16 * i,
								   .mapping = mapping,
								   .lines = lines,
								   .line_count = 1 + (i % 5 == 0)},
					  &locations[i]);
	}
	return rc;
}

/* The four sample types of Go's heap profile, and its label "bytes". */
static int build(struct profile_batch *b)
{
	static const char *const types[] = {"alloc_objects", "alloc_space", "inuse_objects",
					    "inuse_space"};
	struct profile_builder x;
	uint32_t *locations = calloc(LOCATIONS, sizeof(*locations));
	int rc = locations ? profile_builder_init(&x, b) : -1;

	if (!rc)
		rc = add_locations(&x, locations);
	if (!rc)
		rc = profile_add_resource(&x, NULL, 0);
	if (!rc)
		rc = profile_add_scope(&x, STR(""), STR(""), NULL, 0);
	for (uint32_t t = 0; !rc && t < 4; t++) {
		struct profile row = {.time_unix_nano = 1};
		uint64_t seed = 7;

		rc = profile_add_string(&x, str_from(types[t]), &row.sample_type.type);
		if (!rc)
			rc = profile_add_profile(&x, &row, NULL, 0);
		for (uint32_t i = 0; !rc && i < SAMPLES; i++) {
			uint32_t stack[DEPTH], id, label;

			for (uint32_t k = 0; k < DEPTH; k++)
				stack[k] = locations[(next_random(&seed) >> (k / 2)) % LOCATIONS];
			rc = profile_add_stack(&x, stack, DEPTH - i % 9, &id);
			if (!rc)
				rc = profile_add_attribute(&x, STR("bytes"),
							   VALUE_OF_INT(16 << (i % 12)),
							   STR("bytes"), &label);
			if (!rc)
				rc = profile_add_sample(&x, id, 0, &label, 1,
							(int64_t)(t % 2 ? i * 40u : i % 50));
		}
	}
	free(locations);
	return rc;
}

static void decode(void *context)
{
	struct work *w = context;
	struct err e = {0};

	w->rc = profile_batch_reset(&w->batch);
	if (!w->rc)
		w->rc = pprof_decode(&w->batch, w->in, &(struct decode_options){0}, &e);
	bench_keep(w->batch.sample_count);
}

static void encode(void *context)
{
	struct work *w = context;
	struct err e = {0};

	buf_clear(&w->out);
	w->rc = pprof_encode_raw(&w->out, &w->batch, &(struct encode_options){0}, &e);
	bench_keep(w->out.n);
}

int main(void)
{
	struct profile_batch made;
	struct work w = {0};
	struct buf file = {0};
	int rc = profile_batch_init(&made, NULL);

	if (!rc)
		rc = build(&made);
	if (!rc)
		rc = pprof_encode_raw(&file, &made, &(struct encode_options){0}, NULL);
	profile_batch_fini(&made);
	if (rc || profile_batch_init(&w.batch, NULL))
		return 2;
	w.in = buf_str(&file);

	double size = (double)w.in.n / 1e6, decoded = bench_best(ROUNDS, decode, &w);

	if (w.rc)
		return 2;
	bench_report(&(struct bench_result){
		.name = "pprof-decode",
		.value = size / decoded,
		.unit = "MB/s",
		.method = "120,000 heap samples of 4 types, 24 frames deep, 20,000 locations, "
			  "uncompressed bytes into a batch; CPU time, best of 25",
	});

	double encoded = bench_best(ROUNDS, encode, &w);

	bench_report(&(struct bench_result){
		.name = "pprof-encode",
		.value = size / encoded,
		.unit = "MB/s",
		.method = "the same batch into uncompressed bytes; CPU time, best of 25",
	});
	printf("  (%.1f MB)\n", size);
	rc = w.rc ? 2 : 0;
	buf_fini(&w.out);
	buf_fini(&file);
	profile_batch_fini(&w.batch);
	return rc;
}
