/* SPDX-License-Identifier: Apache-2.0 */
/* Throughput of the protobuf cursor and writer: the upper bound for each decoder and encoder. */
#include "bench.h"

#include <stdlib.h>

#include "wire/proto.h"

enum { MESSAGES = 200000, ROUNDS = 9 };

/* Similar to a pprof sample: a nested message with a packed list, a number and a short string. */
static void write_all(void *context)
{
	struct proto_writer *w = context;

	proto_writer_clear(w);
	for (uint64_t i = 0; i < MESSAGES; i++) {
		size_t end = proto_mark(w);

		proto_put_bytes(w, 3, STR("checkout"));
		proto_put_uint(w, 2, i * 1000);

		size_t list = proto_mark(w);

		for (uint64_t k = 0; k < 16; k++)
			proto_put_varint(w, i + k * 37);
		proto_put_header(w, 1, list);
		proto_put_header(w, 2, end);
	}
}

static uint64_t read_one(struct proto_reader r)
{
	uint64_t sum = 0;

	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES): {
			struct proto_reader list = proto_message(&r);

			while (list.at < list.end)
				sum += proto_varint(&list);
			break;
		}
		case PROTO_TAG(2, PROTO_VARINT):
			sum += proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	}
	return sum;
}

static void read_all(void *context)
{
	struct proto_reader r = proto_reader_of(proto_writer_str(context));
	uint64_t sum = 0;

	while (proto_next(&r))
		sum += read_one(proto_message(&r));
	bench_keep(sum);
}

int main(void)
{
	struct proto_writer w;

	proto_writer_init(&w, NULL);

	double wrote = bench_best(ROUNDS, write_all, &w);

	if (proto_writer_error(&w))
		return 2;

	double size = (double)proto_writer_str(&w).n / 1e6;
	double read = bench_best(ROUNDS, read_all, &w);

	bench_report(&(struct bench_result){
		.name = "proto-write",
		.value = size / wrote,
		.unit = "MB/s",
		.method = "200,000 sample-like messages into one buffer; CPU time, best of 9",
	});
	bench_report(&(struct bench_result){
		.name = "proto-read",
		.value = size / read,
		.unit = "MB/s",
		.method = "the same messages, every field read, nothing built; CPU time, best of 9",
	});
	proto_writer_fini(&w);
	return 0;
}
