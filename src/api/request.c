/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a query, and the texts of errors and warnings. */
#include "api/request.h"

#include "api/endpoint.h"
#include "base/clock.h"
#include "net/http/uri.h"
#include "pipeline/receivers/receive_sealed.h"

/* Extend the text of -ENOMEM by the limit that was hit and the remedies. */
static void explain_memory_limit(struct err *e)
{
	struct err what = *e;

	*e = (struct err){0};
	err_set(e, -ENOMEM,
		"%s: all queries together may use half of --memory-limit; select fewer services "
		"or a shorter time range, try again, or raise the limit",
		what.text);
}

enum rpc_code api_code(int rc, struct err *e)
{
	static const struct {
		int rc;
		enum rpc_code code;
		const char *text; /* default text */
	} codes[] = {
		{-EINVAL, RPC_INVALID_ARGUMENT, "invalid request"},
		{-EBADMSG, RPC_INVALID_ARGUMENT, "malformed request"},
		{-ERANGE, RPC_INVALID_ARGUMENT, "out of range"},
		{-E2BIG, RPC_INVALID_ARGUMENT, "too complex"},
		{-EFBIG, RPC_RESOURCE_EXHAUSTED, "too large"},
		{-ENOENT, RPC_NOT_FOUND, "not found"},
		{-EOPNOTSUPP, RPC_UNIMPLEMENTED, "not supported"},
		{-ETIMEDOUT, RPC_DEADLINE_EXCEEDED, "the query timed out: narrow it"},
		{-ECANCELED, RPC_CANCELLED, "the query was cancelled"},
		{-ENOMEM, RPC_RESOURCE_EXHAUSTED, "out of memory"},
		{-EAGAIN, RPC_UNAVAILABLE, "too busy, try again"},
		{-ENOSPC, RPC_UNAVAILABLE, "the disk is full"},
		{-EBUSY, RPC_RESOURCE_EXHAUSTED, "ingest rate limit exceeded, try again later"},
		{-EDQUOT, RPC_FAILED_PRECONDITION, "a limit is reached"},
		{-EDOM, RPC_FAILED_PRECONDITION, "the query cannot be evaluated"},
		{-ESTALE, RPC_FAILED_PRECONDITION, "changed meanwhile"},
		{-EPERM, RPC_PERMISSION_DENIED, "not permitted"},
	};

	for (size_t i = 0; i < countof(codes); i++)
		if (codes[i].rc == rc) {
			if (!e->text[0])
				err_set(e, rc, "%s", codes[i].text);
			if (rc == -ENOMEM)
				explain_memory_limit(e);
			return codes[i].code;
		}
	if (!e->text[0])
		err_errno(e, rc, "answer");
	return RPC_INTERNAL;
}

void warning_text(const struct store_missing *m, struct buf *out)
{
	if (m && m->structure)
		buf_put_str(
			out,
			STR("no spans of this trace are stored: send traces to this server too"));
	if (m && m->smaller) {
		if (out->n)
			buf_put_str(out, STR("; "));
		buf_put_str(out, STR("not all stacks of these services fit into memory: smaller "
				     "frames are aggregated as [other]"));
	}
	if (m && m->spans) {
		if (out->n)
			buf_put_str(out, STR("; "));
		buf_put_str(out, STR("the search finds more than 10,000 spans: only those of the "
				     "newest traces are included"));
	}
	if (!m || !m->n)
		return;
	if (out->n)
		buf_put_str(out, STR("; "));
	buf_put_str(out, STR("the data of these days is damaged and not included: "));
	for (uint32_t i = 0; i < m->n; i++) {
		char text[CLOCK_TEXT_SIZE];

		buf_printf(out, "%s%.10s", i ? ", " : "", clock_format(m->days[i], text));
	}
	if (m->more)
		buf_put_str(out, STR(" and more"));
}

static int nth_param(struct request *r, const char *name, unsigned nth, struct str *value,
		     struct err *e)
{
	int rc = http_form_value(r->arena, r->query, str_from(name), nth, value);

	if (rc == -EINVAL)
		err_set(e, rc, "%s: expected percent-encoded text", name);
	return rc;
}

int request_unseal(struct request *r, struct err *e)
{
	const struct host *host = r->api ? r->api->options.host : NULL;

	return host ? receive_unseal_bytes(host, r->sender, r->arena, &r->body, e) : 0;
}

int request_param(struct request *r, const char *name, struct str *value, struct err *e)
{
	int rc = nth_param(r, name, 0, value, e);

	if (rc == -ENOENT) {
		*value = (struct str){0};
		rc = 0;
	}
	return rc;
}

int request_params(struct request *r, const char *name, struct texts *out, struct err *e)
{
	struct str rest = r->query, raw_name, raw_value, plain, value;
	int rc = 0;

	*out = (struct texts){0};
	while (!rc && http_next_param(&rest, &raw_name, &raw_value)) {
		/* clients escape the brackets of match[] */
		if (http_unescape(r->arena, raw_name, true, &plain) ||
		    !str_eq(plain, str_from(name)))
			continue;
		if (out->list.n == REQUEST_LIST_MAX)
			return err_set(e, -EINVAL, "%s: more than %d values", name,
				       REQUEST_LIST_MAX);
		rc = http_unescape(r->arena, raw_value, true, &value);
		if (rc == -EINVAL)
			err_set(e, rc, "%s: expected percent-encoded text", name);
		if (!rc)
			rc = vec_push(r->arena, &out->list, value);
	}
	return rc;
}

int request_u64(struct request *r, const char *name, uint64_t initial, uint64_t *out, struct err *e)
{
	struct str text;
	int rc = request_param(r, name, &text, e);

	*out = initial;
	if (rc || !text.n)
		return rc;
	return str_to_u64(text, 10, out)
		       ? err_set(e, -EINVAL, "%s: expected a whole number, found \"%.*s\"", name,
				 STR_ARG(str_head(text, 40)))
		       : 0;
}

int request_flag(struct request *r, const char *name, bool *out, struct err *e)
{
	static const struct {
		struct str text;
		bool value;
	} words[] = {
		{STR_INIT(""), true},	 {STR_INIT("1"), true},	 {STR_INIT("true"), true},
		{STR_INIT("yes"), true}, {STR_INIT("0"), false}, {STR_INIT("false"), false},
		{STR_INIT("no"), false},
	};
	struct str text;
	int rc = nth_param(r, name, 0, &text, e);

	*out = false;
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (size_t i = 0; i < countof(words); i++)
		if (str_eq(words[i].text, text)) {
			*out = words[i].value;
			return 0;
		}
	return err_set(e, -EINVAL, "%s: expected true or false, found \"%.*s\"", name,
		       STR_ARG(str_head(text, 40)));
}
