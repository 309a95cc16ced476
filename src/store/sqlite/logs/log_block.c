/* SPDX-License-Identifier: Apache-2.0 */
/* Merged blocks: sorting, the index, and the filter. */
#include "store/sqlite/logs/log_block.h"

#include <stdlib.h>

#include "base/clock.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/logs/log_list.h"

enum { INDEX_ZSTD = 1, LINE = 64, KEY_BITS = 10, KEY_HASHES = 6, MINUTES = 60 };

/* ---- sorting ---- */

struct numbered_stream {
	struct str encoded;
	uint32_t number;
};

static int compare_streams(const void *a, const void *b)
{
	const struct numbered_stream *x = a, *y = b;

	return str_cmp(x->encoded, y->encoded);
}

static int compare_logs(const void *a, const void *b)
{
	const struct kept_log *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Merge two sorted runs of `from` into `to`. */
static void merge_runs(struct kept_log *to, const struct kept_log *from, size_t a, size_t b,
		       size_t end)
{
	for (size_t i = a, k = b, n = a; n < end; n++)
		to[n] = k >= end || (i < b && compare_logs(&from[i], &from[k]) <= 0) ? from[i++]
										     : from[k++];
}

/* Sort, stable. Records arrive nearly sorted within streams, so existing runs are used. */
static int sort_logs(struct log_rows *r, struct arena *a)
{
	struct kept_log *from = r->logs.at, *to;
	size_t n = r->logs.n, first = 0;
	VEC(uint32_t) streams = {0};
	int rc = 0;

	if (!n)
		return 0;
	to = arena_alloc(a, n + 1, sizeof(*to));
	if (!to)
		return -ENOMEM;
	/* by stream, by counting */
	rc = vec_reserve(a, &streams, r->streams.n + 1);
	if (rc)
		return rc;
	memset(streams.at, 0, (r->streams.n + (size_t)1) * sizeof(*streams.at));
	for (size_t i = 0; i < n; i++)
		streams.at[from[i].stream + 1]++;
	for (uint32_t i = 0; i < r->streams.n; i++)
		streams.at[i + 1] += streams.at[i];
	for (size_t i = 0; i < n; i++)
		to[streams.at[from[i].stream]++] = from[i];
	memcpy(from, to, n * sizeof(*to));
	/* then each stream by time, if it is not sorted already */
	for (size_t i = 1; i <= n; i++) {
		size_t count = i - first;
		bool sorted = true;

		if (i < n && from[i].stream == from[first].stream)
			continue;
		for (size_t k = first + 1; sorted && k < i; k++)
			sorted = from[k - 1].time <= from[k].time;
		for (size_t width = 1; !sorted && width < count; width *= 2) {
			for (size_t at = first; at < i; at += 2 * width) {
				size_t middle = min_size(at + width, i);

				merge_runs(to, from, at, middle, min_size(at + 2 * width, i));
			}
			memcpy(from + first, to + first, count * sizeof(*to));
		}
		first = i;
	}
	return 0;
}

int log_rows_sort(struct log_rows *r, struct arena *a)
{
	struct numbered_stream *streams = arena_alloc(a, r->streams.n + 1, sizeof(*streams));
	uint32_t *numbers = arena_alloc(a, r->streams.n + 1, sizeof(*numbers));

	if (!streams || !numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->streams.n; i++)
		streams[i] = (struct numbered_stream){r->streams.at[i], i};
	if (r->streams.n)
		qsort(streams, r->streams.n, sizeof(*streams), compare_streams);
	for (uint32_t i = 0; i < r->streams.n; i++) {
		numbers[streams[i].number] = i;
		r->streams.at[i] = streams[i].encoded;
	}
	for (uint32_t i = 0; i < r->logs.n; i++)
		r->logs.at[i].stream = numbers[r->logs.at[i].stream];
	r->index = (struct idset){0}; /* of the old numbers */
	return sort_logs(r, a);
}

/* ---- the filter ---- */

/* Return the key of a hash in a page. */
static inline uint64_t key_of(uint64_t hash, uint32_t page)
{
	uint64_t x = hash + (page + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static inline uint64_t line_of(uint64_t key, size_t lines)
{
	return (key >> 32) * lines >> 32;
}

/* The bits of a key in its line, nine bits of the hash each. */
static inline unsigned bit_of(uint64_t key, unsigned i)
{
	return (unsigned)((key * 0x9e3779b97f4a7c15u) >> (9 * i) & 511);
}

bool log_shard_has(struct str shard, uint64_t hash, uint32_t page)
{
	uint64_t key = key_of(hash, page);
	const uint8_t *line;

	if (shard.n < LINE)
		return false;
	line = (const uint8_t *)shard.p + line_of(key, shard.n / LINE) * LINE;
	for (unsigned i = 0; i < KEY_HASHES; i++)
		if (!(line[bit_of(key, i) / 8] >> bit_of(key, i) % 8 & 1))
			return false;
	return true;
}

static void add_key(uint8_t *bits, size_t lines, uint64_t key)
{
	uint8_t *line = bits + line_of(key, lines) * LINE;

	for (unsigned i = 0; i < KEY_HASHES; i++)
		line[bit_of(key, i) / 8] =
			(uint8_t)(line[bit_of(key, i) / 8] | 1u << bit_of(key, i) % 8);
}

/* The pages' hashes, one after the other. */
struct block_hashes {
	struct log_hashes all;
	VEC(uint32_t) ends; /* of each page */
};

static int put_shard(struct log_block_frames *out, const struct block_hashes *h, uint32_t shard,
		     uint32_t shards, size_t keys, struct arena *a)
{
	size_t lines = (keys * KEY_BITS + LINE * 8 - 1) / (LINE * 8);
	uint8_t *bits = arena_zalloc(a, lines + 1, LINE);
	uint32_t page = 0;
	uint64_t end;
	int rc;

	if (!bits)
		return -ENOMEM;
	for (uint32_t i = 0; lines && i < h->all.list.n; i++) {
		while (i >= h->ends.at[page])
			page++;
		if (log_shard_of(h->all.list.at[i], shards) == shard)
			add_key(bits, lines, key_of(h->all.list.at[i], page));
	}
	rc = frame_put(&out->frames, FRAME_LOG_FILTER, 0, str_of((const char *)bits, lines * LINE));
	end = out->frames.n;
	buf_put(&out->ends, &end, sizeof(end));
	return rc;
}

static int put_filter(struct log_block_frames *out, const struct block_hashes *h, struct arena *a)
{
	size_t keys[LOG_SHARDS] = {0};
	int rc = 0;

	out->shards = h->all.list.n < LOG_SHARD_KEYS_MIN ? 1 : LOG_SHARDS;
	for (uint32_t i = 0; i < h->all.list.n; i++)
		keys[log_shard_of(h->all.list.at[i], out->shards)]++;
	for (uint32_t i = 0; !rc && i < out->shards; i++)
		rc = put_shard(out, h, i, out->shards, keys[i], a);
	return rc;
}

/* ---- encoding ---- */

/* Append the counts of a segment: rows [first, first + n) of the page. */
static void put_counts(struct buf *out, const struct kept_log *logs, const uint32_t *severities,
		       uint32_t n, uint64_t hour)
{
	uint32_t counts[MINUTES * 8] = {0}, kinds = 0, last = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t minute = (logs[i].time - hour) / (60 * NS_PER_SECOND);

		counts[minute % MINUTES * 8 + severity_class_of(severities[i])]++;
	}
	for (uint32_t i = 0; i < countof(counts); i++)
		kinds += counts[i] != 0;
	column_put_varint(out, kinds);
	for (uint32_t i = 0; i < countof(counts); i++) {
		if (!counts[i])
			continue;
		column_put_varint(out, i - last);
		column_put_varint(out, counts[i]);
		last = i;
	}
}

static void put_page_entry(struct buf *out, const struct log_page_packer *p,
			   const struct kept_log *logs, uint64_t hour)
{
	uint32_t row = 0;

	column_put_varint(out, p->segment_n);
	for (uint32_t i = 0; i < p->segment_n; i++) {
		const struct log_segment *s = &p->segments[i];

		column_put_varint(out, s->stream);
		column_put_varint(out, s->n);
		column_put_varint(out, s->first - hour);
		column_put_varint(out, s->last - s->first);
		put_counts(out, logs + row, p->severities + row, s->n, hour);
		row += s->n;
	}
}

/* The parts of a block while it is made. */
struct block_bytes {
	struct buf index, pages;
};

static int put_pages(struct log_block_frames *out, struct log_page_packer *p,
		     const struct kept_log *logs, uint32_t n, uint64_t hour,
		     struct block_hashes *hashes, struct block_bytes *bytes)
{
	struct buf page = {0}, entries = {0};
	int rc = 0;

	for (uint32_t at = 0, count; !rc && at < n; at += count, out->pages++) {
		uint64_t end;

		count = log_page_cut(logs + at, n - at);
		buf_clear(&page);
		if (hashes->all.recent) /* duplicates of the last page are none */
			memset(hashes->all.recent, 0, LOG_RECENT_BYTES);
		rc = log_page_put(p, &page, logs + at, count, &hashes->all);
		if (!rc)
			rc = vec_push(hashes->all.arena, &hashes->ends, hashes->all.list.n);
		if (!rc)
			rc = frame_put(&bytes->pages, FRAME_LOG_PAGE, 0, buf_str(&page));
		end = bytes->pages.n;
		buf_put(&out->ends, &end, sizeof(end)); /* moved by the index later */
		put_page_entry(&entries, p, logs + at, hour);
	}
	column_put_varint(&bytes->index, out->pages);
	buf_put_str(&bytes->index, buf_str(&entries));
	if (!rc)
		rc = buf_error(&entries) || out->pages > LOG_PAGES_MAX ? -ENOMEM : 0;
	buf_fini(&page);
	buf_fini(&entries);
	return rc;
}

/* Put the frame of the index before those of the pages. */
static int put_frames(struct log_block_frames *out, const struct block_bytes *bytes)
{
	uint64_t first, end;
	int rc = frame_put(&out->frames, FRAME_LOG_INDEX, INDEX_ZSTD, buf_str(&bytes->index));

	if (rc || buf_error(&out->ends))
		return rc ? rc : -ENOMEM;
	first = out->frames.n;
	memcpy(out->ends.p, &first, sizeof(first));
	for (uint32_t i = 1; i <= out->pages; i++) {
		memcpy(&end, out->ends.p + i * sizeof(end), sizeof(end));
		end += first;
		memcpy(out->ends.p + i * sizeof(end), &end, sizeof(end));
	}
	buf_put_str(&out->frames, buf_str(&bytes->pages));
	return buf_error(&out->frames);
}

int log_block_put(struct log_block_frames *out, struct log_page_packer *p, const struct log_rows *r,
		  uint32_t first, uint32_t n, uint64_t hour)
{
	struct block_bytes bytes = {0};
	struct arena arena;
	struct block_hashes hashes = {.all = {.arena = &arena}};
	uint64_t zero = 0;
	int rc;

	arena_init(&arena, NULL);
	column_put_varint(&bytes.index, r->streams.n);
	for (uint32_t i = 0; i < r->streams.n; i++)
		column_put_str(&bytes.index, r->streams.at[i]);
	buf_put(&out->ends, &zero, sizeof(zero)); /* of the index */
	rc = put_pages(out, p, r->logs.at + first, n, hour, &hashes, &bytes);
	if (!rc)
		rc = buf_error(&bytes.index) || buf_error(&bytes.pages) ? -ENOMEM : 0;
	if (!rc)
		rc = put_frames(out, &bytes);
	if (!rc)
		rc = put_filter(out, &hashes, &arena);
	buf_fini(&bytes.index);
	buf_fini(&bytes.pages);
	arena_fini(&arena);
	return rc;
}

/* ---- decoding ---- */

static int get_streams(struct log_index *x, struct column_cursor *c, struct arena *a)
{
	x->stream_n = column_count(c);
	if (c->bad || x->stream_n > LOG_STREAMS_MAX)
		return -EUCLEAN;
	x->streams = arena_alloc(a, x->stream_n + (size_t)1, sizeof(*x->streams));
	if (!x->streams)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->stream_n; i++)
		x->streams[i] = column_str(c);
	return c->bad ? -EUCLEAN : 0;
}

struct index_lists {
	VEC(struct log_segment) segments;
	VEC(struct log_count) counts;
	VEC(uint32_t) counts_at;
};

static int get_counts(struct index_lists *l, struct column_cursor *c, uint32_t logs,
		      struct arena *a)
{
	uint64_t n = column_varint(c), at = 0, sum = 0;
	int rc = n <= MINUTES * 8 ? vec_reserve(a, &l->counts, n) : -EUCLEAN;

	for (uint64_t i = 0; !rc && i < n; i++) {
		uint64_t count;

		at += min_size(column_varint(c), MINUTES * 8);
		count = column_varint(c);
		sum += min_size(count, UINT32_MAX);
		if (at >= MINUTES * 8 || at % 8 >= SEVERITY_CLASSES || sum > logs)
			return -EUCLEAN;
		l->counts.at[l->counts.n++] =
			(struct log_count){(uint16_t)(at / 8), (uint8_t)(at % 8), (uint32_t)count};
	}
	return rc ? rc : sum == logs ? 0 : -EUCLEAN;
}

static int get_page_entry(struct log_index *x, struct log_page_entry *page, struct index_lists *l,
			  struct column_cursor *c, uint64_t hour, struct arena *a)
{
	uint32_t n = column_count(c);
	int rc = !c->bad && n <= LOG_SEGMENTS_MAX ? 0 : -EUCLEAN;

	*page = (struct log_page_entry){l->segments.n, n, 0};
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct log_segment s;
		uint64_t stream = column_varint(c), logs = column_varint(c);

		s.first = hour + min_size(column_varint(c), NS_PER_HOUR - 1);
		s.last = s.first + min_size(column_varint(c), NS_PER_HOUR - 1);
		if (stream >= x->stream_n || !logs || logs > LOGS_IN_PAGE - page->logs)
			return -EUCLEAN;
		s.stream = (uint32_t)stream;
		s.n = (uint32_t)logs;
		page->logs += s.n;
		rc = vec_push(a, &l->segments, s);
		if (!rc)
			rc = vec_push(a, &l->counts_at, l->counts.n);
		if (!rc)
			rc = get_counts(l, c, s.n, a);
	}
	return rc;
}

int log_index_get(struct log_index *out, struct str bytes, uint64_t hour, struct arena *a,
		  struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	struct index_lists l = {0};
	int rc;

	*out = (struct log_index){0};
	rc = get_streams(out, &c, a);
	if (!rc)
		out->page_n = column_count(&c);
	if (!rc && (c.bad || out->page_n > LOG_PAGES_MAX))
		rc = -EUCLEAN;
	if (!rc)
		out->pages = arena_alloc(a, out->page_n + (size_t)1, sizeof(*out->pages));
	if (!rc && !out->pages)
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < out->page_n; i++)
		rc = get_page_entry(out, &out->pages[i], &l, &c, hour, a);
	if (!rc)
		rc = vec_push(a, &l.counts_at, l.counts.n);
	if (!rc && (c.bad || column_left(&c)))
		rc = -EUCLEAN;
	out->segments = l.segments.at;
	out->counts = l.counts.at;
	out->counts_at = l.counts_at.at;
	if (rc == -ENOMEM)
		return err_errno(e, rc, "read log records");
	return rc ? err_set(e, -EUCLEAN, "the index of a block of log records is damaged") : 0;
}
