/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for the responses of querier.v1. */
#include "api/pyroscope/responses.h"

#include "api/merged.h"
#include "format/format.h"

int response_finish(struct reply *out, struct proto_writer *w)
{
	int rc = proto_writer_error(w);

	if (!rc) {
		buf_put_str(&out->body, proto_writer_str(w));
		rc = buf_error(&out->body);
	}
	proto_writer_fini(w);
	return rc;
}

void response_put_labels(struct proto_writer *w, uint32_t field, struct label_set labels)
{
	for (uint32_t i = labels.n; i-- > 0;) {
		size_t end = proto_mark(w);

		proto_put_bytes(w, 2, labels.at[i].value);
		proto_put_bytes(w, 1, labels.at[i].name);
		proto_put_header(w, field, end);
	}
}

void response_put_double(struct proto_writer *w, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_put_fixed64(w, field, bits);
}

/* Nodes of Pyroscope's trees have only a name, so functions of equal name are merged. */
static const struct tree_options by_name = {.group = GROUP_NAME};

int response_tree(struct tree *t, struct selection *s, struct err *e)
{
	return merged_tree(t, s, NULL, &by_name, (struct str){0}, e);
}

int response_diff_tree(struct tree *t, struct selection *left, struct selection *right,
		       struct err *e)
{
	return merged_tree(t, left, right, &by_name, (struct str){0}, e);
}

/* Set time, duration and period type of the pprof profile. */
static int set_pprof_fields(struct profile_batch *batch, const struct selection *s)
{
	struct profile_builder b;
	struct profile *p = &batch->profiles.at[0];
	int rc = profile_builder_init(&b, batch);

	if (!rc)
		rc = profile_add_string(&b, s->type.period_type, &p->period_type.type);
	if (!rc)
		rc = profile_add_string(&b, s->type.period_unit, &p->period_type.unit);
	p->time_unix_nano = s->select.from;
	if (s->select.to != UINT64_MAX && s->select.to > s->select.from)
		p->duration_nano = s->select.to - s->select.from;
	return rc;
}

/* Encode the sums as one profile. */
static int encode_sums_as_pprof(struct buf *out, const struct stack_tree *stacks,
				const struct stack_sums *sums, const struct selection *s,
				struct request *r, struct err *e)
{
	const struct format *format = format_by_name(STR("pprof-raw"));
	struct profile_batch batch;
	int rc = profile_batch_init(&batch, r->limits.budget);

	if (!rc)
		rc = stack_sums_to_batch(stacks, sums, s->type.sample_type, s->type.sample_unit,
					 &batch);
	if (!rc)
		rc = set_pprof_fields(&batch, s);
	if (!rc)
		rc = format ? format->encode(out, &batch, &(struct encode_options){0}, e)
			    : -EOPNOTSUPP;
	profile_batch_fini(&batch);
	return rc;
}

static int encode_trimmed(struct buf *out, const struct stack_tree *stacks,
			  const struct stack_sums *sums, const struct stack_trim *trim,
			  const struct selection *s, struct request *r, struct err *e)
{
	struct stack_tree trimmed;
	struct stack_sums trimmed_sums = {0};
	int rc = stack_tree_init(&trimmed, r->limits.budget);

	if (!rc)
		rc = stack_trim(trim, stacks, sums, &trimmed, &trimmed_sums);
	if (!rc)
		rc = encode_sums_as_pprof(out, &trimmed, &trimmed_sums, s, r, e);
	stack_tree_fini(&trimmed);
	return rc;
}

int response_put_pprof(struct buf *out, struct selection *s, const struct query_params *params,
		       struct request *r, struct err *e)
{
	struct merged m;
	int rc = merged_stacks(&m, s, e);

	if (!rc)
		rc = params->has_trim ? encode_trimmed(out, m.tree, m.sums, &params->trim, s, r, e)
				      : encode_sums_as_pprof(out, m.tree, m.sums, s, r, e);
	merged_fini(&m);
	return rc;
}
