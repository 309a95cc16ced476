/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding chunks. Every count and index in the bytes is checked before it is used. */
#include "store/sqlite/block/chunk_decode.h"

#include "base/clock.h"
#include "store/sqlite/block/chunk.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/read/filter.h"
#include "store/store.h"

#define HOUR_NS (3600 * NS_PER_SECOND)

static int damaged(struct err *e, const char *what)
{
	return err_set(e, -EUCLEAN, "the %s of a chunk are damaged", what);
}

/* Multiply; overflow wraps. */
static int64_t multiply(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* ---- points ---- */

/* Set the array and the number of elements of a vector. */
#define SET_VEC(vec, array, count)                                                                 \
	do {                                                                                       \
		(vec)->at = (array);                                                               \
		(vec)->n = (vec)->cap = (count);                                                   \
	} while (0)

/* Convert deltas to series, times and durations. Return false if a time is not of this hour. */
static bool decode_deltas(uint32_t *series, uint64_t *time, uint64_t *duration, uint32_t n,
			  uint64_t unit, uint64_t hour)
{
	uint64_t t = 0;
	uint32_t id = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!i || series[i])
			t = 0;
		if (__builtin_add_overflow(id, series[i], &id) || time[i] > HOUR_NS / unit)
			return false;
		t += time[i];
		if (t > HOUR_NS / unit || t * unit >= HOUR_NS)
			return false;
		series[i] = id;
		time[i] = hour * HOUR_NS + t * unit;
		duration[i] = (uint64_t)unzigzag(duration[i]) + (i ? duration[i - 1] : 0);
	}
	return true;
}

int chunk_points(struct rows *out, struct str points, uint64_t hour, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(points);
	uint32_t n = column_count(&c), *series, *count;
	uint64_t flags = column_varint(&c);
	uint64_t unit = column_varint(&c), *time, *duration, *total;
	int64_t value_unit = (int64_t)column_varint(&c);
	int rc = 0;

	*out = (struct rows){.by_hour = flags & POINTS_BY_HOUR};
	series = column_new_u32(&c, a, n, &rc);
	time = column_new_u64(&c, a, n, &rc);
	duration = column_new_u64(&c, a, n, &rc);
	total = column_new_u64(&c, a, n, &rc);
	if (rc)
		return err_errno(e, rc, "read points");
	if (c.bad || !unit || value_unit < 1 ||
	    !decode_deltas(series, time, duration, n, unit, hour))
		return damaged(e, "points");
	for (uint32_t i = 0; i < n; i++)
		total[i] = total[i] ? (uint64_t)multiply(unzigzag(total[i] - 1), value_unit)
				    : column_varint(&c);
	count = column_new_u32(&c, a, n, &rc);
	if (rc)
		return err_errno(e, rc, "read points");
	if (flags & POINTS_HAVE_IDS) {
		const uint8_t *p = column_bytes(&c, (size_t)n * PROFILE_ID_SIZE);

		if (p && n <= VEC_MAX / PROFILE_ID_SIZE)
			SET_VEC(&out->ids, (uint8_t *)p, n * PROFILE_ID_SIZE); /* never written */
	}
	if (c.bad || c.p != c.end || !n)
		return damaged(e, "points");
	SET_VEC(&out->series, series, n);
	SET_VEC(&out->time, time, n);
	SET_VEC(&out->duration, duration, n);
	SET_VEC(&out->total, (int64_t *)total, n);
	SET_VEC(&out->count, count, n);
	return 0;
}

/* ---- runs ---- */

/* Decompress the current piece. */
static int unpack_piece(struct runs_pieces *p, struct err *e)
{
	size_t n = (size_t)(p->end - p->begin);

	p->unpacked = true;
	return frame_unpack_piece(p->unpacker, str_of(p->packed, p->packed_sizes[p->at]), p->begin,
				  n)
		       ? damaged(e, "runs")
		       : 0;
}

/*
 * Read the sizes of the pieces, set *out to the buffer for all of them, and decompress the first
 * one, which has the columns that precede the runs.
 */
static int open_pieces(struct runs_pieces *p, struct column_cursor *c, struct arena *a,
		       struct str *out, struct err *e)
{
	uint64_t size = 0, packed = 0;
	int rc = 0;

	p->n = column_count(c);
	p->sizes = column_new_u32(c, a, p->n, &rc);
	p->packed_sizes = column_new_u32(c, a, p->n, &rc);
	for (uint32_t i = 0; !rc && !c->bad && i < p->n; i++) {
		size += p->sizes[i];
		packed += p->packed_sizes[i];
	}
	if (!rc && (c->bad || !p->n || size > FRAME_MAX || packed != column_left(c)))
		return damaged(e, "runs");
	p->begin = rc ? NULL : arena_alloc(a, size + 1, 1);
	if (!p->begin)
		return err_errno(e, -ENOMEM, "read runs");
	p->end = p->begin + p->sizes[0];
	p->packed = (const char *)c->p;
	*out = str_of(p->begin, size);
	return unpack_piece(p, e);
}

/* Decompress the piece with these bytes. They must not be before those of the previous call. */
static int need_piece(struct runs_pieces *p, const uint8_t *from, size_t n, struct err *e)
{
	const char *begin = (const char *)from;

	while (n && begin >= p->end && p->at + 1 < p->n) {
		p->packed += p->packed_sizes[p->at++];
		p->begin = p->end;
		p->end += p->sizes[p->at];
		p->unpacked = false;
	}
	if (n && (begin < p->begin || begin + n > p->end))
		return damaged(e, "runs");
	return n && !p->unpacked ? unpack_piece(p, e) : 0;
}

int runs_begin(struct runs_reader *r, struct str runs, struct frame_unpacker *u, struct arena *a,
	       struct err *e)
{
	struct column_cursor c = column_cursor(runs);
	uint32_t n = column_count(&c), most = 0, *series, *own_runs;
	uint64_t bytes = 0, rest;
	int rc = 0;

	*r = (struct runs_reader){.pieces.unpacker = u};
	if (!n && !c.bad) {
		rc = open_pieces(&r->pieces, &c, a, &runs, e);
		if (rc)
			return rc;
		c = column_cursor(str_head(runs, r->pieces.sizes[0]));
		n = column_count(&c);
	}
	r->sections = n;
	r->unit = (int64_t)column_varint(&c);
	r->series = series = column_new_u32(&c, a, n, &rc);
	r->slots = column_new_u32(&c, a, n, &rc);
	r->runs = own_runs = column_new_u32(&c, a, n, &rc);
	r->sizes = column_new_u32(&c, a, n, &rc);
	if (rc)
		return err_errno(e, rc, "read runs");
	if (c.bad || r->unit < 1)
		return damaged(e, "runs");
	for (uint32_t i = 0; i < n; i++) {
		if ((i && __builtin_add_overflow(series[i], series[i - 1], &series[i])) ||
		    r->slots[i] >= SLOTS_IN_HOUR || own_runs[i] > r->sizes[i])
			return damaged(e, "runs");
		most = own_runs[i] > most ? own_runs[i] : most;
		bytes += r->sizes[i];
	}
	rest = column_left(&c);
	if (r->pieces.n) /* the first piece must be used up */
		rest = rest ? UINT64_MAX : runs.n - r->pieces.sizes[0];
	if (bytes != rest)
		return damaged(e, "runs");
	r->p = c.p;
	r->nodes = arena_alloc(a, most + 1, sizeof(*r->nodes));
	r->counts = arena_alloc(a, most + 1, sizeof(*r->counts));
	r->wide = arena_alloc(a, most + 1, sizeof(*r->wide));
	r->sums = (int64_t *)r->wide; /* converted in place */
	return r->nodes && r->counts && r->wide ? 0 : err_errno(e, -ENOMEM, "read runs");
}

bool runs_peek(const struct runs_reader *r, uint32_t *series, uint32_t *slot)
{
	if (r->at == r->sections)
		return false;
	*series = r->series[r->at];
	*slot = r->slots[r->at];
	return true;
}

int runs_next(struct runs_reader *r, struct chunk_section *out, enum runs_need need, struct err *e)
{
	uint32_t i = r->at, n, node = 0;
	struct column_cursor c;

	if (i == r->sections)
		return 0;
	n = r->runs[i];
	if (need != RUNS_NONE && r->pieces.n && need_piece(&r->pieces, r->p, r->sizes[i], e))
		return -EUCLEAN;
	c = (struct column_cursor){r->p, r->p + r->sizes[i], false};
	r->p += r->sizes[i];
	r->at++;
	*out = (struct chunk_section){r->series[i], r->slots[i], n, r->nodes, r->counts, r->sums};
	if (need == RUNS_NONE)
		return 1;
	if (need == RUNS_ALL)
		column_get_u32(&c, r->nodes, n);
	else
		column_skip(&c, n);
	column_get_u32(&c, r->counts, n);
	for (uint32_t k = 0; k < n; k++)
		r->counts[k]++;
	if (need == RUNS_COUNTS)
		return c.bad ? damaged(e, "runs") : 1;
	column_get_u64(&c, r->wide, n);
	if (c.bad || c.p != c.end)
		return damaged(e, "runs");
	for (uint32_t k = 0; k < n; k++) {
		node += r->nodes[k]; /* may wrap: the caller checks that the node exists */
		r->nodes[k] = node;
		r->sums[k] = multiply(unzigzag(r->wide[k]), r->unit);
	}
	return 1;
}

/* ---- all samples ---- */

/* The state of filling rows: the index of the next sample of each profile. */
struct placing {
	struct rows *rows;
	uint32_t *next, *end;
	struct arena *arena;
	uint32_t section_n;
	struct {
		uint32_t series, slot, first, end;
	} * sections;
	bool bad;
};

static int find_sections(struct placing *p)
{
	const struct rows *r = p->rows;

	p->sections = arena_alloc(p->arena, r->series.n, sizeof(*p->sections));
	if (!p->sections)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->series.n; i++) {
		uint32_t slot = section_slot(r->by_hour, r->time.at[i]), n = p->section_n;

		if (n && p->sections[n - 1].series == r->series.at[i] &&
		    p->sections[n - 1].slot == slot) {
			p->sections[n - 1].end = i + 1;
			continue;
		}
		p->sections[n].series = r->series.at[i];
		p->sections[n].slot = slot;
		p->sections[n].first = i;
		p->sections[n].end = i + 1;
		p->section_n++;
	}
	return 0;
}

/* Store a sample of profile `i`. Return its index, or UINT32_MAX if the profile has no more. */
static uint32_t place(struct placing *p, uint32_t i, uint32_t node, int64_t value)
{
	uint32_t at = p->next[i];

	if (at >= p->end[i]) {
		p->bad = true;
		return UINT32_MAX;
	}
	p->next[i] = at + 1;
	p->rows->node.at[at] = node;
	p->rows->value.at[at] = value;
	return at;
}

/* Store the samples of one section of runs. */
static void place_runs(struct placing *p, uint32_t s, const struct chunk_section *run,
		       const uint32_t *ordinals, const uint64_t *values, int64_t unit)
{
	for (uint32_t k = 0; k < run->n && !p->bad; k++) {
		uint32_t profile = p->sections[s].first;
		int64_t left = run->sums[k];

		for (uint32_t i = 0; i < run->counts[k] && !p->bad; i++) {
			bool last = i + 1 == run->counts[k];
			int64_t value = last ? left : multiply(unzigzag(*values), unit);

			values += !last;
			left = (int64_t)((uint64_t)left - (uint64_t)value);
			profile += *ordinals++;
			if (profile >= p->sections[s].end || profile < p->sections[s].first)
				p->bad = true;
			else
				place(p, profile, run->nodes[k], value);
		}
	}
}

static int place_unlinked(struct placing *p, const struct sample_parts *parts, struct err *e)
{
	struct column_cursor c = column_cursor(parts->detail);
	struct runs_reader r;
	struct chunk_section run;
	struct arena scratch;
	uint32_t s = 0;
	int rc = runs_begin(&r, parts->runs, parts->unpacker, p->arena, e);

	if (!rc && r.sections != p->section_n)
		rc = damaged(e, "runs");
	arena_init(&scratch, p->arena->budget);
	while (!rc && (rc = runs_next(&r, &run, RUNS_ALL, e)) > 0) {
		uint64_t samples = 0;
		uint32_t *ordinals;
		uint64_t *values;

		rc = 0;
		for (uint32_t k = 0; k < run.n; k++)
			samples += run.counts[k];
		if (p->sections[s].series != run.series || p->sections[s].slot != run.slot ||
		    samples > p->rows->node.n)
			rc = damaged(e, "runs");
		ordinals = rc ? NULL : column_new_u32(&c, &scratch, samples, &rc);
		values = rc ? NULL : column_new_u64(&c, &scratch, samples - run.n, &rc);
		if (!rc && (c.bad || p->bad))
			rc = damaged(e, "details");
		if (!rc)
			place_runs(p, s++, &run, ordinals, values, r.unit);
		arena_reset(&scratch);
	}
	arena_fini(&scratch);
	if (!rc && (c.p != c.end || p->bad))
		rc = damaged(e, "details");
	return rc;
}

/* ---- linked samples ---- */

struct linked_columns {
	uint32_t n, *counts, *nodes, *ordinals;
	uint64_t *values, *times, *back;
	int64_t unit;
};

static int get_links(struct placing *p, struct column_cursor *c)
{
	struct rows *r = p->rows;
	uint32_t n = column_count(c);

	if (n > column_left(c) / 9)
		c->bad = true;
	if (c->bad)
		return 0;
	r->links.at = arena_zalloc(p->arena, (size_t)n + 1, sizeof(*r->links.at));
	if (!r->links.at)
		return -ENOMEM;
	r->links.n = r->links.cap = n + 1;
	for (uint32_t i = 1; i <= n; i++) {
		const uint8_t *same = column_bytes(c, 1);
		const uint8_t *trace =
			same && !*same ? column_bytes(c, 16) : r->links.at[i - 1].trace_id;
		const uint8_t *span = column_bytes(c, 8);

		if (!span || !trace)
			return 0;
		memcpy(r->links.at[i].trace_id, trace, 16);
		memcpy(r->links.at[i].span_id, span, 8);
	}
	return 0;
}

/* Decode the columns of linked samples; times and links are in `links`, or follow in `c`. */
static int get_linked(struct placing *p, struct column_cursor *c, struct str links,
		      struct linked_columns *l)
{
	int rc = 0;

	l->n = column_count(c);
	if (column_varint(c) != p->section_n)
		c->bad = true;
	l->unit = (int64_t)column_varint(c);
	l->counts = column_new_u32(c, p->arena, p->section_n, &rc);
	l->nodes = column_new_u32(c, p->arena, l->n, &rc);
	l->ordinals = column_new_u32(c, p->arena, l->n, &rc);
	l->values = column_new_u64(c, p->arena, l->n, &rc);
	if (links.n && !c->bad && c->p == c->end)
		*c = column_cursor(links);
	l->times = column_new_u64(c, p->arena, l->n, &rc);
	l->back = column_new_u64(c, p->arena, l->n, &rc);
	if (!rc)
		rc = get_links(p, c);
	if (c->p != c->end || l->unit < 1)
		c->bad = true;
	return rc;
}

/* Store linked sample i. *links is the number of links that were new so far. */
static void place_linked(struct placing *p, const struct linked_columns *l, uint32_t i, uint32_t s,
			 uint32_t node, uint32_t *links)
{
	struct rows *r = p->rows;
	uint32_t link = 0, at, profile = p->sections[s].first + l->ordinals[i];

	if (l->back[i] == 1)
		link = ++*links;
	else if (l->back[i] > 1 && l->back[i] - 2 < *links)
		link = *links - (uint32_t)(l->back[i] - 2);
	else if (l->back[i])
		p->bad = true;
	if (profile < p->sections[s].first || profile >= p->sections[s].end || link >= r->links.n ||
	    p->bad) {
		p->bad = true;
		return;
	}
	at = place(p, profile, node, multiply(unzigzag(l->values[i]), l->unit));
	if (at == UINT32_MAX)
		return;
	r->link.at[at] = link;
	if (l->times[i])
		r->sample_time.at[at] = r->time.at[profile] + (uint64_t)unzigzag(l->times[i] - 1);
}

static int place_all_linked(struct placing *p, struct str linked, struct str in_links,
			    struct err *e)
{
	struct column_cursor c = column_cursor(linked);
	struct linked_columns l;
	struct rows *r = p->rows;
	uint32_t i = 0, links = 0;
	int rc = get_linked(p, &c, in_links, &l);

	if (rc)
		return err_errno(e, rc, "read samples");
	if (c.bad)
		return damaged(e, "linked samples");
	r->link.at = arena_zalloc(p->arena, r->node.n + 1, sizeof(*r->link.at));
	r->sample_time.at = arena_zalloc(p->arena, r->node.n + 1, sizeof(*r->sample_time.at));
	if (!r->link.at || !r->sample_time.at)
		return err_errno(e, -ENOMEM, "read samples");
	r->link.n = r->link.cap = r->sample_time.n = r->sample_time.cap = r->node.n;
	for (uint32_t s = 0; s < p->section_n && !p->bad; s++) {
		uint32_t node = 0;

		if (l.counts[s] > l.n - i)
			return damaged(e, "linked samples");
		for (uint32_t k = 0; k < l.counts[s] && !p->bad; k++, i++) {
			node += l.nodes[i];
			place_linked(p, &l, i, s, node, &links);
		}
	}
	return p->bad || i != l.n ? damaged(e, "linked samples") : 0;
}

/* Convert deltas to nodes, and indexes of profiles in a section to indexes of the points. */
static bool decode_linked(const struct placing *p, struct linked_samples *l, const uint32_t *counts,
			  int64_t unit)
{
	uint32_t i = 0;

	for (uint32_t s = 0; s < p->section_n; s++) {
		uint32_t node = 0, profiles = p->sections[s].end - p->sections[s].first;

		if (counts[s] > l->n - i)
			return false;
		for (uint32_t k = 0; k < counts[s]; k++, i++) {
			node += l->nodes[i];
			l->nodes[i] = node;
			if (l->profiles[i] >= profiles)
				return false;
			l->profiles[i] += p->sections[s].first;
			l->values[i] = multiply(unzigzag((uint64_t)l->values[i]), unit);
		}
	}
	return i == l->n;
}

int chunk_linked(struct linked_samples *out, struct rows *points, struct str linked,
		 struct arena *a, struct err *e)
{
	struct placing p = {.rows = points, .arena = a};
	struct column_cursor c = column_cursor(linked);
	uint32_t *counts;
	int64_t unit;
	int rc = find_sections(&p);

	*out = (struct linked_samples){0};
	if (rc)
		return err_errno(e, rc, "read samples");
	out->n = column_count(&c);
	if (column_varint(&c) != p.section_n)
		c.bad = true;
	unit = (int64_t)column_varint(&c);
	counts = column_new_u32(&c, a, p.section_n, &rc);
	out->nodes = column_new_u32(&c, a, out->n, &rc);
	out->profiles = column_new_u32(&c, a, out->n, &rc);
	out->values = (int64_t *)column_new_u64(&c, a, out->n, &rc);
	if (rc)
		return err_errno(e, rc, "read samples");
	return c.bad || unit < 1 || !decode_linked(&p, out, counts, unit)
		       ? damaged(e, "linked samples")
		       : 0;
}

/* ---- rows ---- */

/* Remove the gaps of samples that were not decoded. */
static void close_gaps(struct placing *p, const uint32_t *first)
{
	struct rows *r = p->rows;
	uint32_t to = 0;

	for (uint32_t i = 0; i < r->series.n; i++) {
		uint32_t n = p->next[i] - first[i];

		memmove(r->node.at + to, r->node.at + first[i], n * sizeof(*r->node.at));
		memmove(r->value.at + to, r->value.at + first[i], n * sizeof(*r->value.at));
		if (r->link.n) {
			memmove(r->link.at + to, r->link.at + first[i], n * sizeof(*r->link.at));
			memmove(r->sample_time.at + to, r->sample_time.at + first[i],
				n * sizeof(*r->sample_time.at));
		}
		r->count.at[i] = n;
		to += n;
	}
	r->node.n = r->value.n = to;
	if (r->link.n)
		r->link.n = r->sample_time.n = to;
}

/* Add up the counts. Return false if that many samples cannot be in `bytes` bytes. */
static bool count_samples(const struct rows *r, size_t bytes, uint64_t *samples)
{
	*samples = 0;
	for (uint32_t i = 0; i < r->count.n; i++)
		*samples += r->count.at[i];
	return *samples <= VEC_MAX && *samples <= bytes;
}

int chunk_samples(struct rows *out, const struct sample_parts *parts, struct arena *a,
		  struct err *e)
{
	struct placing p = {.rows = out, .arena = a};
	uint32_t *first = rows_offsets(out, a);
	uint64_t samples;
	bool some = !parts->runs.n; /* only linked samples are needed, or exist */
	int rc = first ? find_sections(&p) : -ENOMEM;

	if (!count_samples(out, some ? VEC_MAX : parts->detail.n + parts->linked.n, &samples))
		return damaged(e, "points");
	p.next = arena_alloc(a, out->series.n + 1, sizeof(*p.next));
	p.end = first ? first + 1 : NULL;
	out->node.at = arena_alloc(a, samples + 1, sizeof(*out->node.at));
	out->value.at = arena_alloc(a, samples + 1, sizeof(*out->value.at));
	if (rc || !p.next || !out->node.at || !out->value.at)
		return err_errno(e, -ENOMEM, "read samples");
	out->node.n = out->node.cap = out->value.n = out->value.cap = (uint32_t)samples;
	memcpy(p.next, first, out->series.n * sizeof(*first));
	if (parts->runs.n)
		rc = place_unlinked(&p, parts, e);
	if (!rc && parts->linked.n)
		rc = place_all_linked(&p, parts->linked, parts->links, e);
	for (uint32_t i = 0; !rc && !some && i < out->series.n; i++)
		if (p.next[i] != p.end[i])
			rc = damaged(e, "samples");
	if (!rc && some)
		close_gaps(&p, first);
	return rc;
}

bool chunk_filter_has(struct str filter, const uint8_t *id, size_t size)
{
	uint64_t hash = frame_sum(id, size);

	for (unsigned i = 0; i < FILTER_HASHES; i++) {
		uint64_t bit = filter.n ? filter_bit(hash, i, filter.n) : 0;

		if (!filter.n || !((uint8_t)filter.p[bit / 8] >> bit % 8 & 1))
			return false;
	}
	return true;
}
