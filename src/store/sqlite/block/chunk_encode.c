/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding chunks: sort profiles, sort samples by section and stack, write the columns (chunk.h).
 */
#include "store/sqlite/block/chunk_encode.h"

#include <stdlib.h>

#include "base/clock.h"
#include "store/sqlite/block/chunk.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/read/filter.h"
#include "store/store.h"

#define HOUR_NS (3600 * NS_PER_SECOND)

/*
 * With fewer profiles per section on average, most stacks would repeat in several sections: then
 * sections are of the whole hour.
 */
enum { PROFILES_FEW = 4 };

/* Smaller pieces compress worse; larger ones make a query of few sections decompress more. */
enum { RUNS_PIECE = 8 << 10, RUNS_ZSTD = 1 };

struct section {
	uint32_t series, slot;
	uint32_t first, end; /* range of profiles, in the new order */
};

struct encode {
	const struct rows *rows;
	struct arena arena;
	uint64_t hour_start, slots;
	bool by_hour;	 /* sections are of the hour */
	uint32_t *order; /* old index of each profile, in the new order */
	uint32_t *at;	 /* by old profile: index of its first sample */
	struct section *sections;
	uint32_t section_n;
	int64_t value_unit;
	/* Samples in the new order. */
	uint32_t plain_n, linked_n;
	uint32_t *plain, *plain_profile, *linked, *linked_profile; /* old sample, new profile */
	uint32_t *plain_at, *linked_at; /* first of each section, and the end */
};

void chunk_parts_fini(struct chunk_parts *p)
{
	buf_fini(&p->points);
	buf_fini(&p->runs);
	buf_fini(&p->detail);
	buf_fini(&p->detail_ends);
	buf_fini(&p->linked);
	buf_fini(&p->links);
	buf_fini(&p->filter);
	*p = (struct chunk_parts){0};
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* ---- order ---- */

struct profile_sort_key {
	uint32_t series, old;
	uint64_t time;
};

static int compare_profile_keys(const void *a, const void *b)
{
	const struct profile_sort_key *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->old < y->old ? -1 : x->old > y->old;
}

static void make_sections(struct encode *x, const struct profile_sort_key *keys, uint32_t n)
{
	x->section_n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct section s = {keys[i].series, section_slot(x->by_hour, keys[i].time), i,
				    i + 1};
		struct section *last = x->section_n ? &x->sections[x->section_n - 1] : NULL;

		if (last && last->series == s.series && last->slot == s.slot)
			last->end = i + 1;
		else
			x->sections[x->section_n++] = s;
	}
}

static int order_profiles(struct encode *x)
{
	const struct rows *r = x->rows;
	uint32_t n = r->series.n;
	struct profile_sort_key *keys = arena_alloc(&x->arena, n, sizeof(*keys));

	x->order = arena_alloc(&x->arena, n, sizeof(*x->order));
	x->sections = arena_alloc(&x->arena, n, sizeof(*x->sections));
	x->at = rows_offsets(r, &x->arena);
	if (!keys || !x->order || !x->sections || !x->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		keys[i] = (struct profile_sort_key){r->series.at[i], i, r->time.at[i]};
	qsort(keys, n, sizeof(*keys), compare_profile_keys);
	for (uint32_t i = 0; i < n; i++) {
		x->order[i] = keys[i].old;
		x->slots |= (uint64_t)1 << section_slot(false, keys[i].time);
	}
	make_sections(x, keys, n);
	x->by_hour = n < x->section_n * PROFILES_FEW;
	if (x->by_hour)
		make_sections(x, keys, n);
	return 0;
}

static bool is_linked(const struct rows *r, uint32_t sample)
{
	return (r->link.n && r->link.at[sample]) || (r->sample_time.n && r->sample_time.at[sample]);
}

/* One pass of a stable radix sort by a byte of the node. */
static void radix_pass(const uint32_t *node, const uint32_t *from, const uint32_t *from_profile,
		       uint32_t *to, uint32_t *to_profile, uint32_t n, unsigned shift)
{
	uint32_t at[256] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		at[node[from[i]] >> shift & 0xff]++;
	for (unsigned b = 0; b < 256; b++) {
		uint32_t count = at[b];

		at[b] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = at[node[from[i]] >> shift & 0xff]++;

		to[place] = from[i];
		to_profile[place] = from_profile[i];
	}
}

/* Sort the samples of one section by stack; those of one stack stay in the order of profiles. */
static void sort_section(struct encode *x, uint32_t *samples, uint32_t *profiles, uint32_t n,
			 uint32_t *spare, uint32_t *spare_profiles)
{
	const uint32_t *node = x->rows->node.at;
	uint32_t all = 0;
	bool swapped = false;

	for (uint32_t i = 0; i < n; i++)
		all |= node[samples[i]];
	for (unsigned shift = 0; shift < 32 && all >> shift; shift += 8) {
		if (swapped)
			radix_pass(node, spare, spare_profiles, samples, profiles, n, shift);
		else
			radix_pass(node, samples, profiles, spare, spare_profiles, n, shift);
		swapped = !swapped;
	}
	if (swapped) {
		memcpy(samples, spare, n * sizeof(*samples));
		memcpy(profiles, spare_profiles, n * sizeof(*profiles));
	}
}

static int alloc_samples(struct encode *x)
{
	uint32_t **arrays[] = {&x->plain, &x->plain_profile, &x->linked, &x->linked_profile};

	for (size_t i = 0; i < countof(arrays); i++) {
		*arrays[i] = arena_alloc(&x->arena, x->rows->node.n + 1, sizeof(uint32_t));
		if (!*arrays[i])
			return -ENOMEM;
	}
	x->plain_at = arena_alloc(&x->arena, x->section_n + 1, sizeof(uint32_t));
	x->linked_at = arena_alloc(&x->arena, x->section_n + 1, sizeof(uint32_t));
	return x->plain_at && x->linked_at ? 0 : -ENOMEM;
}

static void append_section(struct encode *x, const struct section *s)
{
	const struct rows *r = x->rows;

	for (uint32_t p = s->first; p < s->end; p++) {
		uint32_t old = x->order[p];

		for (uint32_t i = x->at[old]; i < x->at[old + 1]; i++) {
			if (is_linked(r, i)) {
				x->linked[x->linked_n] = i;
				x->linked_profile[x->linked_n++] = p;
			} else {
				x->plain[x->plain_n] = i;
				x->plain_profile[x->plain_n++] = p;
			}
		}
	}
}

static int order_samples(struct encode *x)
{
	uint32_t *spare = arena_alloc(&x->arena, x->rows->node.n + 1, sizeof(*spare));
	uint32_t *spare_profiles = arena_alloc(&x->arena, x->rows->node.n + 1, sizeof(*spare));
	int rc = spare && spare_profiles ? alloc_samples(x) : -ENOMEM;

	for (uint32_t s = 0; !rc && s < x->section_n; s++) {
		uint32_t plain = x->plain_at[s] = x->plain_n;
		uint32_t linked = x->linked_at[s] = x->linked_n;

		append_section(x, &x->sections[s]);
		sort_section(x, x->plain + plain, x->plain_profile + plain, x->plain_n - plain,
			     spare, spare_profiles);
		sort_section(x, x->linked + linked, x->linked_profile + linked,
			     x->linked_n - linked, spare, spare_profiles);
	}
	if (!rc) {
		x->plain_at[x->section_n] = x->plain_n;
		x->linked_at[x->section_n] = x->linked_n;
	}
	return rc;
}

/* ---- points ---- */

static void find_value_unit(struct encode *x)
{
	uint64_t unit = 0;

	for (uint32_t i = 0; i < x->rows->value.n && unit != 1; i++)
		unit = gcd(magnitude(x->rows->value.at[i]), unit);
	x->value_unit = unit && unit <= INT64_MAX ? (int64_t)unit : 1;
}

static uint64_t time_unit(const struct encode *x)
{
	uint64_t unit = 0;

	for (uint32_t i = 0; i < x->rows->time.n && unit != 1; i++)
		unit = gcd(x->rows->time.at[i] - x->hour_start, unit);
	return unit ? unit : 1;
}

static int put_points(struct encode *x, struct buf *out)
{
	const struct rows *r = x->rows;
	uint32_t n = r->series.n, *narrow = arena_alloc(&x->arena, n, sizeof(*narrow));
	uint64_t *wide = arena_alloc(&x->arena, n, sizeof(*wide)), unit = time_unit(x);

	if (!narrow || !wide)
		return -ENOMEM;
	column_put_varint(out, n);
	column_put_varint(out,
			  (r->ids.n ? POINTS_HAVE_IDS : 0) | (x->by_hour ? POINTS_BY_HOUR : 0));
	column_put_varint(out, unit);
	column_put_varint(out, (uint64_t)x->value_unit);
	for (uint32_t i = 0, before = 0; i < n; i++) { /* series ascend */
		narrow[i] = r->series.at[x->order[i]] - before;
		before += narrow[i];
	}
	column_put_u32(out, narrow, n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t t = (r->time.at[x->order[i]] - x->hour_start) / unit;
		uint64_t before =
			i && !narrow[i] ? (r->time.at[x->order[i - 1]] - x->hour_start) / unit : 0;

		wide[i] = t - before; /* times of a series ascend */
	}
	column_put_u64(out, wide, n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t before = i ? r->duration.at[x->order[i - 1]] : 0;

		wide[i] = zigzag((int64_t)(r->duration.at[x->order[i]] - before));
	}
	column_put_u64(out, wide, n);
	/* a total that wrapped may not be a multiple of the unit: it is stored as it is */
	for (uint32_t i = 0; i < n; i++) {
		int64_t total = r->total.at[x->order[i]];

		wide[i] = total % x->value_unit ? 0 : zigzag(total / x->value_unit) + 1;
	}
	column_put_u64(out, wide, n);
	for (uint32_t i = 0; i < n; i++)
		if (!wide[i])
			column_put_varint(out, (uint64_t)r->total.at[x->order[i]]);
	for (uint32_t i = 0; i < n; i++)
		narrow[i] = r->count.at[x->order[i]];
	column_put_u32(out, narrow, n);
	for (uint32_t i = 0; r->ids.n && i < n; i++) {
		size_t at = (size_t)x->order[i] * PROFILE_ID_SIZE;
		static const uint8_t none[PROFILE_ID_SIZE];

		buf_put(out, at < r->ids.n ? r->ids.at + at : none, PROFILE_ID_SIZE);
	}
	return buf_error(out);
}

/* ---- runs and detail ---- */

struct run_columns {
	uint32_t *nodes, *counts, *ordinals;
	uint64_t *sums, *values;
	uint32_t n, samples, value_n;
};

static void section_runs(struct encode *x, uint32_t s, struct run_columns *c)
{
	const struct rows *r = x->rows;
	uint32_t before = 0;

	c->n = c->samples = c->value_n = 0;
	for (uint32_t i = x->plain_at[s]; i < x->plain_at[s + 1];) {
		uint32_t node = r->node.at[x->plain[i]], count = 0;
		uint32_t ordinal = x->sections[s].first;
		uint64_t sum = 0;

		for (; i < x->plain_at[s + 1] && r->node.at[x->plain[i]] == node; i++, count++) {
			int64_t value = r->value.at[x->plain[i]] / x->value_unit;
			bool last =
				i + 1 == x->plain_at[s + 1] || r->node.at[x->plain[i + 1]] != node;

			sum += (uint64_t)value;
			c->ordinals[c->samples++] = x->plain_profile[i] - ordinal;
			ordinal = x->plain_profile[i];
			if (!last)
				c->values[c->value_n++] = zigzag(value);
		}
		c->nodes[c->n] = node - before;
		c->counts[c->n] = count - 1;
		c->sums[c->n++] = zigzag((int64_t)sum);
		before = node;
	}
}

static int alloc_runs(struct encode *x, struct run_columns *c)
{
	uint32_t most = 1;

	for (uint32_t s = 0; s < x->section_n; s++)
		if (x->plain_at[s + 1] - x->plain_at[s] > most)
			most = x->plain_at[s + 1] - x->plain_at[s];
	*c = (struct run_columns){.nodes = arena_alloc(&x->arena, most, sizeof(uint32_t)),
				  .counts = arena_alloc(&x->arena, most, sizeof(uint32_t)),
				  .ordinals = arena_alloc(&x->arena, most, sizeof(uint32_t)),
				  .sums = arena_alloc(&x->arena, most, sizeof(uint64_t)),
				  .values = arena_alloc(&x->arena, most, sizeof(uint64_t))};
	return c->nodes && c->counts && c->ordinals && c->sums && c->values ? 0 : -ENOMEM;
}

/* Pieces that are compressed independently. */
struct pieces {
	struct frame_packer packer;
	struct buf packed;
	uint32_t *sizes, *packed_sizes;
	uint32_t n;
};

static int pack_piece(struct pieces *p, const struct frame_columns *c, size_t from, size_t to)
{
	size_t before = p->packed.n;
	int rc = frame_pack_piece(&p->packer, &p->packed, RUNS_ZSTD, c, from, to);

	p->sizes[p->n] = (uint32_t)(to - from);
	p->packed_sizes[p->n++] = (uint32_t)(p->packed.n - before);
	return rc;
}

/* Write the head as the first piece, then whole sections of at least RUNS_PIECE bytes each. */
static int put_pieces(struct encode *x, struct buf *out, struct str head,
		      const struct frame_columns *body, const uint32_t *sizes)
{
	struct pieces p = {.sizes = arena_alloc(&x->arena, x->section_n + 1, sizeof(uint32_t)),
			   .packed_sizes =
				   arena_alloc(&x->arena, x->section_n + 1, sizeof(uint32_t))};
	struct frame_columns rest = *body; /* without the ends before `from` */
	size_t from = 0, to;
	int rc = p.sizes && p.packed_sizes
			 ? pack_piece(&p, &(struct frame_columns){head}, 0, head.n)
			 : -ENOMEM;

	for (uint32_t s = 0; !rc && s < x->section_n; from = to) {
		for (to = from; s < x->section_n && to - from < RUNS_PIECE; s++)
			to += sizes[s];
		for (; rest.n && *rest.ends <= from; rest.n--)
			rest.ends++;
		rc = pack_piece(&p, &rest, from, to);
	}
	if (!rc) {
		column_put_varint(out, 0); /* 0 sections: pieces follow */
		column_put_varint(out, p.n);
		column_put_u32(out, p.sizes, p.n);
		column_put_u32(out, p.packed_sizes, p.n);
		buf_put_str(out, buf_str(&p.packed));
	}
	frame_packer_fini(&p.packer);
	buf_fini(&p.packed);
	return rc;
}

static int put_runs(struct encode *x, struct chunk_parts *out)
{
	uint32_t n = x->section_n, *narrow = arena_alloc(&x->arena, n, sizeof(*narrow));
	uint32_t *sizes = arena_alloc(&x->arena, n, sizeof(*sizes));
	uint32_t *run_n = arena_alloc(&x->arena, n, sizeof(*run_n));
	struct run_columns c;
	struct buf head = {0}, body = {0}, ends = {0};
	int rc = narrow && sizes && run_n ? alloc_runs(x, &c) : -ENOMEM;

	for (uint32_t s = 0; !rc && s < n; s++) {
		size_t before = body.n;

		section_runs(x, s, &c);
		column_put_u32(&body, c.nodes, c.n);
		column_end(&ends, &body);
		column_put_u32(&body, c.counts, c.n);
		column_end(&ends, &body);
		column_put_u64(&body, c.sums, c.n);
		column_end(&ends, &body);
		column_put_u32(&out->detail, c.ordinals, c.samples);
		column_end(&out->detail_ends, &out->detail);
		column_put_u64(&out->detail, c.values, c.value_n);
		column_end(&out->detail_ends, &out->detail);
		sizes[s] = (uint32_t)(body.n - before);
		run_n[s] = c.n;
	}
	if (!rc) {
		column_put_varint(&head, n);
		column_put_varint(&head, (uint64_t)x->value_unit);
		for (uint32_t s = 0; s < n; s++)
			narrow[s] = x->sections[s].series - (s ? x->sections[s - 1].series : 0);
		column_put_u32(&head, narrow, n);
		for (uint32_t s = 0; s < n; s++)
			narrow[s] = x->sections[s].slot;
		column_put_u32(&head, narrow, n);
		column_put_u32(&head, run_n, n);
		column_put_u32(&head, sizes, n);
		rc = buf_error(&head)	? buf_error(&head)
		     : buf_error(&body) ? buf_error(&body)
					: buf_error(&ends);
	}
	out->runs_packed = n > 1 && body.n >= 2 * RUNS_PIECE;
	if (!rc && out->runs_packed)
		rc = put_pieces(x, &out->runs, buf_str(&head),
				&(struct frame_columns){.bytes = buf_str(&body),
							.ends = (const uint32_t *)ends.p,
							.n = ends.n / sizeof(uint32_t)},
				sizes);
	if (!rc && !out->runs_packed) {
		buf_put_str(&out->runs, buf_str(&head));
		buf_put_str(&out->runs, buf_str(&body));
	}
	buf_fini(&head);
	buf_fini(&body);
	buf_fini(&ends);
	if (!rc)
		rc = buf_error(&out->runs) ? buf_error(&out->runs) : buf_error(&out->detail);
	return rc ? rc : buf_error(&out->detail_ends);
}

/* ---- linked ---- */

/*
 * Links in the order of their first use, and for each sample a reference: 0 for none, 1 for the
 * next new link, else 2 + the number of links that were new after the one it refers to. If every
 * sample has a link of its own, all references are 1.
 */
struct link_columns {
	uint32_t *of_link; /* by index of rows.links: order of first use + 1 */
	uint32_t *used;	   /* indexes of rows.links, in the order of first use */
	uint32_t n;
	uint64_t *back; /* the reference of each sample */
};

static int order_links(struct encode *x, struct link_columns *c)
{
	const struct rows *r = x->rows;

	*c = (struct link_columns){
		.of_link = arena_zalloc(&x->arena, r->links.n + 1, sizeof(uint32_t)),
		.used = arena_alloc(&x->arena, r->links.n + 1, sizeof(uint32_t)),
		.back = arena_alloc(&x->arena, x->linked_n + 1, sizeof(uint64_t))};
	if (!c->of_link || !c->used || !c->back)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->linked_n; i++) {
		uint32_t link = r->link.n ? r->link.at[x->linked[i]] : 0;

		c->back[i] = !link ? 0 : !c->of_link[link] ? 1 : 2 + c->n - c->of_link[link];
		if (c->back[i] == 1) {
			c->used[c->n++] = link;
			c->of_link[link] = c->n;
		}
	}
	return 0;
}

/* Write the links. A flag tells that the trace id is that of the link before, which is common. */
static void put_links(struct encode *x, const struct link_columns *c, struct buf *out)
{
	const struct link *links = x->rows->links.at, *before = NULL;

	column_put_varint(out, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct link *l = &links[c->used[i]];
		bool same = before && memcmp(before->trace_id, l->trace_id, 16) == 0;

		buf_put_char(out, same);
		if (!same)
			buf_put(out, l->trace_id, sizeof(l->trace_id));
		buf_put(out, l->span_id, sizeof(l->span_id));
		before = l;
	}
}

static int put_filter(struct encode *x, const struct link_columns *c, struct buf *out)
{
	struct filter f;
	int rc = filter_init(&f, 2 * (size_t)c->n, &x->arena);

	for (uint32_t i = 0; !rc && i < c->n; i++) {
		const struct link *l = &x->rows->links.at[c->used[i]];

		filter_add(&f, l->span_id, sizeof(l->span_id));
		filter_add(&f, l->trace_id, sizeof(l->trace_id));
	}
	if (!rc)
		buf_put(out, f.bits, f.bytes);
	return rc ? rc : buf_error(out);
}

/* Write the stacks, profiles and values of the linked samples, a column each over all sections. */
static void put_linked_columns(struct encode *x, uint32_t *narrow, uint64_t *wide, struct buf *out)
{
	const struct rows *r = x->rows;

	for (uint32_t s = 0; s < x->section_n; s++)
		for (uint32_t i = x->linked_at[s]; i < x->linked_at[s + 1]; i++)
			narrow[i] = r->node.at[x->linked[i]] -
				    (i > x->linked_at[s] ? r->node.at[x->linked[i - 1]] : 0);
	column_put_u32(out, narrow, x->linked_n);
	for (uint32_t s = 0; s < x->section_n; s++)
		for (uint32_t i = x->linked_at[s]; i < x->linked_at[s + 1]; i++)
			narrow[i] = x->linked_profile[i] - x->sections[s].first;
	column_put_u32(out, narrow, x->linked_n);
	for (uint32_t i = 0; i < x->linked_n; i++)
		wide[i] = zigzag(r->value.at[x->linked[i]] / x->value_unit);
	column_put_u64(out, wide, x->linked_n);
}

static void put_times(struct encode *x, uint64_t *wide, struct buf *out)
{
	const struct rows *r = x->rows;

	for (uint32_t i = 0; i < x->linked_n; i++) {
		uint64_t time = r->sample_time.n ? r->sample_time.at[x->linked[i]] : 0;
		uint64_t base = r->time.at[x->order[x->linked_profile[i]]];

		wide[i] = time ? zigzag((int64_t)(time - base)) + 1 : 0;
		if (time && !wide[i]) /* one distance overflows; no real time has it */
			wide[i] = 1;
	}
	column_put_u64(out, wide, x->linked_n);
}

static int put_linked(struct encode *x, struct buf *out, struct buf *out_links, struct buf *filter)
{
	uint32_t n = x->linked_n;
	uint32_t *narrow = arena_alloc(&x->arena, n + x->section_n, sizeof(*narrow));
	uint64_t *wide = arena_alloc(&x->arena, n, sizeof(*wide));
	struct link_columns links;
	int rc = narrow && wide ? order_links(x, &links) : -ENOMEM;

	if (rc || !n)
		return rc;
	column_put_varint(out, n);
	column_put_varint(out, x->section_n);
	column_put_varint(out, (uint64_t)x->value_unit);
	for (uint32_t s = 0; s < x->section_n; s++)
		narrow[s] = x->linked_at[s + 1] - x->linked_at[s];
	column_put_u32(out, narrow, x->section_n);
	put_linked_columns(x, narrow, wide, out);
	put_times(x, wide, out_links);
	column_put_u64(out_links, links.back, n);
	put_links(x, &links, out_links);
	rc = links.n ? put_filter(x, &links, filter) : 0;
	return rc ? rc : buf_error(out) ? buf_error(out) : buf_error(out_links);
}

int chunk_encode(struct chunk_parts *out, const struct rows *r, uint64_t hour)
{
	struct encode x = {.rows = r, .hour_start = hour * HOUR_NS};
	int rc;

	arena_init(&x.arena, NULL);
	rc = order_profiles(&x);
	if (!rc)
		rc = order_samples(&x);
	if (!rc) {
		find_value_unit(&x);
		rc = put_points(&x, &out->points);
	}
	if (!rc && x.plain_n)
		rc = put_runs(&x, out);
	if (!rc)
		rc = put_linked(&x, &out->linked, &out->links, &out->filter);
	out->slots = x.slots;
	arena_fini(&x.arena);
	return rc;
}
