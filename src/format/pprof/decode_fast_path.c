/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples on their way to a merge, the quick way. Profiles of one program have nearly the same samples in nearly the
 * same order, so the merge has a guess what comes next (profile_merge.guess). A sample of the form that nearly all have
 * is compared with it as it stands in the file: nothing is put down but its values, nothing is looked up by hash. What has another
 * form, or is not the guess, is decoded as any sample is; then its label is remembered as that of its set of attributes.
 */
#include "format/pprof/decoder.h"
#include "wire/varints_wide.h"

/* Labels are remembered of this many sets: programs have few, or so many that they do not come again. */
enum { MAX_SETS = 4096, MAX_LABEL = 8 };

/* A list of each, in any order, and behind them one label of up to eight bytes or none. */
struct usual_sample {
	struct str values, locations;
	struct usual_label label;
	const char *end;
};

/* The label that makes up the rest of a sample. */
static inline bool take_label(const uint8_t *p, size_t n, struct usual_label *out)
{
	*out = (struct usual_label){.met = true};
	if (!n)
		return true;
	if (n < 3 || n > 2 + MAX_LABEL || p[0] != PROTO_TAG(PPROF_SAMPLE_LABEL, PROTO_BYTES) ||
	    p[1] != n - 2)
		return false;
	memcpy(&out->bytes, p + 2, sizeof(out->bytes));
	out->bytes <<= 8 * (MAX_LABEL + 2 - n); /* what is read behind it goes */
	out->n = p[1];
	return true;
}

/* `last`: where a sample has to end, so that enough is readable behind it. */
static inline bool is_usual(struct str body, const char *last, struct usual_sample *out)
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
	return take_label(p + 2 + two.n, body.n - 4 - one.n - two.n, &out->label);
}

/* The file is to know that a set has this label. */
static int learn_label(struct pprof_decoder *d, uint32_t set, struct usual_label label)
{
	int rc = 0;

	while (!rc && d->set_labels.n <= set)
		rc = vec_push(&d->out->arena, &d->set_labels, (struct usual_label){0});
	if (!rc)
		d->set_labels.at[set] = label;
	return rc;
}

/* The file has not named the set yet: is it made of the sample's label? Without memory there is one more slow sample, no more. */
static NO_INLINE bool meet_label(struct pprof_decoder *d, const struct usual_sample *s,
				 uint32_t set)
{
	struct attribute only;
	struct str body = {s->end - s->label.n, s->label.n};

	if (set >= MAX_SETS || (body.n && !pprof_label_attribute(d, body, &only)))
		return false;
	return profile_merge_is_set(d->merge, set, body.n ? &only : NULL) &&
	       !learn_label(d, set, s->label);
}

/* Does the sample have the label of this set? */
static inline bool has_label(struct pprof_decoder *d, const struct usual_sample *s, uint32_t set)
{
	if (unlikely(set >= d->set_labels.n || !d->set_labels.at[set].met))
		return meet_label(d, s, set);
	return d->set_labels.at[set].n == s->label.n &&
	       d->set_labels.at[set].bytes == s->label.bytes;
}

/* varint_list_is() and varint_add_numbers(), or what does the same for lists of up to VARINT_WINDOW bytes. */
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

/* Apart from the loop: what it has in registers is not to go through memory for the sake of a long list. */
static NO_INLINE bool has_long_stack(const struct pprof_decoder *d, struct str locations)
{
	return has_stack(d, locations, varint_list_is);
}

__attribute__((always_inline)) static inline bool
is_guess(struct pprof_decoder *d, const struct usual_sample *s, list_is *same)
{
	const struct merge_guess *guess = &d->merge->guess;

	return guess->location_count && has_label(d, s, guess->attributes) &&
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
		struct usual_sample s;
		bool usual = is_usual(bodies[i], last, &s);

		if (likely(usual && is_guess(d, &s, same) &&
			   add((const uint8_t *)s.values.p, s.values.n, d->merge->guess.sums,
			       d->types.n))) {
			profile_merge_guessed(d->merge);
			continue;
		}
		rc = pprof_decode_sample(d, bodies[i], i);
		/* it has a set now, as long as there is no link among its labels */
		if (!rc && usual && !d->link && d->merge->set < MAX_SETS)
			rc = learn_label(d, d->merge->set, s.label);
	}
	return rc;
}

#ifdef VARINT_WIDE
/* The loop as a whole is compiled for such processors: what it does for a sample takes hardly longer than the calls would. */
WIDE static int merge_samples_wide(struct pprof_decoder *d)
{
	return merge_samples(d, varint_list_is_wide, varint_add_numbers_wide);
}
#endif

int pprof_merge_samples(struct pprof_decoder *d)
{
#ifdef VARINT_WIDE
	if (VARINT_WIDE)
		return merge_samples_wide(d);
#endif
	return merge_samples(d, varint_list_is, varint_add_numbers);
}
