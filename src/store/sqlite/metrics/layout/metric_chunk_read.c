/* SPDX-License-Identifier: Apache-2.0 */
/* Reading chunks. All numbers are checked before memory is allocated for them. */
#include "store/sqlite/metrics/layout/metric_chunk.h"

enum { SIDE_MAX = 1 << 24, RUNS_MAX = 1 << 22 };

static int damaged_chunk(struct err *e)
{
	return err_set(e, -EUCLEAN, "a chunk of metrics is damaged");
}

/* Read the sizes of a compressed part, and unpack it into the arena. */
static int unpack_part(struct metric_chunk *c, struct column_cursor *in, struct str *out,
		       struct err *e)
{
	uint64_t size = column_varint(in), packed = column_varint(in);
	const uint8_t *p;
	char *to;

	if (size > FRAME_MAX || packed > size)
		return damaged_chunk(e);
	p = column_bytes(in, packed);
	if (!p && packed)
		return damaged_chunk(e);
	to = arena_alloc(c->arena, size + 1, 1);
	if (!to)
		return err_errno(e, -ENOMEM, "read metrics");
	if (frame_unpack_piece(c->unpacker, str_of((const char *)p, packed), to, size))
		return damaged_chunk(e);
	*out = str_of(to, size);
	return 0;
}

static int read_keys(struct metric_chunk *c, struct column_cursor *in)
{
	uint64_t name = 0, series = 0;
	int rc = 0;
	uint32_t *names = column_new_u32(in, c->arena, c->runs, &rc);
	uint64_t *ids = column_new_u64(in, c->arena, c->runs, &rc);

	if (!names || !ids)
		return rc ? rc : -EUCLEAN;
	c->keys = ids;
	for (uint32_t i = 0; i < c->runs; i++) {
		name += names[i];
		series += (uint64_t)unzigzag(ids[i]); /* wraps for damaged data */
		if (name > UINT32_MAX || series > UINT32_MAX)
			return -EUCLEAN;
		ids[i] = metric_key((uint32_t)name, (uint32_t)series);
		if (i && ids[i] < ids[i - 1])
			return -EUCLEAN;
	}
	c->blocks = column_new_u32(in, c->arena, c->runs, &rc);
	c->lengths = column_new_u32(in, c->arena, c->runs, &rc);
	return c->blocks && c->lengths ? 0 : rc ? rc : -EUCLEAN;
}

static int read_time_blocks(struct metric_chunk *c, struct column_cursor *in)
{
	uint64_t at = 0;

	c->time_n = arena_alloc(c->arena, c->time_blocks + 1, sizeof(*c->time_n));
	c->time_at = arena_alloc(c->arena, c->time_blocks + 1, sizeof(*c->time_at));
	c->times = arena_zalloc(c->arena, c->time_blocks + 1, sizeof(*c->times));
	if (!c->time_n || !c->time_at || !c->times)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->time_blocks; i++) {
		uint64_t n = column_varint(in), bytes = column_varint(in);

		if (!n || n > METRIC_RUN_MAX || bytes > FRAME_MAX)
			return -EUCLEAN;
		c->time_n[i] = (uint32_t)n;
		c->time_at[i] = (uint32_t)at;
		at += bytes;
		if (at > FRAME_MAX)
			return -EUCLEAN;
	}
	c->time_at[c->time_blocks] = (uint32_t)at;
	return 0;
}

/* Place the runs in the pieces, and check that sizes add up. */
static int place_runs(struct metric_chunk *c)
{
	uint32_t run = 0;
	uint64_t samples = 0;

	c->at = arena_alloc(c->arena, c->runs + 1, sizeof(*c->at));
	c->piece_of = arena_alloc(c->arena, c->runs + 1, sizeof(*c->piece_of));
	if (!c->at || !c->piece_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->pieces; i++) {
		struct metric_chunk_piece *p = &c->piece[i];
		uint64_t at = 0;

		p->first_run = run;
		if (p->runs > c->runs - run)
			return -EUCLEAN;
		for (uint32_t k = 0; k < p->runs; k++, run++) {
			if (c->blocks[run] / 2 >= c->time_blocks)
				return -EUCLEAN;
			samples += metric_chunk_n(c, run);
			c->at[run] = (uint32_t)at;
			c->piece_of[run] = i;
			at += c->lengths[run];
			if (at > p->size)
				return -EUCLEAN;
		}
		if (at != p->size)
			return -EUCLEAN;
	}
	return run == c->runs && samples == c->samples ? 0 : -EUCLEAN;
}

static int read_pieces(struct metric_chunk *c, struct column_cursor *in)
{
	int rc = 0;
	uint32_t *runs = column_new_u32(in, c->arena, c->pieces, &rc);
	uint32_t *sizes = column_new_u32(in, c->arena, c->pieces, &rc);
	uint32_t *packed = column_new_u32(in, c->arena, c->pieces, &rc);

	c->piece = arena_zalloc(c->arena, c->pieces + 1, sizeof(*c->piece));
	if (!c->piece)
		return -ENOMEM;
	if (!runs || !sizes || !packed)
		return rc ? rc : -EUCLEAN;
	for (uint32_t i = 0; i < c->pieces; i++) {
		if (sizes[i] > FRAME_MAX || packed[i] > sizes[i])
			return -EUCLEAN;
		c->piece[i].runs = runs[i];
		c->piece[i].size = sizes[i];
		c->piece[i].packed = packed[i];
	}
	return in->bad ? -EUCLEAN : place_runs(c);
}

static int read_head(struct metric_chunk *c, struct str head)
{
	struct column_cursor in = column_cursor(head);
	int rc = read_keys(c, &in);

	if (!rc)
		rc = read_time_blocks(c, &in);
	if (!rc)
		rc = read_pieces(c, &in);
	return rc ? rc : in.bad || column_left(&in) ? -EUCLEAN : 0;
}

int metric_chunk_open(struct metric_chunk *c, struct str block, struct frame_unpacker *u,
		      struct arena *a, struct err *e)
{
	struct column_cursor in = column_cursor(block);
	uint64_t runs, times, pieces, samples = column_varint(&in);
	size_t at;
	struct str head;
	int rc;

	runs = column_varint(&in);
	times = column_varint(&in);
	pieces = column_varint(&in);
	*c = (struct metric_chunk){.arena = a, .unpacker = u, .block = block, .samples = samples};
	if (in.bad || runs > RUNS_MAX || times > runs || pieces > runs)
		return damaged_chunk(e);
	c->runs = (uint32_t)runs;
	c->time_blocks = (uint32_t)times;
	c->pieces = (uint32_t)pieces;
	rc = unpack_part(c, &in, &head, e);
	if (rc)
		return rc;
	rc = runs > 4 * (head.n + 1) ? -EUCLEAN : read_head(c, head);
	if (rc)
		return rc == -ENOMEM ? err_errno(e, rc, "read metrics") : damaged_chunk(e);
	rc = unpack_part(c, &in, &c->times_bytes, e);
	if (rc)
		return rc;
	if (c->times_bytes.n != c->time_at[c->time_blocks])
		return damaged_chunk(e);
	at = block.n - column_left(&in);
	for (uint32_t i = 0; i < c->pieces; i++) {
		c->piece[i].at = at;
		if (c->piece[i].packed > block.n - at)
			return damaged_chunk(e);
		at += c->piece[i].packed;
	}
	return at == block.n ? 0 : damaged_chunk(e);
}

int metric_chunk_times(struct metric_chunk *c, uint32_t run, const int64_t **times, struct err *e)
{
	uint32_t b = c->blocks[run] / 2, n = c->time_n[b];
	struct column_cursor in;
	int64_t *t;

	if (c->times[b]) {
		*times = c->times[b];
		return 0;
	}
	in = column_cursor(
		str_of(c->times_bytes.p + c->time_at[b], c->time_at[b + 1] - c->time_at[b]));
	/* what needs no bits per number can have any number of them: only the run limits it */
	t = arena_alloc(c->arena, n, sizeof(*t));
	if (!t)
		return err_errno(e, -ENOMEM, "read metrics");
	metric_ints_get(&in, t, n);
	for (uint32_t i = 1; i < n && !in.bad; i++)
		in.bad = t[i] <= t[i - 1];
	if (in.bad || column_left(&in) || t[0] < 0)
		return damaged_chunk(e);
	c->times[b] = t;
	*times = t;
	return 0;
}

/* Return the bytes of a run in *out. */
static int run_bytes(struct metric_chunk *c, uint32_t run, struct str *out, struct err *e)
{
	struct metric_chunk_piece *p = &c->piece[c->piece_of[run]];
	char *to;

	if (!p->bytes.p) {
		to = arena_alloc(c->arena, p->size + 1, 1);
		if (!to)
			return err_errno(e, -ENOMEM, "read metrics");
		if (frame_unpack_piece(c->unpacker, str_of(c->block.p + p->at, p->packed), to,
				       p->size))
			return damaged_chunk(e);
		p->bytes = str_of(to, p->size);
	}
	*out = str_of(p->bytes.p + c->at[run], c->lengths[run]);
	return 0;
}

int metric_chunk_values(struct metric_chunk *c, uint32_t run, uint64_t *bits, struct err *e)
{
	uint32_t n = metric_chunk_n(c, run);
	struct column_cursor in;
	struct str bytes = {0};
	int rc = run_bytes(c, run, &bytes, e);

	if (rc)
		return rc;
	if (c->ints_n < n) {
		c->ints = arena_alloc(c->arena, 2 * (size_t)n, sizeof(*c->ints));
		c->ints_n = c->ints ? 2 * n : 0;
		if (!c->ints)
			return err_errno(e, -ENOMEM, "read metrics");
	}
	in = column_cursor(bytes);
	metric_values_get(&in, bits, n, c->ints);
	return in.bad || column_left(&in) || metric_chunk_is_histogram(c, run) ? damaged_chunk(e)
									       : 0;
}

int metric_chunk_histograms(struct metric_chunk *c, uint32_t run, struct arena *a,
			    struct native_histogram *out, struct err *e)
{
	uint32_t n = metric_chunk_n(c, run);
	struct column_cursor in;
	struct str bytes = {0};
	int rc = run_bytes(c, run, &bytes, e);

	if (rc)
		return rc;
	in = column_cursor(bytes);
	for (uint32_t i = 0; i < n && !rc && !in.bad; i++)
		rc = metric_histogram_get(&in, &out[i], i ? &out[i - 1] : NULL, a);
	if (rc)
		return err_errno(e, rc, "read metrics");
	return in.bad || column_left(&in) || !metric_chunk_is_histogram(c, run) ? damaged_chunk(e)
										: 0;
}
