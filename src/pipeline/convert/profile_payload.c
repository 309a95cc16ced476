/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles between payloads and batches. */
#include "pipeline/convert/profile_payload.h"

#include <errno.h>

#include "format/otlp/encode.h"
#include "format/otlp/otlp.h"
#include "format/otlp/prepare.h"
#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_split.h"

/* Encode a batch without repairs. */
static int encode_rows(struct payload **out, const struct profile_batch *b, struct budget *budget)
{
	struct proto_writer w;
	int rc;

	proto_writer_init(&w, budget);
	rc = otlp_encode(&w, b);
	if (!rc) {
		*out = payload_take_written(SIGNAL_PROFILES, b->sample_count, &w);
		rc = *out ? 0 : -ENOMEM;
	}
	proto_writer_fini(&w);
	return rc;
}

int profile_payload_encode(struct payload **out, const struct profile_batch *b,
			   struct budget *budget)
{
	struct profile_batch prepared;
	int rc = profile_batch_init(&prepared, budget);

	if (!rc)
		rc = otlp_prepare(&prepared, b);
	if (!rc)
		rc = encode_rows(out, &prepared, budget);
	profile_batch_fini(&prepared);
	return rc;
}

/* Decode a payload. The batch borrows from it and from `scratch`. */
static int decode_profiles(struct profile_batch *out, const struct payload *p, struct buf *scratch,
			   struct err *e)
{
	struct decode_options options = {0};
	struct str message = payload_str(p, scratch);

	if (message.n != p->bytes)
		return -ENOMEM;
	return message.n ? otlp_decode(out, message, &options, e) : 0;
}

/* ---- merging ---- */

static int append_payload(struct profile_builder *all, const struct payload *p,
			  struct budget *budget, struct err *e)
{
	struct profile_batch one;
	struct buf scratch;
	int rc = profile_batch_init(&one, budget);

	buf_init(&scratch, budget);
	if (!rc)
		rc = decode_profiles(&one, p, &scratch, e);
	if (!rc)
		rc = profile_append(all, &one);
	profile_batch_fini(&one);
	buf_fini(&scratch);
	return rc;
}

int profile_payload_merge(struct payload **out, struct payload *const *parts, uint32_t count,
			  struct budget *budget, struct err *e)
{
	struct profile_batch all;
	struct profile_builder builder;
	int rc = profile_batch_init(&all, budget);

	if (!rc)
		rc = profile_builder_init(&builder, &all);
	for (uint32_t i = 0; !rc && i < count; i++)
		rc = append_payload(&builder, parts[i], budget, e);
	if (!rc)
		rc = encode_rows(out, &all, budget);
	profile_batch_fini(&all);
	return rc ? err_errno(e, rc, "merge profiles") : 0;
}

/* ---- splitting ---- */

struct part_sink {
	struct payload_list *out;
	struct budget *budget;
};

static int add_part(const struct profile_batch *part, void *arg)
{
	struct part_sink *sink = arg;
	struct payload *p = NULL;
	int rc = encode_rows(&p, part, sink->budget);

	if (!rc)
		rc = payload_list_add(sink->out, p);
	if (rc)
		payload_release(p);
	return rc;
}

/* Drop the parts from `keep` on, and append the whole payload instead. */
static int give_up(struct payload_list *out, uint32_t keep, const struct payload *p,
		   struct budget *budget)
{
	struct payload *whole = payload_keep(p, budget);
	int rc = whole ? 0 : -ENOMEM;

	while (out->n > keep)
		payload_release(out->at[--out->n]);
	if (!rc)
		rc = payload_list_add(out, whole);
	if (rc)
		payload_release(whole);
	return rc;
}

int profile_payload_split(struct payload_list *out, const struct payload *p, uint64_t max_items,
			  size_t max_bytes, struct budget *budget, struct err *e)
{
	struct part_sink sink = {out, budget};
	struct profile_split_limits limits = {.bytes = max_bytes,
					      .samples = (uint32_t)min_size(max_items, UINT32_MAX)};
	struct profile_batch all;
	struct buf scratch;
	struct err too_large = {0};
	uint32_t before = out->n;
	int rc = profile_batch_init(&all, budget);

	buf_init(&scratch, budget);
	if (!rc)
		rc = decode_profiles(&all, p, &scratch, e);
	if (!rc)
		rc = profile_split(&all, &limits, add_part, &sink, &too_large);
	profile_batch_fini(&all);
	buf_fini(&scratch);
	if (rc == -E2BIG)
		rc = give_up(out, before, p, budget);
	return rc ? err_errno(e, rc, "split profiles") : 0;
}
