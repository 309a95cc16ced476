/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups points by their bytes without the value, then adds up, averages or compares the values of
 * each group.
 */
#include "pipeline/ottl/functions/aggregate.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/ottl/functions/metric_points.h"

/* A point without its value; points with the same bytes are joined. */
struct aggregated {
	struct str rest; /* the message without value and exemplars, attributes sorted */
	struct ottl_value value;
	uint32_t index; /* among the points of the metric */
};

static int compare_attribute_keys(const void *x, const void *y)
{
	const struct ottl_pair *a = x, *b = y;

	return str_cmp(a->key, b->key);
}

static bool is_kept(const struct ottl_list *keys, struct str key)
{
	for (uint32_t i = 0; keys && i < keys->items.n; i++)
		if (keys->items.at[i].kind == OTTL_STRING && str_eq(keys->items.at[i].s, key))
			return true;
	return !keys;
}

/* Encode the attributes that are kept, in the order of their keys. */
static int encode_kept(struct ottl_eval *ev, struct str point, const struct ottl_list *keys,
		       struct str *out)
{
	struct ottl_map map;
	uint32_t kept = 0;
	int rc = ottl_map_read(&ev->scratch, point, OTLP_NUMBER_POINT_ATTRIBUTES, &map);

	for (uint32_t i = 0; !rc && i < map.pairs.n; i++)
		if (is_kept(keys, map.pairs.at[i].key))
			map.pairs.at[kept++] = map.pairs.at[i];
	if (rc)
		return rc;
	map.pairs.n = kept;
	if (kept)
		qsort(map.pairs.at, kept, sizeof(map.pairs.at[0]), compare_attribute_keys);
	proto_writer_clear(&ev->writer);
	ottl_map_write(&ev->writer, OTLP_NUMBER_POINT_ATTRIBUTES, &map);
	return ottl_take_written(&ev->writer, &ev->scratch, out);
}

static int read_aggregated(struct ottl_eval *ev, struct str point, const struct ottl_list *keys,
			   struct aggregated *out)
{
	enum { EXEMPLARS = 5 };
	struct ottl_change changes[] = {{.field = POINT_DOUBLE},
					{.field = POINT_INT},
					{.field = EXEMPLARS},
					{.field = OTLP_NUMBER_POINT_ATTRIBUTES}};
	bool is_int = ottl_has_field(point, POINT_INT);
	int rc = ottl_field_read(point, is_int ? POINT_INT : POINT_DOUBLE,
				 is_int ? FIELD_FIXED64 : FIELD_DOUBLE, &ev->scratch, &out->value);

	if (!rc)
		rc = encode_kept(ev, point, keys, &changes[3].bytes);
	return rc ? rc
		  : ottl_message_replace(point, changes, countof(changes), &ev->scratch,
					 &out->rest);
}

static int compare_aggregated(const void *x, const void *y)
{
	const struct aggregated *a = x, *b = y;
	int order = str_cmp(a->rest, b->rest);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_index(const void *x, const void *y)
{
	const struct aggregated *a = x, *b = y;

	return (a->index > b->index) - (a->index < b->index);
}

/* ---- values ---- */

static double number_of(const struct ottl_value *v)
{
	return v->kind == OTTL_INT ? (double)v->i : v->d;
}

static int compare_numbers(const void *x, const void *y)
{
	const struct aggregated *a = x, *b = y;
	double p = number_of(&a->value), q = number_of(&b->value);

	return (p > q) - (p < q);
}

static struct ottl_value number_like(const struct ottl_value *v, double number)
{
	return v->kind == OTTL_INT ? OTTL_VALUE_INT(ottl_int_of_double(number))
				   : OTTL_VALUE_DOUBLE(number);
}

static struct ottl_value sum_of(const struct aggregated *group, uint32_t n)
{
	struct ottl_value sum = group[0].value;

	for (uint32_t i = 1; i < n; i++) {
		if (sum.kind == OTTL_INT && group[i].value.kind == OTTL_INT)
			sum.i = (int64_t)((uint64_t)sum.i + (uint64_t)group[i].value.i);
		else
			sum = OTTL_VALUE_DOUBLE(number_of(&sum) + number_of(&group[i].value));
	}
	return sum;
}

/* Return the value of a group; median sorts it. */
static struct ottl_value joined_value(struct str function, struct aggregated *group, uint32_t n)
{
	struct ottl_value sum = sum_of(group, n), *middle;

	if (str_eq(function, STR("sum")))
		return sum;
	if (str_eq(function, STR("mean")))
		return number_like(&sum, number_of(&sum) / n);
	if (str_eq(function, STR("count")))
		return number_like(&group[0].value, n);
	qsort(group, n, sizeof(*group), compare_numbers);
	if (str_eq(function, STR("median"))) {
		middle = &group[n / 2].value;
		if (n % 2)
			return *middle;
		return number_like(middle,
				   (number_of(middle) + number_of(&group[n / 2 - 1].value)) / 2);
	}
	return group[str_eq(function, STR("max")) ? n - 1 : 0].value;
}

/* ---- points ---- */

/* Join runs of equal points; the result keeps the place of the first one. Return the number. */
static uint32_t join_runs(struct str function, struct aggregated *all, uint32_t n)
{
	uint32_t groups = 0;

	for (uint32_t i = 0, end; i < n; i = end) {
		struct aggregated joined = all[i];

		for (end = i + 1; end < n && str_eq(all[i].rest, all[end].rest);)
			end++;
		joined.value = joined_value(function, &all[i], end - i);
		all[groups++] = joined;
	}
	return groups;
}

static int write_aggregated(struct ottl_eval *ev, const struct aggregated *x, struct ottl_list *out)
{
	bool is_int = x->value.kind == OTTL_INT;
	struct str bytes;
	int rc;

	proto_writer_clear(&ev->writer);
	proto_put_fixed64_raw(&ev->writer, (uint64_t)x->value.i); /* the same bits as .d */
	proto_put_varint(&ev->writer, PROTO_TAG(is_int ? POINT_INT : POINT_DOUBLE, PROTO_FIXED64));
	proto_put_raw(&ev->writer, x->rest.p, x->rest.n);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &bytes);
	return rc ? rc
		  : ottl_list_add(&ev->scratch, out,
				  (struct ottl_value){.kind = OTTL_BYTES, .s = bytes});
}

int ottl_run_aggregate(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	const struct ottl_list *keys = a->given[1] ? a->v[1].list : NULL;
	struct ottl_list *written = ottl_list_new(&ev->scratch);
	struct aggregated *all;
	struct ottl_value points;
	struct str data;
	uint32_t kind = ottl_metric_data(ev, &data), n;
	int rc;

	(void)out;
	if (kind != OTLP_GAUGE && kind != OTLP_SUM)
		return kind ? ottl_fail(ev, "aggregate_on_attributes supports gauges and sums") : 0;
	rc = ottl_field_read(data, DATA_POINTS, FIELD_MESSAGES, &ev->scratch, &points);
	if (rc)
		return rc;
	n = points.list->items.n;
	all = arena_alloc(&ev->scratch, max_size(n, 1), sizeof(*all));
	if (!written || !all)
		return -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		all[i].index = i;
		rc = read_aggregated(ev, points.list->items.at[i].s, keys, &all[i]);
	}
	if (rc)
		return rc;
	qsort(all, n, sizeof(*all), compare_aggregated);
	n = join_runs(a->v[0].s, all, n);
	qsort(all, n, sizeof(*all), compare_index);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = write_aggregated(ev, &all[i], written);
	return rc ? rc : replace_points(ev, kind, data, written);
}
