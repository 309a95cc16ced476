/* SPDX-License-Identifier: Apache-2.0 */
/* Scans the fields of a span once and keeps what metrics need. */
#include "pipeline/connectors/spanmetrics/span_fields.h"

#include "wire/proto.h"
#include "wire/text.h"

/* Field numbers of opentelemetry.proto.trace.v1. */
enum {
	SPAN_TRACE_ID = 1,
	SPAN_ID = 2,
	SPAN_TRACE_STATE = 3,
	SPAN_NAME = 5,
	SPAN_KIND = 6,
	SPAN_START = 7,
	SPAN_END = 8,
	SPAN_STATUS = 15,
	STATUS_CODE = 3,
};

enum { THRESHOLD_DIGITS = 14 }; /* hexadecimal; trailing zeros may be left out */

static unsigned read_status(struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	unsigned code = 0;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(STATUS_CODE, PROTO_VARINT))
			code = (unsigned)proto_varint(&r);
		else
			proto_skip(&r);
	return code;
}

/* Return 1 / probability for a sampling threshold; 1 if it is not one. */
static double threshold_weight(struct str digits)
{
	uint64_t threshold = 0, all = UINT64_C(1) << 4 * THRESHOLD_DIGITS;

	if (!digits.n || digits.n > THRESHOLD_DIGITS)
		return 1;
	for (size_t i = 0; i < THRESHOLD_DIGITS; i++) {
		int digit = i < digits.n ? hex_digit(digits.p[i]) : 0;

		if (digit < 0)
			return 1;
		threshold = threshold << 4 | (unsigned)digit;
	}
	return (double)all / (double)(all - threshold);
}

/* Find the threshold in a tracestate such as "vendor=x,ot=th:8;rv:abc". */
static double state_weight(struct str state)
{
	while (state.n) {
		struct str member = str_trim(str_cut(&state, ','));

		if (!str_starts(member, STR("ot=")))
			continue;
		member = str_from_at(member, 3);
		while (member.n) {
			struct str field = str_cut(&member, ';');

			if (str_starts(field, STR("th:")))
				return threshold_weight(str_from_at(field, 3));
		}
	}
	return 1;
}

static struct str id_of(struct str bytes, size_t size)
{
	return bytes.n == size ? bytes : (struct str){0};
}

bool span_fields_read(struct span_fields *out, struct str message)
{
	struct proto_reader r = proto_reader_of(message);

	*out = (struct span_fields){.message = message, .weight = 1};
	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(SPAN_TRACE_ID, PROTO_BYTES):
			out->trace_id = id_of(proto_bytes(&r), 16);
			break;
		case PROTO_TAG(SPAN_ID, PROTO_BYTES):
			out->span_id = id_of(proto_bytes(&r), 8);
			break;
		case PROTO_TAG(SPAN_TRACE_STATE, PROTO_BYTES):
			out->weight = state_weight(proto_bytes(&r));
			break;
		case PROTO_TAG(SPAN_NAME, PROTO_BYTES):
			out->name = proto_bytes(&r);
			break;
		case PROTO_TAG(SPAN_KIND, PROTO_VARINT):
			out->kind = (unsigned)proto_varint(&r);
			break;
		case PROTO_TAG(SPAN_START, PROTO_FIXED64):
			out->start = proto_fixed64(&r);
			break;
		case PROTO_TAG(SPAN_END, PROTO_FIXED64):
			out->end = proto_fixed64(&r);
			break;
		case PROTO_TAG(SPAN_STATUS, PROTO_BYTES):
			out->status = read_status(proto_bytes(&r));
			break;
		default:
			proto_skip(&r);
		}
	}
	return !r.error;
}

struct str span_kind_name(unsigned kind)
{
	static const struct str names[] = {
		STR_INIT("SPAN_KIND_UNSPECIFIED"), STR_INIT("SPAN_KIND_INTERNAL"),
		STR_INIT("SPAN_KIND_SERVER"),	   STR_INIT("SPAN_KIND_CLIENT"),
		STR_INIT("SPAN_KIND_PRODUCER"),	   STR_INIT("SPAN_KIND_CONSUMER"),
	};

	return names[kind < countof(names) ? kind : 0];
}

struct str span_status_name(unsigned status)
{
	static const struct str names[] = {
		STR_INIT("STATUS_CODE_UNSET"),
		STR_INIT("STATUS_CODE_OK"),
		STR_INIT("STATUS_CODE_ERROR"),
	};

	return names[status < countof(names) ? status : 0];
}
