/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protobuf cursor on arbitrary bytes: it stays inside its message, ends, and its error is
 * sticky. A message without errors is written field by field and must read the same again.
 */
#include "fuzz.h"

#include "wire/proto.h"

enum { MAX_DEPTH = 8, MAX_FIELDS = 256 };

/* A decoded field with all that is needed to write and compare it. */
struct field {
	uint32_t tag;
	uint64_t number;
	struct str bytes;
};

static struct field read_field(struct proto_reader *r)
{
	struct field f = {.tag = r->tag};

	switch (r->tag & 7) {
	case PROTO_VARINT:
		f.number = proto_varint(r);
		break;
	case PROTO_FIXED64:
		f.number = proto_fixed64(r);
		break;
	case PROTO_FIXED32:
		f.number = proto_fixed32(r);
		break;
	case PROTO_BYTES:
		f.bytes = proto_bytes(r);
		break;
	default:
		proto_skip(r);
	}
	return f;
}

static void write_field(struct proto_writer *w, const struct field *f)
{
	uint32_t low = (uint32_t)f->number;

	switch (f->tag & 7) {
	case PROTO_VARINT:
		proto_put_varint(w, f->number);
		break;
	case PROTO_FIXED64:
		proto_put_fixed64_raw(w, f->number);
		break;
	case PROTO_FIXED32:
		proto_put_raw(w, &low, sizeof(low));
		break;
	case PROTO_BYTES:
		proto_put_entry(w, f->tag >> 3, f->bytes);
		return;
	default:
		return; /* groups are skipped when reading, so they are not written */
	}
	proto_put_varint(w, f->tag);
}

static bool is_group(const struct field *f)
{
	return (f->tag & 7) == PROTO_GROUP;
}

static void check_same(struct str message, const struct field *fields, size_t count)
{
	struct proto_reader r = proto_reader_of(message);

	for (size_t i = 0; i < count; i++) {
		if (is_group(&fields[i]))
			continue;
		FUZZ_CHECK(proto_next(&r));

		struct field again = read_field(&r);

		FUZZ_CHECK(again.tag == fields[i].tag && again.number == fields[i].number);
		FUZZ_CHECK(str_eq(again.bytes, fields[i].bytes));
	}
	FUZZ_CHECK(!proto_next(&r) && !r.error);
}

static void check_round_trip(const struct field *fields, size_t count)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct proto_writer w;

	proto_writer_init(&w, &budget);
	for (size_t i = count; i-- > 0;)
		write_field(&w, &fields[i]);
	FUZZ_CHECK(!proto_writer_error(&w));
	check_same(proto_writer_str(&w), fields, count);
	proto_writer_fini(&w);
	FUZZ_CHECK(budget.used == 0);
}

static void walk(struct str message, unsigned depth)
{
	struct proto_reader r = proto_reader_of(message);
	struct field *fields = calloc(MAX_FIELDS, sizeof(*fields));
	size_t count = 0;

	FUZZ_CHECK(fields);
	while (count < MAX_FIELDS && proto_next(&r)) {
		const uint8_t *before = r.at;
		struct field f = read_field(&r);

		FUZZ_CHECK(r.at >= before && r.at <= r.end);
		if (r.error)
			break;
		fields[count++] = f;
		if ((f.tag & 7) == PROTO_BYTES && depth < MAX_DEPTH)
			walk(f.bytes, depth + 1);
	}
	if (r.error) {
		struct err e = {0};

		FUZZ_CHECK(r.at == r.end && !proto_next(&r));
		FUZZ_CHECK(proto_varint(&r) == 0 && proto_bytes(&r).n == 0);
		FUZZ_CHECK(proto_fail(&r, message, &e) < 0 && e.text[0]);
	} else {
		check_round_trip(fields, count);
	}
	free(fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	walk(str_of((const char *)data, size), 0);
	return 0;
}
