/* SPDX-License-Identifier: Apache-2.0 */
/* push.v1: parse the request, decode its pprof profiles. */
#include "pipeline/receivers/pyroscope/push.h"

#include <errno.h>

#include "base/container/vec.h"
#include "format/pprof/pprof.h"
#include "pipeline/receivers/pyroscope/fixups.h"
#include "pipeline/receivers/pyroscope/ingest.h"
#include "wire/proto.h"

SCHEMA_MESSAGE(label_pair, "types.v1.LabelPair", SCHEMA_FIELD(1, "name", "name", STRING),
	       SCHEMA_FIELD(2, "value", "value", STRING));
SCHEMA_MESSAGE(raw_sample, "push.v1.RawSample", SCHEMA_FIELD(1, "raw_profile", "rawProfile", BYTES),
	       SCHEMA_FIELD(2, "ID", "ID", STRING));
SCHEMA_MESSAGE(raw_series, "push.v1.RawProfileSeries",
	       SCHEMA_NESTED(1, "labels", "labels", label_pair, SCHEMA_MANY),
	       SCHEMA_NESTED(2, "samples", "samples", raw_sample, SCHEMA_MANY));
static const struct schema_field push_fields[] = {
	SCHEMA_NESTED(1, "series", "series", raw_series, SCHEMA_MANY),
};
const struct schema_message push_request_schema = {"push.v1.PushRequest", push_fields,
						   countof(push_fields)};

struct push_reader {
	struct push_request *r;
	struct str whole;
	struct arena *arena;
	struct err *e;
};

/* Read a LabelPair or RawSample: both have two fields of bytes. */
static int read_two(const struct push_reader *p, struct proto_reader *from, struct str out[2])
{
	struct proto_reader r = proto_message(from);

	out[0] = out[1] = (struct str){0};
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			out[0] = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			out[1] = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return r.error ? proto_fail(&r, p->whole, p->e) : 0;
}

static int read_label_pair(const struct push_reader *p, struct push_series *s,
			   struct proto_reader *r)
{
	struct str pair[2];
	int rc = read_two(p, r, pair);

	if (rc)
		return rc;
	if (++s->labels.n > PUSH_LABELS_MAX)
		return err_set(p->e, -EBADMSG, "a series has more than %d labels", PUSH_LABELS_MAX);
	return vec_push(p->arena, &p->r->labels, (struct keyvalue){pair[0], VALUE_OF_STR(pair[1])});
}

static int read_series(const struct push_reader *p, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct push_series s = {.labels.at = p->r->labels.n};
	struct str two[2];
	int rc = 0;

	if (p->r->series.n == PUSH_SERIES_MAX)
		return err_set(p->e, -EBADMSG, "more than %d series", PUSH_SERIES_MAX);
	while (!rc && proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			rc = read_label_pair(p, &s, &r);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			rc = read_two(p, &r, two);
			if (!rc)
				rc = vec_push(
					p->arena, &p->r->profiles,
					(struct push_profile){p->r->series.n, two[1], two[0]});
			break;
		default:
			proto_skip(&r);
		}
	}
	if (!rc && r.error)
		rc = proto_fail(&r, p->whole, p->e);
	return rc ? rc : vec_push(p->arena, &p->r->series, s);
}

int push_read(struct push_request *out, struct str message, struct arena *arena, struct err *e)
{
	struct push_reader p = {out, message, arena, e};
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	*out = (struct push_request){0};
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES)) {
			struct str series = proto_bytes(&r);

			rc = r.error ? 0 : read_series(&p, series);
		} else {
			proto_skip(&r);
		}
	}
	return !rc && r.error ? proto_fail(&r, message, e) : rc;
}

/* Refuse '-' in a sample type, as Pyroscope does: it breaks the type ids of its clients. */
static int check_types(const struct profile_batch *b, struct err *e)
{
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		struct str type = string_of(b, b->profiles.at[i].sample_type.type);

		if (str_find(type, '-') < type.n)
			return err_set(e, -EBADMSG, "sample type contains -: %.*s",
				       STR_ARG(str_head(type, 100)));
	}
	return 0;
}

int push_decode(struct profile_batch *out, struct arena *arena, const struct push_request *r,
		uint32_t i, size_t max_bytes, struct err *e)
{
	const struct push_profile *p = &r->profiles.at[i];
	struct list labels = r->series.at[p->series].labels;
	struct str in = p->pprof;
	int rc;

	if (!labels.n)
		return err_set(e, -EBADMSG,
			       "error at least one label pair is required per profile");
	if (!in.n)
		return 0;
	rc = pyroscope_unpack(arena, in, max_bytes, &in, e);
	if (!rc && in.n)
		rc = format_decode(out, in, &format_pprof, STR(""), NULL, NULL, e);
	if (!rc)
		rc = check_types(out, e);
	if (!rc)
		rc = fixup_sample_attributes(out, false);
	if (!rc)
		rc = fixup_resource(out, r->labels.at + labels.at, labels.n);
	if (!rc)
		fixup_ids(out, p->id);
	return rc;
}
