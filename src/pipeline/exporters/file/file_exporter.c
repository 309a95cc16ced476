/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file exporter. Each delivery becomes one record, which is written before the delivery is
 * done: as JSON, a line; as protobuf, or compressed, the message after its length (32 bits, big
 * endian), as the OpenTelemetry Collector writes them.
 *
 * With group_by, the path contains a `*`, and each resource goes to the file whose `*` is the value
 * of an attribute of the resource. Files that were not written for the longest time are closed when
 * too many are open.
 */
#include "pipeline/exporters/file/file_exporter.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "format/otlp/schema.h"
#include "pipeline/exporters/file/output_file.h"
#include "signal/otlp/attributes.h"
#include "wire/compress/compress.h"

enum { RETRY_MS = 5000, MODE_DEFAULT = 0755 };

struct file_settings {
	struct str path, format, compression, permissions;
	bool append, create_directory;
	uint64_t flush_interval_ns;
	struct output_rotation rotation;
	struct file_group_by {
		bool enabled;
		struct str attribute;
		int64_t max_open_files;
	} group_by;
};

/* An open file of a group, or the only file. */
struct group_file {
	struct group_file *next; /* the last written first */
	struct output_file file;
};

struct file_exporter {
	const struct file_settings *settings;
	const struct log *log;
	struct output_options options;
	bool json, zstd;
	pthread_mutex_t mu;	 /* guards what follows */
	enum signal_kind signal; /* of the payload that is written */
	struct group_file *files;
	uint32_t file_count;
	struct buf text, compressed, scratch;
	struct arena arena;
};

/* ---- records ---- */

/* Return the message in the form in which it is written. */
static int encode_record(struct file_exporter *x, struct str message, struct str *out,
			 struct err *e)
{
	int rc = 0;

	if (x->json) {
		buf_clear(&x->text);
		rc = schema_to_json(&x->text, otlp_request_schema(x->signal), message, e);
		message = buf_str(&x->text);
	}
	if (!rc && x->zstd) {
		buf_clear(&x->compressed);
		rc = compress_bytes(&x->compressed, COMPRESS_ZSTD, 0, message, e);
		message = buf_str(&x->compressed);
	}
	*out = message;
	return rc;
}

static int write_record(struct file_exporter *x, struct output_file *f, struct str message,
			struct err *e)
{
	char prefix[4], newline = '\n';
	struct iovec parts[2];
	struct str record;
	int rc = encode_record(x, message, &record, e);

	if (rc)
		return rc;
	if (record.n > UINT32_MAX)
		return err_set(e, -EFBIG, "a message of %zu bytes is too large", record.n);
	parts[0] = parts[1] = (struct iovec){(void *)(uintptr_t)record.p, record.n};
	if (x->json && !x->zstd) {
		parts[1] = (struct iovec){&newline, 1};
		return output_file_write(f, parts, 2, e);
	}
	for (unsigned i = 0; i < 4; i++)
		prefix[i] = (char)(record.n >> (24 - 8 * i));
	parts[0] = (struct iovec){prefix, sizeof(prefix)};
	return output_file_write(f, parts, 2, e);
}

/* Write a payload that needs no encoding, without joining its slices. */
static int write_slices(struct output_file *f, const struct payload *p, struct arena *arena,
			struct err *e)
{
	struct iovec *parts = arena_alloc(arena, p->slice_count + 1, sizeof(*parts));
	char prefix[4];

	if (!parts)
		return -ENOMEM;
	if (p->bytes > UINT32_MAX)
		return err_set(e, -EFBIG, "a message of %zu bytes is too large", p->bytes);
	for (unsigned i = 0; i < 4; i++)
		prefix[i] = (char)(p->bytes >> (24 - 8 * i));
	parts[0] = (struct iovec){prefix, sizeof(prefix)};
	for (uint32_t i = 0; i < p->slice_count; i++)
		parts[i + 1] = (struct iovec){(void *)(uintptr_t)p->slices[i].bytes.p,
					      p->slices[i].bytes.n};
	return output_file_write(f, parts, p->slice_count + 1, e);
}

/* ---- groups ---- */

static void close_oldest(struct file_exporter *x)
{
	struct group_file **last = &x->files, *g;

	while (*last && (*last)->next)
		last = &(*last)->next;
	g = *last;
	if (!g)
		return;
	*last = NULL;
	output_file_close(&g->file);
	free(g);
	x->file_count--;
}

/* Return the open file of this path, which becomes the first; open it if needed. */
static int find_file(struct file_exporter *x, struct str path, struct output_file **out,
		     struct err *e)
{
	struct group_file *g;
	int rc;

	for (struct group_file **at = &x->files; *at; at = &(*at)->next) {
		g = *at;
		if (!str_eq(str_from(g->file.path), path))
			continue;
		*at = g->next;
		g->next = x->files;
		x->files = g;
		*out = &g->file;
		return 0;
	}
	if (x->settings->group_by.enabled && x->file_count >= x->settings->group_by.max_open_files)
		close_oldest(x);
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	rc = output_file_open(&g->file, path, &x->options, x->log, e);
	if (rc) {
		free(g);
		return rc;
	}
	g->next = x->files;
	x->files = g;
	x->file_count++;
	*out = &g->file;
	return 0;
}

/* Append a value as part of a path: it cannot leave the directory. */
static void put_path_segment(struct buf *out, struct str value)
{
	while (value.n) {
		struct str part = str_cut(&value, '/');

		if (!part.n || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			continue;
		if (out->n && out->p[out->n - 1] != '/')
			buf_put_char(out, '/');
		for (size_t i = 0; i < part.n; i++)
			buf_put_char(out, part.p[i] ? part.p[i] : '_');
	}
}

/* Return the path of the file of a resource; empty if the resource has no such attribute. */
static int resource_path(struct file_exporter *x, struct str resource_x, struct str *out)
{
	struct str path = x->settings->path, resource = {0};
	struct proto_reader r = proto_reader_of(resource_x);
	size_t star = str_find(path, '*');
	struct buf text, segment = {0};
	struct value value;
	int rc;

	*out = (struct str){0};
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			resource = proto_bytes(&r);
		else
			proto_skip(&r);
	if (!otlp_attribute_find(resource, OTLP_RESOURCE_ATTRIBUTES,
				 x->settings->group_by.attribute, &value) ||
	    value.kind != VALUE_STRING)
		return 0;
	buf_init(&text, NULL);
	put_path_segment(&segment, value.s);
	buf_put_str(&text, str_head(path, star));
	buf_put_str(&text, buf_str(&segment));
	buf_put_str(&text, str_from_at(path, star + 1));
	rc = buf_error(&text);
	if (!rc && buf_error(&segment))
		rc = -ENOMEM;
	if (!rc && segment.n)
		rc = arena_copy_str(&x->arena, buf_str(&text), out);
	buf_fini(&text);
	buf_fini(&segment);
	return rc;
}

/* A resource of a message with the field around it, which is a message of its own. */
struct grouped {
	struct str bytes, path;
};

static int read_groups(struct file_exporter *x, struct str message, struct grouped **out,
		       uint32_t *count)
{
	VEC(struct grouped) list = {0};
	struct proto_reader r = proto_reader_of(message);
	const uint8_t *from = r.at;
	int rc = 0;

	for (; !rc && proto_next(&r); from = r.at) {
		struct grouped g = {0};
		struct str body;

		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		body = proto_bytes(&r);
		g.bytes = str_of((const char *)from, (size_t)(r.at - from));
		rc = resource_path(x, body, &g.path);
		if (!rc && g.path.n)
			rc = vec_push(&x->arena, &list, g);
	}
	*out = list.at;
	*count = list.n;
	return rc ? rc : r.error ? -EBADMSG : 0;
}

/* Write one record to each file, of its resources in order. */
static int write_groups(struct file_exporter *x, struct str message, struct err *e)
{
	struct grouped *groups;
	uint32_t count;
	struct buf record = {0};
	int rc = read_groups(x, message, &groups, &count);

	for (uint32_t i = 0; i < count && !rc; i++) {
		struct str path = groups[i].path;
		struct output_file *f;

		if (!path.n)
			continue;
		buf_clear(&record);
		for (uint32_t k = i; k < count; k++)
			if (str_eq(groups[k].path, path)) {
				buf_put_str(&record, groups[k].bytes);
				groups[k].path = (struct str){0};
			}
		rc = buf_error(&record);
		if (!rc)
			rc = find_file(x, path, &f, e);
		if (!rc)
			rc = write_record(x, f, buf_str(&record), e);
	}
	buf_fini(&record);
	return rc;
}

/* ---- the component ---- */

static int write_payload(struct file_exporter *x, const struct payload *p, struct err *e)
{
	struct output_file *f;
	struct str message;
	int rc;

	arena_reset(&x->arena);
	x->signal = p->signal;
	if (!x->settings->group_by.enabled) {
		rc = find_file(x, x->settings->path, &f, e);
		if (rc)
			return rc;
		if (!x->json && !x->zstd)
			return write_slices(f, p, &x->arena, e);
	}
	buf_clear(&x->scratch);
	message = payload_str(p, &x->scratch);
	if (message.n != p->bytes)
		return -ENOMEM;
	if (x->settings->group_by.enabled && p->signal == SIGNAL_PROFILES)
		return err_set(e, -ENOTSUP,
			       "group_by does not split profiles: their resources "
			       "share one dictionary");
	if (x->settings->group_by.enabled)
		return write_groups(x, message, e);
	return write_record(x, f, message, e);
}

static bool file_consume(void *instance, struct delivery *d)
{
	struct file_exporter *x = instance;
	struct err e = {0};
	int rc;

	pthread_mutex_lock(&x->mu);
	rc = write_payload(x, d->payload, &e);
	if (x->scratch.cap > 4 * MIB)
		buf_fini(&x->scratch);
	if (x->text.cap > 4 * MIB)
		buf_fini(&x->text);
	pthread_mutex_unlock(&x->mu);
	d->copied = true;
	if (!rc)
		delivery_done(d, &(struct delivery_result){0});
	else
		delivery_fail(d, rc, delivery_may_retry(rc) ? RETRY_MS : 0, "%s",
			      e.text[0] ? e.text : "out of memory");
	return true;
}

static void file_destroy(void *instance)
{
	struct file_exporter *x = instance;

	while (x->files)
		close_oldest(x);
	buf_fini(&x->text);
	buf_fini(&x->compressed);
	buf_fini(&x->scratch);
	arena_fini(&x->arena);
	pthread_mutex_destroy(&x->mu);
	free(x);
}

static int file_create(void **instance, const struct component_env *env, const void *settings,
		       struct err *e)
{
	const struct file_settings *s = settings;
	struct file_exporter *x = calloc(1, sizeof(*x));

	if (!x)
		return err_errno(e, -ENOMEM, "file");
	x->settings = s;
	x->log = env->log;
	x->json = str_eq(s->format, STR("json"));
	x->zstd = str_eq(s->compression, STR("zstd"));
	x->options = (struct output_options){
		.rotation = s->rotation,
		.append = s->append || s->group_by.enabled || env->reload,
		.create_directory = s->create_directory || s->group_by.enabled,
		.directory_mode = MODE_DEFAULT};
	if (s->permissions.n)
		x->options.directory_mode = (uint32_t)strtoul(s->permissions.p, NULL, 8);
	pthread_mutex_init(&x->mu, NULL);
	arena_init(&x->arena, NULL);
	*instance = x;
	return 0;
}

/* Open the file at start, so that a wrong path is found before data arrives. */
static int file_start(void *instance, struct err *e)
{
	struct file_exporter *x = instance;
	struct output_file *f;

	return x->settings->group_by.enabled ? 0 : find_file(x, x->settings->path, &f, e);
}

static int check_permissions(struct str text, struct err *e)
{
	bool valid = text.n > 0 && text.n <= 4;

	for (size_t i = 0; i < text.n; i++)
		valid &= text.p[i] >= '0' && text.p[i] <= '7';
	return valid ? 0
		     : err_set(e, -EINVAL, "\"directory_permissions\" has to be octal, as 0755");
}

static int file_check(const void *settings, struct err *e)
{
	const struct file_settings *s = settings;
	size_t stars = 0;

	for (size_t i = 0; i < s->path.n; i++)
		stars += s->path.p[i] == '*';
	if (!s->path.n)
		return err_set(e, -EINVAL, "\"path\" is required");
	if (s->append && s->rotation.enabled)
		return err_set(e, -EINVAL,
			       "\"append\" and \"rotation\" exclude each other: a rotated file is "
			       "always appended to; remove \"append\"");
	if (s->append && s->compression.n)
		return err_set(e, -EINVAL, "\"append\" and \"compression\" exclude each other");
	if (!str_eq(s->format, STR("json")) && !str_eq(s->format, STR("proto")))
		return err_set(e, -EINVAL, "\"format\" has to be json or proto");
	if (s->compression.n && !str_eq(s->compression, STR("zstd")))
		return err_set(e, -EINVAL, "\"compression\" has to be zstd or empty");
	if (s->group_by.enabled && stars != 1)
		return err_set(e, -EINVAL,
			       "\"path\" has to contain exactly one * when group_by is enabled");
	if (s->group_by.enabled && !s->group_by.attribute.n)
		return err_set(e, -EINVAL, "\"group_by.resource_attribute\" is required");
	return s->permissions.n ? check_permissions(s->permissions, e) : 0;
}

static const struct setting rotation_settings[] = {
	SET_INT(struct output_rotation, max_megabytes, "max_megabytes", "100", 1, 1 << 30, "MiB",
		"Begin a new file when a record would make the file larger."),
	SET_INT(struct output_rotation, max_days, "max_days", "0", 0, 100000, "days",
		"Remove older rotated files; 0: never."),
	SET_INT(struct output_rotation, max_backups, "max_backups", "100", 0, 4096, "files",
		"Keep this many rotated files; 0: all."),
	SET_BOOL(struct output_rotation, localtime, "localtime", "false",
		 "Use local time, not UTC, in the names of rotated files."),
	SET_END,
};

static const struct setting group_by_settings[] = {
	SET_BOOL(struct file_group_by, enabled, "enabled", "false",
		 "Write each resource to a file of its own; the path contains a *."),
	SET_STRING(struct file_group_by, attribute, "resource_attribute",
		   "fileexporter.path_segment",
		   "The attribute of a resource that replaces the *; resources without it are "
		   "left out."),
	SET_INT(struct file_group_by, max_open_files, "max_open_files", "100", 1, 100000, "files",
		"Number of files that are open at a time."),
	SET_END,
};

static const struct setting settings[] = {
	SET_STRING(struct file_settings, path, "path", "", "The file; required."),
	SET_STRING(struct file_settings, format, "format", "json",
		   "json: one message in OTLP's JSON on a line; proto: messages in protobuf, each "
		   "after its length."),
	SET_STRING(struct file_settings, compression, "compression", "",
		   "zstd: compress each message, and write it after its length; empty: none."),
	SET_BOOL(struct file_settings, append, "append", "false",
		 "Keep what the file contains at start."),
	SET_BOOL(struct file_settings, create_directory, "create_directory", "false",
		 "Create missing directories."),
	SET_STRING(struct file_settings, permissions, "directory_permissions", "0755",
		   "Permissions of created directories, in octal."),
	SET_DURATION(struct file_settings, flush_interval_ns, "flush_interval", "1s",
		     "No effect: each message is written at once."),
	SET_GROUP(struct file_settings, rotation, "rotation", rotation_settings, rotation.enabled,
		  "Begin a new file when the file is large."),
	SET_GROUP_ALWAYS(struct file_settings, group_by, "group_by", group_by_settings,
			 "Several files, by resource."),
	SET_IGNORED("encoding", "there are no encoding extensions; format applies"),
	SET_IGNORED("sending_queue", "messages are written at once"),
	SET_IGNORED("compression_params", "the library's default level is used"),
	SET_END,
};

const struct component file_exporter = {
	.name = "file",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Writes data to files, as JSON lines or protobuf.",
	.settings = settings,
	.settings_size = sizeof(struct file_settings),
	.check = file_check,
	.create = file_create,
	.start = file_start,
	.consume = file_consume,
	.destroy = file_destroy,
};
