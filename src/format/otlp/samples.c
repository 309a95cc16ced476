/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples, straight into the columns of the batch.
 *
 * This is where the time goes: a sample is a handful of bytes, and there may be millions. Roles of
 * fields come from the layout's table by tag; lists are read with room made for the whole list at
 * once; the usual shapes need no look back.
 */
#include "format/otlp/decoder.h"

enum {
	USUAL_SAMPLE = 127, /* bytes, at most, of a sample that is read the fast way */
	FEW_TIMES = 32,	    /* bytes that are copied in one go */
	LEAST_SAMPLE = 16,  /* bytes, for guessing how many there are */
};

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
			return otlp_bad_list(d, item);
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
 * A few attributes in at most eight bytes, each in range, none of them none, all keys different; else
 * false. What is no row of this message has no class, and keys beyond the 64th are looked at by others.
 */
static inline bool read_few_attributes(struct otlp_decoder *d, const uint8_t *p, size_t n)
{
	struct profile_batch *b = d->b;
	uint32_t *to = b->sample_attributes.at + b->sample_attributes.n;
	const uint32_t first = d->first_attribute, rows = d->class_rows,
		       shift = d->rows[TABLE_ATTRIBUTES].offset - first;
	const uint32_t *classes = d->key_class;
	uint64_t word, stops, seen = 0;
	unsigned from = 0;

	memcpy(&word, p, sizeof(word));
	for (stops = varint_stops(word, n); stops; stops &= stops - 1) {
		unsigned until = (unsigned)__builtin_ctzll(stops) / 8 + 1;
		uint32_t index = varint_join_short((uint32_t)(word >> 8 * from), until - from);
		uint32_t row = index + shift; /* of this message */
		uint64_t class;

		if (unlikely(!index || row >= rows || classes[row] >= 64))
			return false;
		class = 1ull << classes[row];
		if (unlikely(seen & class))
			return false;
		seen |= class;
		*to++ = row + first;
		from = until;
	}
	b->sample_attributes.n = (uint32_t)(to - b->sample_attributes.at);
	return from == n; /* else the last one is cut */
}

static inline bool read_few_values(struct profile_batch *b, const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		uint64_t value;

		p = otlp_varint(p, end, &value);
		if (unlikely(!p))
			return false;
		b->values.at[b->values.n++] = (int64_t)value;
	}
	return true;
}

/* Copies more than there is, where it can, so that the count of times costs no branch. */
static inline bool read_few_times(struct profile_batch *b, const uint8_t *p, size_t n,
				  const uint8_t *input_end)
{
	uint64_t *to = b->times.at + b->times.n;

	if (unlikely(n % sizeof(*to)))
		return false;
	if (likely(n <= FEW_TIMES && input_end - p >= FEW_TIMES))
		memcpy(to, p, FEW_TIMES); /* little-endian, and so are we */
	else
		memcpy(to, p, n);
	b->times.n += (uint32_t)(n / sizeof(*to));
	return true;
}

/*
 * The usual sample: known fields of one-byte tags and lengths, short lists, nothing to repair. False
 * means that read_sample() has to look at it; what has come to the pools is to be forgotten.
 */
static bool read_usual_sample(struct otlp_decoder *d, struct str bytes, struct sample *s)
{
	struct profile_batch *b = d->b;
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	const uint8_t *roles = d->roles->sample;
	const uint8_t *input_end = (const uint8_t *)d->whole.p + d->whole.n;
	uint32_t first = b->sample_attributes.n;

	/* the input goes on for a word behind the sample, and the pools have room for all it can hold */
	if (unlikely(input_end - end < 8 || bytes.n > USUAL_SAMPLE ||
		     b->sample_attributes.cap - b->sample_attributes.n < bytes.n ||
		     b->values.cap - b->values.n < bytes.n || b->times.cap - b->times.n < 32))
		return false;
	while (p < end) {
		unsigned role = *p < OTLP_SAMPLE_TAGS ? roles[*p] : SAMPLE_UNKNOWN;
		size_t n;

		p++;
		if (role == SAMPLE_STACK || role == SAMPLE_LINK) {
			s->has_link |= role == SAMPLE_LINK;
			p = varint_read(p, role == SAMPLE_LINK ? &s->link : &s->stack);
			if (unlikely(!p))
				return false;
			continue;
		}
		n = *p++; /* there are eight bytes behind the sample */
		if (unlikely(p > end || n > (size_t)(end - p)))
			return false; /* also what is longer than 127 */
		if (role == SAMPLE_ATTRIBUTES && n <= 8 && n && b->sample_attributes.n == first) {
			if (unlikely(!read_few_attributes(d, p, n)))
				return false;
		} else if (role == SAMPLE_TIMES) {
			if (unlikely(!read_few_times(b, p, n, input_end)))
				return false;
		} else if (role == SAMPLE_VALUES) {
			if (unlikely(!read_few_values(b, p, p + n)))
				return false;
		} else {
			return false;
		}
		p += n;
	}
	return p == end;
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
	int rc = 0;

	if (unlikely(d->observer || d->slowly || !read_usual_sample(d, bytes, &s))) {
		b->sample_attributes.n = attribute_at;
		b->values.n = value_at;
		b->times.n = time_at;
		s = (struct sample){0};
		rc = read_sample(d, bytes, &s);
		if (!rc)
			rc = otlp_end_list(d, &b->sample_attributes, attribute_at);
	}
	if (!rc && unlikely(d->layout == OTLP_1_7)) {
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
 * Room for the samples of a profile, guessed from the first one and bounded by what the bytes of
 * the profile can hold: samples of one profile are alike, and where they are not the vectors grow.
 */
static int reserve_samples(struct otlp_decoder *d, struct str first, size_t bytes)
{
	struct profile_batch *b = d->b;
	struct proto_reader r = proto_reader_of(first);
	const uint8_t *roles = d->roles->sample;
	size_t count = bytes / max_size(first.n, LEAST_SAMPLE) + 1, attributes = 0, values = 0,
	       times = 0;
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
				 min_size(attributes * count, bytes) + USUAL_SAMPLE);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->values,
				 min_size(values * count, bytes / 2) + USUAL_SAMPLE);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->times,
				 min_size(times * count, bytes / 8) + USUAL_SAMPLE);
	return rc;
}

int otlp_decode_samples(struct otlp_decoder *d, struct proto_reader *r,
			struct otlp_sample_plan *plan)
{
	int rc;

	do {
		struct str bytes = proto_bytes(r);

		if (unlikely(r->error))
			return 0; /* said by the caller */
		if (unlikely(!plan->sample)) {
			rc = reserve_samples(d, bytes, (size_t)((const char *)r->end - bytes.p));
			if (rc)
				return rc;
		}
		rc = decode_sample(d, bytes, plan, plan->sample++);
	} while (!rc && proto_again(r));
	return rc;
}

/* Field 2 of one sample: indices of attributes with different keys? */
static bool has_attributes(struct otlp_decoder *d, struct str sample)
{
	struct proto_reader r = proto_reader_of(sample);
	uint32_t ids[16], n = 0;
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

			if (index >= d->rows[TABLE_ATTRIBUTES].count || n == countof(ids))
				return false; /* nobody has that many attributes on a sample */
			ids[n++] = (uint32_t)index + d->rows[TABLE_ATTRIBUTES].offset;
		}
	}
	return !otlp_keys_differ(d, ids, n, &differ) && differ;
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
