/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing and writing of JSON, compared with jansson, on a document that resembles a profile
 * (names, ids as strings, integers, some fractions and escapes). Ours also converts every number,
 * because jansson does so while it parses.
 */
#include "bench.h"

#include <stdio.h>

#ifdef HAVE_PEER
/* jansson's enum has names of ours: rename them */
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_INTEGER JANSSON_INTEGER
#define JSON_REAL JANSSON_REAL
#define JSON_TRUE JANSSON_TRUE
#define JSON_FALSE JANSSON_FALSE
#define JSON_NULL JANSSON_NULL
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_INTEGER
#undef JSON_REAL
#undef JSON_TRUE
#undef JSON_FALSE
#undef JSON_NULL
#endif

#include "wire/json.h"
#include "wire/json_write.h"

enum { SAMPLES = 60000, ROUNDS = 7 };

struct context {
	struct buf text;
	struct arena arena;
	struct json doc;
	bool failed;
};

static void write_sample(struct json_writer *w, uint64_t i)
{
	char name[64];

	json_open_object(w);
	json_put_key(w, STR("function"));
	snprintf(name, sizeof(name), "com.example.shop.Checkout$Step%u.run%s", (unsigned)i % 5000,
		 i % 16 ? "" : "\t\"quoted\"");
	json_put_string(w, str_from(name));
	json_put_key(w, STR("timeUnixNano"));
	json_put_u64_string(w, 1700000000000000000 + i * 10000000);
	json_put_key(w, STR("locationIndices"));
	json_open_array(w);
	for (uint64_t k = 0; k < 12; k++)
		json_put_u64(w, (i * 31 + k * 97) % 20000);
	json_close_array(w);
	json_put_key(w, STR("weight"));
	json_put_double(w, (double)(i % 1000) / 8);
	json_put_key(w, STR("ok"));
	json_put_bool(w, i % 2);
	json_close_object(w);
}

static void write_all(void *context)
{
	struct context *c = context;
	struct json_writer w = json_writer_to(&c->text, 0);

	buf_clear(&c->text);
	json_open_array(&w);
	for (uint64_t i = 0; i < SAMPLES; i++)
		write_sample(&w, i);
	json_close_array(&w);
}

static void read_all(void *context)
{
	struct context *c = context;
	uint64_t sum = 0;

	arena_reset(&c->arena);
	json_init(&c->doc, &c->arena);
	if (json_parse(&c->doc, buf_str(&c->text), NULL)) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; i < c->doc.nodes.n; i++) {
		double value;

		if (json_kind(&c->doc.nodes.at[i]) == JSON_NUMBER &&
		    json_double(&c->doc.nodes.at[i], &value) == 0)
			sum += (uint64_t)value;
	}
	bench_keep(sum);
}

#ifdef HAVE_PEER
static void read_all_peer(void *context)
{
	struct context *c = context;
	json_t *root = json_loadb(c->text.p, c->text.n, 0, NULL);

	c->failed |= !root;
	json_decref(root);
}
#endif

int main(void)
{
	struct context c = {0};
	double wrote, took, size, peer = 0;
	uint64_t calls;

	arena_init(&c.arena, NULL);
	wrote = bench_best(ROUNDS, write_all, &c);
	size = (double)c.text.n / 1e6;
	took = bench_best(ROUNDS, read_all, &c);
	calls = bench_malloc_calls();
	read_all(&c);
	printf("json: one more parse of %.1f MB calls malloc %llu times\n", size,
	       (unsigned long long)(bench_malloc_calls() - calls));
#ifdef HAVE_PEER
	peer = size / bench_best(ROUNDS, read_all_peer, &c);
	calls = bench_malloc_calls();
	read_all_peer(&c);
	printf("json: jansson calls it %llu times\n",
	       (unsigned long long)(bench_malloc_calls() - calls));
#else
	bench_skip("json-read", "jansson is not installed (libjansson-dev)");
#endif
	bench_report(&(struct bench_result){
		.name = "json-read",
		.value = size / took,
		.unit = "MB/s",
		.peer = peer > 0 ? "jansson" : NULL,
		.peer_value = peer,
		.method = "60,000 sample-like objects, parsed whole, every number converted; CPU "
			  "time, best of 7",
	});
	bench_report(&(struct bench_result){
		.name = "json-write",
		.value = size / wrote,
		.unit = "MB/s",
		.method = "the same document into one buffer; CPU time, best of 7",
	});
	buf_fini(&c.text);
	arena_fini(&c.arena);
	return c.failed ? 2 : 0;
}
