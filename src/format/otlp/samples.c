/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples, straight into the columns of the batch, and the lists of row ids they and others have.
 *
 * This is where the time goes: a sample is a handful of bytes, and there may be millions. Roles of
 * fields come from the layout's table by tag; lists are read with room made for the whole list at
 * once; the usual shapes need no look back.
 */
#include "format/otlp/decoder.h"

enum { FEW = 16 }; /* keys that are compared each with each */

const uint8_t *otlp_varint_long(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (p >= end)
			return NULL;
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80) {
			*value = v;
			return p;
		}
	}
	return NULL;
}

static NO_INLINE int bad_list(const struct otlp_decoder *d, const uint8_t *at)
{
	return err_set(d->e, -EBADMSG, "at byte %zu: expected a varint, found the end of the list",
		       (size_t)((const char *)at - d->whole.p));
}

int otlp_read_rows_into(struct otlp_decoder *d, enum otlp_table table, struct str bytes,
			uint32_t **at, uint32_t *n, uint32_t *cap)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	const struct otlp_rows rows = d->rows[table];
	uint32_t *to;
	int rc = 0;

	/* an index is a byte at least: one look at the room is enough for the whole list */
	if (unlikely(*cap - *n < bytes.n)) {
		rc = vec_grow(&d->b->arena, (void **)at, *n, cap, bytes.n, sizeof(**at));
		if (rc)
			return rc;
	}
	to = *at + *n;
	while (p < end) {
		const uint8_t *item = p;
		uint64_t wire;

		p = otlp_varint(p, end, &wire);
		if (unlikely(!p))
			return bad_list(d, item);

		uint32_t index = (uint32_t)wire;

		if (likely(index < rows.limit)) {
			*to++ = index ? index + rows.offset : rows.zero;
			continue;
		}
		rc = otlp_bad_index(d, table, index, to++);
		if (rc)
			return rc;
	}
	*n = (uint32_t)(to - *at);
	return 0;
}

static uint32_t class_of(const struct otlp_decoder *d, uint32_t attribute)
{
	uint32_t i = attribute - d->first_attribute; /* wraps for row 0 */

	return i < d->class_rows ? d->key_class[i] : 0;
}

/* Are all keys different? Row 0, of class 0, is never part of a list here. */
static int keys_differ(struct otlp_decoder *d, const uint32_t *ids, uint32_t n, bool *differ)
{
	*differ = false;
	if (n <= FEW) {
		for (uint32_t i = 1; i < n; i++)
			for (uint32_t k = 0; k < i; k++)
				if (class_of(d, ids[i]) == class_of(d, ids[k]))
					return 0;
		*differ = true;
		return 0;
	}
	if (!d->marks) {
		d->marks = arena_zalloc(&d->b->arena, d->classes, sizeof(*d->marks));
		d->mark = 0;
		if (!d->marks)
			return -ENOMEM;
	}
	d->mark++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *mark = &d->marks[class_of(d, ids[i])];

		if (*mark == d->mark)
			return 0;
		*mark = d->mark;
	}
	*differ = true;
	return 0;
}

/* The slow way, for the list that is known to be wrong. */
static int drop_repeated_keys(struct otlp_decoder *d, uint32_t *ids, uint32_t *n)
{
	uint32_t *seen = arena_zalloc(&d->b->arena, d->classes, sizeof(*seen)), kept = 0;

	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < *n; i++) {
		uint32_t class = class_of(d, ids[i]);

		if (!seen[class])
			ids[kept++] = ids[i];
		seen[class] = 1;
	}
	*n = kept;
	return otlp_repair(d, REPAIR_DUPLICATE_KEY,
			   "an attribute key twice in one list: the first one counts");
}

int otlp_clean_list(struct otlp_decoder *d, uint32_t *ids, uint32_t *n)
{
	uint32_t kept = 0;
	bool differ;
	int rc;

	if (d->observer)
		return 0;
	for (uint32_t i = 0; i < *n; i++)
		if (likely(ids[i]))
			ids[kept++] = ids[i];
	*n = kept;
	if (kept < 2)
		return 0;
	rc = keys_differ(d, ids, kept, &differ);
	if (!rc && unlikely(!differ))
		rc = drop_repeated_keys(d, ids, n);
	return rc;
}

static int read_varints(struct otlp_decoder *d, struct str bytes, uint64_t **at, uint32_t *n,
			uint32_t *cap)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	uint64_t *to;

	if (unlikely(*cap - *n < bytes.n)) {
		int rc = vec_grow(&d->b->arena, (void **)at, *n, cap, bytes.n, sizeof(**at));

		if (rc)
			return rc;
	}
	to = *at + *n;
	while (p < end) {
		const uint8_t *item = p;

		p = otlp_varint(p, end, to++);
		if (unlikely(!p))
			return bad_list(d, item);
	}
	*n = (uint32_t)(to - *at);
	return 0;
}

static int read_times(struct otlp_decoder *d, struct str bytes)
{
	struct profile_batch *b = d->b;
	size_t n = bytes.n / sizeof(uint64_t);
	int rc = vec_reserve(&b->arena, &b->times, n);

	if (unlikely(bytes.n % sizeof(uint64_t)))
		return err_set(d->e, -EBADMSG,
			       "at byte %zu: expected a list of 8-byte times, found %zu bytes",
			       (size_t)(bytes.p - d->whole.p), bytes.n);
	if (rc || !n)
		return rc;
	memcpy(b->times.at + b->times.n, bytes.p, bytes.n); /* little-endian, and so are we */
	b->times.n += (uint32_t)n;
	return 0;
}

/* What a sample says besides its lists. */
struct sample {
	uint64_t stack, link;
	uint64_t start, length; /* 1.7 */
	bool has_link;
};

static int read_sample(struct otlp_decoder *d, struct str bytes, struct sample *s)
{
	struct proto_reader r = proto_reader_of(bytes);
	struct profile_batch *b = d->b;
	const uint8_t *roles = d->roles->sample;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		switch (r.tag < OTLP_SAMPLE_TAGS ? roles[r.tag] : SAMPLE_UNKNOWN) {
		case SAMPLE_STACK:
			s->stack = proto_varint(&r);
			break;
		case SAMPLE_ATTRIBUTES:
			rc = otlp_read_rows(d, TABLE_ATTRIBUTES, proto_bytes(&r),
					    &b->sample_attributes);
			break;
		case SAMPLE_ATTRIBUTE:
			rc = otlp_read_row(d, TABLE_ATTRIBUTES, proto_varint(&r),
					   &b->sample_attributes);
			break;
		case SAMPLE_LINK:
			s->link = proto_varint(&r);
			s->has_link = true;
			break;
		case SAMPLE_VALUES:
			rc = read_varints(d, proto_bytes(&r), (uint64_t **)&b->values.at,
					  &b->values.n, &b->values.cap);
			break;
		case SAMPLE_VALUE:
			rc = vec_push(&b->arena, &b->values, (int64_t)proto_varint(&r));
			break;
		case SAMPLE_TIMES:
			rc = read_times(d, proto_bytes(&r));
			break;
		case SAMPLE_TIME:
			rc = vec_push(&b->arena, &b->times, proto_fixed64(&r));
			break;
		case SAMPLE_VARINT_TIMES:
			rc = read_varints(d, proto_bytes(&r), &b->times.at, &b->times.n,
					  &b->times.cap);
			break;
		case SAMPLE_VARINT_TIME:
			rc = vec_push(&b->arena, &b->times, proto_varint(&r));
			break;
		case SAMPLE_START:
			s->start = proto_varint(&r);
			break;
		case SAMPLE_LENGTH:
			s->length = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	}
	if (unlikely(r.error) && !rc)
		rc = proto_fail(&r, d->whole, d->e);
	return rc;
}

/*
 * Values and times that do not fit each other, made to: without times values add up to one; one value of 1
 * (or as many as there are times) for n times means that each counts 1, as 1.7's senders meant
 * it; missing values are 0; times that are too few are dropped.
 */
static NO_INLINE int repair_shape(struct otlp_decoder *d, uint32_t value_at, uint32_t time_at)
{
	struct profile_batch *b = d->b;
	uint32_t values = b->values.n - value_at, times = b->times.n - time_at;
	int64_t first = b->values.at[value_at];
	int rc = 0;

	if (d->layout != OTLP_1_7 || values != 1)
		rc = otlp_repair(d, REPAIR_SHAPE,
				 "a sample with %u values and %u times: made to fit each other",
				 values, times);
	if (rc)
		return rc;
	if (times < values) {
		uint64_t sum = 0;

		for (uint32_t i = value_at; i < b->values.n; i++)
			sum += (uint64_t)b->values.at[i];
		b->values.at[value_at] = (int64_t)sum;
		b->values.n = value_at + 1;
		b->times.n = time_at;
		return 0;
	}
	if (values == 1 && (first == 1 || first == (int64_t)times)) {
		b->values.n = value_at;
		return 0;
	}
	rc = vec_reserve(&b->arena, &b->values, times - values);
	for (; !rc && values < times; values++)
		b->values.at[b->values.n++] = 0;
	return rc;
}

/* 1.7: of several values keep the one of the profile that is being made. */
static void pick_value(struct otlp_decoder *d, const struct otlp_sample_plan *plan,
		       uint32_t value_at)
{
	struct profile_batch *b = d->b;
	uint32_t values = b->values.n - value_at;

	if (plan->type_count < 2 || !values)
		return;
	b->values.at[value_at] =
		plan->value_at < values ? b->values.at[value_at + plan->value_at] : 0;
	b->values.n = value_at + 1;
}

/* 1.7: a stack is a part of the profile's list of locations. */
static int place_stack(struct otlp_decoder *d, const struct otlp_sample_plan *plan,
		       const struct sample *s, uint32_t sample, uint32_t *stack)
{
	struct profile_batch *b = d->b;
	struct list l = {0};
	int rc = 0;

	*stack = plan->stack_first + sample;
	if (!plan->make_stacks)
		return 0;
	if (s->start <= plan->location_count && s->length <= plan->location_count - s->start)
		l = (struct list){plan->location_at + (uint32_t)s->start, (uint32_t)s->length};
	else
		rc = otlp_repair(d, REPAIR_STACK_RANGE,
				 "locations %d to %d of a profile that has %u: read as none",
				 (int32_t)s->start, (int32_t)(s->start + s->length),
				 plan->location_count);
	return rc ? rc : vec_push(&b->arena, &b->stacks, l);
}

static int decode_sample(struct otlp_decoder *d, struct str bytes,
			 const struct otlp_sample_plan *plan, uint32_t i)
{
	struct profile_batch *b = d->b;
	struct sample s = {0};
	uint32_t attribute_at = b->sample_attributes.n, value_at = b->values.n,
		 time_at = b->times.n, stack = 0, link = 0;
	int rc = read_sample(d, bytes, &s);

	if (unlikely(rc))
		return rc;
	rc = otlp_end_list(d, &b->sample_attributes, attribute_at);
	if (!rc && d->layout == OTLP_1_7) {
		pick_value(d, plan, value_at);
		rc = place_stack(d, plan, &s, i, &stack);
	} else if (!rc) {
		rc = otlp_row(d, TABLE_STACKS, s.stack, &stack);
	}
	/* absent is no link, also where a sender has put a real one first */
	if (!rc && s.has_link)
		rc = otlp_row(d, TABLE_LINKS, s.link, &link);

	uint32_t values = b->values.n - value_at, times = b->times.n - time_at;

	if (unlikely(values != times && values && !(values == 1 && !times)) && !d->observer && !rc)
		rc = repair_shape(d, value_at, time_at);
	return rc ? rc : profile_sample_end(b, stack, link);
}

/*
 * Room for all samples at once. The lists are guessed from the first sample, bounded by what the
 * bytes of the profile can hold: samples of one profile are alike, and where they are not the vectors grow.
 */
static int reserve_samples(struct otlp_decoder *d, struct str profile, struct str first,
			   uint32_t count)
{
	struct profile_batch *b = d->b;
	struct proto_reader r = proto_reader_of(first);
	const uint8_t *roles = d->roles->sample;
	size_t attributes = 0, values = 0, times = 0;
	int rc;

	while (proto_next(&r)) {
		unsigned role = r.tag < OTLP_SAMPLE_TAGS ? roles[r.tag] : SAMPLE_UNKNOWN;

		if (role == SAMPLE_ATTRIBUTES)
			attributes += proto_bytes(&r).n;
		else if (role == SAMPLE_VALUES)
			values += 1 + proto_bytes(&r).n / 2;
		else if (role == SAMPLE_TIMES)
			times += proto_bytes(&r).n / 8;
		else
			proto_skip(&r);
	}
	rc = profile_batch_reserve_samples(b, count);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->sample_attributes,
				 min_size(attributes * count, profile.n));
	if (!rc)
		rc = vec_reserve(&b->arena, &b->values, min_size(values * count, profile.n / 2));
	if (!rc)
		rc = vec_reserve(&b->arena, &b->times, min_size(times * count, profile.n / 8));
	return rc;
}

int otlp_decode_samples(struct otlp_decoder *d, struct str profile,
			const struct otlp_sample_plan *plan)
{
	struct proto_reader r = proto_reader_of(profile);
	uint32_t i = 0;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (unlikely(r.tag != PROTO_TAG(2, PROTO_BYTES))) {
			proto_skip(&r);
			continue;
		}

		struct str bytes = proto_bytes(&r);

		if (unlikely(!i))
			rc = reserve_samples(d, profile, bytes, plan->sample_count);
		if (!rc)
			rc = decode_sample(d, bytes, plan, i++);
	}
	return rc; /* the reader has been over these bytes before: no error is new */
}

/* Field 2 of one sample: indices of attributes with different keys? */
static bool has_attributes(struct otlp_decoder *d, struct str sample)
{
	struct proto_reader r = proto_reader_of(sample);
	uint32_t ids[FEW], n = 0;
	bool differ = true;

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(2, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct str list = proto_bytes(&r);
		struct proto_reader items = proto_reader_of(list);

		while (items.at < items.end) {
			uint64_t index = proto_varint(&items);

			if (index >= d->rows[TABLE_ATTRIBUTES].count || n == FEW)
				return false; /* nobody has that many attributes on a sample */
			ids[n++] = (uint32_t)index + d->rows[TABLE_ATTRIBUTES].offset;
		}
	}
	return !keys_differ(d, ids, n, &differ) && differ;
}

/* NOLINTNEXTLINE(misc-no-recursion): three levels */
static bool all_have_attributes(struct otlp_decoder *d, struct str message, unsigned depth)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(depth ? 2 : 1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct str bytes = proto_bytes(&r);

		if (depth == 3 ? !has_attributes(d, bytes)
			       : !all_have_attributes(d, bytes, depth + 1))
			return false;
	}
	return true;
}

bool otlp_field_2_has_attributes(struct otlp_decoder *d, struct str message)
{
	return all_have_attributes(d, message, 0);
}
