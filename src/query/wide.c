/* SPDX-License-Identifier: Apache-2.0 */
#include "query/wide.h"

#include "base/container/hash.h"

/* ---- the largest frames ---- */

/* The counters take a part of the memory, and 32 MB at most. With fewer of them more frames are taken than are large enough. */
enum { COUNTER_BITS_LEAST = 12, COUNTER_BITS_MOST = 22, COUNTER_PART = 8, AHEAD = 32 };

/* What is to be added to a counter: its memory is on its way while others are worked out. */
struct increment {
	uint64_t *counter, by;
};

struct wide {
	uint64_t *counters;
	unsigned shift; /* of a hash, to the number of its counter */
	struct increment ahead[AHEAD];
	uint32_t ahead_at;
	uint64_t none;	   /* the counter of an increment that is none */
	uint64_t *largest; /* counters, a heap with the least in front */
	uint32_t n, most;
	struct arena scratch; /* of the service at hand */

	/* the second time */
	struct stack_tree *tree;
	struct stack_sums *sums;
	uint32_t other; /* the location of WIDE_OTHER */
};

/* A service. */
struct part {
	const struct stack_tree *tree;
	const int64_t *self;
	uint32_t n;
	uint64_t *total; /* by node, without signs */
	uint64_t *path;	 /* by node: hash of the names that lead to it */
	uint64_t *names; /* by function: hash; 0: not known yet */
};

static uint64_t mix(uint64_t path, uint64_t name)
{
	unsigned __int128 product =
		(unsigned __int128)(path ^ 0x9e3779b97f4a7c15u) * (name ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t name_hash(struct part *p, uint32_t function)
{
	const struct profile_batch *b = &p->tree->dictionary;

	if (!p->names[function]) {
		const struct function *f = &b->functions.at[function];
		struct str name = string_of(b, f->name ? f->name : f->system_name);

		p->names[function] = hash_bytes(name.p, name.n) | 1;
	}
	return p->names[function];
}

/* How many frames the location has: inlined calls, the innermost first, or one without a name. */
static uint32_t frame_count(const struct location *l)
{
	return l->lines.n ? l->lines.n : 1;
}

/* The path one frame further. `frame` counts from the outermost. */
static uint64_t step_into(struct part *p, uint64_t path, const struct location *l, uint32_t frame)
{
	const struct line *lines = p->tree->dictionary.lines.at + l->lines.at;

	return mix(path, l->lines.n ? name_hash(p, lines[l->lines.n - 1 - frame].function) : 1);
}

static const struct location *location_of(const struct part *p, uint32_t node)
{
	return &p->tree->dictionary.locations.at[p->tree->nodes.at[node].location];
}

static uint64_t *counter_of(const struct wide *w, uint64_t path)
{
	return &w->counters[path >> w->shift];
}

static int part_begin(struct wide *w, struct part *p, const struct stack_tree *tree,
		      const int64_t *self, uint32_t n)
{
	arena_reset(&w->scratch);
	*p = (struct part){.tree = tree,
			   .self = self,
			   .n = n,
			   .total = arena_alloc(&w->scratch, n, sizeof(*p->total)),
			   .path = arena_zalloc(&w->scratch, n, sizeof(*p->path)),
			   .names = arena_zalloc(&w->scratch, tree->dictionary.functions.n,
						 sizeof(*p->names))};
	if (!p->total || !p->path || !p->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		p->total[i] = magnitude_of(self[i]);
	for (uint32_t i = n; i-- > 1;)
		p->total[tree->nodes.at[i].parent] += p->total[i];
	return 0;
}

static void count(struct wide *w, uint64_t *counter, uint64_t by)
{
	struct increment *i = &w->ahead[w->ahead_at++ % AHEAD];

	*i->counter += i->by;
	*i = (struct increment){counter, by};
	__builtin_prefetch(counter, 1);
}

static void count_rest(struct wide *w)
{
	for (uint32_t i = 0; i < AHEAD; i++)
		count(w, &w->none, 0);
}

static int count_part(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct wide *w = ctx;
	struct part p;
	int rc = part_begin(w, &p, tree, self, n);

	for (uint32_t i = 1; !rc && i < n; i++) {
		const struct location *l = location_of(&p, i);

		if (!p.total[i])
			continue;
		p.path[i] = p.path[tree->nodes.at[i].parent];
		for (uint32_t k = 0; k < frame_count(l); k++) {
			p.path[i] = step_into(&p, p.path[i], l, k);
			count(w, counter_of(w, p.path[i]), p.total[i]);
		}
	}
	return rc;
}

/* Keep the largest: the least goes. */
static void offer(struct wide *w, uint64_t total)
{
	uint64_t *heap = w->largest;
	uint32_t at;

	if (w->n < w->most) {
		for (at = w->n++; at && heap[(at - 1) / 2] > total; at = (at - 1) / 2)
			heap[at] = heap[(at - 1) / 2];
		heap[at] = total;
		return;
	}
	if (total <= heap[0])
		return;
	for (at = 0;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < w->n && heap[child + 1] < heap[child])
			child++;
		if (child >= w->n || heap[child] >= total)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = total;
}

/* How many of the node's frames are large enough, from the outermost on. Its caller's all are. */
static uint32_t large_frames(struct wide *w, struct part *p, uint32_t node)
{
	const struct location *l = location_of(p, node);
	uint64_t path = p->path[p->tree->nodes.at[node].parent];
	uint64_t least = w->largest[0] ? w->largest[0] : 1;
	uint32_t k;

	for (k = 0; k < frame_count(l); k++) {
		path = step_into(p, path, l, k);
		if (*counter_of(w, path) < least)
			break;
	}
	p->path[node] = path;
	return k;
}

/* The location with its outermost frames only: a new one of the tree. */
static int cut_location(struct stack_import *import, const struct profile_batch *from,
			const struct location *l, uint32_t frames, uint32_t *location)
{
	struct location_parts parts = {.address = l->address, .line_count = frames};
	struct profile_remap *remap = &import->remap;
	struct line *lines = arena_alloc(&remap->scratch, frames, sizeof(*lines));
	int rc = lines ? profile_remap_mapping(remap, l->mapping, &parts.mapping) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < frames; i++) {
		lines[i] = from->lines.at[l->lines.at + l->lines.n - frames + i];
		rc = profile_remap_function(remap, lines[i].function, &lines[i].function);
	}
	parts.lines = lines;
	return rc ? rc : profile_add_location(&import->tree->builder, &parts, location);
}

/* The second time: where the samples of each node go. */
struct taking {
	struct wide *wide;
	struct part part;
	struct stack_import import;
	uint32_t *at;	/* by node: of the tree */
	uint8_t *taken; /* by node: all of its frames are there */
};

static int take_node(struct taking *k, uint32_t node)
{
	const struct stack_node *row = &k->part.tree->nodes.at[node];
	const struct location *l = location_of(&k->part, node);
	struct stack_tree *tree = k->wide->tree;
	uint32_t frames, location, parent = k->at[row->parent];
	int rc;

	k->at[node] = parent;
	if (!k->taken[row->parent])
		return 0;
	frames = large_frames(k->wide, &k->part, node);
	k->taken[node] = frames == frame_count(l);
	if (!frames)
		return 0;
	rc = k->taken[node]
		     ? stack_import_location(&k->import, row->location, &location)
		     : cut_location(&k->import, &k->part.tree->dictionary, l, frames, &location);
	return rc ? rc : stack_tree_child(tree, parent, location, &k->at[node]);
}

static int put_self(struct taking *k, uint32_t node)
{
	struct stack_tree *tree = k->wide->tree;
	uint32_t at = k->at[node];
	int rc = 0;

	if (!k->taken[node])
		rc = stack_tree_child(tree, at, k->wide->other, &at);
	return rc ? rc : stack_sums_add(tree, k->wide->sums, at, k->part.self[node]);
}

static int take_part(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct taking k = {.wide = ctx};
	int rc = part_begin(k.wide, &k.part, tree, self, n);

	k.at = arena_zalloc(&k.wide->scratch, n, sizeof(*k.at));
	k.taken = arena_zalloc(&k.wide->scratch, n, 1);
	if (rc || !k.at || !k.taken)
		return -ENOMEM;
	rc = stack_import_init(&k.import, k.wide->tree, &tree->dictionary, true);
	k.taken[0] = 1;
	for (uint32_t i = 0; !rc && i < n; i++) {
		if (i && k.part.total[i])
			rc = take_node(&k, i);
		if (!rc && self[i])
			rc = put_self(&k, i);
	}
	stack_import_fini(&k.import);
	return rc;
}

static void divide_sums(struct stack_sums *sums, uint64_t divisor)
{
	for (uint32_t i = 0; divisor > 1 && i < sums->self.n; i++)
		sums->self.at[i] = divide_rounded(sums->self.at[i], (int64_t)divisor);
}

static int find_largest(struct wide *w, struct store *s, const struct store_select *sel,
			struct err *e)
{
	uint64_t divisor = 1;
	int rc;

	for (uint32_t i = 0; i < AHEAD; i++)
		w->ahead[i].counter = &w->none;
	rc = s->ops->each_stacks(s, sel, count_part, w, &divisor, e);
	count_rest(w);
	for (size_t i = 0; !rc && i <= UINT64_MAX >> w->shift; i++)
		offer(w, w->counters[i]);
	if (!rc)
		rc = profile_add_frame(&w->tree->builder, WIDE_OTHER, STR(""), 0, &w->other);
	if (!rc)
		rc = s->ops->each_stacks(s, sel, take_part, w, &divisor, e);
	if (!rc)
		divide_sums(w->sums, divisor);
	return rc;
}

/* A frame takes about 72 bytes, and several paths may share each of the few counters that a small budget has. */
static uint32_t fitting_frames(const struct budget *budget, uint32_t most)
{
	enum { BYTES_OF_FRAME = 1024 };

	return budget ? (uint32_t)min_size(most, budget->limit / BYTES_OF_FRAME + 1) : most;
}

static unsigned counter_bits(const struct budget *budget)
{
	unsigned bits = COUNTER_BITS_MOST;

	while (budget && bits > COUNTER_BITS_LEAST &&
	       (sizeof(uint64_t) << bits) > budget->limit / COUNTER_PART)
		bits--;
	return bits;
}

int wide_stacks(struct store *s, const struct store_select *sel, uint32_t most,
		struct stack_tree *tree, struct stack_sums *sums, struct err *e)
{
	unsigned bits = counter_bits(sel->limits.budget);
	struct wide w = {.most = fitting_frames(sel->limits.budget, most),
			 .tree = tree,
			 .sums = sums,
			 .shift = 64 - bits};
	struct arena tables;
	int rc;

	arena_init(&tables, sel->limits.budget);
	arena_init(&w.scratch, sel->limits.budget);
	w.counters = arena_zalloc(&tables, (size_t)1 << bits, sizeof(*w.counters));
	w.largest = arena_alloc(&tables, (size_t)most + 1, sizeof(*w.largest));
	rc = w.counters && w.largest ? find_largest(&w, s, sel, e) : -ENOMEM;
	arena_fini(&w.scratch);
	arena_fini(&tables);
	return rc ? err_errno(e, rc, "find the largest frames") : 0;
}

/* ---- functions ---- */

struct wide_row {
	int64_t self, total;
	uint64_t met; /* the last stack that it is on */
};

struct wide_names {
	struct tree *tree;
	struct arena arena; /* of: */
	VEC(struct wide_row) rows;
	struct arena scratch; /* of the service at hand */
	uint64_t stacks;
	struct err *error;
};

static int fit_rows(struct wide_names *w)
{
	uint32_t n = w->tree->names.rows.n;
	int rc = n > w->rows.n ? vec_reserve(&w->arena, &w->rows, n - w->rows.n) : 0;

	if (!rc && n > w->rows.n) {
		memset(w->rows.at + w->rows.n, 0, (n - w->rows.n) * sizeof(*w->rows.at));
		w->rows.n = n;
	}
	return rc;
}

static void meet(struct wide_names *w, uint32_t name, int64_t value, bool leaf)
{
	struct wide_row *row = &w->rows.at[name];

	if (leaf)
		row->self = add_wrapping(row->self, value, &w->tree->wrapped);
	if (row->met != w->stacks)
		row->total = add_wrapping(row->total, value, &w->tree->wrapped);
	row->met = w->stacks;
}

static int add_unnamed(struct wide_names *w, struct frames *f, int64_t value)
{
	uint32_t name;
	int rc = frames_no_stack(f, &name);

	if (rc <= 0)
		return rc;
	rc = fit_rows(w);
	if (!rc)
		meet(w, name, value, true);
	return rc;
}

/* All names on the way from the node to the root. */
static int add_stack(struct wide_names *w, struct frames *f, const struct stack_tree *tree,
		     uint32_t node, int64_t value)
{
	struct tree_sum *sum = &w->tree->sum[TREE_ONLY];
	bool leaf = true;
	int rc = 0;

	w->stacks++;
	sum->all = sum->kept = add_wrapping(sum->all, value, &w->tree->wrapped);
	if (!node)
		return add_unnamed(w, f, value);
	for (; !rc && node; node = tree->nodes.at[node].parent) {
		const struct location_frames *l;

		rc = frames_of_location(f, tree->nodes.at[node].location, &l, w->error);
		if (!rc)
			rc = fit_rows(w);
		for (uint32_t i = 0; !rc && i < l->names.n; i++, leaf = false)
			meet(w, f->pool.at[l->names.at + i], value, leaf);
	}
	return rc;
}

static int add_part(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct wide_names *w = ctx;
	const struct tree_options *o = &w->tree->options;
	struct frames f;
	int rc;

	arena_reset(&w->scratch);
	rc = frames_init(&f, &tree->dictionary, &o->frames, o->group, &w->tree->names, &w->scratch);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (self[i])
			rc = add_stack(w, &f, tree, i, self[i]);
	return rc;
}

static int make_rows(struct wide_names *w, uint64_t divisor, struct top *out)
{
	struct tree_sum *sum = &w->tree->sum[TREE_ONLY];
	int64_t by = (int64_t)divisor;

	*out = (struct top){arena_zalloc(&w->tree->arena, w->rows.n + 1, sizeof(*out->rows)),
			    w->rows.n};
	if (!out->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->rows.n; i++) {
		out->rows[i].name = i;
		out->rows[i].self[0] = divide_rounded(w->rows.at[i].self, by);
		out->rows[i].total[0] = divide_rounded(w->rows.at[i].total, by);
	}
	sum->all = sum->kept = divide_rounded(sum->all, by);
	sum->samples = sum->kept_samples = w->stacks;
	return 0;
}

int wide_top(struct store *s, const struct store_select *sel, struct tree *t, struct top *out,
	     struct err *e)
{
	struct wide_names w = {.tree = t, .error = e};
	uint64_t divisor = 1;
	int rc;

	arena_init(&w.arena, sel->limits.budget);
	arena_init(&w.scratch, sel->limits.budget);
	rc = s->ops->each_stacks(s, sel, add_part, &w, &divisor, e);
	if (!rc)
		rc = make_rows(&w, divisor, out);
	arena_fini(&w.scratch);
	arena_fini(&w.arena);
	return rc ? err_errno(e, rc, "sum up functions") : 0;
}
