/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes OTLP profiles (protobuf) into the batch: MB/s of encoded bytes, compared with protobuf-c,
 * which decodes the same bytes into a tree of its own. The messages are generated: one as a host
 * profiler sends it every few seconds (70+ KB), and one of a busy node or a long interval (10+ MB).
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/otlp/otlp.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"

#ifdef HAVE_PEER
#include "otlp_peer.pb-c.h"
#endif

enum { ROUNDS = 15 };

struct plan {
	const char *name;
	uint32_t functions, stacks, samples, threads, processes;
	uint32_t repeat; /* decodes per round, so that a round is long enough to measure */
};

static uint32_t next_random(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % below);
}

static void must(int rc)
{
	if (rc) {
		fprintf(stderr, "making the input failed: %d\n", rc);
		exit(1);
	}
}

/*
 * Frames of native code have an address and no line, frames of interpreters a line and no address.
 */
static uint32_t add_location(struct profile_builder *b, const struct plan *plan, uint64_t *seed)
{
	static const char *const packages[] = {"net/http",
					       "runtime",
					       "encoding/json",
					       "java.util.concurrent",
					       "org.springframework.web",
					       "std::__detail",
					       "app"};
	static const char *const frames[] = {"native", "kernel", "go", "jvm", "v8js"};
	uint32_t n = next_random(seed, plan->functions), kind = n % countof(frames), type, id;
	char name[96], file[96];
	struct function f = {.start_line = n % 900};
	struct line line = {.line = n % 900 + 7};
	struct location_parts parts = {
		.mapping = 1 + n % 12, .attributes = &type, .attribute_count = 1};

	snprintf(name, sizeof(name), "%s.%s_handler_%u", packages[n % countof(packages)],
		 n & 1 ? "serve" : "process", n);
	snprintf(file, sizeof(file), "/src/%s/file_%u.c", packages[n % countof(packages)], n / 8);
	must(profile_add_attribute(b, STR("profile.frame.type"),
				   VALUE_OF_STR(str_from(frames[kind])), STR(""), &type));
	must(profile_add_string(b, str_from(name), &f.name));
	must(profile_add_string(b, str_from(file), &f.filename));
	must(profile_add_function(b, &f, &line.function));
	if (kind < 2)
		parts.address = 0x400000 + 16ull * n;
	else {
		parts.lines = &line;
		parts.line_count = 1;
	}
	must(profile_add_location(b, &parts, &id));
	return id;
}

static void add_mappings(struct profile_builder *b)
{
	for (uint32_t i = 0; i < 12; i++) {
		struct mapping m = {.start = 0x400000 + i * 0x1000000ull,
				    .limit = 0x400000 + i * 0x1000000ull + 0x200000};
		char text[64];
		uint32_t build_id, id;

		snprintf(text, sizeof(text), "/usr/lib/x86_64-linux-gnu/lib%u.so", i);
		must(profile_add_string(b, str_from(text), &m.filename));
		snprintf(text, sizeof(text), "%032x%08x", i * 2654435761u, i);
		must(profile_add_attribute(b, STR("process.executable.build_id.gnu"),
					   VALUE_OF_STR(str_from(text)), STR(""), &build_id));
		must(profile_add_mapping(b, &m, &build_id, 1, &id));
	}
}

static void add_stacks(struct profile_builder *b, const struct plan *plan, uint32_t *stacks,
		       uint64_t *seed)
{
	for (uint32_t i = 0; i < plan->stacks; i++) {
		uint32_t locations[64], n = 12 + next_random(seed, 30);

		for (uint32_t k = 0; k < n; k++)
			locations[k] = add_location(b, plan, seed);
		must(profile_add_stack(b, locations, n, &stacks[i]));
	}
}

static void add_samples(struct profile_builder *b, const struct plan *plan, const uint32_t *stacks,
			uint64_t *seed)
{
	struct profile_batch *batch = b->batch;

	for (uint32_t i = 0; i < plan->samples / plan->processes; i++) {
		uint32_t thread = next_random(seed, plan->threads), ids[3],
			 n = 1 + next_random(seed, 3);
		char name[32];

		snprintf(name, sizeof(name), "worker-%u", thread);
		must(profile_add_attribute(b, STR("thread.name"), VALUE_OF_STR(str_from(name)),
					   STR(""), &ids[0]));
		must(profile_add_attribute(b, STR("thread.id"), VALUE_OF_INT(4000 + thread),
					   STR(""), &ids[1]));
		must(profile_add_attribute(b, STR("cpu.logical_number"),
					   VALUE_OF_INT(next_random(seed, 16)), STR(""), &ids[2]));
		for (uint32_t k = 0; k < 3; k++)
			must(vec_push(&batch->arena, &batch->sample_attributes, ids[k]));
		for (uint32_t k = 0; k < n; k++)
			must(vec_push(&batch->arena, &batch->times,
				      1700000000000000000ull +
					      next_random(seed, 5000) * 1000000ull));
		must(profile_sample_end(batch, stacks[next_random(seed, plan->stacks)], 0));
	}
}

static void make_message(const struct plan *plan, struct buf *out)
{
	uint32_t *stacks = calloc(plan->stacks, sizeof(*stacks));
	struct profile_batch batch;
	struct profile_builder b;
	uint64_t seed = 7;
	struct err e = {0};

	must(profile_batch_init(&batch, NULL));
	must(profile_builder_init(&b, &batch));
	add_mappings(&b);
	add_stacks(&b, plan, stacks, &seed);
	for (uint32_t i = 0; i < plan->processes; i++) {
		struct keyvalue attributes[] = {
			{STR("service.name"), VALUE_OF_STR(STR("checkout"))},
			{STR("process.pid"), VALUE_OF_INT(1000 + i)},
			{STR("process.executable.path"), VALUE_OF_STR(STR("/usr/bin/checkout"))},
		};
		struct profile p = {.period = 50000000,
				    .time_unix_nano = 1700000000000000000ull,
				    .duration_nano = 5000000000ull};

		must(profile_add_string(&b, STR("samples"), &p.sample_type.type));
		must(profile_add_string(&b, STR("count"), &p.sample_type.unit));
		must(profile_add_string(&b, STR("cpu"), &p.period_type.type));
		must(profile_add_string(&b, STR("nanoseconds"), &p.period_type.unit));
		must(profile_add_resource(&b, attributes, countof(attributes)));
		must(profile_add_scope(&b, STR("bench"), STR("1"), NULL, 0));
		must(profile_add_profile(&b, &p, NULL, 0));
		add_samples(&b, plan, stacks, &seed);
	}
	must(format_otlp.encode(out, &batch, NULL, &e));
	profile_batch_fini(&batch);
	free(stacks);
}

struct work {
	const struct plan *plan;
	struct str message;
	struct profile_batch batch;
	uint64_t mallocs;
};

static void decode_ours(void *context)
{
	struct work *w = context;
	struct err e = {0};

	for (uint32_t i = 0; i < w->plan->repeat; i++) {
		uint64_t before;

		must(profile_batch_reset(&w->batch));
		before = bench_malloc_calls();
		must(otlp_decode(&w->batch, w->message, NULL, &e));
		w->mallocs = bench_malloc_calls() - before;
		bench_keep(w->batch.sample_count);
	}
}

#ifdef HAVE_PEER
static void decode_peer(void *context)
{
	struct work *w = context;

	for (uint32_t i = 0; i < w->plan->repeat; i++) {
		Peer__Request *r =
			peer__request__unpack(NULL, w->message.n, (const uint8_t *)w->message.p);

		if (!r)
			must(-EBADMSG);
		bench_keep(r->n_resources);
		peer__request__free_unpacked(r, NULL);
	}
}
#endif

static void measure(const struct plan *plan)
{
	struct work w = {.plan = plan};
	struct buf message = {0};
	char method[160];
	double bytes, ours, peer = 0;

	make_message(plan, &message);
	w.message = buf_str(&message);
	must(profile_batch_init(&w.batch, NULL));
	bytes = (double)w.message.n * plan->repeat / 1e6;
	ours = bytes / bench_best(ROUNDS, decode_ours, &w);
#ifdef HAVE_PEER
	peer = bytes / bench_best(ROUNDS, decode_peer, &w);
#else
	bench_skip(plan->name,
		   "protobuf-c is not installed (libprotobuf-c-dev, protobuf-c-compiler)");
#endif
	snprintf(method, sizeof(method),
		 "%zu bytes, %u samples; decode into a reused batch, %llu mallocs; CPU, best of %d",
		 w.message.n, w.batch.sample_count, (unsigned long long)w.mallocs, ROUNDS);
	bench_report(&(struct bench_result){.name = plan->name,
					    .value = ours,
					    .unit = "MB/s",
					    .better = BENCH_MORE,
					    .peer = peer > 0 ? "protobuf-c" : NULL,
					    .peer_value = peer,
					    .method = method});
	profile_batch_fini(&w.batch);
	buf_fini(&message);
}

int main(int argc, char **argv)
{
	static const struct plan plans[] = {
		{"otlp-decode-small", 1100, 150, 200, 12, 2, 400},
		{"otlp-decode-large", 30000, 40000, 250000, 400, 20, 2},
	};

	if (argc == 3) { /* write the input, for peers that cannot be linked */
		struct buf message = {0};
		FILE *f = fopen(argv[2], "wb");

		make_message(&plans[argv[1][0] == 'l'], &message);
		if (!f || fwrite(message.p, 1, message.n, f) != message.n || fclose(f))
			must(-EIO);
		buf_fini(&message);
		return 0;
	}
	for (size_t i = 0; i < countof(plans); i++)
		measure(&plans[i]);
	bench_skip("otlp-decode against upb",
		   "Debian packages neither its headers nor its generator");
	return 0;
}
