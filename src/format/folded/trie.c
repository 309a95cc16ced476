/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pyroscope's two binary forms. Both are one tree, written depth first: each node is the length of
 * its name, the name, its own value and the number of its children, numbers as LEB128.
 *
 *	tree	a node is a frame; the root has no name
 *	trie	a node is some bytes of "main;work;read"; what stands on the way from the root is the stack
 *
 * Nothing tells one from the other but where the semicolons are.
 */
#include "format/folded/folded.h"
#include "format/text.h"

enum { DEPTH_MAX = 16384 };

struct node {
	struct str name;
	uint64_t value, children;
};

struct node_reader {
	struct str in;
	size_t at;
	const char *expected; /* set when reading failed: what should have stood at `at` */
};

static bool read_varint(struct node_reader *r, const char *what, uint64_t *out)
{
	size_t at = r->at;

	*out = 0;
	for (unsigned shift = 0; shift < 64 && at < r->in.n; shift += 7) {
		uint8_t byte = (uint8_t)r->in.p[at++];

		if (shift == 63 && byte > 1)
			break;
		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			r->at = at;
			return true;
		}
	}
	r->expected = what;
	return false;
}

static bool read_node(struct node_reader *r, struct node *out)
{
	uint64_t length;

	if (!read_varint(r, "the length of a name", &length))
		return false;
	if (length > r->in.n - r->at) {
		r->expected = "a name";
		return false;
	}
	out->name = str_of(r->in.p + r->at, (size_t)length);
	r->at += (size_t)length;
	return read_varint(r, "a value", &out->value) &&
	       read_varint(r, "a number of children", &out->children);
}

static int node_error(const struct node_reader *r, struct err *e)
{
	size_t left = r->in.n - r->at;

	return err_set(e, -EBADMSG, "at byte %zu: expected %s, found %s", r->at, r->expected,
		       left < 10 ? "the end of the input" : "a number out of range");
}

/* An open node: how many of its children are still to come, and how long the path was without it. */
struct level {
	uint64_t children;
	uint32_t before;
};

struct tree_decoder {
	struct node_reader reader;
	struct folded_frames *frames;
	struct arena arena;
	VEC(struct level) levels;
	VEC(char) bytes;	 /* trie: the path so far */
	VEC(uint32_t) locations; /* tree: the same */
	bool is_trie;
};

static int enter_trie(struct tree_decoder *d, const struct node *n)
{
	int rc = vec_reserve(&d->arena, &d->bytes, n->name.n);

	if (rc)
		return rc;
	if (n->name.n)
		memcpy(d->bytes.at + d->bytes.n, n->name.p, n->name.n);
	d->bytes.n += (uint32_t)n->name.n;
	if (!n->value)
		return 0;
	return folded_add(d->frames, str_of(d->bytes.at, d->bytes.n),
			  &(int64_t){(int64_t)n->value});
}

static int enter_tree(struct tree_decoder *d, const struct node *n)
{
	uint32_t location;
	int rc = 0;

	if (n->name.n) {
		rc = folded_add_frame(d->frames, n->name, &location);
		if (!rc)
			rc = vec_push(&d->arena, &d->locations, location);
	}
	if (rc || !n->value)
		return rc;
	return folded_add_stack(d->frames, d->locations.at, d->locations.n, (int64_t)n->value);
}

static void leave_to(struct tree_decoder *d, uint32_t before)
{
	if (d->is_trie)
		d->bytes.n = before;
	else
		d->locations.n = before;
}

/* One node and, if it has no children, the end of it and of all that end with it. */
static int take_node(struct tree_decoder *d, const struct node *n, struct err *e)
{
	struct level level = {n->children, d->is_trie ? d->bytes.n : d->locations.n};
	int rc;

	if (n->value > INT64_MAX)
		return err_set(e, -EBADMSG, "at byte %zu: expected a value below 2^63, found %llu",
			       d->reader.at, (unsigned long long)n->value);
	if (d->levels.n >= DEPTH_MAX)
		return err_set(e, -EBADMSG, "at byte %zu: nested more than %d deep", d->reader.at,
			       DEPTH_MAX);
	rc = d->is_trie ? enter_trie(d, n) : enter_tree(d, n);
	if (!rc)
		rc = vec_push(&d->arena, &d->levels, level);
	while (!rc && d->levels.n && !d->levels.at[d->levels.n - 1].children) {
		leave_to(d, d->levels.at[--d->levels.n].before);
		if (d->levels.n)
			d->levels.at[d->levels.n - 1].children--;
	}
	return rc;
}

static int decode_nodes(struct profile_batch *out, struct str in, bool is_trie,
			const struct decode_options *o, struct err *e)
{
	struct tree_decoder d = {.reader = {.in = in}, .is_trie = is_trie};
	struct text_warnings warnings = {.options = o};
	struct node node;
	int rc = folded_frames_new(&d.frames, out, FOLDED_ONE);

	arena_init(&d.arena, out->arena.budget);
	while (!rc) {
		if (!read_node(&d.reader, &node))
			rc = node_error(&d.reader, e);
		else
			rc = take_node(&d, &node, e);
		if (!d.levels.n)
			break;
	}
	if (!rc && d.reader.at < in.n)
		rc = text_warn(&warnings, e, "at byte %zu: expected the end, found %zu more bytes",
			       d.reader.at, in.n - d.reader.at);
	if (!rc)
		rc = folded_finish(d.frames);
	arena_fini(&d.arena);
	folded_frames_free(d.frames);
	return rc;
}

static int trie_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		       struct err *e)
{
	return decode_nodes(out, in, true, o, e);
}

static int tree_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		       struct err *e)
{
	return decode_nodes(out, in, false, o, e);
}

static bool is_printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ')
			return false;
	return true;
}

/*
 * Do the nodes of the head read as a tree with a nameless root? *semicolons says whether names
 * have them.
 */
static bool reads_as_tree(struct str head, bool *semicolons)
{
	enum { NODES_MIN = 2, NODES_MAX = 1000, CHILDREN_MAX = 1 << 20 };
	struct node_reader r = {.in = head};
	struct node node;
	uint64_t open = 1;
	unsigned nodes = 0;

	*semicolons = false;
	while (open && nodes < NODES_MAX) {
		if (!read_node(&r, &node))
			return nodes >
			       50; /* so many right ones are no accident: the head was cut */
		if (!nodes != !node.name.n || !is_printable(node.name) ||
		    node.children > CHILDREN_MAX || (node.name.n && !node.value && !node.children))
			return false;
		*semicolons |= str_find(node.name, ';') != node.name.n;
		open += node.children - 1;
		nodes++;
	}
	return nodes >= NODES_MIN && (open || r.at == head.n);
}

static int trie_sniff(struct str head)
{
	bool semicolons;

	return reads_as_tree(head, &semicolons) && semicolons ? 40 : 0;
}

static int tree_sniff(struct str head)
{
	bool semicolons;

	return reads_as_tree(head, &semicolons) && !semicolons ? 40 : 0;
}

static const char *const trie_extensions[] = {"trie", NULL};
static const char *const tree_extensions[] = {"tree", NULL};

const struct format format_trie = {
	.name = "trie",
	.summary = "prefix tree of Pyroscope's older agents",
	.extensions = trie_extensions,
	.sniff = trie_sniff,
	.decode = trie_decode,
};

const struct format format_tree = {
	.name = "tree",
	.summary = "tree of frames of Pyroscope's older agents",
	.extensions = tree_extensions,
	.sniff = tree_sniff,
	.decode = tree_decode,
};
