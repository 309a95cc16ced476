/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level by level: a box is a node with its columns; the boxes of a level are computed from those of
 * the level above, children side by side from the left edge of their parent. Positions are exact
 * shares of the whole and are rounded to columns last, so that rounding errors do not accumulate.
 */
#include "cli/terminal/flame.h"

#include "base/container/hash.h"
#include "cli/terminal/units.h"

struct flame_box {
	uint32_t node;
	unsigned from, to; /* columns */
	uint64_t at;	   /* sum of weights to the left */
};

struct flame_drawing {
	struct buf *out;
	struct tree *tree;
	const struct flame_options *options;
	uint64_t *weights;  /* by node: its width */
	uint32_t *subtrees; /* by node: number of nodes in its subtree */
	VEC(struct flame_box) level, next;
	struct flame_count *count;
	uint64_t least; /* smallest weight that is drawn */
};

/* ---- layout ---- */

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Compute the widths: the magnitude of a node's self value plus the weights of its children, so
 * that children always fit. Without negative values that is the total of the node.
 */
static void compute_weights(struct flame_drawing *d)
{
	const struct tree_node *nodes = d->tree->nodes.at;

	for (uint32_t i = d->tree->nodes.n; i-- > 0;) {
		struct tree_values values = tree_self(d->tree, i);
		uint64_t self = magnitude_of(values.in[0]);

		if (d->options->diff) {
			struct diff_value v = diff_value_of(d->options->diff, values.in);
			uint64_t before = magnitude_of(v.before), after = magnitude_of(v.after);

			self = before > after ? before : after;
		}
		d->weights[i] = add_capped(d->weights[i], self);
		d->subtrees[i]++;
		if (i) {
			uint32_t parent = nodes[i].parent;

			d->weights[parent] = add_capped(d->weights[parent], d->weights[i]);
			d->subtrees[parent] += d->subtrees[i];
		}
	}
}

static unsigned column_of(const struct flame_drawing *d, uint64_t weight)
{
	__extension__ unsigned __int128 x = (unsigned __int128)weight * d->options->width;
	uint64_t whole = d->weights[0];

	return (unsigned)((x + whole / 2) / whole);
}

/* Add the children of a box to the next level, and count those that are too small. */
static int place_children(struct flame_drawing *d, const struct flame_box *parent)
{
	const struct tree_node *n = &d->tree->nodes.at[parent->node];
	const uint32_t *children = tree_children(d->tree, parent->node);
	uint64_t at = parent->at;
	int rc = 0;

	for (uint32_t i = 0; i < n->child_n && !rc; i++) {
		uint32_t child = children[i];
		struct flame_box box = {.node = child, .at = at};

		at = add_capped(at, d->weights[child]);
		box.from = column_of(d, box.at);
		box.to = column_of(d, at);
		if (d->weights[child] < d->least || box.from >= box.to) {
			d->count->small += d->subtrees[child];
			continue;
		}
		rc = vec_push(&d->tree->arena, &d->next, box);
	}
	return rc;
}

/* ---- colours ---- */

/* Return a warm colour by name; dark text is readable on all of them. */
static struct rgb warm_color(struct str name)
{
	uint32_t hash = 2166136261u; /* FNV-1a: the same colour in each run */

	for (size_t i = 0; i < name.n; i++)
		hash = (hash ^ (uint8_t)name.p[i]) * 16777619u;
	return (struct rgb){.r = (uint8_t)(222 + hash % 33),
			    .g = (uint8_t)(110 + (hash >> 8) % 100),
			    .b = (uint8_t)(60 + (hash >> 16) % 40)};
}

/* Return red for an increase, green for a decrease, deeper for larger changes; grey for none. */
static struct rgb change_color(const struct flame_drawing *d, uint32_t node)
{
	struct diff_value v = diff_value_of(d->options->diff, tree_total(d->tree, node).in);
	uint64_t before = magnitude_of(v.before), after = magnitude_of(v.after);
	double whole = (double)(before > after ? before : after);
	double change = whole > 0 ? (double)v.delta / whole : 0;
	double size = change < 0 ? -change : change;
	uint8_t fade = (uint8_t)(205 - (size > 1 ? 1 : size) * 110);

	if (size < 0.005)
		return (struct rgb){200, 200, 200};
	return change > 0 ? (struct rgb){245, fade, fade} : (struct rgb){fade, 215, fade};
}

static struct rgb color_of(const struct flame_drawing *d, uint32_t node)
{
	return d->options->diff ? change_color(d, node) : warm_color(tree_text(d->tree, node));
}

/* ---- writing ---- */

static void put_blanks(struct buf *out, size_t n)
{
	buf_printf(out, "%*s", (int)n, "");
}

/* Return the text after the name, if there is room: the share, or in a diff the change. */
static struct unit_text note_of(const struct flame_drawing *d, uint32_t node)
{
	const struct tree *t = d->tree;

	if (d->options->diff) {
		struct diff_value v = diff_value_of(d->options->diff, tree_total(t, node).in);

		return unit_change(v.delta, t->type.unit, d->options->exact);
	}
	return unit_share((double)tree_total(t, node).in[0], (double)t->sum[0].magnitude, 1);
}

/* Return the sign of a change, which makes it visible without colour. */
static const char *sign_of(const struct flame_drawing *d, uint32_t node)
{
	if (!d->options->diff)
		return "";

	enum diff_kind kind = diff_kind_of(d->options->diff, tree_total(d->tree, node).in);

	return kind == DIFF_GREW || kind == DIFF_NEW ? "+" : kind == DIFF_SAME ? "=" : "-";
}

/* Append sign, name and note of a frame in at most `room` columns. Return the columns used. */
static size_t put_label(struct flame_drawing *d, uint32_t node, size_t room)
{
	enum text_charset charset = d->options->terminal->charset;
	struct str name = node ? tree_text(d->tree, node) : STR("all");
	const char *sign = sign_of(d, node);
	struct unit_text note = note_of(d, node);
	size_t used = 0, note_width = strlen(note.text);

	if (!room)
		return 0;
	if (*sign) {
		buf_put_str(d->out, str_from(sign));
		used++;
	}
	name = d->tree->options.group == GROUP_FILE || d->tree->options.group == GROUP_MODULE
		       ? text_short_path(name, charset, room - used)
		       : text_short_name(name, charset, room - used);
	if (room - used < 3 && text_width(name, charset, room) > room - used)
		return used; /* one or two letters are useless */
	used += text_put_cut(d->out, name, charset, room - used, TEXT_CUT_TAIL);
	if (used + 1 + note_width <= room) {
		buf_printf(d->out, " %s", note.text);
		used += 1 + note_width;
	}
	return used;
}

/* Append a block of colour with an edge on its left. */
static void put_color_frame(struct flame_drawing *d, const struct flame_box *s)
{
	const struct terminal *terminal = d->options->terminal;
	struct rgb color = color_of(d, s->node);
	size_t room = s->to - s->from - 1;
	struct rgb edge = {(uint8_t)(color.r / 2), (uint8_t)(color.g / 2), (uint8_t)(color.b / 2)};

	terminal_background(d->out, terminal, color);
	terminal_foreground(d->out, terminal, edge);
	if (!room && d->options->diff) /* no room for both edge and sign */
		buf_put_str(d->out, str_from(sign_of(d, s->node)));
	else
		buf_put_str(d->out, terminal->charset == TEXT_UTF8 ? STR("▏") : STR("|"));
	terminal_foreground(d->out, terminal, (struct rgb){0, 0, 0});
	put_blanks(d->out, room - put_label(d, s->node, room));
	terminal_plain(d->out, terminal);
}

/*
 * Append an outline: |name 12.3% -----|. The right edge is omitted if the next frame is adjacent.
 */
static void put_plain_frame(struct flame_drawing *d, const struct flame_box *s, bool closed)
{
	bool utf8 = d->options->terminal->charset == TEXT_UTF8;
	struct str edge = utf8 ? STR("│") : STR("|"), line = utf8 ? STR("─") : STR("-");
	size_t room = s->to - s->from - 1;

	closed &= room > 0;
	room -= closed;
	buf_put_str(d->out, edge);

	size_t used = put_label(d, s->node, room);

	if (used && used < room) {
		buf_put_char(d->out, ' ');
		used++;
	}
	for (; used < room; used++)
		buf_put_str(d->out, line);
	if (closed)
		buf_put_str(d->out, edge);
}

static void put_level(struct flame_drawing *d)
{
	unsigned at = 0;

	for (uint32_t i = 0; i < d->level.n; i++) {
		const struct flame_box *s = &d->level.at[i];
		bool closed = i + 1 == d->level.n || d->level.at[i + 1].from > s->to;

		put_blanks(d->out, s->from - at);
		if (d->options->terminal->color != COLOR_NONE)
			put_color_frame(d, s);
		else
			put_plain_frame(d, s, closed);
		at = s->to;
	}
	d->count->shown += d->level.n;
	buf_put_char(d->out, '\n');
}

/* Replace the level by that of its children. */
static int next_level(struct flame_drawing *d)
{
	int rc = 0;

	d->next.n = 0;
	for (uint32_t i = 0; i < d->level.n && !rc; i++)
		rc = place_children(d, &d->level.at[i]);

	__typeof__(d->level) drawn = d->level;

	d->level.at = d->next.at;
	d->level.n = d->next.n;
	d->level.cap = d->next.cap;
	d->next.at = drawn.at;
	d->next.n = drawn.n;
	d->next.cap = drawn.cap;
	return rc;
}

static int draw_levels(struct flame_drawing *d)
{
	const struct flame_options *o = d->options;
	int rc = vec_push(&d->tree->arena, &d->level, (struct flame_box){.to = o->width});

	for (uint64_t depth = 0; !rc && d->level.n; depth++) {
		if (o->depth && depth > o->depth) {
			for (uint32_t i = 0; i < d->level.n; i++)
				d->count->deep += d->subtrees[d->level.at[i].node];
			break;
		}
		put_level(d);
		rc = next_level(d);
	}
	return rc;
}

int flame_draw(struct buf *out, struct tree *t, const struct flame_options *o,
	       struct flame_count *count)
{
	struct flame_drawing d = {.out = out, .tree = t, .options = o, .count = count};
	uint32_t n = t->nodes.n;

	*count = (struct flame_count){.least = o->min};
	d.weights = arena_zalloc(&t->arena, n, sizeof(*d.weights));
	d.subtrees = arena_zalloc(&t->arena, n, sizeof(*d.subtrees));
	if (!d.weights || !d.subtrees)
		return -ENOMEM;
	compute_weights(&d);
	if (!d.weights[0])
		return 0;

	/* A frame narrower than half a column could only be drawn too wide. */
	double half = 50.0 / o->width;

	if (count->least < half)
		count->least = half;
	d.least = (uint64_t)((double)d.weights[0] * (count->least / 100));
	return draw_levels(&d);
}
