/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder for samples, directly into the columns of the batch.
 *
 * This is the hot loop of the decoder: a sample is a few bytes, and there may be millions. The role
 * of a field is looked up by tag in the table of the layout; memory is reserved for a whole list at
 * a time; read_sample_fast() handles the common form without repairs.
 */
#include "format/otlp/decode/samples.h"

#include "format/otlp/decode/decode.h"
#include "format/otlp/decode/rows.h"

enum {
	FAST_SAMPLE_MAX = 127, /* largest sample, in bytes, that the fast path reads */
	TIMES_COPY = 32,       /* bytes of timestamps that are copied at once */
	SAMPLE_SIZE_MIN = 16,  /* bytes per sample, to estimate the number of samples */
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
	memcpy(b->times.at + b->times.n, bytes.p, bytes.n); /* the host is little-endian, too */
	b->times.n += (uint32_t)n;
	return 0;
}

/* The fields of a sample other than its lists. */
struct sample_fields {
	uint64_t stack, link;
	uint64_t start, length; /* 1.7 */
	bool has_link;
};

static int read_sample_general(struct otlp_decoder *d, struct str bytes, struct sample_fields *s)
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
 * Append a list of attributes of at most eight bytes. Return false if an index is 0 or out of
 * range, a key is repeated, or a key class is 64 or above, which the bit set cannot hold.
 */
static inline bool read_attributes_fast(struct otlp_decoder *d, const uint8_t *p, size_t n)
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
	return from == n; /* else the last varint is truncated */
}

static inline bool read_values_fast(struct profile_batch *b, const uint8_t *p, const uint8_t *end)
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

/*
 * Append timestamps. If the input allows, copy TIMES_COPY bytes whatever `n` is, so that the number
 * of timestamps causes no branch.
 */
static inline bool read_times_fast(struct profile_batch *b, const uint8_t *p, size_t n,
				   const uint8_t *input_end)
{
	uint64_t *to = b->times.at + b->times.n;

	if (unlikely(n % sizeof(*to)))
		return false;
	if (likely(n <= TIMES_COPY && input_end - p >= TIMES_COPY))
		memcpy(to, p, TIMES_COPY); /* the host is little-endian, too */
	else
		memcpy(to, p, n);
	b->times.n += (uint32_t)(n / sizeof(*to));
	return true;
}

/*
 * Read a sample of the common form: known fields with one-byte tags and lengths, short lists,
 * nothing to repair. Return false if the caller must truncate the pools and use
 * read_sample_general().
 */
static bool read_sample_fast(struct otlp_decoder *d, struct str bytes, struct sample_fields *s)
{
	struct profile_batch *b = d->b;
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	const uint8_t *roles = d->roles->sample;
	const uint8_t *input_end = (const uint8_t *)d->whole.p + d->whole.n;
	uint32_t first = b->sample_attributes.n;

	/* a word after the sample is readable, and the pools have room for all that it can hold */
	if (unlikely(input_end - end < 8 || bytes.n > FAST_SAMPLE_MAX ||
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
		n = *p++; /* readable: eight bytes follow the sample */
		if (unlikely(p > end || n > (size_t)(end - p)))
			return false; /* includes lengths of more than one byte, which are >= 128 */
		if (role == SAMPLE_ATTRIBUTES && n <= 8 && n && b->sample_attributes.n == first) {
			if (unlikely(!read_attributes_fast(d, p, n)))
				return false;
		} else if (role == SAMPLE_TIMES) {
			if (unlikely(!read_times_fast(b, p, n, input_end)))
				return false;
		} else if (role == SAMPLE_VALUES) {
			if (unlikely(!read_values_fast(b, p, p + n)))
				return false;
		} else {
			return false;
		}
		p += n;
	}
	return p == end;
}

/*
 * Repair a sample whose numbers of values and timestamps differ. If there are fewer timestamps than
 * values, drop the timestamps and sum up the values. A single value of 1 or n for n timestamps
 * means that each timestamp counts 1, as senders of 1.7 meant it: drop the value. Otherwise append
 * 0 for each missing value.
 */
static NO_INLINE int repair_shape(struct otlp_decoder *d, uint32_t value_at, uint32_t time_at)
{
	struct profile_batch *b = d->b;
	uint32_t values = b->values.n - value_at, times = b->times.n - time_at;
	int64_t first = b->values.at[value_at];
	int rc = 0;

	if (d->layout != OTLP_1_7 || values != 1)
		rc = otlp_repair(d, REPAIR_SHAPE,
				 "sample has %u values and %u timestamps: repaired to match",
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

/* 1.7: keep only the value of the sample type of the current profile. */
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

/*
 * 1.7: make the sample's slice of the profile's list of locations a stack, and set *stack to its
 * row.
 */
static int make_stack(struct otlp_decoder *d, const struct otlp_sample_plan *plan,
		      const struct sample_fields *s, uint32_t sample, uint32_t *stack)
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
		rc = otlp_repair(
			d, REPAIR_STACK_RANGE,
			"stack of locations %d to %d in a profile with %u locations: dropped",
			(int32_t)s->start, (int32_t)(s->start + s->length), plan->location_count);
	return rc ? rc : vec_push(&b->arena, &b->stacks, l);
}

static int decode_sample(struct otlp_decoder *d, struct str bytes,
			 const struct otlp_sample_plan *plan, uint32_t i)
{
	struct profile_batch *b = d->b;
	struct sample_fields s = {0};
	uint32_t attribute_at = b->sample_attributes.n, value_at = b->values.n,
		 time_at = b->times.n, stack = 0, link = 0;
	int rc = 0;

	if (unlikely(d->observer || d->no_fast_path || !read_sample_fast(d, bytes, &s))) {
		b->sample_attributes.n = attribute_at;
		b->values.n = value_at;
		b->times.n = time_at;
		s = (struct sample_fields){0};
		rc = read_sample_general(d, bytes, &s);
		if (!rc)
			rc = otlp_end_list(d, &b->sample_attributes, attribute_at);
	}
	if (!rc && unlikely(d->layout == OTLP_1_7)) {
		pick_value(d, plan, value_at);
		rc = make_stack(d, plan, &s, i, &stack);
	} else if (!rc) {
		rc = otlp_row(d, TABLE_STACKS, s.stack, &stack);
	}
	/* an absent link is none, even if row 0 of the sender's table is a real link */
	if (!rc && s.has_link)
		rc = otlp_row(d, TABLE_LINKS, s.link, &link);

	uint32_t values = b->values.n - value_at, times = b->times.n - time_at;

	if (unlikely(values != times && values && !(values == 1 && !times)) && !d->observer && !rc)
		rc = repair_shape(d, value_at, time_at);
	return rc ? rc : profile_sample_end(b, stack, link);
}

/*
 * Reserve memory for the samples of a profile, extrapolated from the first sample and bounded by
 * what `bytes` can hold. Samples of one profile usually have similar sizes; if not, the vectors
 * grow.
 */
static int reserve_samples(struct otlp_decoder *d, struct str first, size_t bytes)
{
	struct profile_batch *b = d->b;
	struct proto_reader r = proto_reader_of(first);
	const uint8_t *roles = d->roles->sample;
	size_t count = bytes / max_size(first.n, SAMPLE_SIZE_MIN) + 1, attributes = 0, values = 0,
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
				 min_size(attributes * count, bytes) + FAST_SAMPLE_MAX);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->values,
				 min_size(values * count, bytes / 2) + FAST_SAMPLE_MAX);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->times,
				 min_size(times * count, bytes / 8) + FAST_SAMPLE_MAX);
	return rc;
}

int otlp_decode_samples(struct otlp_decoder *d, struct proto_reader *r,
			struct otlp_sample_plan *plan)
{
	int rc;

	do {
		struct str bytes = proto_bytes(r);

		if (unlikely(r->error))
			return 0; /* the caller reports it */
		if (unlikely(!plan->sample)) {
			rc = reserve_samples(d, bytes, (size_t)((const char *)r->end - bytes.p));
			if (rc)
				return rc;
		}
		rc = decode_sample(d, bytes, plan, plan->sample++);
	} while (!rc && proto_next_same(r));
	return rc;
}

/* Return whether field 2 of one sample holds valid attribute indices with distinct keys. */
static bool field_2_has_attributes(struct otlp_decoder *d, struct str sample)
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
				return false; /* samples do not have that many attributes */
			ids[n++] = (uint32_t)index + d->rows[TABLE_ATTRIBUTES].offset;
		}
	}
	return !otlp_keys_differ(d, ids, n, &differ) && differ;
}

/* Check all samples below `message`: depth 0 is the request, 3 is a profile. */
/* NOLINTNEXTLINE(misc-no-recursion): four levels */
static bool all_have_attributes(struct otlp_decoder *d, struct str message, unsigned depth)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(depth ? 2 : 1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct str bytes = proto_bytes(&r);

		if (depth == 3 ? !field_2_has_attributes(d, bytes)
			       : !all_have_attributes(d, bytes, depth + 1))
			return false;
	}
	return true;
}

bool otlp_field_2_has_attributes(struct otlp_decoder *d, struct str message)
{
	return all_have_attributes(d, message, 0);
}
