/* SPDX-License-Identifier: Apache-2.0 */
/* What the decoders of V8's two profiles share: nodes with a call frame. */
#include "format/v8/v8.h"

#include "signal/profile/profile_rows.h"

int v8_decoder_init(struct v8_decoder *d, struct profile_batch *out, struct str in,
		    const struct decode_options *o, struct err *e)
{
	int rc;

	*d = (struct v8_decoder){.warnings = {.options = o}};
	rc = profile_builder_init(&d->builder, out);
	if (!rc)
		rc = collector_init(&d->collector, &d->builder);
	if (!rc) {
		json_init(&d->doc, &d->collector.scratch);
		rc = json_parse(&d->doc, in, e);
	}
	if (!rc)
		rc = profile_add_attribute(&d->builder, text_frame_type, VALUE_OF_STR(STR("v8js")),
					   STR(""), &d->script_type);
	return rc;
}

void v8_decoder_fini(struct v8_decoder *d)
{
	collector_fini(&d->collector);
}

int v8_decoder_finish(struct v8_decoder *d)
{
	int rc = profile_add_resource(&d->builder, NULL, 0);

	if (!rc)
		rc = profile_add_scope(&d->builder, STR(""), STR(""), NULL, 0);
	return rc ? rc : collector_finish(&d->collector);
}

int v8_add_series(struct v8_decoder *d, struct str type, struct str unit, uint32_t *series)
{
	struct profile row = {0};
	int rc = profile_add_string(&d->builder, type, &row.sample_type.type);

	if (!rc)
		rc = profile_add_string(&d->builder, unit, &row.sample_type.unit);
	return rc ? rc : collect_series_add(&d->collector, &row, NULL, 0, series);
}

static const struct json_value *call_frame(const struct json_value *node)
{
	const struct json_value *frame = json_get(node, STR("callFrame"));

	return frame ? frame : node;
}

bool v8_is_root(const struct json_value *node)
{
	return str_eq(json_str(json_get(call_frame(node), STR("functionName"))), STR("(root)"));
}

/* Convert a position that counts from `base`; return 0 if it is -1 or missing. */
static int64_t read_position(const struct json_value *frame, struct str key, int64_t base)
{
	int64_t position;

	if (json_i64(json_get(frame, key), &position) || position < base || position >= INT32_MAX)
		return 0;
	return position + 1 - base;
}

int v8_add_location(struct v8_decoder *d, const struct json_value *node, uint32_t *location)
{
	const struct json_value *frame = call_frame(node);
	int64_t base = frame == node ? 1 : 0;
	struct function function = {.start_line = read_position(frame, STR("lineNumber"), base)};
	struct line line = {.line = function.start_line,
			    .column = read_position(frame, STR("columnNumber"), base)};
	struct arena *scratch = &d->collector.scratch;
	struct str name, url;
	int rc = text_repair_utf8(scratch, json_str(json_get(frame, STR("functionName"))), &name);

	if (!rc)
		rc = text_repair_utf8(scratch, json_str(json_get(frame, STR("url"))), &url);
	if (!rc)
		rc = profile_add_string(&d->builder, name.n ? name : STR("(anonymous)"),
					&function.name);
	if (!rc)
		rc = profile_add_string(&d->builder, url, &function.filename);
	if (!rc)
		rc = profile_add_function(&d->builder, &function, &line.function);
	if (rc)
		return rc;
	return profile_add_location(&d->builder,
				    &(struct location_parts){.lines = &line,
							     .line_count = 1,
							     .attributes = &d->script_type,
							     .attribute_count = url.n > 0},
				    location);
}
