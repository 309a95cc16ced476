/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pyroscope's two binary formats. Both are one tree, written depth first. Each node is the length
 * of its name, the name, its own value and the number of its children; numbers are LEB128.
 *
 *	tree: a node is a frame; the root has no name.
 *	trie: a node is some bytes of "main;work;read"; the names on the path from the root make up
 *	the stack.
 *
 * The formats can only be told apart by semicolons in names.
 */
#include "format/folded/folded.h"
#include "format/folded/frames.h"
#include "format/text.h"
#include "wire/varints.h"

enum { DEPTH_MAX = 16384 };

struct encoded_node {
	struct str name;
	uint64_t value, children;
};

struct node_reader {
	struct str in;
	size_t at;
	const char *expected; /* set after an error: what was expected at `at` */
};

static bool read_varint(struct node_reader *r, const char *what, uint64_t *out)
{
	const uint8_t *start = (const uint8_t *)r->in.p + r->at, *end = start + (r->in.n - r->at);
	const uint8_t *next = varint_read_bounded(start, end, out);

	if (next && (next - start < VARINT_BYTES_MAX || start[VARINT_BYTES_MAX - 1] <= 1)) {
		r->at += (size_t)(next - start);
		return true;
	}
	r->expected = what;
	return false;
}

static bool read_node(struct node_reader *r, struct encoded_node *out)
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

/* An open node: how many children are still to be read, and the length of the path before it. */
struct open_node {
	uint64_t children;
	uint32_t before;
};

struct tree_decoder {
	struct node_reader reader;
	struct folded_frames *frames;
	struct arena arena;
	VEC(struct open_node) levels;
	VEC(char) bytes;	 /* trie: the current path */
	VEC(uint32_t) locations; /* tree: the current path */
	bool is_trie;
};

static int enter_trie_node(struct tree_decoder *d, const struct encoded_node *n)
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

static int enter_tree_node(struct tree_decoder *d, const struct encoded_node *n)
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

static void cut_path(struct tree_decoder *d, uint32_t before)
{
	if (d->is_trie)
		d->bytes.n = before;
	else
		d->locations.n = before;
}

/* Enter a node. If it has no children, leave it and every ancestor that it completes. */
static int decode_trie_node(struct tree_decoder *d, const struct encoded_node *n, struct err *e)
{
	struct open_node level = {n->children, d->is_trie ? d->bytes.n : d->locations.n};
	int rc;

	if (n->value > INT64_MAX)
		return err_set(e, -EBADMSG, "at byte %zu: expected a value below 2^63, found %llu",
			       d->reader.at, (unsigned long long)n->value);
	if (d->levels.n >= DEPTH_MAX)
		return err_set(e, -EBADMSG, "at byte %zu: nested more than %d deep", d->reader.at,
			       DEPTH_MAX);
	rc = d->is_trie ? enter_trie_node(d, n) : enter_tree_node(d, n);
	if (!rc)
		rc = vec_push(&d->arena, &d->levels, level);
	while (!rc && d->levels.n && !d->levels.at[d->levels.n - 1].children) {
		cut_path(d, d->levels.at[--d->levels.n].before);
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
	struct encoded_node node;
	int rc = folded_frames_new(&d.frames, out, FOLDED_ONE);

	arena_init(&d.arena, out->arena.budget);
	while (!rc) {
		if (!read_node(&d.reader, &node))
			rc = node_error(&d.reader, e);
		else
			rc = decode_trie_node(&d, &node, e);
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
 * Return whether the head parses as a tree with a nameless root. *semicolons is set if a name
 * contains one.
 */
static bool parses_as_tree(struct str head, bool *semicolons)
{
	enum { NODES_MIN = 2, NODES_MAX = 1000, CHILDREN_MAX = 1 << 20 };
	struct node_reader r = {.in = head};
	struct encoded_node node;
	uint64_t open = 1;
	unsigned nodes = 0;

	*semicolons = false;
	while (open && nodes < NODES_MAX) {
		if (!read_node(&r, &node))
			return nodes > 50; /* enough valid nodes: the head was truncated */
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

	return parses_as_tree(head, &semicolons) && semicolons ? 40 : 0;
}

static int tree_sniff(struct str head)
{
	bool semicolons;

	return parses_as_tree(head, &semicolons) && !semicolons ? 40 : 0;
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
