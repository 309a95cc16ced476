/* SPDX-License-Identifier: Apache-2.0 */
/* Records of lines and entries, grouped by resource. */
#include "pipeline/receivers/filelog/filelog_batch.h"

#include <errno.h>

/* Attributes of one record besides those of the file: record_number, record_offset. */
enum { RECORD_ATTRIBUTES = 2 };

static int values_to_attributes(struct attributes *out, const struct filelog_values *from,
				struct arena *arena, struct proto_writer *w, uint32_t more)
{
	int rc = vec_reserve(arena, &out->list, from->n + more + 1);

	for (uint32_t i = 0; i < from->n && !rc; i++) {
		struct value value;

		rc = log_node_value(&value, &from->at[i].value, arena, w);
		if (!rc)
			out->list.at[out->list.n++] =
				(struct otlp_attribute){from->at[i].key, value};
	}
	return rc;
}

int filelog_batch_init(struct filelog_batch *b, const struct filelog_settings *settings)
{
	int rc;

	*b = (struct filelog_batch){.settings = settings};
	arena_init(&b->arena, NULL);
	arena_init(&b->fixed, NULL);
	proto_writer_init(&b->writer, NULL);
	otlp_builder_init(&b->builder, SIGNAL_LOGS, NULL);
	rc = values_to_attributes(&b->resource, &settings->resource, &b->fixed, &b->writer, 0);
	if (!rc)
		rc = values_to_attributes(&b->of_file, &settings->attributes, &b->fixed, &b->writer,
					  TAIL_ATTRIBUTES_MAX + RECORD_ATTRIBUTES);
	return rc;
}

void filelog_batch_fini(struct filelog_batch *b)
{
	otlp_builder_fini(&b->builder);
	proto_writer_fini(&b->writer);
	arena_fini(&b->arena);
	arena_fini(&b->fixed);
	buf_fini(&b->open);
}

/* ---- lines ---- */

/* The attributes of a file's records, which do not change from line to line. */
static void take_file(struct filelog_batch *b, const struct tail_file *f)
{
	struct attributes *a = &b->of_file;

	a->list.n = b->settings->attributes.n;
	for (uint32_t i = 0; i < f->attributes.list.n; i++)
		a->list.at[a->list.n++] = f->attributes.list.at[i];
	b->of_file_n = a->list.n;
	b->file = f->origin.id;
}

static void add_record_attributes(struct filelog_batch *b, const struct tail_file *f,
				  uint64_t offset)
{
	struct attributes *a = &b->of_file;

	if (b->file != f->origin.id)
		take_file(b, f);
	a->list.n = b->of_file_n;
	if (b->settings->attach.record_number)
		a->list.at[a->list.n++] = (struct otlp_attribute){
			STR("log.file.record_number"), VALUE_OF_INT((int64_t)f->record_number)};
	if (b->settings->attach.record_offset)
		a->list.at[a->list.n++] = (struct otlp_attribute){STR("log.file.record_offset"),
								  VALUE_OF_INT((int64_t)offset)};
}

/* Begin the resource of records without operators. */
static void open_plain(struct filelog_batch *b)
{
	if (b->is_open)
		return;
	otlp_begin_resource(&b->builder, &b->resource, STR(""));
	otlp_begin_scope(&b->builder, STR(""), STR(""));
	b->is_open = true;
}

static bool is_bytes(const struct filelog_batch *b, struct str text)
{
	enum text_encoding encoding = filelog_encoding(b->settings);

	return encoding == TEXT_NOP ||
	       (encoding == TEXT_UTF8_RAW && str_utf8_valid(text) != text.n);
}

void filelog_batch_add_line(struct filelog_batch *b, const struct tail_file *f, struct str text,
			    uint64_t offset, uint64_t observed)
{
	struct otlp_log log = {
		.observed_time = observed, .body = VALUE_OF_STR(text), .attributes = &b->of_file};

	if (is_bytes(b, text))
		log.body.kind = VALUE_BYTES;
	open_plain(b);
	add_record_attributes(b, f, offset);
	otlp_add_log(&b->builder, &log);
}

/* ---- entries ---- */

int filelog_batch_make_entry(struct filelog_batch *b, struct tail_file *f, struct str text,
			     uint64_t offset, uint64_t observed, struct arena *arena,
			     struct log_entry *out)
{
	const struct filelog_values *configured = &b->settings->attributes;
	const struct log_node resource = {.kind = VALUE_MAP,
					  .n = b->settings->resource.n,
					  .pairs = (void *)b->settings->resource.at};
	int rc;

	*out = (struct log_entry){.observed = observed,
				  .body = LOG_NODE_STR(text),
				  .attributes = {.kind = VALUE_MAP},
				  .origin = &f->origin,
				  .offset = offset};
	if (is_bytes(b, text))
		out->body.kind = VALUE_BYTES;
	add_record_attributes(b, f, offset);
	rc = log_node_copy(&out->resource, arena, &resource);
	for (uint32_t i = 0; i < configured->n && !rc; i++) {
		struct log_node copy;

		rc = log_node_copy(&copy, arena, &configured->at[i].value);
		if (!rc)
			rc = log_node_set(&out->attributes, arena, configured->at[i].key, &copy);
	}
	for (uint32_t i = configured->n; i < b->of_file.list.n && !rc; i++) {
		const struct otlp_attribute *a = &b->of_file.list.at[i];
		struct log_node node = a->value.kind == VALUE_INT ? LOG_NODE_INT(a->value.i)
								  : LOG_NODE_STR(a->value.s);

		rc = log_node_set(&out->attributes, arena, a->key, &node);
	}
	return rc;
}

/* Convert a map. Return 0 or -ENOMEM. */
static int map_to_attributes(struct filelog_batch *b, const struct log_node *map,
			     struct attributes *out)
{
	int rc = 0;

	*out = (struct attributes){0};
	for (uint32_t i = 0; i < map->n && !rc; i++) {
		struct str key = map->pairs[i].key;
		struct value value;

		rc = log_node_value(&value, &map->pairs[i].value, &b->arena, &b->writer);
		if (!rc)
			rc = vec_push(
				&b->arena, &out->list,
				(struct otlp_attribute){str_head(key, str_utf8_valid(key)), value});
	}
	return rc;
}

/* Begin the resource of an entry, unless it is open. */
static int open_resource(struct filelog_batch *b, const struct log_entry *entry)
{
	struct attributes resource;
	int rc;

	proto_writer_clear(&b->writer);
	log_node_write(&b->writer, &entry->resource);
	if (proto_writer_error(&b->writer))
		return -ENOMEM;
	if (b->is_open && str_eq(buf_str(&b->open), proto_writer_str(&b->writer)))
		return 0;
	buf_clear(&b->open);
	buf_put_str(&b->open, proto_writer_str(&b->writer));
	b->is_open = !buf_error(&b->open);
	rc = map_to_attributes(b, &entry->resource, &resource);
	if (rc)
		return rc;
	otlp_begin_resource(&b->builder, &resource, STR(""));
	otlp_begin_scope(&b->builder, STR(""), STR(""));
	return 0;
}

static int add_entry(struct filelog_batch *b, const struct log_entry *entry)
{
	struct otlp_log log = {.time = entry->time,
			       .observed_time = entry->observed,
			       .severity = entry->severity,
			       .severity_text = str_head(entry->severity_text,
							 str_utf8_valid(entry->severity_text)),
			       .flags = entry->flags};
	struct attributes attributes;
	int rc = open_resource(b, entry);

	if (!rc)
		rc = map_to_attributes(b, &entry->attributes, &attributes);
	if (!rc)
		rc = log_node_value(&log.body, &entry->body, &b->arena, &b->writer);
	if (rc)
		return rc;
	log.attributes = &attributes;
	memcpy(log.trace_id, entry->trace_id, sizeof(log.trace_id));
	memcpy(log.span_id, entry->span_id, sizeof(log.span_id));
	otlp_add_log(&b->builder, &log);
	return 0;
}

void filelog_batch_add_entry(struct filelog_batch *b, const struct log_entry *entry)
{
	if (add_entry(b, entry))
		b->builder.open[0].failed = true; /* as any other error of memory */
	arena_reset(&b->arena);
}

/* ---- the message ---- */

bool filelog_batch_is_full(const struct filelog_batch *b)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < OTLP_BUILDER_LEVELS; i++)
		bytes += b->builder.open[i].n;
	return bytes >= LOG_BATCH_BYTES || b->builder.items >= LOG_BATCH_RECORDS;
}

struct payload *filelog_batch_finish(struct filelog_batch *b)
{
	b->is_open = false;
	return otlp_builder_finish(&b->builder);
}
