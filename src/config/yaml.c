/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Make nodes from libfyaml's events. Anchors, aliases and merge keys are resolved here, by copying,
 * so that every copy counts against CONFIG_NODES_MAX.
 */
#include "config/yaml.h"

#include <libfyaml.h>

/* A map or list whose end has not been reached. */
struct open_container {
	struct config_node *node, **tail;
	struct str anchor;
	uint32_t count;
	/* In a map: `key`, at this line and column, was read and its value is due. */
	bool has_key;
	struct str key;
	uint32_t line, column;
	bool merges; /* a map with the key << without quotes */
};

struct anchor {
	struct str name;
	const struct config_node *node;
};

struct builder {
	struct config *c;
	const struct config_text *in;
	struct err *e;
	struct config_node *root;
	struct open_container open[CONFIG_DEPTH_MAX];
	uint32_t depth;
	VEC(struct anchor) anchors;
	uint32_t documents;
};

struct config_node *config_node_new(struct config *c, enum config_kind kind, struct str source)
{
	struct config_node *n;

	if (c->nodes >= c->nodes_max)
		return NULL;
	n = arena_zalloc(&c->arena, 1, sizeof(*n));
	if (!n)
		return NULL;
	c->nodes++;
	n->kind = kind;
	n->source = source;
	n->config = c;
	return n;
}

static int node_limit_error(const struct builder *b)
{
	if (b->c->nodes < b->c->nodes_max)
		return -ENOMEM;
	return err_set(b->e, -EINVAL, "%.*s: more than %u values", STR_ARG(b->in->source),
		       b->c->nodes_max);
}

static void set_place(const struct builder *b, struct config_node *n, struct fy_token *token)
{
	const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;

	if (!b->in->places) {
		n->line = b->in->line;
		n->column = b->in->column;
	} else if (mark) {
		n->line = (uint32_t)mark->line + 1;
		n->column = (uint32_t)mark->column + 1;
	}
}

/*
 * Copy the text of a block scalar byte by byte, because fy_token_get_text() is wrong if | or > is
 * on a line of its own: the text is too short, or ends in uninitialized bytes.
 */
static int copy_block_text(const struct builder *b, struct fy_token *token, struct str *out)
{
	struct fy_token_iter *bytes = fy_token_iter_create(token);
	struct buf text;
	int c, rc;

	if (!bytes)
		return -ENOMEM;
	buf_init(&text, b->c->arena.budget);
	while ((c = fy_token_iter_getc(bytes)) >= 0)
		buf_put_char(&text, (char)c);
	rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(&b->c->arena, buf_str(&text), out);
	buf_fini(&text);
	fy_token_iter_destroy(bytes);
	return rc;
}

static int copy_token_text(const struct builder *b, struct fy_token *token, struct str *out)
{
	enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
	size_t n = 0;
	const char *p;

	if (style == FYSS_LITERAL || style == FYSS_FOLDED)
		return copy_block_text(b, token, out);
	p = token ? fy_token_get_text(token, &n) : NULL;
	return arena_copy_str(&b->c->arena, p ? str_of(p, n) : STR(""), out);
}

bool yaml_is_null(struct str text)
{
	return !text.n || str_eq(text, STR("~")) || str_eq(text, STR("null")) ||
	       str_eq(text, STR("Null")) || str_eq(text, STR("NULL"));
}

static struct config_node *find_map_key(struct config_node *map, struct str key)
{
	for (struct config_node *n = map->first; n; n = n->next)
		if (str_eq(n->key, key))
			return n;
	return NULL;
}

/* Add a node to the innermost open container, or make it the root. */
static int attach_node(struct builder *b, struct config_node *n)
{
	struct open_container *l = b->depth ? &b->open[b->depth - 1] : NULL;

	if (!l) {
		b->root = n;
		return 0;
	}
	if (l->node->kind == CONFIG_MAP) {
		if (!l->has_key)
			return config_fail(n, b->e, "expected a key, found a %s",
					   n->kind == CONFIG_MAP ? "map" : "list");
		n->key = l->key;
		n->line = l->line;
		n->column = l->column;
		l->has_key = false;

		struct config_node *other = find_map_key(l->node, n->key);

		if (other)
			return config_fail(n, b->e,
					   "duplicate key \"%.*s\", first used in line %u: join "
					   "them, or remove one",
					   STR_ARG(n->key), other->line);
	}
	if (++l->count > (l->node->kind == CONFIG_MAP ? CONFIG_MAP_MAX : b->c->list_max))
		return config_fail(n, b->e, "more than %u entries", l->count - 1);
	*l->tail = n;
	l->tail = &n->next;
	return 0;
}

static int save_anchor(struct builder *b, struct str name, const struct config_node *n)
{
	return name.n ? vec_push(&b->c->arena, &b->anchors, (struct anchor){name, n}) : 0;
}

static int begin_container(struct builder *b, enum config_kind kind, struct fy_token *anchor,
			   struct fy_token *token)
{
	struct config_node *n = config_node_new(b->c, kind, b->in->source);
	struct open_container *l;
	int rc;

	if (!n)
		return node_limit_error(b);
	set_place(b, n, token);
	if (b->depth == CONFIG_DEPTH_MAX)
		return config_fail(n, b->e, "nested deeper than %d levels", CONFIG_DEPTH_MAX);
	rc = attach_node(b, n);
	l = &b->open[b->depth];
	*l = (struct open_container){.node = n, .tail = &n->first};
	if (!rc)
		rc = copy_token_text(b, anchor, &l->anchor);
	b->depth++;
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than CONFIG_DEPTH_MAX twice */
static int copy_node(struct builder *b, const struct config_node *from, struct config_node **out,
		     unsigned depth)
{
	struct config_node *n = config_node_new(b->c, from->kind, from->source), **tail;
	int rc = 0;

	if (!n)
		return node_limit_error(b);
	if (depth > CONFIG_DEPTH_MAX)
		return config_fail(from, b->e, "nested deeper than %d levels", CONFIG_DEPTH_MAX);
	*n = *from;
	n->first = n->next = NULL;
	tail = &n->first;
	for (const struct config_node *child = from->first; child && !rc; child = child->next) {
		rc = copy_node(b, child, tail, depth + 1);
		if (!rc)
			tail = &(*tail)->next;
	}
	*out = n;
	return rc;
}

/* Apply "<<: *base": copy the entries of base that the map does not have. */
static int apply_merge_key(struct builder *b, struct config_node *map)
{
	struct config_node **at = &map->first, *merged, **tail;
	int rc = 0;

	while (*at && !str_eq((*at)->key, STR("<<")))
		at = &(*at)->next;
	merged = *at;
	if (!merged)
		return 0;
	if (merged->kind != CONFIG_MAP)
		return config_fail(merged, b->e, "expected a map after <<");
	*at = merged->next;
	for (tail = &map->first; *tail; tail = &(*tail)->next)
		;
	for (const struct config_node *child = merged->first; child && !rc; child = child->next) {
		if (find_map_key(map, child->key))
			continue;
		rc = copy_node(b, child, tail, 0);
		if (!rc)
			tail = &(*tail)->next;
	}
	return rc;
}

static int end_container(struct builder *b)
{
	struct open_container *l = &b->open[b->depth ? --b->depth : 0];
	int rc;

	if (!l->node)
		return 0; /* no container is open */
	rc = l->merges ? apply_merge_key(b, l->node) : 0;

	return rc ? rc : save_anchor(b, l->anchor, l->node);
}

/* Store a scalar as the next key of the innermost map. */
static int handle_key(struct builder *b, struct open_container *l, struct fy_token *token)
{
	struct config_node place = {.source = b->in->source};
	int rc = copy_token_text(b, token, &l->key);

	set_place(b, &place, token);
	l->line = place.line;
	l->column = place.column;
	l->has_key = true;
	l->merges |= str_eq(l->key, STR("<<")) && fy_token_scalar_style(token) == FYSS_PLAIN;
	if (!rc && !l->key.n)
		rc = config_fail(&place, b->e, "expected a key, found nothing");
	return rc;
}

static int handle_scalar(struct builder *b, const struct fy_event_scalar_data *scalar)
{
	struct open_container *l = b->depth ? &b->open[b->depth - 1] : NULL;
	struct config_node *n;
	struct str anchor;
	int rc;

	if (l && l->node->kind == CONFIG_MAP && !l->has_key)
		return handle_key(b, l, scalar->value);
	n = config_node_new(b->c, CONFIG_SCALAR, b->in->source);
	if (!n)
		return node_limit_error(b);
	set_place(b, n, scalar->value);
	n->value_line = n->line;
	n->value_column = n->column;
	n->quoted = scalar->value && fy_token_scalar_style(scalar->value) != FYSS_PLAIN;
	rc = copy_token_text(b, scalar->value, &n->text);
	if (!rc && n->text.n > CONFIG_VALUE_MAX)
		rc = config_fail(n, b->e, "value exceeds %d bytes", CONFIG_VALUE_MAX);
	n->raw = str_find(n->text, '$') < n->text.n;
	if (!n->quoted && yaml_is_null(n->text))
		n->kind = CONFIG_NULL;
	if (!rc)
		rc = copy_token_text(b, scalar->anchor, &anchor);
	if (!rc)
		rc = attach_node(b, n);
	return rc ? rc : save_anchor(b, anchor, n);
}

static int handle_alias(struct builder *b, struct fy_token *token)
{
	struct config_node place = {.source = b->in->source}, *copy;
	struct str name;
	int rc = copy_token_text(b, token, &name);

	set_place(b, &place, token);
	for (uint32_t i = b->anchors.n; i-- > 0 && !rc;) {
		if (!str_eq(b->anchors.at[i].name, name))
			continue;
		rc = copy_node(b, b->anchors.at[i].node, &copy, b->depth);
		return rc ? rc : attach_node(b, copy);
	}
	return rc ? rc : config_fail(&place, b->e, "unknown alias *%.*s", STR_ARG(name));
}

static int handle_yaml_event(struct builder *b, struct fy_event *event)
{
	switch (event->type) {
	case FYET_DOCUMENT_START:
		if (b->documents++)
			return err_set(b->e, -EINVAL, "%.*s: more than one document",
				       STR_ARG(b->in->source));
		return 0;
	case FYET_MAPPING_START:
		return begin_container(b, CONFIG_MAP, event->mapping_start.anchor,
				       event->mapping_start.mapping_start);
	case FYET_SEQUENCE_START:
		return begin_container(b, CONFIG_LIST, event->sequence_start.anchor,
				       event->sequence_start.sequence_start);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		return end_container(b);
	case FYET_SCALAR:
		return handle_scalar(b, &event->scalar);
	case FYET_ALIAS:
		return handle_alias(b, event->alias.anchor);
	default:
		return 0;
	}
}

/* Return what to do about a mistake that libfyaml reports, or "". */
static const char *syntax_hint(const char *message)
{
	static const char *const hints[][2] = {
		{"tab character", "; indent with spaces"},
		{"flow mapping", "; is a } missing before?"},
		{"flow sequence", "; is a ] missing before?"},
		{"nested block mapping",
		 "; begin a line for it, or quote a value that contains \": \""},
		{"while scanning a quoted", "; is a quote missing?"},
		{"flow scalar without", "; is a quote missing?"},
	};

	for (size_t i = 0; i < countof(hints); i++)
		if (strstr(message, hints[i][0]))
			return hints[i][1];
	return "";
}

/* Report libfyaml's error for text that is not YAML. */
static int syntax_error(struct builder *b, struct fy_diag *diag)
{
	void *iterator = NULL;
	const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator);

	if (!error)
		return err_set(b->e, -EINVAL, "%.*s: not YAML", STR_ARG(b->in->source));
	if (!b->in->places)
		return err_set(b->e, -EINVAL, "%.*s: %s%s", STR_ARG(b->in->source), error->msg,
			       syntax_hint(error->msg));
	return err_set(b->e, -EINVAL, "%.*s:%d:%d: %s%s", STR_ARG(b->in->source), error->line,
		       error->column, error->msg, syntax_hint(error->msg));
}

static int parse_events(struct builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
	int rc = 0;

	while (!rc) {
		struct fy_event *event = fy_parser_parse(parser);

		if (!event)
			break;
		rc = handle_yaml_event(b, event);
		fy_parser_event_free(parser, event);
	}
	if (!rc && fy_parser_get_stream_error(parser))
		rc = syntax_error(b, diag);
	return rc;
}

int yaml_parse(struct config *c, const struct config_text *in, struct config_node **out,
	       struct err *e)
{
	struct fy_diag_cfg diag_cfg;
	struct builder *b = NULL;
	struct fy_parser *parser = NULL;
	struct fy_diag *diag;
	int rc = -ENOMEM;

	if (in->text.n > c->text_max)
		return err_set(e, -EINVAL, "%.*s: larger than %zu bytes", STR_ARG(in->source),
			       c->text_max);
	if (str_utf8_valid(in->text) < in->text.n || str_find(in->text, '\0') < in->text.n)
		return err_set(e, -EINVAL, "%.*s: not UTF-8 text", STR_ARG(in->source));
	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag = fy_diag_create(&diag_cfg);
	if (diag) {
		fy_diag_set_collect_errors(diag, true);
		parser = fy_parser_create(&(struct fy_parse_cfg){
			.flags = FYPCF_QUIET | FYPCF_DISABLE_MMAP_OPT | FYPCF_JSON_NONE,
			.diag = diag});
	}
	b = arena_zalloc(&c->arena, 1, sizeof(*b));
	if (parser && b &&
	    !fy_parser_set_string(parser, in->text.p ? in->text.p : "", in->text.n)) {
		*b = (struct builder){.c = c, .in = in, .e = e};
		rc = parse_events(b, parser, diag);
		*out = b->root;
	}
	fy_parser_destroy(parser);
	fy_diag_destroy(diag);
	return rc;
}
