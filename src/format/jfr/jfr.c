/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JDK Flight Recorder's file format, version 2, as the JDK (9 and later) and async-profiler write
 * it. The decoder works chunk by chunk: it reads the type descriptions, indexes the constants and
 * walks the events. The memory of a chunk is reused for the next one; only observations and rows of
 * the batch are kept.
 */
#include "format/jfr/jfr.h"

#include <errno.h>
#include <stdio.h>

#include "format/jfr/events.h"
#include "signal/profile/profile_rows.h"

struct decoder {
	struct profile_builder builder;
	struct arena arena;	  /* for the whole recording */
	struct arena chunk_arena; /* for the current chunk */
	struct jfr_labels labels;
	struct jfr_samples samples;
	struct jfr_settings settings;
	const struct decode_options *options;
};

static int sniff(struct str head)
{
	return jfr_is_chunk_start((const uint8_t *)head.p, (const uint8_t *)head.p + head.n) ? 100
											     : 0;
}

static void jfr_warn(const struct decoder *d, const char *text)
{
	if (d->options && d->options->warn)
		d->options->warn(d->options->warn_arg, text);
}

/* Find the type descriptions: where the header says, or the last ones of an unfinished chunk. */
static const uint8_t *find_metadata(const struct jfr_chunk *chunk)
{
	struct jfr_cursor c =
		jfr_cursor_of(chunk->start + JFR_HEADER, chunk->end, chunk->compressed);
	const uint8_t *found = NULL;
	struct jfr_event event;

	if (chunk->metadata)
		return chunk->start + chunk->metadata;
	while (jfr_next_event(&c, &event))
		if (event.type == JFR_TYPE_METADATA)
			found = event.at;
	return found;
}

static int read_chunk(struct decoder *d, const struct jfr_chunk *chunk, const uint8_t *metadata_at,
		      struct err *e)
{
	struct jfr_metadata metadata;
	struct jfr_resolver resolver = {0};
	struct jfr_constant_pools pools;
	int rc = jfr_metadata_read(&metadata, &d->chunk_arena, chunk, metadata_at, e);

	if (!rc)
		rc = jfr_constant_pools_read(&pools, &d->chunk_arena, chunk, &metadata, e);
	if (!rc)
		rc = jfr_resolver_init(&resolver, &d->builder, &pools);
	if (!rc)
		rc = jfr_events_read(&d->samples, &d->settings, &resolver, e);
	jfr_resolver_fini(&resolver);
	arena_reset(&d->chunk_arena);
	if (chunk->finished)
		jfr_samples_extend_time(&d->samples, chunk->start_nanos,
					chunk->start_nanos + chunk->duration_nanos);
	return rc;
}

/* Accept an unfinished chunk with a warning, or reject it in strict mode. */
static int check_unfinished(const struct decoder *d, const struct jfr_chunk *chunk,
			    const uint8_t *metadata, struct err *e)
{
	size_t at = (size_t)chunk->offset;

	if (!metadata)
		return err_set(e, -EBADMSG,
			       "at byte %zu: expected a chunk with type descriptions, found none",
			       at);
	if (chunk->finished)
		return 0;
	if (d->options && d->options->strict)
		return err_set(e, -EBADMSG,
			       "at byte %zu: expected a finished chunk, found a truncated one", at);
	jfr_warn(d, "the last chunk of the recording is incomplete: its complete events are read, "
		    "stacks "
		    "may be missing");
	return 0;
}

/* Get the next chunk by the size in its header, or the rest of the input if there is no size. */
static int next_chunk(struct byte_source *in, struct str *bytes, struct err *e)
{
	int rc = in->next(in, JFR_HEADER, bytes, e);
	uint64_t size = rc ? 0 : jfr_chunk_size(*bytes);

	if (rc || (size && size <= bytes->n))
		return rc;
	return in->next(in, size ? size : SIZE_MAX, bytes, e);
}

static int read_chunks(struct decoder *d, struct byte_source *in, struct err *e)
{
	struct str bytes;
	int rc = next_chunk(in, &bytes, e);

	while (!rc) {
		struct jfr_chunk chunk;

		rc = jfr_chunk_open(&chunk, bytes, in->offset, e);
		if (rc)
			return rc;

		const uint8_t *metadata = find_metadata(&chunk);

		rc = check_unfinished(d, &chunk, metadata, e);
		if (!rc)
			rc = read_chunk(d, &chunk, metadata, e);
		in->offset = jfr_chunk_input_offset(&chunk, chunk.end);
		if (rc || (!chunk.finished &&
			   !jfr_is_chunk_start(chunk.end, (const uint8_t *)bytes.p + bytes.n)))
			return rc;
		rc = next_chunk(in, &bytes, e);
		if (!bytes.n)
			break;
	}
	return rc;
}

/* Add the recorded process as the resource and the recorder as the scope. */
static int add_resource(struct decoder *d)
{
	const struct jfr_settings *s = &d->settings;
	struct keyvalue attributes[3];
	uint32_t n = 0;
	int rc;

	if (s->pid)
		attributes[n++] = (struct keyvalue){STR("process.pid"), VALUE_OF_INT(s->pid)};
	if (s->jvm_name.n)
		attributes[n++] =
			(struct keyvalue){STR("process.runtime.name"), VALUE_OF_STR(s->jvm_name)};
	if (s->jvm_version.n)
		attributes[n++] = (struct keyvalue){STR("process.runtime.description"),
						    VALUE_OF_STR(s->jvm_version)};
	rc = profile_add_resource(&d->builder, attributes, n);
	if (rc)
		return rc;
	return profile_add_scope(&d->builder, s->version.n ? STR("async-profiler") : STR(""),
				 s->version, NULL, 0);
}

static int decode_with(struct decoder *d, struct profile_batch *out, struct byte_source *in,
		       struct err *e)
{
	struct str labels = d->options ? d->options->labels : (struct str){0};
	int rc = profile_builder_init(&d->builder, out);

	if (!rc)
		rc = jfr_samples_init(&d->samples, &d->arena);
	if (!rc && d->options)
		jfr_samples_select_type(&d->samples, d->options->sample_type);
	if (!rc)
		rc = jfr_labels_read(&d->labels, &d->arena, &d->builder, labels, e);
	if (!rc)
		rc = read_chunks(d, in, e);
	if (!rc)
		rc = add_resource(d);
	if (!rc)
		rc = jfr_samples_emit(&d->samples, &d->builder, &d->labels,
				      jfr_counted_event(&d->settings));
	return rc;
}

/* After an error: drop attributes, values and times that were added for an unfinished sample. */
static void drop_unfinished_sample(struct profile_batch *b)
{
	b->sample_attributes.n = b->sample_attributes_at[b->sample_count];
	b->values.n = b->sample_values_at[b->sample_count];
	b->times.n = b->sample_times_at[b->sample_count];
}

static int decode_parts(struct profile_batch *out, struct byte_source *in,
			const struct decode_options *o, struct err *e)
{
	struct decoder d = {.options = o, .settings.wall = -1};

	arena_init(&d.arena, out->arena.budget);
	arena_init(&d.chunk_arena, out->arena.budget);

	int rc = decode_with(&d, out, in, e);

	if (rc)
		drop_unfinished_sample(out);
	arena_fini(&d.chunk_arena);
	arena_fini(&d.arena);
	return rc;
}

struct memory_source {
	struct byte_source source;
	struct str all;
};

static int next_in_memory(struct byte_source *source, size_t n, struct str *bytes, struct err *e)
{
	const struct memory_source *m = (const struct memory_source *)source;

	(void)n;
	(void)e;
	*bytes = str_from_at(m->all, source->offset);
	return 0;
}

static int decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		  struct err *e)
{
	struct memory_source m = {.source.next = next_in_memory, .all = in};

	return decode_parts(out, &m.source, o, e);
}

static const char *const extensions[] = {"jfr", NULL};

const struct format format_jfr = {
	.name = "jfr",
	.summary = "JDK Flight Recorder and async-profiler recordings",
	.extensions = extensions,
	.sniff = sniff,
	.decode = decode,
	.decode_parts = decode_parts,
};
