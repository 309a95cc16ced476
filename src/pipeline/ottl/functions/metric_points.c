/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the data of a metric, or the data points in it, whatever its type. */
#include "pipeline/ottl/functions/metric_points.h"

enum ottl_point_kind point_kind_of_data(uint32_t data_field)
{
	switch (data_field) {
	case OTLP_HISTOGRAM:
		return POINT_HISTOGRAM;
	case OTLP_EXPONENTIAL:
		return POINT_EXPONENTIAL;
	case OTLP_SUMMARY:
		return POINT_SUMMARY;
	default:
		return POINT_NUMBER;
	}
}

uint32_t point_attributes_field(enum ottl_point_kind kind)
{
	static const uint8_t fields[] = {
		[POINT_NUMBER] = OTLP_NUMBER_POINT_ATTRIBUTES,
		[POINT_HISTOGRAM] = OTLP_HISTOGRAM_POINT_ATTRIBUTES,
		[POINT_EXPONENTIAL] = OTLP_EXPONENTIAL_POINT_ATTRIBUTES,
		[POINT_SUMMARY] = OTLP_SUMMARY_POINT_ATTRIBUTES,
	};

	return fields[kind];
}

int put_metric_data(struct ottl_eval *ev, uint32_t kind, struct str data)
{
	struct ottl_record *r = &ev->at[LEVEL_ITEM];
	struct str bytes;
	uint32_t before = ottl_metric_data(ev, &bytes);
	int rc;

	proto_writer_clear(&ev->writer);
	proto_put_entry(&ev->writer, kind, data);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &bytes);
	if (!rc)
		rc = ottl_record_put(r, &ev->scratch, kind, bytes);
	if (rc || before == kind)
		return rc;
	return ottl_record_put(r, &ev->scratch, before, (struct str){0});
}

int number_data(struct ottl_eval *ev, struct str data, enum otlp_temporality temporality,
		bool monotonic, struct str *out)
{
	struct ottl_change changes[2] = {{.field = DATA_TEMPORALITY}, {.field = DATA_MONOTONIC}};
	int rc;

	proto_writer_clear(&ev->writer);
	proto_put_uint(&ev->writer, DATA_TEMPORALITY, temporality);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &changes[0].bytes);
	proto_put_uint(&ev->writer, DATA_MONOTONIC, monotonic);
	if (!rc)
		rc = ottl_take_written(&ev->writer, &ev->scratch, &changes[1].bytes);
	return rc ? rc : ottl_message_replace(data, changes, 2, &ev->scratch, out);
}

int replace_points(struct ottl_eval *ev, uint32_t kind, struct str data,
		   const struct ottl_list *points)
{
	struct ottl_change change = {.field = DATA_POINTS};
	int rc;

	proto_writer_clear(&ev->writer);
	for (uint32_t i = points->items.n; i-- > 0;)
		proto_put_entry(&ev->writer, DATA_POINTS, points->items.at[i].s);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);
	if (!rc)
		rc = ottl_message_replace(data, &change, 1, &ev->scratch, &data);
	ev->item->count = points->items.n;
	return rc ? rc : put_metric_data(ev, kind, data);
}
