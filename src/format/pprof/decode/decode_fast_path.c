/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast path for adding samples to a merge. Profiles of one program have nearly the same samples in
 * nearly the same order, so the merge predicts the next sample (profile_merge.guess). A sample of
 * the common form is compared with the prediction in its encoded form; if they match, only its
 * values are added, without a hash lookup. Any other sample is decoded normally; then its label is
 * recorded as the label of its attribute set.
 */
#include "format/pprof/decode/decode_fast_path.h"

#include "format/pprof/decode/decode_labels.h"
#include "format/pprof/decode/decode_samples.h"
#include "wire/varints_wide.h"

/*
 * MAX_SETS: attribute sets whose label is recorded. Programs have fewer sets, or so many that they
 * do not repeat. MAX_LABEL: bytes of a label that the fast path compares.
 */
enum { MAX_SETS = 4096, MAX_LABEL = 8 };

/*
 * The common form: a list of values and of locations, in any order, then at most one short label.
 */
struct fast_sample {
	struct str values, locations;
	struct single_label label;
	const char *end;
};

/*
 * Read the rest of a sample, `n` bytes: one label or nothing. Return false if it has another form.
 */
static inline bool read_single_label(const uint8_t *p, size_t n, struct single_label *out)
{
	*out = (struct single_label){.known = true};
	if (!n)
		return true;
	if (n < 3 || n > 2 + MAX_LABEL || p[0] != PROTO_TAG(PPROF_SAMPLE_LABEL, PROTO_BYTES) ||
	    p[1] != n - 2)
		return false;
	memcpy(&out->bytes, p + 2, sizeof(out->bytes));
	out->bytes <<= 8 * (MAX_LABEL + 2 - n); /* drop the bytes after it */
	out->n = p[1];
	return true;
}

/*
 * Split a sample of the common form; return false if it has another form. The sample must end at or
 * before `last`, so that enough bytes after it are readable.
 */
static inline bool split_sample(struct str body, const char *last, struct fast_sample *out)
{
	enum {
		LOCATIONS = PROTO_TAG(PPROF_SAMPLE_LOCATION, PROTO_BYTES),
		VALUES = PROTO_TAG(PPROF_SAMPLE_VALUE, PROTO_BYTES),
	};
	const uint8_t *p = (const uint8_t *)body.p;
	struct str one, two;

	if (unlikely(body.n < 4 || p[1] >= 0x80 || body.n - 4 < p[1] || body.p + body.n > last))
		return false;
	one = str_of(body.p + 2, p[1]);
	p += 2 + one.n;
	if (unlikely(p[1] >= 0x80 || body.n - 4 - one.n < p[1]))
		return false;
	two = str_of((const char *)p + 2, p[1]);
	switch ((uint8_t)body.p[0] << 8 | p[0]) {
	case VALUES << 8 | LOCATIONS:
		out->values = one;
		out->locations = two;
		break;
	case LOCATIONS << 8 | VALUES:
		out->locations = one;
		out->values = two;
		break;
	default:
		return false;
	}
	out->end = body.p + body.n;
	return read_single_label(p + 2 + two.n, body.n - 4 - one.n - two.n, &out->label);
}

/* Record the label of an attribute set. Return 0 or -ENOMEM. */
static int record_label(struct pprof_decoder *d, uint32_t set, struct single_label label)
{
	int rc = 0;

	while (!rc && d->set_labels.n <= set)
		rc = vec_push(&d->out->arena, &d->set_labels, (struct single_label){0});
	if (!rc)
		d->set_labels.at[set] = label;
	return rc;
}

/*
 * Return whether the sample's label makes this attribute set, whose label is not recorded yet, and
 * record it. If out of memory, return false: the sample takes the slow path.
 */
static NO_INLINE bool match_new_label(struct pprof_decoder *d, const struct fast_sample *s,
				      uint32_t set)
{
	struct attribute only;
	struct str body = {s->end - s->label.n, s->label.n};

	if (set >= MAX_SETS || (body.n && !pprof_label_attribute(d, body, &only)))
		return false;
	return profile_merge_is_set(d->merge, set, body.n ? &only : NULL) &&
	       !record_label(d, set, s->label);
}

/* Return whether the sample has the label of this attribute set. */
static inline bool match_label(struct pprof_decoder *d, const struct fast_sample *s, uint32_t set)
{
	if (unlikely(set >= d->set_labels.n || !d->set_labels.at[set].known))
		return match_new_label(d, s, set);
	return d->set_labels.at[set].n == s->label.n &&
	       d->set_labels.at[set].bytes == s->label.bytes;
}

/*
 * varint_list_equals() and varint_add_numbers(), or equivalents for lists of up to VARINT_WINDOW
 * bytes.
 */
typedef bool list_is(const struct varint_list *l, const uint32_t *map, const uint32_t *numbers,
		     uint32_t n);
typedef bool add_numbers(const uint8_t *at, size_t bytes, uint64_t *sums, uint32_t n);

__attribute__((always_inline)) static inline bool has_stack(const struct pprof_decoder *d,
							    struct str locations, list_is *same)
{
	const struct merge_guess *guess = &d->merge->guess;
	const struct varint_list ids = {.at = (const uint8_t *)locations.p,
					.end = (const uint8_t *)locations.p + locations.n,
					.readable = (const uint8_t *)d->in.p + d->in.n,
					.last = d->location_ids.count};

	return same(&ids, guess->known, guess->locations, guess->location_count);
}

/* Not inlined, so that the rare long list does not make the loop spill registers. */
static NO_INLINE bool has_long_stack(const struct pprof_decoder *d, struct str locations)
{
	return has_stack(d, locations, varint_list_equals);
}

__attribute__((always_inline)) static inline bool
is_predicted(struct pprof_decoder *d, const struct fast_sample *s, list_is *same)
{
	const struct merge_guess *guess = &d->merge->guess;

	return guess->location_count && match_label(d, s, guess->attributes) &&
	       (likely(s->locations.n - 1 < VARINT_WINDOW) ? has_stack(d, s->locations, same)
							   : has_long_stack(d, s->locations));
}

__attribute__((always_inline)) static inline int merge_samples(struct pprof_decoder *d,
							       list_is *same, add_numbers *add)
{
	const struct str *bodies = d->samples.bodies.at;
	const uint32_t n = d->samples.bodies.n;
	const char *last = d->in.p;
	int rc = 0;

	if (d->location_ids.identity && d->in.n > VARINT_WINDOW + VARINT_SLACK)
		last += d->in.n - VARINT_WINDOW - VARINT_SLACK;

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct fast_sample s;
		bool fast = split_sample(bodies[i], last, &s);

		if (likely(fast && is_predicted(d, &s, same) &&
			   add((const uint8_t *)s.values.p, s.values.n, d->merge->guess.sums,
			       d->types.n))) {
			profile_merge_guessed(d->merge);
			continue;
		}
		rc = pprof_decode_sample(d, bodies[i], i);
		/*
		 * the merge knows its attribute set now; its label is that of the set if it is no
		 * link
		 */
		if (!rc && fast && !d->link && d->merge->set < MAX_SETS)
			rc = record_label(d, d->merge->set, s.label);
	}
	return rc;
}

#ifdef VARINT_HAS_AVX512
/*
 * The whole loop is compiled for these processors: per-sample calls would cost as much as the work.
 */
TARGET_AVX512 static int merge_samples_wide(struct pprof_decoder *d)
{
	return merge_samples(d, varint_list_equals_wide, varint_add_numbers_wide);
}
#endif

int pprof_merge_samples(struct pprof_decoder *d)
{
#ifdef VARINT_HAS_AVX512
	if (VARINT_HAS_AVX512)
		return merge_samples_wide(d);
#endif
	return merge_samples(d, varint_list_equals, varint_add_numbers);
}
