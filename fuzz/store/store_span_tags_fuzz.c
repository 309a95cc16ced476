/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as the columns of a block of three spans, of which names and values of attributes
 * are listed without decoding the spans. The first byte selects what is listed; the index has the
 * length in the next two bytes. Where the spans can be decoded, they have the same names.
 */
#include "fuzz.h"
#include "query/attributes/tag_set.h"
#include "store/sqlite/spans/span_tags.h"

enum { SPANS = 3, ALL_SCOPES = (1 << TRACE_SCOPE_INTRINSIC) - 1, TAGS_MAX = 1000 };

static int make_rows(struct span_rows *r, struct arena *a)
{
	struct kept_span s = {.trace_id = {1}};
	int rc = vec_push(a, &r->strings, STR(""));

	for (uint8_t i = 0; !rc && i < SPANS; i++) {
		s.span_id[0] = (uint8_t)(i + 1);
		rc = vec_push(a, &r->spans, s);
	}
	r->block_spans = SPANS;
	return rc;
}

static int add_tag(void *ctx, enum trace_scope scope, struct str key,
		   const struct trace_value *value)
{
	static const struct str kinds[] = {
		STR_INIT("span"), STR_INIT("resource"),	       STR_INIT("event"),
		STR_INIT("link"), STR_INIT("instrumentation"), STR_INIT("intrinsic")};

	FUZZ_CHECK(scope <= TRACE_SCOPE_INTRINSIC);
	FUZZ_CHECK(!value || (value->type != TRACE_NIL && value->type != TRACE_ARRAY &&
			      value->type != TRACE_JSON));
	return tag_set_add(ctx, kinds[scope],
			   value && value->type == TRACE_STRING ? value->text : key);
}

static int load(void *ctx, struct str *pieces, struct err *e)
{
	(void)e;
	*pieces = *(const struct str *)ctx;
	return 0;
}

/* List the tags of the columns. */
static int list_columns(struct tag_set *out, const struct store_tag_select *sel, struct str index,
			struct str pieces, struct arena *a)
{
	const struct span_tag_pieces source = {load, &pieces, NULL};
	struct span_tags t = {.select = sel, .visit = add_tag, .ctx = out, .arena = a};
	struct span_rows rows = {.block_spans = SPANS};
	struct err e = {0};
	int rc = tag_set_init(out, TAGS_MAX, 64 * KIB, a);

	if (!rc)
		rc = span_tags_columns(&t, &rows, index, &source, &e);
	FUZZ_CHECK(rc >= 0 || rc == -ENOMEM || e.text[0]);
	tag_set_sort(out);
	return rc;
}

/* Decode the spans and list their tags. */
static int list_rows(struct tag_set *out, const struct store_tag_select *sel, struct str index,
		     struct str pieces, struct arena *a)
{
	struct span_tags t = {.select = sel, .visit = add_tag, .ctx = out, .arena = a};
	struct span_rows rows = {0};
	int rc = make_rows(&rows, a);

	if (!rc)
		rc = tag_set_init(out, TAGS_MAX, 64 * KIB, a);
	if (!rc)
		rc = span_columns_get(&rows, index, pieces, NULL, NULL, a, NULL);
	if (!rc)
		rc = span_tags_rows(&t, &rows);
	tag_set_sort(out);
	return rc;
}

/* Return whether some details are no message, or it is not known. Together they read differently. */
static bool has_whole_details(struct str index, struct arena *a)
{
	struct span_rows rows = {.block_spans = SPANS};
	struct span_index in;

	if (span_index_get(&in, &rows, index, a, NULL))
		return true;
	for (uint32_t g = 0; g < in.group_count; g++)
		for (uint32_t i = 0; i < in.groups[g].column_count; i++)
			if (in.groups[g].columns[i].field == SPAN_FIELD_WHOLE)
				return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {"a", "b", "service.name"};
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct store_tag_select sel = {0};
	struct tag_set columns, rows;
	struct str in = str_of((const char *)data, size), index, pieces;
	struct arena a;
	size_t n;
	int rc;

	if (size < 3)
		return 0;
	arena_init(&a, &budget);
	n = data[1] | (size_t)data[2] << 8;
	in = str_from_at(in, 3);
	index = str_head(in, n < in.n ? n : in.n);
	pieces = str_from_at(in, index.n);
	if (data[0] & 1) {
		sel.scopes = ALL_SCOPES;
	} else {
		sel.field.scope = (enum trace_scope)(data[0] / 2 % (TRACE_SCOPE_INTRINSIC + 1));
		sel.field.intrinsic =
			(enum trace_intrinsic)(data[0] / 16 % (TRACE_INSTRUMENTATION_VERSION + 1));
		sel.field.key = str_from(keys[data[0] / 16 % countof(keys)]);
	}
	rc = list_columns(&columns, &sel, index, pieces, &a);
	if (sel.scopes && !has_whole_details(index, &a) &&
	    !list_rows(&rows, &sel, index, pieces, &a)) {
		FUZZ_CHECK(rc == 0 || rc == -ENOMEM);
		FUZZ_CHECK(rc || columns.list.n == rows.list.n);
		for (uint32_t i = 0; !rc && i < rows.list.n; i++)
			FUZZ_CHECK(str_eq(rows.list.at[i].kind, columns.list.at[i].kind) &&
				   str_eq(rows.list.at[i].text, columns.list.at[i].text));
	}
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
