/* SPDX-License-Identifier: Apache-2.0 */
/* Each field of a message is read only if there is something to compare it with. */
#include "pipeline/processors/attributes/attribute_match.h"

#include <errno.h>

#include "signal/otlp/attributes.h"

/* Field numbers of opentelemetry.proto. */
enum {
	SCOPE_NAME = 1,
	SCOPE_VERSION = 2,
	SPAN_NAME = 5,
	SPAN_KIND = 6,
	METRIC_NAME = 1,
	LOG_SEVERITY = 2,
	LOG_SEVERITY_TEXT = 3,
	LOG_BODY = 5,
};

/* ---- settings ---- */

/* A list of maps that have the same table of settings. */
struct entry_list {
	const struct setting *table;
	size_t size; /* of an entry */
	void *at;
	uint32_t n;
};

static int read_entries(const struct config_node *n, const char *what, struct entry_list *out,
			struct arena *arena, struct err *e)
{
	uint32_t room = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"%.*s\" has to be a list of maps", what,
				   STR_ARG(n->key));
	for (const struct config_node *c = n->first; c; c = c->next)
		room++;
	out->at = arena_zalloc(arena, room + 1, out->size);
	if (!out->at)
		return -ENOMEM;
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = settings_read(out->table, c, what, (char *)out->at + out->size * out->n++,
				   arena, e);
	return rc;
}

static const struct setting pair_table[] = {
	SET_STRING(struct match_pair, key, "key", NULL, "The attribute."),
	SET_CUSTOM(struct match_pair, value, "value", setting_value_read, "value",
		   "Its value, or a regular expression; without it the attribute has to exist."),
	SET_END,
};

static int read_pairs(const struct config_node *n, const char *what, void *to, struct arena *arena,
		      struct err *e)
{
	struct match_pairs *out = to;
	struct entry_list list = {.table = pair_table, .size = sizeof(*out->at)};
	int rc = read_entries(n, what, &list, arena, e);

	out->at = list.at;
	out->n = list.n;
	for (uint32_t i = 0; i < out->n && !rc; i++)
		if (!out->at[i].key.n)
			rc = config_fail(n, e, "%s: \"%.*s\": missing required field \"key\"", what,
					 STR_ARG(n->key));
	return rc;
}

static int read_version(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	struct setting_value version = {0};
	int rc = setting_value_read(n, what, &version, arena, e);

	if (!rc)
		*(struct str *)to = n->text.p ? n->text : STR("");
	return rc;
}

static const struct setting library_table[] = {
	SET_STRING(struct match_library, name, "name", NULL, "Name of the scope."),
	SET_CUSTOM(struct match_library, version, "version", read_version, "text",
		   "Its version; default: any."),
	SET_END,
};

static int read_libraries(const struct config_node *n, const char *what, void *to,
			  struct arena *arena, struct err *e)
{
	struct match_libraries *out = to;
	struct entry_list list = {.table = library_table, .size = sizeof(*out->at)};
	int rc = read_entries(n, what, &list, arena, e);

	out->at = list.at;
	out->n = list.n;
	for (uint32_t i = 0; i < out->n; i++)
		out->at[i].has_version = out->at[i].version.p != NULL;
	return rc;
}

static const struct setting severity_table[] = {
	SET_INT(struct match_settings, severity_min, "min", "0", 0, 24, "severity number",
		"The lowest severity that matches."),
	SET_BOOL(struct match_settings, severity_undefined, "match_undefined", "false",
		 "Match records without a severity, too."),
	SET_END,
};

static int read_severity(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	struct match_settings s = {0}, *out = to;
	int rc = settings_read(severity_table, n, what, &s, arena, e);

	out->severity_min = s.severity_min;
	out->severity_undefined = s.severity_undefined;
	out->has_severity = true;
	return rc;
}

const struct setting match_table[] = {
	SET_STRING(struct match_settings, match_type, "match_type", NULL, "strict or regexp."),
	SET_IGNORED("regexp", "expressions are compiled once"),
	SET_LIST(struct match_settings, services, "services", NULL,
		 "Traces: values of service.name of the resource."),
	SET_LIST(struct match_settings, span_names, "span_names", NULL, "Traces: names of spans."),
	SET_LIST(struct match_settings, span_kinds, "span_kinds", NULL,
		 "Traces: SPAN_KIND_SERVER and others."),
	SET_LIST(struct match_settings, log_bodies, "log_bodies", NULL,
		 "Logs: bodies that are text."),
	SET_LIST(struct match_settings, log_severity_texts, "log_severity_texts", NULL,
		 "Logs: severity texts."),
	/* Fills several members: its offset is that of the struct. */
	{.name = "log_severity_number",
	 .type = SETTING_CUSTOM,
	 .help = "Logs: {min, match_undefined}.",
	 .unit = "map",
	 .read = read_severity},
	SET_LIST(struct match_settings, metric_names, "metric_names", NULL,
		 "Metrics: names of metrics."),
	SET_CUSTOM(struct match_settings, attributes, "attributes", read_pairs,
		   "list of {key, value}", "Traces and logs: attributes of the item."),
	SET_CUSTOM(struct match_settings, resources, "resources", read_pairs,
		   "list of {key, value}", "Attributes of the resource."),
	SET_CUSTOM(struct match_settings, libraries, "libraries", read_libraries,
		   "list of {name, version}", "Traces and logs: instrumentation scopes."),
	SET_END,
};

/* ---- checking and compiling ---- */

struct match_compiler {
	struct attribute_match *m;
	const struct match_settings *s;
	const char *name;
	struct scratch_pool *pool;
	struct arena *arena;
	struct err *e;
};

/* Refuse fields of other signals, and a block without any field. */
static int check_fields(const struct match_compiler *c, enum signal_kind signal)
{
	const struct match_settings *s = c->s;
	const unsigned spans = SIGNAL_TRACES, logs = SIGNAL_LOGS, both = spans | logs,
		       all = both | SIGNAL_METRICS;
	const struct {
		const char *name;
		bool set;
		unsigned signals;
	} fields[] = {
		{"services", s->services.n, spans},
		{"span_names", s->span_names.n, spans},
		{"span_kinds", s->span_kinds.n, spans},
		{"attributes", s->attributes.n, both},
		{"libraries", s->libraries.n, both},
		{"log_bodies", s->log_bodies.n, logs},
		{"log_severity_texts", s->log_severity_texts.n, logs},
		{"log_severity_number", s->has_severity, logs},
		{"metric_names", s->metric_names.n, SIGNAL_METRICS},
		{"resources", s->resources.n, all},
	};
	bool any = false;

	for (unsigned i = 0; i < countof(fields); i++) {
		any |= fields[i].set;
		if (fields[i].set && !(fields[i].signals & signal))
			return err_set(c->e, -EINVAL, "%s: \"%s\" should not be specified for %s",
				       c->name, fields[i].name, signal_names[signal_index(signal)]);
	}
	if (any)
		return 0;
	return err_set(c->e, -EINVAL, "%s: at least one field has to be specified: %s\"resources\"",
		       c->name,
		       signal == SIGNAL_TRACES ? "\"services\", \"span_names\", \"span_kinds\", "
						 "\"attributes\", \"libraries\" or "
		       : signal == SIGNAL_LOGS
			       ? "\"log_bodies\", \"log_severity_texts\", "
				 "\"log_severity_number\", \"attributes\", \"libraries\" or "
			       : "\"metric_names\" or ");
}

static int compile_match_text(const struct match_compiler *c, struct str text, uint32_t *index)
{
	return c->m->regexp && text.n ? scratch_pool_add(c->pool, text, 0, index, c->e) : 0;
}

static int compile_texts(const struct match_compiler *c, const struct setting_list *list,
			 struct match_texts *out)
{
	int rc = 0;

	out->list = *list;
	out->regexes = arena_zalloc(c->arena, list->n + 1, sizeof(*out->regexes));
	if (!out->regexes)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->n && !rc; i++)
		rc = compile_match_text(c, list->at[i], &out->regexes[i]);
	return rc;
}

static int compile_pairs(const struct match_compiler *c, const struct match_pairs *pairs,
			 struct match_pairs *out)
{
	int rc = 0;

	out->at = arena_alloc(c->arena, pairs->n + 1, sizeof(*out->at));
	if (!out->at)
		return -ENOMEM;
	for (; out->n < pairs->n && !rc; out->n++) {
		struct match_pair *p = &out->at[out->n];

		*p = pairs->at[out->n];
		if (!p->value.set || !c->m->regexp)
			continue;
		if (p->value.value.kind != VALUE_STRING)
			return err_set(c->e, -EINVAL,
				       "%s: with match_type regexp the value of \"%.*s\" has to be "
				       "text",
				       c->name, STR_ARG(p->key));
		rc = compile_match_text(c, p->value.value.s, &p->regex);
	}
	return rc;
}

static int compile_libraries(const struct match_compiler *c, const struct match_libraries *list,
			     struct match_libraries *out)
{
	int rc = 0;

	out->at = arena_alloc(c->arena, list->n + 1, sizeof(*out->at));
	if (!out->at)
		return -ENOMEM;
	for (; out->n < list->n && !rc; out->n++) {
		struct match_library *l = &out->at[out->n];

		*l = list->at[out->n];
		rc = compile_match_text(c, l->name, &l->name_regex);
		if (!rc)
			rc = compile_match_text(c, l->version, &l->version_regex);
	}
	return rc;
}

int attribute_match_init(struct attribute_match *m, const struct match_settings *s,
			 const char *name, enum signal_kind signal, struct scratch_pool *pool,
			 struct arena *arena, struct err *e)
{
	const struct match_compiler c = {m, s, name, pool, arena, e};
	int rc;

	*m = (struct attribute_match){.signal = signal,
				      .regexp = str_eq(s->match_type, STR("regexp")),
				      .severity_min = s->severity_min,
				      .severity_undefined = s->severity_undefined,
				      .has_severity = s->has_severity};
	if (!m->regexp && !str_eq(s->match_type, STR("strict")))
		return err_set(e, -EINVAL,
			       "%s: unrecognized match_type: '%.*s', valid types are: [regexp "
			       "strict]",
			       name, STR_ARG(s->match_type));
	rc = check_fields(&c, signal);
	if (!rc)
		rc = compile_texts(&c, &s->services, &m->services);
	if (!rc)
		rc = compile_texts(&c, signal == SIGNAL_METRICS ? &s->metric_names : &s->span_names,
				   &m->names);
	if (!rc)
		rc = compile_texts(&c, &s->span_kinds, &m->kinds);
	if (!rc)
		rc = compile_texts(&c, &s->log_bodies, &m->bodies);
	if (!rc)
		rc = compile_texts(&c, &s->log_severity_texts, &m->severity_texts);
	if (!rc)
		rc = compile_pairs(&c, &s->attributes, &m->attributes);
	if (!rc)
		rc = compile_pairs(&c, &s->resources, &m->resources);
	if (!rc)
		rc = compile_libraries(&c, &s->libraries, &m->libraries);
	return rc == -ENOMEM ? err_errno(e, rc, "attributes") : rc;
}

/* ---- matching ---- */

static bool match_text_fits(const struct attribute_match *m, const struct scratch *s,
			    struct str expected, uint32_t regex, struct str text)
{
	if (!m->regexp || !expected.n)
		return m->regexp || str_eq(expected, text);
	return scratch_match(s, regex, text);
}

static bool texts_match(const struct attribute_match *m, const struct scratch *s,
			const struct match_texts *texts, struct str text)
{
	for (uint32_t i = 0; i < texts->list.n; i++)
		if (match_text_fits(m, s, texts->list.at[i], texts->regexes[i], text))
			return true;
	return !texts->list.n;
}

/* Compare a value that is not text with an expression. */
static bool match_value_fits(const struct attribute_match *m, const struct scratch *s,
			     const struct match_pair *p, const struct value *v)
{
	struct buf text = {0};
	bool matches;

	if (!p->value.set)
		return true;
	if (!m->regexp)
		return value_eq(&p->value.value, v);
	if (v->kind == VALUE_STRING)
		return match_text_fits(m, s, p->value.value.s, p->regex, v->s);
	if (v->kind != VALUE_BOOL && v->kind != VALUE_INT && v->kind != VALUE_DOUBLE)
		return false;
	matches = !otlp_value_text(&text, v) && !buf_error(&text) &&
		  match_text_fits(m, s, p->value.value.s, p->regex, buf_str(&text));
	buf_fini(&text);
	return matches;
}

static bool pairs_match(const struct attribute_match *m, const struct scratch *s,
			const struct match_pairs *pairs, struct str message, uint32_t field)
{
	struct value v;

	for (uint32_t i = 0; i < pairs->n; i++)
		if (!otlp_attribute_find(message, field, pairs->at[i].key, &v) ||
		    !match_value_fits(m, s, &pairs->at[i], &v))
			return false;
	return true;
}

bool attribute_match_resource(const struct attribute_match *m, const struct scratch *s,
			      const struct otlp_resource *resource)
{
	struct value name;

	if (m->services.list.n &&
	    (!otlp_attribute_find(resource->resource, OTLP_RESOURCE_ATTRIBUTES, STR("service.name"),
				  &name) ||
	     name.kind != VALUE_STRING || !texts_match(m, s, &m->services, name.s)))
		return false;
	return pairs_match(m, s, &m->resources, resource->resource, OTLP_RESOURCE_ATTRIBUTES);
}

/* Return the text in field `field` of a message. */
static struct str text_field(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	struct str text = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			text = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return text;
}

static uint64_t number_field(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t number = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_VARINT))
			number = proto_varint(&r);
		else
			proto_skip(&r);
	}
	return number;
}

bool attribute_match_scope(const struct attribute_match *m, const struct scratch *s,
			   const struct otlp_scope *scope)
{
	for (uint32_t i = 0; i < m->libraries.n; i++) {
		const struct match_library *l = &m->libraries.at[i];
		struct str version = text_field(scope->scope, SCOPE_VERSION);

		if (match_text_fits(m, s, l->name, l->name_regex,
				    text_field(scope->scope, SCOPE_NAME)) &&
		    (!l->has_version ||
		     (l->version.n ? match_text_fits(m, s, l->version, l->version_regex, version)
				   : !version.n)))
			return true;
	}
	return !m->libraries.n;
}

static bool match_span(const struct attribute_match *m, const struct scratch *s, struct str span)
{
	static const struct str kinds[] = {
		STR_INIT("SPAN_KIND_UNSPECIFIED"), STR_INIT("SPAN_KIND_INTERNAL"),
		STR_INIT("SPAN_KIND_SERVER"),	   STR_INIT("SPAN_KIND_CLIENT"),
		STR_INIT("SPAN_KIND_PRODUCER"),	   STR_INIT("SPAN_KIND_CONSUMER")};
	uint64_t kind = m->kinds.list.n ? number_field(span, SPAN_KIND) : 0;

	if (m->names.list.n && !texts_match(m, s, &m->names, text_field(span, SPAN_NAME)))
		return false;
	if (!texts_match(m, s, &m->kinds, kinds[kind < countof(kinds) ? kind : 0]))
		return false;
	return pairs_match(m, s, &m->attributes, span, OTLP_SPAN_ATTRIBUTES);
}

static bool match_log(const struct attribute_match *m, const struct scratch *s, struct str log)
{
	uint64_t severity = m->has_severity ? number_field(log, LOG_SEVERITY) : 0;
	struct value body;

	if (m->has_severity &&
	    (severity ? severity < (uint64_t)m->severity_min : !m->severity_undefined))
		return false;
	if (m->bodies.list.n &&
	    (!otlp_value_read(text_field(log, LOG_BODY), &body) || body.kind != VALUE_STRING ||
	     !texts_match(m, s, &m->bodies, body.s)))
		return false;
	if (m->severity_texts.list.n &&
	    !texts_match(m, s, &m->severity_texts, text_field(log, LOG_SEVERITY_TEXT)))
		return false;
	return pairs_match(m, s, &m->attributes, log, OTLP_LOG_ATTRIBUTES);
}

bool attribute_match_item(const struct attribute_match *m, const struct scratch *s, struct str item)
{
	if (m->signal == SIGNAL_TRACES)
		return match_span(m, s, item);
	if (m->signal == SIGNAL_LOGS)
		return match_log(m, s, item);
	return !m->names.list.n || texts_match(m, s, &m->names, text_field(item, METRIC_NAME));
}
