/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide_stacks() reads the services twice: a first pass with hashed counters finds how large a frame
 * must be, a second pass copies the frames that are large enough. wide_top() needs one pass.
 */
#include "query/wide.h"

#include "base/container/hash.h"

/* ---- the largest frames ---- */

/*
 * The counters take 1/COUNTER_PART of the memory budget, 32 MB at most. With fewer counters there
 * are more collisions, and more frames that are too small are included.
 */
enum { COUNTER_BITS_LEAST = 12, COUNTER_BITS_MOST = 22, COUNTER_PART = 8, AHEAD = 32 };

/* A delayed addition to a counter, whose memory is being prefetched. */
struct increment {
	uint64_t *counter, by;
};

struct wide_search {
	uint64_t *counters;
	unsigned shift; /* a hash >> shift is the index of its counter */
	struct increment ahead[AHEAD];
	uint32_t ahead_at;
	uint64_t none;	   /* dummy counter for empty increments */
	uint64_t *largest; /* min-heap of the largest counters */
	uint32_t n, most;
	struct arena scratch; /* of the current service */

	/* second pass */
	struct stack_tree *tree;
	struct stack_sums *sums;
	uint32_t other; /* the location of WIDE_OTHER */
};

/* The stacks of one service. */
struct service_stacks {
	const struct stack_tree *tree;
	const int64_t *self;
	uint32_t n;
	uint64_t *total; /* by node, of absolute values */
	uint64_t *path;	 /* by node: hash of the names from the root to it */
	uint64_t *names; /* by function: hash of its name; 0: not computed yet */
};

static uint64_t mix_hashes(uint64_t path, uint64_t name)
{
	unsigned __int128 product =
		(unsigned __int128)(path ^ 0x9e3779b97f4a7c15u) * (name ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t name_hash(struct service_stacks *p, uint32_t function)
{
	const struct profile_batch *b = &p->tree->dictionary;

	if (!p->names[function]) {
		const struct function *f = &b->functions.at[function];
		struct str name = string_of(b, f->name ? f->name : f->system_name);

		p->names[function] = hash_bytes(name.p, name.n) | 1;
	}
	return p->names[function];
}

/* Return how many frames the location has: its inlined calls, or one without a name. */
static uint32_t frame_count(const struct location *l)
{
	return l->lines.n ? l->lines.n : 1;
}

/* Extend the hash of a path by one frame of a location. `frame` counts from the outermost. */
static uint64_t step_into(struct service_stacks *p, uint64_t path, const struct location *l,
			  uint32_t frame)
{
	const struct line *lines = p->tree->dictionary.lines.at + l->lines.at;

	return mix_hashes(path,
			  l->lines.n ? name_hash(p, lines[l->lines.n - 1 - frame].function) : 1);
}

static const struct location *location_of(const struct service_stacks *p, uint32_t node)
{
	return &p->tree->dictionary.locations.at[p->tree->nodes.at[node].location];
}

static uint64_t *counter_of(const struct wide_search *w, uint64_t path)
{
	return &w->counters[path >> w->shift];
}

static int begin_service(struct wide_search *w, struct service_stacks *p,
			 const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	arena_reset(&w->scratch);
	*p = (struct service_stacks){
		.tree = tree,
		.self = self,
		.n = n,
		.total = arena_alloc(&w->scratch, n, sizeof(*p->total)),
		.path = arena_zalloc(&w->scratch, n, sizeof(*p->path)),
		.names =
			arena_zalloc(&w->scratch, tree->dictionary.functions.n, sizeof(*p->names))};
	if (!p->total || !p->path || !p->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		p->total[i] = magnitude_of(self[i]);
	for (uint32_t i = n; i-- > 1;)
		p->total[tree->nodes.at[i].parent] += p->total[i];
	return 0;
}

static void add_to_counter(struct wide_search *w, uint64_t *counter, uint64_t by)
{
	struct increment *i = &w->ahead[w->ahead_at++ % AHEAD];

	*i->counter += i->by;
	*i = (struct increment){counter, by};
	__builtin_prefetch(counter, 1);
}

/* Apply the delayed increments. */
static void flush_counters(struct wide_search *w)
{
	for (uint32_t i = 0; i < AHEAD; i++)
		add_to_counter(w, &w->none, 0);
}

/* First pass: count the frames of one service. */
static int count_service(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct wide_search *w = ctx;
	struct service_stacks p;
	int rc = begin_service(w, &p, tree, self, n);

	for (uint32_t i = 1; !rc && i < n; i++) {
		const struct location *l = location_of(&p, i);

		if (!p.total[i])
			continue;
		p.path[i] = p.path[tree->nodes.at[i].parent];
		for (uint32_t k = 0; k < frame_count(l); k++) {
			p.path[i] = step_into(&p, p.path[i], l, k);
			add_to_counter(w, counter_of(w, p.path[i]), p.total[i]);
		}
	}
	return rc;
}

/* Insert a counter into the heap of the largest, replacing the smallest when it is full. */
static void offer_counter(struct wide_search *w, uint64_t total)
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

/* Return how many frames of the node are large enough, from the outermost. Its caller's all are. */
static uint32_t large_frames(struct wide_search *w, struct service_stacks *p, uint32_t node)
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

/* Add a location with only the outermost `frames` frames of `l` to the tree. */
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

/* Second pass: maps the nodes of one service to nodes of the tree. */
struct service_copy {
	struct wide_search *search;
	struct service_stacks from;
	struct stack_import import;
	uint32_t *at;	/* by node: the node of the tree */
	uint8_t *taken; /* by node: whether all of its frames are included */
};

static int copy_node(struct service_copy *k, uint32_t node)
{
	const struct stack_node *row = &k->from.tree->nodes.at[node];
	const struct location *l = location_of(&k->from, node);
	struct stack_tree *tree = k->search->tree;
	uint32_t frames, location, parent = k->at[row->parent];
	int rc;

	k->at[node] = parent;
	if (!k->taken[row->parent])
		return 0;
	frames = large_frames(k->search, &k->from, node);
	k->taken[node] = frames == frame_count(l);
	if (!frames)
		return 0;
	rc = k->taken[node]
		     ? stack_import_location(&k->import, row->location, &location)
		     : cut_location(&k->import, &k->from.tree->dictionary, l, frames, &location);
	return rc ? rc : stack_tree_child(tree, parent, location, &k->at[node]);
}

static int copy_self(struct service_copy *k, uint32_t node)
{
	struct stack_tree *tree = k->search->tree;
	uint32_t at = k->at[node];
	int rc = 0;

	if (!k->taken[node])
		rc = stack_tree_child(tree, at, k->search->other, &at);
	return rc ? rc : stack_sums_add(tree, k->search->sums, at, k->from.self[node]);
}

static int copy_service(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct service_copy k = {.search = ctx};
	int rc = begin_service(k.search, &k.from, tree, self, n);

	k.at = arena_zalloc(&k.search->scratch, n, sizeof(*k.at));
	k.taken = arena_zalloc(&k.search->scratch, n, 1);
	if (rc || !k.at || !k.taken)
		return -ENOMEM;
	rc = stack_import_init(&k.import, k.search->tree, &tree->dictionary, true);
	k.taken[0] = 1;
	for (uint32_t i = 0; !rc && i < n; i++) {
		if (i && k.from.total[i])
			rc = copy_node(&k, i);
		if (!rc && self[i])
			rc = copy_self(&k, i);
	}
	stack_import_fini(&k.import);
	return rc;
}

static void divide_sums(struct stack_sums *sums, uint64_t divisor)
{
	for (uint32_t i = 0; divisor > 1 && i < sums->self.n; i++)
		sums->self.at[i] = divide_rounded(sums->self.at[i], (int64_t)divisor);
}

static int find_largest(struct wide_search *w, struct store *s, const struct store_select *sel,
			struct err *e)
{
	uint64_t divisor = 1;
	int rc;

	for (uint32_t i = 0; i < AHEAD; i++)
		w->ahead[i].counter = &w->none;
	rc = s->ops->each_stacks(s, sel, count_service, w, &divisor, e);
	flush_counters(w);
	for (size_t i = 0; !rc && i <= UINT64_MAX >> w->shift; i++)
		offer_counter(w, w->counters[i]);
	if (!rc)
		rc = profile_add_frame(&w->tree->builder, WIDE_OTHER, STR(""), 0, &w->other);
	if (!rc)
		rc = s->ops->each_stacks(s, sel, copy_service, w, &divisor, e);
	if (!rc)
		divide_sums(w->sums, divisor);
	return rc;
}

/*
 * Reduce the number of frames to what fits the budget. A frame takes about 72 bytes, but with the
 * few counters of a small budget several paths may share each counter.
 */
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
	struct wide_search w = {.most = fitting_frames(sel->limits.budget, most),
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
	uint64_t met; /* number of the last stack that contains it */
};

struct wide_names {
	struct tree *tree;
	struct arena arena; /* of rows */
	VEC(struct wide_row) rows;
	struct arena scratch; /* of the current service */
	uint64_t stacks;
	struct err *error;
};

static int extend_rows(struct wide_names *w)
{
	uint32_t n = w->tree->names.rows.n;
	int rc = n > w->rows.n ? vec_reserve(&w->arena, &w->rows, n - w->rows.n) : 0;

	if (!rc && n > w->rows.n) {
		memset(w->rows.at + w->rows.n, 0, (n - w->rows.n) * sizeof(*w->rows.at));
		w->rows.n = n;
	}
	return rc;
}

/* Add the value of the current stack to a name on it, once per stack to its total. */
static void add_to_name(struct wide_names *w, uint32_t name, int64_t value, bool leaf)
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
	rc = extend_rows(w);
	if (!rc)
		add_to_name(w, name, value, true);
	return rc;
}

/* Add a value to all names on the path from the node to the root. */
static int add_stack_names(struct wide_names *w, struct frames *f, const struct stack_tree *tree,
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
			rc = extend_rows(w);
		for (uint32_t i = 0; !rc && i < l->names.n; i++, leaf = false)
			add_to_name(w, f->pool.at[l->names.at + i], value, leaf);
	}
	return rc;
}

static int add_service_names(void *ctx, const struct stack_tree *tree, const int64_t *self,
			     uint32_t n)
{
	struct wide_names *w = ctx;
	const struct tree_options *o = &w->tree->options;
	struct frames f;
	int rc;

	arena_reset(&w->scratch);
	rc = frames_init(&f, &tree->dictionary, &o->frames, o->group, &w->tree->names, &w->scratch);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (self[i])
			rc = add_stack_names(w, &f, tree, i, self[i]);
	return rc;
}

static int make_top_rows(struct wide_names *w, uint64_t divisor, struct top *out)
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
	rc = s->ops->each_stacks(s, sel, add_service_names, &w, &divisor, e);
	if (!rc)
		rc = make_top_rows(&w, divisor, out);
	arena_fini(&w.scratch);
	arena_fini(&w.arena);
	return rc ? err_errno(e, rc, "sum up functions") : 0;
}
