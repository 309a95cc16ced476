/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The field tables of each layout, and detection of the layout of a message.
 *
 * Detection counts, for each layout, the fields that do not fit it, and picks the layout with the
 * fewest. One sample is nearly always enough to distinguish 1.11 from the others, so the walk stops
 * as soon as only 1.11 fits; 1.8 and 1.9 differ only in the fields after the samples. The
 * dictionary is most of a message but has little evidence, so it is read only if the samples are
 * not conclusive.
 */
#include "format/otlp/decode/layout.h"

#include "signal/profile/profile.h"
#include "wire/proto.h"

#define V(field) PROTO_TAG(field, PROTO_VARINT)
#define B(field) PROTO_TAG(field, PROTO_BYTES)
#define F(field) PROTO_TAG(field, PROTO_FIXED64)

#define MAPPING_ROLES                                                                              \
	[V(1)] = ROW_START, [V(2)] = ROW_LIMIT, [V(3)] = ROW_OFFSET, [V(4)] = ROW_FILENAME,        \
	[B(5)] = ROW_ATTRIBUTES, [V(5)] = ROW_ATTRIBUTE
#define LOCATION_ROLES                                                                             \
	[V(1)] = ROW_MAPPING, [V(2)] = ROW_ADDRESS, [B(3)] = ROW_LINE, [B(4)] = ROW_ATTRIBUTES,    \
	[V(4)] = ROW_ATTRIBUTE
#define PROFILE_ROLES /* fields that all layouts but 1.7 share */                                  \
	[B(1)] = PROFILE_SAMPLE_TYPE, [B(2)] = PROFILE_SAMPLE, [F(3)] = PROFILE_TIME,              \
	[V(4)] = PROFILE_DURATION, [B(5)] = PROFILE_PERIOD_TYPE, [V(6)] = PROFILE_PERIOD
#define PROFILE_ROLES_1_9                                                                          \
	PROFILE_ROLES, [B(7)] = PROFILE_PROFILE_ID, [V(8)] = PROFILE_DROPPED,                      \
		       [B(9)] = PROFILE_PAYLOAD_FORMAT, [B(10)] = PROFILE_PAYLOAD,                 \
		       [B(11)] = PROFILE_ATTRIBUTES, [V(11)] = PROFILE_ATTRIBUTE
#define SAMPLE_ROLES_1_9                                                                           \
	[V(1)] = SAMPLE_STACK, [B(2)] = SAMPLE_VALUES, [V(2)] = SAMPLE_VALUE,                      \
	[B(3)] = SAMPLE_ATTRIBUTES, [V(3)] = SAMPLE_ATTRIBUTE, [V(4)] = SAMPLE_LINK,               \
	[B(5)] = SAMPLE_TIMES, [F(5)] = SAMPLE_TIME

const struct otlp_roles otlp_roles[OTLP_LAYOUTS] =
	{
		[OTLP_1_7] =
			{
				.name = "1.7",
				.sample = {[V(1)] = SAMPLE_START,
					   [V(2)] = SAMPLE_LENGTH,
					   [B(3)] = SAMPLE_VALUES,
					   [V(3)] = SAMPLE_VALUE,
					   [B(4)] = SAMPLE_ATTRIBUTES,
					   [V(4)] = SAMPLE_ATTRIBUTE,
					   [V(5)] = SAMPLE_LINK,
					   [B(6)] = SAMPLE_VARINT_TIMES,
					   [V(6)] = SAMPLE_VARINT_TIME},
				.profile = {[B(1)] = PROFILE_SAMPLE_TYPE,
					    [B(2)] = PROFILE_SAMPLE,
					    [B(3)] = PROFILE_LOCATIONS,
					    [V(3)] = PROFILE_LOCATION,
					    [V(4)] = PROFILE_TIME_VARINT,
					    [V(5)] = PROFILE_DURATION,
					    [B(6)] = PROFILE_PERIOD_TYPE,
					    [V(7)] = PROFILE_PERIOD,
					    [B(8)] = PROFILE_COMMENTS,
					    [V(8)] = PROFILE_COMMENT,
					    [V(9)] = PROFILE_DEFAULT_TYPE,
					    [B(10)] = PROFILE_PROFILE_ID,
					    [V(11)] = PROFILE_DROPPED,
					    [B(12)] = PROFILE_PAYLOAD_FORMAT,
					    [B(13)] = PROFILE_PAYLOAD,
					    [B(14)] = PROFILE_ATTRIBUTES,
					    [V(14)] = PROFILE_ATTRIBUTE},
				.mapping = {MAPPING_ROLES,
					    [V(6)] = ROW_FLAG_FIRST + FLAG_HAS_FUNCTIONS,
					    [V(7)] = ROW_FLAG_FIRST + FLAG_HAS_FILENAMES,
					    [V(8)] = ROW_FLAG_FIRST + FLAG_HAS_LINE_NUMBERS,
					    [V(9)] = ROW_FLAG_FIRST + FLAG_HAS_INLINE_FRAMES},
				.location = {[V(1)] = ROW_MAPPING,
					     [V(2)] = ROW_ADDRESS,
					     [B(3)] = ROW_LINE,
					     [V(4)] = ROW_FLAG_FIRST + FLAG_IS_FOLDED,
					     [B(5)] = ROW_ATTRIBUTES,
					     [V(5)] = ROW_ATTRIBUTE},
			},
		[OTLP_1_8] =
			{
				.name = "1.8",
				.sample = {SAMPLE_ROLES_1_9},
				.profile = {PROFILE_ROLES, [B(7)] = PROFILE_COMMENTS,
					    [V(7)] = PROFILE_COMMENT, [B(8)] = PROFILE_PROFILE_ID,
					    [V(9)] = PROFILE_DROPPED,
					    [B(10)] = PROFILE_PAYLOAD_FORMAT,
					    [B(11)] = PROFILE_PAYLOAD, [B(12)] = PROFILE_ATTRIBUTES,
					    [V(12)] = PROFILE_ATTRIBUTE},
				.mapping = {MAPPING_ROLES},
				.location = {LOCATION_ROLES},
			},
		[OTLP_1_9] =
			{
				.name = "1.9",
				.sample = {SAMPLE_ROLES_1_9},
				.profile = {PROFILE_ROLES_1_9},
				.mapping = {MAPPING_ROLES},
				.location = {LOCATION_ROLES},
			},
		[OTLP_1_11] =
			{
				.name = "1.11",
				.sample = {[V(1)] = SAMPLE_STACK,
					   [B(2)] = SAMPLE_ATTRIBUTES,
					   [V(2)] = SAMPLE_ATTRIBUTE,
					   [V(3)] = SAMPLE_LINK,
					   [B(4)] = SAMPLE_VALUES,
					   [V(4)] = SAMPLE_VALUE,
					   [B(5)] = SAMPLE_TIMES,
					   [F(5)] = SAMPLE_TIME},
				.profile = {PROFILE_ROLES_1_9},
				.mapping = {MAPPING_ROLES},
				.location = {LOCATION_ROLES},
			},
};

/*
 * Samples to inspect per profile: FEW_SAMPLES if these and the other fields are conclusive, else up
 * to MAX_SAMPLES. Samples of one profile are alike.
 */
enum { FEW_SAMPLES = 8, MAX_SAMPLES = 256 };

enum { MASK_1_8_9 = 1 << OTLP_1_8 | 1 << OTLP_1_9, MASK_ALL = (1 << OTLP_LAYOUTS) - 1 };

struct layout_fit {
	uint32_t misfits[OTLP_LAYOUTS];
	bool sure; /* 1.11 has no misfits and all other layouts have some */
};

static void count_misfits(struct layout_fit *g, unsigned fits)
{
	for (unsigned l = 0; l < OTLP_LAYOUTS; l++)
		g->misfits[l] += !(fits >> l & 1);
}

static size_t count_varints(struct str packed)
{
	size_t n = 0;

	for (size_t i = 0; i < packed.n; i++)
		n += (uint8_t)packed.p[i] < 0x80;
	return n;
}

/*
 * Count a sample. Lists are assumed to be packed, as all known senders write them: an unpacked list
 * looks like a different field.
 */
static void count_sample(struct layout_fit *g, struct str sample)
{
	static const uint8_t fits[OTLP_SAMPLE_TAGS] = {
		[V(1)] = MASK_ALL,
		[V(2)] = 1 << OTLP_1_7,
		[B(2)] = MASK_1_8_9 | 1 << OTLP_1_11,
		[V(3)] = 1 << OTLP_1_11,
		[B(3)] = 1 << OTLP_1_7 | MASK_1_8_9,
		[V(4)] = MASK_1_8_9,
		[B(4)] = 1 << OTLP_1_7 | 1 << OTLP_1_11,
		[V(5)] = 1 << OTLP_1_7,
		[B(5)] = MASK_1_8_9 | 1 << OTLP_1_11,
		[F(5)] = MASK_1_8_9 | 1 << OTLP_1_11,
		[B(6)] = 1 << OTLP_1_7,
		[V(6)] = 1 << OTLP_1_7,
	};
	struct proto_reader r = proto_reader_of(sample);
	unsigned mask = MASK_ALL, seen = 0;
	struct str two = {0}, five = {0};

	while (proto_next(&r)) {
		if (r.tag < OTLP_SAMPLE_TAGS && fits[r.tag] && !(seen >> proto_field(&r) & 1)) {
			mask &= fits[r.tag];
			seen |= 1u << proto_field(&r);
		}
		if (r.tag == B(2))
			two = proto_bytes(&r);
		else if (r.tag == B(5))
			five = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	if (!(seen & ~0x6u) && (seen & 0x4)) /* only fields 1 and 2: in 1.11 it has no values */
		mask &= ~(1u << OTLP_1_11);
	if (two.n && five.n &&
	    count_varints(two) != five.n / 8) /* counts of values and times differ */
		mask &= ~(unsigned)MASK_1_8_9;
	count_misfits(g, mask);
	if (mask == 1 << OTLP_1_11 && !g->misfits[OTLP_1_11])
		g->sure = true;
}

static void count_profile_field(struct layout_fit *g, const struct proto_reader *r,
				struct str value)
{
	unsigned fits = 0;

	if (r->tag >= OTLP_PROFILE_TAGS || ((r->tag & 7) == PROTO_BYTES && !value.n))
		return; /* no evidence: some encoders write empty ids under any number */
	for (unsigned l = 0; l < OTLP_LAYOUTS; l++)
		fits |= (unsigned)(otlp_roles[l].profile[r->tag] != PROFILE_UNKNOWN) << l;
	if (r->tag == B(7) && value.n != PROFILE_ID_SIZE) /* not a profile id, so comments */
		fits &= ~(1u << OTLP_1_9 | 1u << OTLP_1_11);
	if (r->tag == B(8) && value.n != PROFILE_ID_SIZE)
		fits &= ~(1u << OTLP_1_8);
	if (fits)
		count_misfits(g, fits);
}

/* Count samples `first` to `until` - 1 and, if `first` is 0, the other fields of the profile. */
static void count_profile_fields(struct layout_fit *g, struct str profile, unsigned first,
				 unsigned until)
{
	struct proto_reader r = proto_reader_of(profile);
	unsigned types = 0, samples = 0;

	while (!g->sure && proto_next(&r)) {
		struct str value = {0};

		if ((r.tag & 7) == PROTO_BYTES)
			value = proto_bytes(&r);
		else
			proto_skip(&r);
		if (r.error)
			return;
		if (r.tag == B(2)) {
			if (samples >= first && samples < until)
				count_sample(g, value);
			if (++samples >= until)
				proto_skip_run(&r);
		} else if (!first) {
			count_profile_field(g, &r, value);
			if (r.tag == B(1) && ++types == 2)
				count_misfits(g, 1 << OTLP_1_7);
		}
	}
	/* samples of 1.11 can fit 1.7, but then the time field of the profile does not */
	g->sure |= !g->misfits[OTLP_1_11] && g->misfits[OTLP_1_9] && g->misfits[OTLP_1_8] &&
		   g->misfits[OTLP_1_7];
}

static void count_profile(struct layout_fit *g, struct str profile)
{
	count_profile_fields(g, profile, 0, FEW_SAMPLES);
	count_profile_fields(g, profile, FEW_SAMPLES, MAX_SAMPLES);
}

/*
 * Only 1.7 has different tables: attribute keys are text, and field 7 has units instead of stacks.
 */
static void count_dictionary(struct layout_fit *g, struct str dictionary)
{
	struct proto_reader r = proto_reader_of(dictionary);

	while (proto_next(&r)) {
		if (r.tag != B(6) && r.tag != B(7)) {
			if ((r.tag & 7) != PROTO_BYTES)
				proto_skip(&r);
			else
				do /* rows of a table are consecutive */
					proto_bytes(&r);
				while (proto_next_same(&r));
			continue;
		}

		bool attribute = r.tag == B(6);
		struct proto_reader row = proto_message(&r);

		if (!proto_next(&row) || proto_field(&row) != 1)
			continue; /* an empty row is no evidence */
		bool old = (row.tag == B(1)) == attribute;

		count_misfits(g, old ? 1 << OTLP_1_7 : MASK_ALL & ~(1 << OTLP_1_7));
		if (!attribute || !old)
			return;
	}
}

/* Count field `field` of the message and everything below it. `depth` 2 is ScopeProfiles. */
static void count_fields_below(struct layout_fit *g, struct str message, unsigned depth,
			       uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);

	while (!g->sure && proto_next(&r)) {
		if (r.tag != B(field))
			proto_skip(&r);
		else if (depth == 0 && field == 2)
			count_dictionary(g, proto_bytes(&r));
		else if (depth == 2)
			count_profile(g, proto_bytes(&r));
		else
			count_fields_below(g, proto_bytes(&r), depth + 1, 2);
	}
}

enum otlp_layout otlp_find_layout(struct str message, bool *ambiguous)
{
	struct layout_fit g = {0};
	enum otlp_layout best = OTLP_1_11;

	count_fields_below(&g, message, 0, 1);
	count_fields_below(&g, message, 0, 2);
	*ambiguous = false;
	if (g.sure)
		return OTLP_1_11;
	for (int l = OTLP_1_9; l >= OTLP_1_7; l--)
		if (g.misfits[l] < g.misfits[best])
			best = (enum otlp_layout)l;
	*ambiguous = best == OTLP_1_11 && g.misfits[OTLP_1_9] == g.misfits[OTLP_1_11];
	return best;
}
