/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes .heapprofile of V8's sampling heap profiler: a tree of call frames. A node's own size is
 * what it has allocated that is still alive, already scaled up by V8 from the sampled objects.
 */
#include "format/v8/v8.h"

struct heap_decoder {
	struct v8_decoder v8;
	uint32_t series;
	VEC(uint32_t) path;    /* locations, root first */
	VEC(uint32_t) reverse; /* leaf first */
};

static int add_sample(struct heap_decoder *d, int64_t size)
{
	struct collect_sample sample = {.series = d->series, .value = size};
	int rc = vec_reserve(&d->v8.collector.scratch, &d->reverse, d->path.n);

	if (rc)
		return rc;
	d->reverse.n = 0;
	for (uint32_t i = d->path.n; i-- > 0;)
		d->reverse.at[d->reverse.n++] = d->path.at[i];
	rc = profile_add_stack(&d->v8.builder, d->reverse.at, d->reverse.n, &sample.stack);
	return rc ? rc : collect_add(&d->v8.collector, &sample);
}

static int read_size(const struct heap_decoder *d, const struct json_value *node, int64_t *size,
		     struct err *e)
{
	const struct json_value *v = json_get(node, STR("selfSize"));
	double fraction;

	*size = 0;
	if (!v || !json_i64(v, size))
		return *size < 0 ? json_fail(&d->v8.doc, v, e, "a size that is not negative") : 0;
	if (json_kind(v) != JSON_NUMBER || json_double(v, &fraction) ||
	    !(fraction >= 0 && fraction < 9e18))
		return json_fail(&d->v8.doc, v, e, "a size that is not negative");
	*size = (int64_t)(fraction + 0.5);
	return 0;
}

/* Decode a node and its descendants. The JSON parser limits the depth. */
static int decode_heap_node(struct heap_decoder *d, const struct json_value *node, bool top,
			    struct err *e)
{
	const struct json_value *children = json_get(node, STR("children"));
	uint32_t location = 0, depth = d->path.n;
	int64_t size = 0;
	int rc = 0;

	if (json_kind(node) != JSON_OBJECT)
		return json_fail(&d->v8.doc, node, e, "a node of the profile");
	if (!top || !v8_is_root(node)) {
		rc = v8_add_location(&d->v8, node, &location);
		if (!rc)
			rc = vec_push(&d->v8.collector.scratch, &d->path, location);
	}
	if (!rc)
		rc = read_size(d, node, &size, e);
	if (!rc && size)
		rc = add_sample(d, size);
	if (rc)
		return rc;
	json_each(child, children)
	{
		rc = decode_heap_node(d, child, false, e);
		if (rc)
			return rc;
	}
	d->path.n = depth;
	return 0;
}

static int heapprofile_decode(struct profile_batch *out, struct str in,
			      const struct decode_options *o, struct err *e)
{
	struct heap_decoder d = {0};
	const struct json_value *root, *head;
	int rc = v8_decoder_init(&d.v8, out, in, o, e);

	if (!rc) {
		root = json_root(&d.v8.doc);
		head = json_get(root, STR("head"));
		rc = json_kind(head) == JSON_OBJECT
			     ? v8_add_series(&d.v8, STR("inuse_space"), STR("bytes"), &d.series)
			     : json_fail(&d.v8.doc, head ? head : root, e, "an object with a head");
		if (!rc)
			rc = decode_heap_node(&d, head, true, e);
	}
	if (!rc)
		rc = v8_decoder_finish(&d.v8);
	v8_decoder_fini(&d.v8);
	return rc;
}

static int heapprofile_sniff(struct str head)
{
	struct str text = str_trim(head);

	if (!text.n || text.p[0] != '{')
		return 0;
	return str_find_str(text, STR("\"head\"")) != text.n &&
			       str_find_str(text, STR("\"selfSize\"")) != text.n
		       ? 90
		       : 0;
}

static const char *const heapprofile_extensions[] = {"heapprofile", NULL};

const struct format format_heapprofile = {
	.name = "heapprofile",
	.summary = "sampled heap of Chrome and Node.js",
	.extensions = heapprofile_extensions,
	.sniff = heapprofile_sniff,
	.decode = heapprofile_decode,
};
