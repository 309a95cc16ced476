/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes .cpuprofile: a tree of call frames as a flat list of nodes, and the top node of each
 * sample. As in Chrome's developer tools, a sample lasts until the next one; the last one lasts as
 * long as the average. Samples may be out of order and are sorted by time.
 *
 * The layout of older V8 (v8-profiler) is supported, too: nodes nested under "head", "timestamps"
 * instead of differences, start and end in seconds.
 */
#include <math.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "format/v8/v8.h"

enum { DEPTH_MAX = 16384 };
#define NONE UINT32_MAX

struct cpu_node {
	int64_t id;
	uint32_t parent, location, stack; /* stack: NONE until it is needed */
	int64_t hits;
	bool root;
};

struct cpu_sample {
	int64_t time; /* nanoseconds */
	uint32_t node, order;
};

struct cpuprofile_decoder {
	struct v8_decoder v8;
	VEC(struct cpu_node) nodes;
	struct idset by_id;
	VEC(struct cpu_sample) samples;
	VEC(uint32_t) stack;
	bool old_layout;
	int64_t start, end; /* nanoseconds */
	uint32_t series;
};

static uint32_t find_node(const struct cpuprofile_decoder *d, int64_t id)
{
	struct idset_cursor c = idset_seek(&d->by_id, hash_u64((uint64_t)id));
	uint32_t at;

	while (idset_next(&d->by_id, &c, &at))
		if (d->nodes.at[at].id == id)
			return at;
	return NONE;
}

static int add_node(struct cpuprofile_decoder *d, const struct json_value *node, uint32_t parent,
		    struct err *e)
{
	const struct json_value *id = json_get(node, STR("id"));
	struct cpu_node n = {.parent = parent, .stack = NONE, .root = v8_is_root(node)};
	int rc;

	if (json_kind(node) != JSON_OBJECT || json_i64(id, &n.id))
		return json_fail(&d->v8.doc, id ? id : node, e, "a node with an id");
	if (find_node(d, n.id) != NONE)
		return err_set(e, -EBADMSG, "at byte %zu: expected a new id, found %lld again",
			       json_offset(&d->v8.doc, id), (long long)n.id);
	if (json_i64(json_get(node, STR("hitCount")), &n.hits) || n.hits < 0)
		n.hits = 0;
	rc = v8_add_location(&d->v8, node, &n.location);
	if (!rc)
		rc = idset_add(&d->by_id, hash_u64((uint64_t)n.id), d->nodes.n);
	return rc ? rc : vec_push(&d->v8.collector.scratch, &d->nodes, n);
}

/* Add a node of the old layout and its descendants. The JSON parser limits the depth. */
static int add_nested(struct cpuprofile_decoder *d, const struct json_value *node, uint32_t parent,
		      struct err *e)
{
	uint32_t id = d->nodes.n;
	int rc = add_node(d, node, parent, e);

	if (rc)
		return rc;
	json_each(child, json_get(node, STR("children")))
	{
		rc = add_nested(d, child, id, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int set_parent(struct cpuprofile_decoder *d, uint32_t child, uint32_t parent, size_t at,
		      struct err *e)
{
	struct cpu_node *n;

	if (child == NONE || parent == NONE)
		return text_warn(&d->v8.warnings, e,
				 "at byte %zu: expected the id of a node, found an unknown id", at);
	n = &d->nodes.at[child];
	if (n->parent != NONE && n->parent != parent)
		return err_set(e, -EBADMSG, "at byte %zu: node %lld has two parents", at,
			       (long long)n->id);
	n->parent = parent;
	return 0;
}

/* Link a node to its children or its parent, whichever the file lists. */
static int link_node(struct cpuprofile_decoder *d, const struct json_value *node, uint32_t at,
		     struct err *e)
{
	const struct json_value *parent = json_get(node, STR("parent"));
	int64_t id;
	int rc = 0;

	if (!json_i64(parent, &id))
		rc = set_parent(d, at, find_node(d, id), json_offset(&d->v8.doc, parent), e);
	json_each(child, json_get(node, STR("children")))
	{
		if (!rc && json_i64(child, &id))
			rc = json_fail(&d->v8.doc, child, e, "the id of a node");
		if (!rc)
			rc = set_parent(d, find_node(d, id), at, json_offset(&d->v8.doc, child), e);
		if (rc)
			break;
	}
	return rc;
}

static int read_nodes(struct cpuprofile_decoder *d, struct err *e)
{
	const struct json_value *root = json_root(&d->v8.doc);
	const struct json_value *nodes = json_get(root, STR("nodes"));
	uint32_t at = 0;
	int rc;

	d->old_layout = !nodes && json_get(root, STR("head"));
	if (d->old_layout)
		return add_nested(d, json_get(root, STR("head")), NONE, e);
	if (json_kind(nodes) != JSON_ARRAY)
		return json_fail(&d->v8.doc, nodes ? nodes : root, e, "an array of nodes");
	json_each(node, nodes)
	{
		rc = add_node(d, node, NONE, e);
		if (rc)
			return rc;
	}
	json_each(linked, nodes)
	{
		rc = link_node(d, linked, at++, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Get the stack of a node, added on first use. The frame (root) is left out. */
static int stack_of_node(struct cpuprofile_decoder *d, uint32_t at, uint32_t *stack, struct err *e)
{
	struct cpu_node *n = &d->nodes.at[at];
	int rc = 0;

	d->stack.n = 0;
	for (uint32_t i = at; !rc && n->stack == NONE && i != NONE; i = d->nodes.at[i].parent) {
		if (d->nodes.at[i].root && d->nodes.at[i].parent == NONE)
			continue;
		if (d->stack.n > DEPTH_MAX)
			return err_set(e, -EBADMSG,
				       "node %lld is nested more than %d deep, or in a cycle",
				       (long long)n->id, DEPTH_MAX);
		rc = vec_push(&d->v8.collector.scratch, &d->stack, d->nodes.at[i].location);
	}
	if (!rc && n->stack == NONE)
		rc = profile_add_stack(&d->v8.builder, d->stack.at, d->stack.n, &n->stack);
	*stack = n->stack;
	return rc;
}

/* Read a time in units of `factor` nanoseconds. */
static int read_time(const struct json_value *v, int64_t factor, int64_t *out)
{
	double amount;

	if (!json_i64(v, out) && !__builtin_mul_overflow(*out, factor, out))
		return 0;
	if (json_kind(v) != JSON_NUMBER || json_double(v, &amount) ||
	    !(fabs(amount * (double)factor) < 4e18))
		return -EINVAL;
	*out = llround(amount * (double)factor);
	return 0;
}

static void read_bounds(struct cpuprofile_decoder *d)
{
	const struct json_value *root = json_root(&d->v8.doc);
	int64_t factor = d->old_layout ? 1000000000 : 1000;

	if (read_time(json_get(root, STR("startTime")), factor, &d->start) || d->start < 0)
		d->start = 0;
	if (read_time(json_get(root, STR("endTime")), factor, &d->end) || d->end < d->start)
		d->end = d->start;
}

/* Read the nodes and times of the samples in the order of the file. */
static int read_samples(struct cpuprofile_decoder *d, const struct json_value *samples,
			const struct json_value *times, bool absolute, struct err *e)
{
	const struct json_value *time = json_first(times, JSON_ARRAY);
	int64_t now = d->start, step, id;
	uint32_t left = json_count(times);

	json_each(sample, samples)
	{
		struct cpu_sample m = {.order = d->samples.n};
		int rc = 0;

		if (!left--)
			return text_warn(&d->v8.warnings, e,
					 "at byte %zu: expected as many times as samples",
					 json_offset(&d->v8.doc, times));
		if (read_time(time, 1000, &step) ||
		    (absolute ? (now = step, false) : __builtin_add_overflow(now, step, &now)))
			return json_fail(&d->v8.doc, time, e, "a time in microseconds");
		if (json_i64(sample, &id))
			return json_fail(&d->v8.doc, sample, e, "the id of a node");
		m.node = find_node(d, id);
		m.time = now;
		if (m.node == NONE)
			rc = text_warn(&d->v8.warnings, e,
				       "at byte %zu: expected the id of a node, found %lld",
				       json_offset(&d->v8.doc, sample), (long long)id);
		else
			rc = vec_push(&d->v8.collector.scratch, &d->samples, m);
		if (rc)
			return rc;
		time = json_after(time);
	}
	return 0;
}

static int compare_samples(const void *a, const void *b)
{
	const struct cpu_sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Add the samples: each lasts until the next one, the last one as long as the average. */
static int collect_timed_samples(struct cpuprofile_decoder *d, struct err *e)
{
	uint32_t n = d->samples.n;
	const struct cpu_sample *m = d->samples.at;
	struct collect_sample sample = {.series = d->series};
	uint64_t average = 0;
	int rc = 0;

	if (n)
		qsort(d->samples.at, n, sizeof(*d->samples.at), compare_samples);
	if (n > 1)
		average = ((uint64_t)m[n - 1].time - (uint64_t)m[0].time) / (n - 1);
	for (uint32_t i = 0; !rc && i < n; i++) {
		sample.value = i + 1 < n ? (int64_t)((uint64_t)m[i + 1].time - (uint64_t)m[i].time)
					 : (int64_t)average;
		sample.timed = m[i].time >= 0;
		sample.time = (uint64_t)m[i].time;
		rc = stack_of_node(d, m[i].node, &sample.stack, e);
		if (!rc)
			rc = collect_add(&d->v8.collector, &sample);
	}
	return rc;
}

/* Without samples, distribute the time by the nodes' hits; without a time, collect the hits. */
static int collect_hits(struct cpuprofile_decoder *d, struct err *e)
{
	double each, carry = 0;
	int64_t total = 0;
	int rc = 0;

	for (uint32_t i = 0; i < d->nodes.n; i++)
		if (__builtin_add_overflow(total, d->nodes.at[i].hits, &total))
			return err_set(e, -EBADMSG, "hit counts add up to more than 2^63");
	each = d->end > d->start && total ? (double)(d->end - d->start) / (double)total : 1;
	for (uint32_t i = 0; !rc && i < d->nodes.n; i++) {
		struct collect_sample sample = {.series = d->series};
		double share = (double)d->nodes.at[i].hits * each + carry;

		if (!d->nodes.at[i].hits)
			continue;
		sample.value = each == 1 ? d->nodes.at[i].hits : llround(share);
		carry = each == 1 ? 0 : share - (double)sample.value;
		rc = stack_of_node(d, i, &sample.stack, e);
		if (!rc)
			rc = collect_add(&d->v8.collector, &sample);
	}
	return rc;
}

static int collect_samples(struct cpuprofile_decoder *d, struct err *e)
{
	const struct json_value *root = json_root(&d->v8.doc);
	const struct json_value *samples = json_get(root, STR("samples"));
	const struct json_value *deltas = json_get(root, STR("timeDeltas"));
	const struct json_value *stamps = json_get(root, STR("timestamps"));
	bool timed = json_count(samples) && (json_count(deltas) || json_count(stamps));
	bool has_time = timed || d->end > d->start;
	struct profile *row;
	int rc = v8_add_series(&d->v8, has_time ? STR("wall") : STR("samples"),
			       has_time ? STR("nanoseconds") : STR("count"), &d->series);

	if (rc)
		return rc;
	row = collect_series_row(&d->v8.collector, d->series);
	if (d->end > d->start) {
		row->time_unix_nano = (uint64_t)d->start;
		row->duration_nano = (uint64_t)(d->end - d->start);
	}
	if (!timed)
		return collect_hits(d, e);
	rc = json_count(deltas) ? read_samples(d, samples, deltas, false, e)
				: read_samples(d, samples, stamps, true, e);
	return rc ? rc : collect_timed_samples(d, e);
}

static int cpuprofile_decode(struct profile_batch *out, struct str in,
			     const struct decode_options *o, struct err *e)
{
	struct cpuprofile_decoder d = {0};
	int rc = v8_decoder_init(&d.v8, out, in, o, e);

	if (!rc)
		rc = idset_init(&d.by_id, &d.v8.collector.scratch, 64);
	if (!rc)
		rc = read_nodes(&d, e);
	if (!rc) {
		read_bounds(&d);
		rc = collect_samples(&d, e);
	}
	if (!rc)
		rc = v8_decoder_finish(&d.v8);
	v8_decoder_fini(&d.v8);
	return rc;
}

static bool contains(struct str text, struct str part)
{
	return str_find_str(text, part) != text.n;
}

/* Chrome's traces contain such profiles in pieces, but are another format. */
static int cpuprofile_sniff(struct str head)
{
	struct str text = str_trim(head);

	if (!text.n || text.p[0] != '{' || contains(text, STR("\"traceEvents\"")))
		return 0;
	if (contains(text, STR("\"nodes\"")) &&
	    (contains(text, STR("\"callFrame\"")) || contains(text, STR("\"timeDeltas\""))))
		return 90;
	return contains(text, STR("\"head\"")) && contains(text, STR("\"hitCount\"")) ? 80 : 0;
}

static const char *const cpuprofile_extensions[] = {"cpuprofile", NULL};

const struct format format_cpuprofile = {
	.name = "cpuprofile",
	.summary = "CPU profile of Chrome and Node.js",
	.extensions = cpuprofile_extensions,
	.sniff = cpuprofile_sniff,
	.decode = cpuprofile_decode,
	.encode = cpuprofile_encode,
};
