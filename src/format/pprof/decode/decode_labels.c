/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of the labels of pprof samples to attributes and links.
 *
 * Equal labels share an attribute row, found by hash. A key with several values in one sample
 * becomes one attribute with a list (list_value.h). trace_id and span_id become a link if they have
 * a form that OTLP can represent: lower-case hex of the right length, not all zero. Other values
 * stay labels, so that the encoder reproduces them.
 */
#include "format/pprof/decode/decode_labels.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "format/pprof/list_value.h"

/* More labels than any real sample has; bounds work that is quadratic in their number. */
enum { MAX_LABELS = 4096 };

/* Return the first bytes as a number that does not depend on the position in the input. */
static uint64_t head_of(const struct pprof_decoder *d, struct str body)
{
	uint64_t head = 0;

	if (!body.n)
		return 0;
	if (likely((size_t)(d->in.p + d->in.n - body.p) >= sizeof(head)))
		memcpy(&head, body.p, sizeof(head));
	else
		memcpy(&head, body.p, body.n);
	return body.n < sizeof(head) ? head << (64 - 8 * body.n) : head;
}

/* Return the cache slot of a message; its first bytes contain the key and the value. */
static struct label_memo *memo_of(const struct pprof_decoder *d, uint64_t head)
{
	return &d->memos[head * 0x9e3779b97f4a7c15u >> 56 & (LABEL_MEMOS - 1)];
}

/*
 * Append the cached attribute of a label message. Return false if the message is not cached or the
 * sample already has a label with this key.
 */
static bool add_cached_label(struct pprof_decoder *d, uint32_t sample, struct str body)
{
	struct profile_batch *b = d->out;
	uint64_t head = head_of(d, body);
	const struct label_memo *memo = memo_of(d, head);

	if (memo->head != head || memo->body.n != body.n || !memo->attribute ||
	    (body.n > sizeof(head) && memcmp(memo->body.p, body.p, body.n)))
		return false;
	if (d->keys[memo->key].last_sample == sample + 1 ||
	    b->sample_attributes.n == b->sample_attributes.cap)
		return false; /* the general path makes lists and grows the pool */
	d->keys[memo->key].last_sample = sample + 1;
	b->sample_attributes.at[b->sample_attributes.n++] = memo->attribute;
	return true;
}

static int parse_label(struct pprof_decoder *d, struct str body, struct raw_label *label)
{
	struct proto_reader r = proto_reader_of(body);
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_LABEL_KEY, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &label->key);
			break;
		case PROTO_TAG(PPROF_LABEL_STR, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &label->str);
			break;
		case PROTO_TAG(PPROF_LABEL_NUM, PROTO_VARINT):
			label->num = (int64_t)proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_LABEL_UNIT, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &label->unit);
			break;
		default:
			proto_skip(&r);
		}
	return r.error ? proto_fail(&r, d->in, d->e) : rc;
}

/* Decode a label and append it to d->labels. */
static int collect_label(struct pprof_decoder *d, struct str body)
{
	struct raw_label label = {.order = d->labels.n, .body = body};
	int rc = parse_label(d, body, &label);

	if (!rc && !label.key && !label.str && !label.num && !label.unit)
		return 0; /* empty */
	if (!rc && d->labels.n == MAX_LABELS)
		return pprof_fail(d, body.p, "expected at most %d labels in a sample", MAX_LABELS);
	return rc ? rc : vec_push(&d->out->arena, &d->labels, label);
}

int pprof_read_label(struct pprof_decoder *d, uint32_t sample, struct str body)
{
	return d->memos && add_cached_label(d, sample, body) ? 0 : collect_label(d, body);
}

static int init_labels(struct pprof_decoder *d)
{
	struct arena *arena = &d->out->arena;
	int rc;

	d->keys = arena_zalloc(arena, d->string_count, sizeof(*d->keys));
	d->memos = arena_zalloc(arena, LABEL_MEMOS, sizeof(*d->memos));
	rc = d->keys && d->memos ? idset_init(&d->key_index, arena, 0) : -ENOMEM;
	if (!rc)
		rc = idset_init(&d->attribute_index, arena, 0);
	if (!rc)
		rc = idset_init(&d->link_index, arena, 0);
	return rc;
}

/*
 * Set the canonical string of key `id`: the first key with the same bytes. Strings may be repeated.
 */
static int find_canonical_key(struct pprof_decoder *d, uint32_t id)
{
	struct str text = d->out->strings.at[id];
	uint32_t hash = hash32(text), canonical = id, other;
	struct idset_cursor c = idset_seek(&d->key_index, hash);
	bool known = false;
	int rc = 0;

	while (!known && idset_next(&d->key_index, &c, &other))
		if (str_eq(d->out->strings.at[other], text)) {
			canonical = other;
			known = true;
		}
	if (!known)
		rc = idset_add(&d->key_index, hash, id);
	d->keys[id].canonical = canonical + 1;
	if (str_eq(text, PPROF_LABEL_TRACE_ID))
		d->trace_key = canonical + 1;
	else if (str_eq(text, PPROF_LABEL_SPAN_ID))
		d->span_key = canonical + 1;
	return rc;
}

/* Make the keys of d->labels canonical. Set *repeated if a key has several values. */
static int canonicalize_keys(struct pprof_decoder *d, uint32_t sample, bool *repeated)
{
	for (uint32_t i = 0; i < d->labels.n; i++) {
		struct raw_label *label = &d->labels.at[i];
		int rc = d->keys[label->key].canonical ? 0 : find_canonical_key(d, label->key);

		if (rc)
			return rc;
		label->key = d->keys[label->key].canonical - 1;
		if (d->keys[label->key].last_sample == sample + 1)
			*repeated = true;
		d->keys[label->key].last_sample = sample + 1;
	}
	return 0;
}

/* Return the value of a label. As in google/pprof, a string takes precedence over a number. */
static struct value label_value(const struct pprof_decoder *d, const struct raw_label *label)
{
	if (label->str)
		return VALUE_OF_STR(d->out->strings.at[label->str]);
	if (label->num || label->unit)
		return VALUE_OF_INT(label->num);
	return (struct value){.kind = VALUE_EMPTY};
}

bool pprof_label_attribute(struct pprof_decoder *d, struct str body, struct attribute *out)
{
	struct raw_label label = {0};

	if (parse_label(d, body, &label) || (!label.str && !label.num && !label.unit))
		return false;
	if (label.str) { /* may be part of a link */
		struct str key = d->out->strings.at[label.key];

		if (str_eq(key, PPROF_LABEL_TRACE_ID) || str_eq(key, PPROF_LABEL_SPAN_ID))
			return false;
	}
	*out = (struct attribute){label.key, label.unit, label_value(d, &label)};
	return true;
}

static int add_sample_attribute(struct pprof_decoder *d, uint32_t key, uint32_t unit,
				struct value value)
{
	struct profile_batch *b = d->out;
	struct attribute row = {.key = key, .unit = unit, .value = value};
	uint32_t id = b->attributes.n;
	uint32_t hash = hash_u64(value_hash(&value) ^ ((uint64_t)key << 32 | unit));
	struct idset_cursor c = idset_seek(&d->attribute_index, hash);
	uint32_t other;
	int rc;

	while (idset_next(&d->attribute_index, &c, &other)) {
		const struct attribute *a = &b->attributes.at[other];

		if (a->key == key && a->unit == unit && value_eq(&a->value, &value))
			return vec_push(&b->arena, &b->sample_attributes, other);
	}
	rc = vec_push(&b->arena, &b->attributes, row);
	if (!rc)
		rc = idset_add(&d->attribute_index, hash, id);
	return rc ? rc : vec_push(&b->arena, &b->sample_attributes, id);
}

/* Decode `n` bytes of lower-case hex. Return false for any other text and for all zeros. */
static bool decode_id(struct str s, uint8_t *out, size_t n)
{
	uint8_t any = 0;

	if (s.n != 2 * n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a' + 10);
		else
			return false;
		out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] | digit : digit << 4);
		any |= (uint8_t)digit;
	}
	return any != 0;
}

/* Store the label in the link if it is a trace or span id; return whether it is. */
static bool read_link_label(const struct pprof_decoder *d, const struct raw_label *label,
			    struct link *link)
{
	struct str text = d->out->strings.at[label->str];
	struct link read;

	if (label->unit || (label->key + 1 != d->trace_key && label->key + 1 != d->span_key))
		return false;
	if (label->key + 1 == d->trace_key) {
		if (!decode_id(text, read.trace_id, sizeof(read.trace_id)))
			return false;
		memcpy(link->trace_id, read.trace_id, sizeof(link->trace_id));
	} else {
		if (!decode_id(text, read.span_id, sizeof(read.span_id)))
			return false;
		memcpy(link->span_id, read.span_id, sizeof(link->span_id));
	}
	return true;
}

static int add_link(struct pprof_decoder *d, const struct link *link, uint32_t *id)
{
	struct profile_batch *b = d->out;
	uint32_t hash = (uint32_t)hash_bytes(link, sizeof(*link));
	struct idset_cursor c = idset_seek(&d->link_index, hash);
	int rc;

	while (idset_next(&d->link_index, &c, id))
		if (memcmp(&b->links.at[*id], link, sizeof(*link)) == 0)
			return 0;
	*id = b->links.n;
	rc = vec_push(&b->arena, &b->links, *link);
	return rc ? rc : idset_add(&d->link_index, hash, *id);
}

static int compare_labels(const void *left, const void *right)
{
	const struct raw_label *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Add labels [first, end), which have the same key, as a list. */
static int add_list(struct pprof_decoder *d, uint32_t first, uint32_t end)
{
	const struct raw_label *labels = d->labels.at;
	struct list_item *items = arena_zalloc(&d->out->arena, end - first, sizeof(*items));
	uint32_t unit = 0, key = labels[first].key;
	struct value list;
	int rc = items ? 0 : -ENOMEM;

	for (uint32_t i = first; i < end; i++)
		unit = i == first || labels[i].unit == unit ? labels[i].unit : 0;
	if (rc)
		return rc;
	for (uint32_t i = first; i < end; i++) {
		items[i - first].value = label_value(d, &labels[i]);
		if (labels[i].unit != unit)
			items[i - first].unit = d->out->strings.at[labels[i].unit];
	}
	rc = list_value_encode(&d->out->arena, items, end - first, &list);
	return rc ? rc : add_sample_attribute(d, key, unit, list);
}

static int add_single(struct pprof_decoder *d, const struct raw_label *label)
{
	int rc = add_sample_attribute(d, label->key, label->unit, label_value(d, label));
	uint32_t id = rc ? 0 : d->out->sample_attributes.at[d->out->sample_attributes.n - 1];

	uint64_t head = head_of(d, label->body);

	*memo_of(d, head) = (struct label_memo){head, label->body, label->key, id};
	return rc;
}

static int convert_labels(struct pprof_decoder *d, struct link *link)
{
	int rc = 0;

	for (uint32_t i = 0, end; !rc && i < d->labels.n; i = end) {
		const struct raw_label *label = &d->labels.at[i];

		for (end = i + 1; end < d->labels.n && d->labels.at[end].key == label->key; end++)
			;
		if (end - i > 1)
			rc = add_list(d, i, end);
		else if (!read_link_label(d, label, link))
			rc = add_single(d, label);
	}
	return rc;
}

/*
 * Handle a repeated key: drop the attributes of the sample and collect all its labels, sorted by
 * key.
 */
static int recollect_labels(struct pprof_decoder *d, uint32_t sample, struct str body)
{
	struct proto_reader r = proto_reader_of(body);
	bool repeated;
	int rc = 0;

	d->out->sample_attributes.n = d->out->sample_attributes_at[d->row];
	d->labels.n = 0;
	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(PPROF_SAMPLE_LABEL, PROTO_BYTES))
			rc = collect_label(d, proto_bytes(&r));
		else
			proto_skip(&r);
	if (!rc)
		rc = canonicalize_keys(d, sample, &repeated);
	if (!rc) /* bring the values of one key together */
		qsort(d->labels.at, d->labels.n, sizeof(*d->labels.at), compare_labels);
	return rc;
}

int pprof_end_labels(struct pprof_decoder *d, uint32_t sample, struct str body, uint32_t *link)
{
	struct link found = {0};
	bool repeated = false;
	int rc = d->keys ? 0 : init_labels(d);

	if (!rc)
		rc = canonicalize_keys(d, sample, &repeated);
	if (!rc && repeated)
		rc = recollect_labels(d, sample, body);
	if (!rc)
		rc = convert_labels(d, &found);
	d->labels.n = 0;
	if (!rc && memcmp(&found, &(struct link){0}, sizeof(found)) != 0)
		rc = add_link(d, &found, link);
	return rc;
}
