/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes .cpuprofile for Chrome's developer tools: the stacks as a tree of nodes, and the top node
 * of each sample. In the tools a sample lasts until the next one, and the last one as long as the
 * average, so values have to be expressed by times:
 *
 *  - Samples with times keep them. A gap after a sample's value is filled by an "(idle)" sample.
 *    A sample whose value is not a time lasts until the next one.
 *  - Samples without times are placed one after the other. The last one is a piece of the largest
 *    sample, as long as the average, so that sums come out right.
 */
#include "base/container/hash.h"
#include "format/v8/v8.h"
#include "wire/json_write.h"

#define NONE UINT32_MAX

enum { ROOT = 0, MICROSECOND = 1000 };

struct output_node {
	struct text_frame frame;
	uint32_t parent;
	uint32_t last_child, previous; /* the last child and the previous sibling, or NONE */
	uint32_t hits;
};

struct output_sample {
	uint64_t time; /* nanoseconds */
	uint32_t node;
};

struct cpuprofile_writer {
	const struct profile_batch *batch;
	struct arena arena;
	struct json_writer json;
	struct buf name;
	VEC(struct output_node) nodes;
	struct idset index;   /* of nodes, by parent and frame */
	uint32_t *stack_node; /* node of the leaf by stack; NONE until it is needed */
	struct text_entries entries;
	VEC(struct output_sample) samples;
	uint64_t end; /* of the last sample */
};

/* V8 records where a function begins, not which of its lines runs. */
static struct text_frame frame_of_line(const struct profile_batch *b, uint32_t location, uint32_t i)
{
	const struct location *l = &b->locations.at[location];
	struct text_frame f = text_frame_of(b, location, i);
	int64_t start = 0;

	if (l->lines.n)
		start = b->functions.at[b->lines.at[l->lines.at + i].function].start_line;
	f.column = start && f.line == start ? f.column : 0;
	f.line = start;
	f.type = STR("");
	if (f.name.n)
		f.module = STR("");
	return f;
}

static int find_or_add_child(struct cpuprofile_writer *w, uint32_t parent,
			     const struct text_frame *f, uint32_t *child)
{
	uint64_t key[] = {parent, text_frame_hash(f)};
	uint32_t hash = (uint32_t)hash_bytes(key, sizeof(key));
	struct idset_cursor c = idset_seek(&w->index, hash);
	struct output_node n = {
		.frame = *f, .parent = parent, .last_child = NONE, .previous = NONE};
	int rc;

	while (idset_next(&w->index, &c, child)) {
		const struct output_node *known = &w->nodes.at[*child];

		if (known->parent == parent && text_frame_eq(&known->frame, f))
			return 0;
	}
	*child = w->nodes.n;
	if (*child != ROOT)
		n.previous = w->nodes.at[parent].last_child;
	rc = idset_add(&w->index, hash, *child);
	if (!rc)
		rc = vec_push(&w->arena, &w->nodes, n);
	if (!rc && *child != ROOT)
		w->nodes.at[parent].last_child = *child;
	return rc;
}

static int node_of_stack(struct cpuprofile_writer *w, uint32_t stack, uint32_t *node)
{
	const struct profile_batch *b = w->batch;
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);
	int rc = 0;

	*node = w->stack_node[stack];
	if (*node != NONE)
		return 0;
	*node = ROOT;
	while (!rc && n--) {
		for (uint32_t k = text_frame_count(b, locations[n]); !rc && k-- > 0;) {
			struct text_frame f = frame_of_line(b, locations[n], k);

			rc = find_or_add_child(w, *node, &f, node);
		}
	}
	w->stack_node[stack] = *node;
	return rc;
}

/* Return the number of nanoseconds in the unit; 0 if it is not a unit of time. */
static uint64_t unit_nanoseconds(struct str unit)
{
	static const struct {
		struct str name;
		uint64_t nanoseconds;
	} units[] = {
		{STR_INIT("nanoseconds"), 1},
		{STR_INIT("microseconds"), 1000},
		{STR_INIT("milliseconds"), 1000000},
		{STR_INIT("seconds"), 1000000000},
	};

	for (size_t i = 0; i < countof(units); i++)
		if (str_eq(units[i].name, unit))
			return units[i].nanoseconds;
	return 0;
}

static int push_sample(struct cpuprofile_writer *w, uint64_t time, uint32_t node)
{
	w->nodes.at[node].hits++;
	return vec_push(&w->arena, &w->samples, (struct output_sample){time, node});
}

static int overflow_error(struct err *e)
{
	return err_set(e, -EOVERFLOW, "values add up to more than 2^63 nanoseconds");
}

/* Place samples in the order of their times and fill the gaps between them. */
static int place_timed(struct cpuprofile_writer *w, uint64_t unit, struct err *e)
{
	static const struct text_frame idle_frame = {.name = STR_INIT("(idle)")};
	const struct text_entry *list = w->entries.list.at;
	uint64_t now = 0;
	uint32_t node;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < w->entries.list.n; i++) {
		uint64_t at = list[i].time > now ? list[i].time : now, length;

		if (__builtin_mul_overflow((uint64_t)list[i].value, unit, &length) ||
		    __builtin_add_overflow(at, length, &w->end) || w->end > INT64_MAX)
			return overflow_error(e);
		if (i && unit && at > now && at - now > length) {
			rc = find_or_add_child(w, ROOT, &idle_frame, &node);
			if (!rc)
				rc = push_sample(w, now, node);
		}
		if (!rc)
			rc = node_of_stack(w, list[i].stack, &node);
		if (!rc)
			rc = push_sample(w, at, node);
		now = w->end;
	}
	return rc;
}

/* Move the largest entry to the front: its last piece is cut off and placed at the end. */
static void move_largest_first(struct text_entries *entries)
{
	struct text_entry *list = entries->list.at, largest;
	uint32_t at = 0;

	for (uint32_t i = 1; i < entries->list.n; i++)
		if (list[i].value > list[at].value)
			at = i;
	largest = list[at];
	list[at] = list[0];
	list[0] = largest;
}

/* Place samples one after the other from `start` on. */
static int place_untimed(struct cpuprofile_writer *w, uint64_t start, uint64_t unit, struct err *e)
{
	const struct text_entry *list = w->entries.list.at;
	uint64_t sum = 0, piece, now = start;
	uint32_t node = ROOT;
	int rc = 0;

	if (!w->entries.list.n)
		return 0;
	move_largest_first(&w->entries);
	for (uint32_t i = 0; i < w->entries.list.n; i++)
		if (__builtin_add_overflow(sum, (uint64_t)list[i].value, &sum))
			return overflow_error(e);
	if (__builtin_mul_overflow(sum, unit, &sum) ||
	    __builtin_add_overflow(start, sum, &w->end) || w->end > INT64_MAX)
		return overflow_error(e);
	piece = sum / (w->entries.list.n + 1);
	for (uint32_t i = 0; !rc && i < w->entries.list.n; i++) {
		rc = node_of_stack(w, list[i].stack, &node);
		if (!rc)
			rc = push_sample(w, now, node);
		now += (uint64_t)list[i].value * unit - (i ? 0 : piece);
	}
	if (!rc)
		rc = node_of_stack(w, list[0].stack, &node);
	return rc ? rc : push_sample(w, now, node);
}

/* Place all samples of the type in time. */
static int place_samples(struct cpuprofile_writer *w, struct value_type type, struct err *e)
{
	const struct profile_batch *b = w->batch;
	uint64_t unit = unit_nanoseconds(string_of(b, type.unit)), start = UINT64_MAX;
	int rc = 0;

	w->entries.timed = true;
	for (uint32_t i = 0; !rc && i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		if (!text_is_type(b, p, type))
			continue;
		start = p->time_unix_nano < start ? p->time_unix_nano : start;
		rc = text_entries_add(&w->entries, &w->arena, b, p);
	}
	if (rc)
		return rc;
	text_entries_sort(&w->entries);
	if (w->entries.timed)
		return place_timed(w, unit, e);
	return place_untimed(w, start <= INT64_MAX ? start : 0, unit ? unit : MICROSECOND, e);
}

static void put_int_member(struct cpuprofile_writer *w, struct str key, int64_t number)
{
	json_put_key(&w->json, key);
	json_put_i64(&w->json, number);
}

/* Lines and columns count from 0; -1 is none. The decoder adds the name "(anonymous)". */
static void put_call_frame(struct cpuprofile_writer *w, const struct text_frame *f)
{
	buf_rewind(&w->name);
	if (!str_eq(f->name, STR("(anonymous)")))
		text_put_frame_name(&w->name, f);
	json_put_key(&w->json, STR("callFrame"));
	json_open_object(&w->json);
	json_put_key(&w->json, STR("functionName"));
	json_put_string(&w->json, buf_str(&w->name));
	json_put_key(&w->json, STR("scriptId"));
	json_put_string(&w->json, STR("0"));
	json_put_key(&w->json, STR("url"));
	json_put_string(&w->json, f->file);
	put_int_member(w, STR("lineNumber"), f->line > 0 ? f->line - 1 : -1);
	put_int_member(w, STR("columnNumber"), f->column > 0 ? f->column - 1 : -1);
	json_close_object(&w->json);
}

static void put_nodes(struct cpuprofile_writer *w)
{
	json_put_key(&w->json, STR("nodes"));
	json_open_array(&w->json);
	for (uint32_t i = 0; i < w->nodes.n; i++) {
		const struct output_node *n = &w->nodes.at[i];

		json_open_object(&w->json);
		put_int_member(w, STR("id"), (int64_t)i + 1);
		put_call_frame(w, &n->frame);
		put_int_member(w, STR("hitCount"), n->hits);
		if (n->last_child != NONE) {
			json_put_key(&w->json, STR("children"));
			json_open_array(&w->json);
			for (uint32_t k = n->last_child; k != NONE; k = w->nodes.at[k].previous)
				json_put_i64(&w->json, (int64_t)k + 1);
			json_close_array(&w->json);
		}
		json_close_object(&w->json);
	}
	json_close_array(&w->json);
}

/* Round absolute times, not differences, so that rounding errors do not add up. */
static int64_t microseconds(uint64_t nanoseconds)
{
	return (int64_t)(nanoseconds / MICROSECOND);
}

static void put_samples(struct cpuprofile_writer *w)
{
	uint64_t start = w->samples.n ? w->samples.at[0].time : 0, last = start;

	put_int_member(w, STR("startTime"), microseconds(start));
	put_int_member(w, STR("endTime"), microseconds(w->end > start ? w->end : start));
	json_put_key(&w->json, STR("samples"));
	json_open_array(&w->json);
	for (uint32_t i = 0; i < w->samples.n; i++)
		json_put_i64(&w->json, (int64_t)w->samples.at[i].node + 1);
	json_close_array(&w->json);
	json_put_key(&w->json, STR("timeDeltas"));
	json_open_array(&w->json);
	for (uint32_t i = 0; i < w->samples.n; i++) {
		json_put_i64(&w->json, microseconds(w->samples.at[i].time) - microseconds(last));
		last = w->samples.at[i].time;
	}
	json_close_array(&w->json);
}

int cpuprofile_encode(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e)
{
	static const struct text_frame root_frame = {.name = STR_INIT("(root)")};
	struct cpuprofile_writer w = {.batch = b, .json = json_writer_to(out, 0)};
	struct value_type type;
	uint32_t root;
	int rc = text_pick_type(b, o, &type, e);

	arena_init(&w.arena, out->budget);
	buf_init(&w.name, out->budget);
	if (!rc)
		rc = idset_init(&w.index, &w.arena, 64);
	if (!rc) {
		w.stack_node = arena_alloc(&w.arena, b->stacks.n, sizeof(*w.stack_node));
		rc = w.stack_node ? find_or_add_child(&w, NONE, &root_frame, &root) : -ENOMEM;
	}
	if (!rc) {
		memset(w.stack_node, 0xff, b->stacks.n * sizeof(*w.stack_node));
		rc = place_samples(&w, type, e);
	}
	if (!rc) {
		json_open_object(&w.json);
		put_nodes(&w);
		put_samples(&w);
		json_close_object(&w.json);
		buf_put_char(out, '\n');
		rc = buf_error(&w.name) ? buf_error(&w.name) : buf_error(out);
	}
	buf_fini(&w.name);
	arena_fini(&w.arena);
	return rc;
}
