/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator container: lines of Docker's json-file driver, cri-o and containerd. Both kinds cut
 * long lines into pieces: CRI marks them with the tag P, Docker leaves out the newline at the end.
 * Pieces of the same file and stream are combined.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/filelog/operators/recombiner.h"

enum container_format { CONTAINER_ANY, CONTAINER_DOCKER, CONTAINER_CRIO, CONTAINER_CONTAINERD };

#define CONTAINER_FLUSH_AFTER ((uint64_t)5000000000)

struct container_settings {
	struct operator_common common;
	struct entry_field from;
	struct str format;
	bool add_metadata;
	uint64_t max_bytes;
};

struct container_state {
	enum container_format format;
	struct time_layout layout;
	struct time_zone *zone;
	struct recombiner *recombiner;
};

static const struct setting container_table[] = {
	OPERATOR_COMMON(struct container_settings, common),
	SET_CUSTOM(struct container_settings, from, "parse_from", operator_field_read, "field",
		   "What to parse; default: body."),
	SET_STRING(struct container_settings, format, "format", "",
		   "docker, crio or containerd; default: by the line."),
	SET_BOOL(struct container_settings, add_metadata, "add_metadata_from_filepath", "true",
		 "Set k8s attributes of the resource from the path of the file."),
	SET_BYTES(struct container_settings, max_bytes, "max_log_size", "0",
		  "The longest text of combined pieces; 0: 16 MiB."),
	SET_IGNORED("max_batch_size", "the size of the text limits what is combined"),
	SET_IGNORED("parse_to", "the text becomes the body, other fields become attributes"),
	SET_END,
};

static int container_format(struct str name, enum container_format *out, struct err *e)
{
	static const char *const names[] = {[CONTAINER_ANY] = "",
					    [CONTAINER_DOCKER] = "docker",
					    [CONTAINER_CRIO] = "crio",
					    [CONTAINER_CONTAINERD] = "containerd"};

	for (unsigned i = 0; i < countof(names); i++) {
		if (!str_eq(name, str_from(names[i])))
			continue;
		*out = (enum container_format)i;
		return 0;
	}
	return err_set(
		e, -EINVAL,
		"invalid \"format\" \"%.*s\": use docker, crio or containerd, or leave it out",
		STR_ARG(str_head(name, 40)));
}

static int container_create(void **state, const void *settings, struct operator_build *b,
			    struct err *e)
{
	const struct container_settings *s = settings;
	struct container_state *c = calloc(1, sizeof(*c));
	struct recombiner_options options = {.max_bytes = s->max_bytes,
					     .max_sources = 1000,
					     .flush_after = CONTAINER_FLUSH_AFTER};
	int rc;

	(void)b;
	if (!c)
		return -ENOMEM;
	*state = c;
	rc = container_format(s->format, &c->format, e);
	if (!rc)
		rc = time_layout_go(&c->layout, STR("2006-01-02T15:04:05.999999999Z07:00"), e);
	if (!rc)
		rc = time_zone_load(&c->zone, STR("UTC"), e);
	return rc ? rc : recombiner_new(&c->recombiner, &options);
}

static void container_destroy(void *state)
{
	struct container_state *c = state;

	time_zone_free(c->zone);
	recombiner_free(c->recombiner);
	free(c);
}

/* ---- lines ---- */

/* What a line consists of. */
struct container_line {
	struct str time, stream, tag, text;
	bool partial;
};

static bool is_stream(struct str s)
{
	return str_eq(s, STR("stdout")) || str_eq(s, STR("stderr"));
}

/* TIME STREAM TAG TEXT */
static bool read_cri_line(struct str line, struct container_line *out)
{
	out->time = str_cut(&line, ' ');
	out->stream = str_cut(&line, ' ');
	out->tag = str_cut(&line, ' ');
	out->text = line;
	out->partial = out->tag.n && out->tag.p[0] == 'P';
	return out->time.n && isdigit((unsigned char)out->time.p[0]) && is_stream(out->stream);
}

static int set_attribute(struct log_entry *entry, struct operator_run *run, struct str key,
			 struct str value)
{
	struct log_node node = LOG_NODE_STR(value);

	return log_node_set(&entry->attributes, run->arena, key, &node);
}

/* {"log": TEXT, "stream": STREAM, "time": TIME}; other keys become attributes. */
static int read_docker_line(struct str line, struct operator_run *run, struct log_entry *entry,
			    struct container_line *out, struct err *e)
{
	struct log_node map;
	const struct log_node *node;
	struct json doc;
	int rc;

	json_init(&doc, run->arena);
	rc = json_parse(&doc, line, e);

	if (rc)
		return rc;
	if (json_kind(json_root(&doc)) != JSON_OBJECT ||
	    log_node_of_json(&map, json_root(&doc), false, run->arena))
		return err_set(e, -EINVAL, "expected a line of Docker in JSON");
	node = log_node_get(&map, STR("log"));
	if (!operator_text(node, &out->text))
		return err_set(e, -EINVAL, "the line of Docker has no text \"log\"");
	operator_text(log_node_get(&map, STR("stream")), &out->stream);
	operator_text(log_node_get(&map, STR("time")), &out->time);
	out->partial = !str_ends(out->text, STR("\n"));
	if (!out->partial)
		out->text.n--;
	log_node_remove(&map, STR("log"), NULL);
	log_node_remove(&map, STR("stream"), NULL);
	return log_node_merge(&entry->attributes, run->arena, &map);
}

static enum container_format format_of_line(const struct container_state *c, struct str line)
{
	if (c->format != CONTAINER_ANY)
		return c->format;
	return line.n && line.p[0] == '{' ? CONTAINER_DOCKER : CONTAINER_CONTAINERD;
}

/* ---- metadata ---- */

/* Remove and return the last part of a path. */
static struct str last_part(struct str *path)
{
	size_t at = str_find_last(*path, '/');
	struct str part = at < path->n ? str_from_at(*path, at + 1) : *path;

	path->n = at < path->n ? at : 0;
	return part;
}

static bool is_uid(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isxdigit((unsigned char)s.p[i]) && s.p[i] != '-')
			return false;
	return s.n > 0;
}

/*
 * .../NAMESPACE_POD_UID/CONTAINER/RESTARTS.log, as the kubelet names files. Other paths have no
 * metadata.
 */
static int add_metadata(struct log_entry *entry, struct operator_run *run, struct str path)
{
	struct str file = last_part(&path), container = last_part(&path), pod = last_part(&path);
	struct str restarts = str_cut(&file, '.'), namespace = str_cut(&pod, '_');
	struct str name = str_cut(&pod, '_');
	uint64_t number;
	const struct {
		struct str key, value;
	} parts[] = {
		{STR("k8s.namespace.name"), namespace},
		{STR("k8s.pod.name"), name},
		{STR("k8s.pod.uid"), pod},
		{STR("k8s.container.name"), container},
		{STR("k8s.container.restart_count"), restarts},
	};
	int rc = 0;

	if (!str_starts(file, STR("log")) || str_to_u64(restarts, 10, &number) || !namespace.n ||
	    !name.n || !is_uid(pod) || !container.n)
		return 0;
	for (size_t i = 0; i < countof(parts) && !rc; i++) {
		struct log_node value = LOG_NODE_STR(parts[i].value);

		rc = log_node_set(&entry->resource, run->arena, parts[i].key, &value);
	}
	return rc;
}

static struct str path_of(struct log_entry *entry)
{
	struct str path = {0};

	if (!operator_text(log_node_get(&entry->attributes, STR("log.file.path")), &path) &&
	    entry->origin)
		path = entry->origin->path;
	return path;
}

/* ---- the operator ---- */

/* Set time, body, attributes and resource of the entry. */
static int fill_entry(const struct container_state *c, const struct container_settings *s,
		      struct operator_run *run, struct log_entry *entry,
		      const struct container_line *line, struct err *e)
{
	int64_t ns;
	int rc = time_layout_parse(&c->layout, line->time, c->zone, run->now, &ns, e);

	if (rc)
		return rc;
	entry->time = ns < 0 ? 0 : (uint64_t)ns;
	entry->body = LOG_NODE_STR(line->text);
	rc = set_attribute(entry, run, STR("time"), line->time);
	if (!rc && line->stream.n)
		rc = set_attribute(entry, run, STR("log.iostream"), line->stream);
	if (!rc && line->tag.n)
		rc = set_attribute(entry, run, STR("logtag"), line->tag);
	if (!rc && s->add_metadata)
		rc = add_metadata(entry, run, path_of(entry));
	return rc ? err_errno(e, rc, "container") : 0;
}

static int container_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			     struct err *e)
{
	const struct container_settings *s = (const void *)op->settings;
	struct container_state *c = op->state;
	struct container_line line = {0};
	struct str text, source;
	int rc = 0;

	if (!operator_text(entry_field_get(entry, &s->from), &text))
		return err_set(e, -EINVAL, "the entry has no text to parse");
	if (format_of_line(c, text) == CONTAINER_DOCKER)
		rc = read_docker_line(text, run, entry, &line, e);
	else if (!read_cri_line(text, &line))
		rc = err_set(e, -EINVAL, "\"%.*s\" is not a line of a container's log",
			     STR_ARG(str_head(text, 60)));
	if (!rc)
		rc = fill_entry(c, s, run, entry, &line, e);
	if (!rc)
		rc = arena_printf(run->arena, &source, "%llu %.*s",
				  entry->origin ? (unsigned long long)entry->origin->id : 0,
				  STR_ARG(str_head(line.stream, 64)));
	if (rc || (!line.partial && !recombiner_has(c->recombiner, source)))
		return rc;
	return recombiner_add(c->recombiner, run, &op->next, entry, source,
			      line.partial ? RECOMBINE_MIDDLE : RECOMBINE_LAST, e);
}

static void container_flush(struct op *op, struct operator_run *run, bool all)
{
	recombiner_flush(((struct container_state *)op->state)->recombiner, run, &op->next, all);
}

static void container_held(const struct op *op)
{
	recombiner_held(((const struct container_state *)op->state)->recombiner);
}

const struct operator_type container_operator = {
	.name = "container",
	.table = container_table,
	.settings_size = sizeof(struct container_settings),
	.create = container_create,
	.process = container_process,
	.flush = container_flush,
	.held = container_held,
	.destroy = container_destroy,
};
