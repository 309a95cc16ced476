/* SPDX-License-Identifier: Apache-2.0 */
/* Format descriptors of the protobuf form, and detection of it among other protobuf. */
#include "format/pprof/pprof.h"

#include "format/pprof/schema.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

/*
 * Return whether `body` is a ValueType: it holds only two numbers, while OTLP's field 1 has
 * messages.
 */
static bool is_value_type(struct str body)
{
	struct proto_reader r = proto_reader_of(body);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(PPROF_TYPE_TYPE, PROTO_VARINT) &&
		    r.tag != PROTO_TAG(PPROF_TYPE_UNIT, PROTO_VARINT))
			return false;
		proto_skip(&r);
	}
	return !r.error;
}

static bool is_sample(struct str body)
{
	struct proto_reader r = proto_reader_of(body);

	while (proto_next(&r)) {
		if (proto_field(&r) > PPROF_SAMPLE_LABEL)
			return false;
		proto_skip(&r);
	}
	return !r.error;
}

/* Return whether `body` may be a Mapping, Location or Function: these begin with their id. */
static bool is_row(struct str body)
{
	struct proto_reader r = proto_reader_of(body);

	return proto_next(&r) && (r.tag & 7) == PROTO_VARINT;
}

/* Return whether the field matches profile.proto. Set *cut if the head ends inside it. */
static bool is_known_field(struct proto_reader *r, bool *cut)
{
	uint32_t field = proto_field(r), wire = r->tag & 7;
	bool number = (field >= PPROF_DROP_FRAMES && field != PPROF_PERIOD_TYPE);
	struct str body = {0};

	if (field > PPROF_DOC_URL)
		return false;
	if (wire != (number ? PROTO_VARINT : PROTO_BYTES) &&
	    r->tag != PROTO_TAG(PPROF_COMMENT, PROTO_BYTES))
		return false;
	if (wire == PROTO_VARINT)
		proto_varint(r);
	else
		body = proto_bytes(r);
	*cut = r->error != PROTO_OK;
	if (*cut || wire == PROTO_VARINT)
		return true;
	switch (field) {
	case PPROF_SAMPLE_TYPE:
	case PPROF_PERIOD_TYPE:
		return is_value_type(body);
	case PPROF_SAMPLE:
		return is_sample(body);
	case PPROF_MAPPING:
	case PPROF_LOCATION:
	case PPROF_FUNCTION:
		return is_row(body);
	default:
		return true;
	}
}

/* Number of matching fields that is conclusive. */
enum { MAX_SNIFF_FIELDS = 64 };

/*
 * Text does not match: its first byte is a valid tag only for a few characters, and these fail at
 * the wire type or the length.
 */
int pprof_sniff(struct str head)
{
	struct proto_reader r = proto_reader_of(head);
	unsigned fields = 0, types = 0, strings = 0;
	bool cut = false;

	while (!cut && fields < MAX_SNIFF_FIELDS && proto_next(&r)) {
		uint32_t field = proto_field(&r);

		if (!is_known_field(&r, &cut))
			return 0;
		fields++;
		types += field == PPROF_SAMPLE_TYPE;
		strings += field == PPROF_STRING_TABLE;
	}
	if (r.error && !cut)
		return 0;
	if (types && fields > types)
		return 95;
	return fields && !cut && strings ? 60 : fields > 2 ? 30 : 0;
}

static const char *const extensions[] = {"pb.gz", "pprof", "pb", "prof", NULL};

const struct format format_pprof = {
	.name = "pprof",
	.summary = "pprof protobuf, as Go, Pyroscope and many others write it (gzip)",
	.extensions = extensions,
	.sniff = pprof_sniff,
	.decode = pprof_decode,
	.encode = pprof_encode,
};

const struct format format_pprof_raw = {
	.name = "pprof-raw",
	.summary = "pprof protobuf, written without compression",
	.encode = pprof_encode_raw,
};
