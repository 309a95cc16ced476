/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of responses: single members, the frame of a response, and trees as columns. */
#include "api/varve/json_fields.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/varve/view_query.h"
#include "base/clock.h"
#include "wire/text.h"

void put_u64(struct json_writer *w, const char *key, uint64_t value)
{
	json_put_key(w, str_from(key));
	json_put_u64(w, value);
}

void put_i64(struct json_writer *w, const char *key, int64_t value)
{
	json_put_key(w, str_from(key));
	json_put_i64(w, value);
}

void put_flag(struct json_writer *w, const char *key, bool value)
{
	json_put_key(w, str_from(key));
	json_put_bool(w, value);
}

void put_ms(struct json_writer *w, const char *key, uint64_t ns)
{
	put_u64(w, key, ns / NS_PER_MS);
}

void put_text(struct json_writer *w, const char *key, struct str text)
{
	json_put_key(w, str_from(key));
	json_put_string(w, text);
}

void put_hex(struct json_writer *w, const char *key, const uint8_t *id, size_t n)
{
	char text[2 * HEX_ID_MAX];

	n = min_size(n, HEX_ID_MAX);
	hex_digits(text, str_of((const char *)id, n));
	put_text(w, key, str_of(text, 2 * n));
}

void put_labels(struct json_writer *w, struct label_set labels)
{
	json_open_object(w);
	for (uint32_t i = 0; i < labels.n; i++) {
		json_put_key(w, labels.at[i].name);
		json_put_string(w, labels.at[i].value);
	}
	json_close_object(w);
}

void put_texts(struct json_writer *w, const char *key, const struct str *at, uint32_t n)
{
	json_put_key(w, str_from(key));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_string(w, at[i]);
	json_close_array(w);
}

struct json_writer answer_open(struct reply *out, const struct store_missing *missing)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct buf warning = {0};

	out->content_type = STR("application/json");
	json_open_object(&w);
	warning_text(missing, &warning);
	if (warning.n) {
		struct str text = buf_str(&warning);

		put_texts(&w, "warnings", &text, 1);
	}
	buf_fini(&warning);
	return w;
}

/* Append the version as text: it does not fit into a double, and a difference has two. */
static void put_as_of(struct json_writer *w, const uint64_t version[2])
{
	char text[48];
	int n = snprintf(text, sizeof(text), version[1] ? "%" PRIu64 "-%" PRIu64 : "%" PRIu64,
			 version[0], version[1]);

	if (version[0])
		put_text(w, "as_of", str_of(text, (size_t)n));
}

struct json_writer view_open(struct reply *out, const struct view_query *q)
{
	struct json_writer w = answer_open(out, q->s.select.limits.missing);

	put_text(&w, "type", q->s.type.id);
	put_text(&w, "unit", q->s.type.sample_unit);
	put_flag(&w, "gauge", q->s.select.average);
	put_ms(&w, "from", q->s.select.from);
	put_ms(&w, "to", q->s.select.to);
	put_as_of(&w, q->s.versions.current);
	return w;
}

int view_close(struct json_writer *w)
{
	json_close_object(w);
	return buf_error(w->out);
}

/* ---- trees ---- */

struct shown_node {
	uint32_t node, level;
};

struct node_list {
	struct tree *tree;
	const struct cut *cut;
	struct arena *arena;
	VEC(struct shown_node) nodes;
	VEC(struct shown_node) stack;
	uint32_t *names; /* by name of the tree: index in the response + 1 */
	VEC(uint32_t) used;
};

/* List the shown nodes: a node before its callees, the largest first. */
static int list_nodes(struct node_list *l)
{
	struct tree *t = l->tree;
	int rc = vec_push(l->arena, &l->stack, (struct shown_node){l->cut->root, 0});

	while (!rc && l->stack.n) {
		struct shown_node s = l->stack.at[--l->stack.n];
		const uint32_t *children = tree_children(t, s.node);
		uint32_t first = l->stack.n, n = t->nodes.at[s.node].child_n;

		rc = vec_push(l->arena, &l->nodes, s);
		for (uint32_t i = 0; i < n && !rc; i++) {
			if (!cut_shows(l->cut, t, children[i]))
				break; /* the rest is smaller */
			rc = vec_push(l->arena, &l->stack,
				      (struct shown_node){children[i], s.level + 1});
		}
		for (uint32_t a = first, z = l->stack.n; a + 1 < z; a++, z--) {
			struct shown_node swap = l->stack.at[a];

			l->stack.at[a] = l->stack.at[z - 1];
			l->stack.at[z - 1] = swap;
		}
	}
	return rc;
}

static int number_names(struct node_list *l)
{
	int rc = 0;

	l->names = arena_zalloc(l->arena, l->tree->names.rows.n + 1, sizeof(*l->names));
	if (!l->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->nodes.n && !rc; i++) {
		uint32_t name = l->tree->nodes.at[l->nodes.at[i].node].name;

		if (!l->nodes.at[i].node || l->names[name])
			continue;
		rc = vec_push(l->arena, &l->used, name);
		l->names[name] = l->used.n;
	}
	return rc;
}

enum { COLUMNS = 6 };

/*
 * The values of a node. They are gathered row by row, for locality, and written column by column.
 */
struct node_row {
	int64_t values[COLUMNS];
};

static struct node_row make_node_row(const struct node_list *l, const struct shown_node *s)
{
	const struct tree_node *n = &l->tree->nodes.at[s->node];
	struct tree_values self = tree_self(l->tree, s->node), total = tree_total(l->tree, s->node);

	return (struct node_row){{s->level, s->node ? (int64_t)l->names[n->name] - 1 : -1,
				  self.in[0], total.in[0], self.in[1], total.in[1]}};
}

static int put_node_columns(struct json_writer *w, const struct node_list *l, bool both)
{
	/* the second column of a difference is "after" */
	static const char *const one[] = {"level", "name", "self", "total"};
	static const char *const two[COLUMNS] = {"level",	 "name", "before_self",
						 "before_total", "self", "total"};
	struct node_row *rows = arena_alloc(l->arena, l->nodes.n, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->nodes.n; i++)
		rows[i] = make_node_row(l, &l->nodes.at[i]);
	for (unsigned c = 0; c < (both ? countof(two) : countof(one)); c++) {
		json_put_key(w, str_from(both ? two[c] : one[c]));
		json_open_array(w);
		for (uint32_t i = 0; i < l->nodes.n; i++)
			json_put_i64(w, rows[i].values[c]);
		json_close_array(w);
	}
	return 0;
}

static int put_name_rows(struct json_writer *w, const struct node_list *l)
{
	static const char *const keys[] = {"names", "files", "modules"};
	struct frame_name *rows = arena_alloc(l->arena, l->used.n, sizeof(*rows));

	if (l->used.n && !rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->used.n; i++)
		rows[i] = l->tree->names.rows.at[l->used.at[i]];
	for (unsigned c = 0; c < countof(keys); c++) {
		json_put_key(w, str_from(keys[c]));
		json_open_array(w);
		for (uint32_t i = 0; i < l->used.n; i++)
			json_put_string(w, c == 0   ? rows[i].text
					   : c == 1 ? rows[i].file
						    : rows[i].module);
		json_close_array(w);
	}
	json_put_key(w, STR("lines"));
	json_open_array(w);
	for (uint32_t i = 0; i < l->used.n; i++)
		json_put_i64(w, rows[i].line);
	json_close_array(w);
	return 0;
}

int put_nodes(struct json_writer *w, struct tree *t, const struct cut *c, bool both,
	      struct arena *arena)
{
	struct node_list l = {.tree = t, .cut = c, .arena = arena};
	int rc = list_nodes(&l);

	if (!rc)
		rc = number_names(&l);
	if (rc)
		return rc;
	put_u64(w, "node_count", c->nodes);
	put_u64(w, "shown_count", c->shown);
	json_put_key(w, STR("hidden_share"));
	json_put_double(w, c->hidden_share);
	rc = put_name_rows(w, &l);
	return rc ? rc : put_node_columns(w, &l, both);
}
