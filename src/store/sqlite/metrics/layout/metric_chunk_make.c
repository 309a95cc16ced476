/* SPDX-License-Identifier: Apache-2.0 */
/* Making chunks: run by run, then the head. */
#include <stdlib.h>

#include "base/container/hash.h"
#include "store/sqlite/metrics/layout/metric_chunk.h"

enum { PIECE_BYTES = 32 * 1024, PIECE_RUNS = 1024, SCRATCH_MIN = 256 };

void metric_chunk_maker_init(struct metric_chunk_maker *m, int level)
{
	*m = (struct metric_chunk_maker){.level = level};
	arena_init(&m->arena, NULL);
}

static void free_scratch(struct metric_chunk_maker *m)
{
	free(m->scratch.ints);
	free(m->scratch.of_ints.residuals);
	free(m->scratch.of_ints.sorted);
	m->scratch = (struct value_scratch){0};
	m->scratch_n = 0;
}

void metric_chunk_maker_fini(struct metric_chunk_maker *m)
{
	arena_fini(&m->arena);
	frame_packer_fini(&m->packer);
	buf_fini(&m->packed_times);
	buf_fini(&m->piece);
	buf_fini(&m->pieces);
	buf_fini(&m->head);
	free_scratch(m);
}

static int need_scratch(struct metric_chunk_maker *m, uint32_t n)
{
	uint32_t cap = n < SCRATCH_MIN ? SCRATCH_MIN : 2 * n;

	if (n <= m->scratch_n)
		return 0;
	free_scratch(m);
	m->scratch.ints = calloc(cap, sizeof(int64_t));
	m->scratch.of_ints.residuals = calloc(cap, sizeof(uint64_t));
	m->scratch.of_ints.sorted = calloc(cap, sizeof(uint64_t));
	if (!m->scratch.ints || !m->scratch.of_ints.residuals || !m->scratch.of_ints.sorted) {
		free_scratch(m);
		return -ENOMEM;
	}
	m->scratch_n = cap;
	return 0;
}

static bool has_times(const struct metric_chunk_maker *m, uint32_t block,
		      const struct metric_run *r)
{
	const struct metric_time_block *b = &m->times.at[block];

	return b->n == r->n &&
	       memcmp(m->all_times.at + b->at, r->times, r->n * sizeof(*r->times)) == 0;
}

/* Find the times of the run, or add them. */
static int find_times(struct metric_chunk_maker *m, const struct metric_run *r, uint32_t *block)
{
	struct metric_time_block b = {.at = m->all_times.n, .n = r->n};
	size_t before = m->packed_times.n;
	struct idset_cursor c;
	uint32_t hash;
	int rc;

	if (m->times.n) { /* mostly those of the run before */
		*block = m->blocks.at[m->blocks.n - 1] / 2;
		if (has_times(m, *block, r))
			return 0;
	}
	hash = (uint32_t)hash_bytes(r->times, r->n * sizeof(*r->times));
	c = idset_seek(&m->by_times, hash);
	while (idset_next(&m->by_times, &c, block))
		if (has_times(m, *block, r))
			return 0;
	rc = vec_reserve(&m->arena, &m->all_times, r->n);
	if (rc)
		return rc;
	memcpy(m->all_times.at + m->all_times.n, r->times, r->n * sizeof(*r->times));
	m->all_times.n += r->n;
	metric_ints_put(&m->packed_times, r->times, r->n, &m->scratch.of_ints);
	b.bytes = (uint32_t)(m->packed_times.n - before);
	*block = m->times.n;
	rc = vec_push(&m->arena, &m->times, b);
	return rc ? rc : idset_add(&m->by_times, hash, *block);
}

static int end_piece(struct metric_chunk_maker *m)
{
	size_t before = m->pieces.n;
	int rc;

	if (!m->runs_in_piece)
		return 0;
	rc = buf_error(&m->piece);
	if (!rc)
		rc = frame_pack_piece(&m->packer, &m->pieces, m->level,
				      &(struct frame_columns){buf_str(&m->piece), NULL, 0}, 0,
				      m->piece.n);
	if (!rc)
		rc = vec_push(&m->arena, &m->piece_runs, m->runs_in_piece);
	if (!rc)
		rc = vec_push(&m->arena, &m->piece_sizes, (uint32_t)m->piece.n);
	if (!rc)
		rc = vec_push(&m->arena, &m->piece_packed, (uint32_t)(m->pieces.n - before));
	buf_clear(&m->piece);
	m->runs_in_piece = 0;
	return rc;
}

static void put_values(struct metric_chunk_maker *m, const struct metric_run *r)
{
	if (r->bits) {
		metric_values_put(&m->piece, r->bits, r->n, &m->scratch);
		return;
	}
	for (uint32_t i = 0; i < r->n; i++)
		metric_histogram_put(&m->piece, &r->histograms[i],
				     i ? &r->histograms[i - 1] : NULL);
}

static int add_row(struct metric_chunk_maker *m, const struct metric_run *r, uint32_t block,
		   size_t bytes)
{
	uint64_t before = m->names.n ? m->last_key : 0;
	int64_t step = (int64_t)metric_key_series(r->key) - (int64_t)metric_key_series(before);
	int rc = vec_push(&m->arena, &m->names, (uint32_t)((r->key >> 32) - (before >> 32)));

	if (!rc)
		rc = vec_push(&m->arena, &m->ids, zigzag(step));
	if (!rc)
		rc = vec_push(&m->arena, &m->blocks, 2 * block + !r->bits);
	if (!rc)
		rc = vec_push(&m->arena, &m->lengths, (uint32_t)bytes);
	return rc;
}

static void note_run(struct metric_chunk_maker *m, const struct metric_run *r)
{
	bool first = m->names.n == 1;

	m->series += first || r->key != m->last_key;
	m->first_key = first ? r->key : m->first_key;
	m->last_key = r->key;
	if (first || r->times[0] < m->first)
		m->first = r->times[0];
	if (first || r->times[r->n - 1] > m->last)
		m->last = r->times[r->n - 1];
	m->samples += r->n;
	m->runs_in_piece++;
}

int metric_chunk_add(struct metric_chunk_maker *m, const struct metric_run *r)
{
	uint32_t block;
	size_t before;
	int rc = need_scratch(m, r->n);

	if (!rc && !m->by_times.arena)
		rc = idset_init(&m->by_times, &m->arena, 16);
	if (!rc && (m->piece.n >= PIECE_BYTES || m->runs_in_piece >= PIECE_RUNS))
		rc = end_piece(m);
	if (!rc)
		rc = find_times(m, r, &block);
	if (rc)
		return rc;
	before = m->piece.n;
	put_values(m, r);
	rc = add_row(m, r, block, m->piece.n - before);
	if (!rc)
		note_run(m, r);
	return rc;
}

static void put_head(struct metric_chunk_maker *m, struct buf *out)
{
	column_put_u32(out, m->names.at, m->names.n);
	column_put_u64(out, m->ids.at, m->ids.n);
	column_put_u32(out, m->blocks.at, m->blocks.n);
	column_put_u32(out, m->lengths.at, m->lengths.n);
	for (uint32_t i = 0; i < m->times.n; i++) {
		column_put_varint(out, m->times.at[i].n);
		column_put_varint(out, m->times.at[i].bytes);
	}
	column_put_u32(out, m->piece_runs.at, m->piece_runs.n);
	column_put_u32(out, m->piece_sizes.at, m->piece_sizes.n);
	column_put_u32(out, m->piece_packed.at, m->piece_packed.n);
}

/* Append the sizes before and after compression, and the compressed bytes. */
static int put_packed(struct metric_chunk_maker *m, struct buf *out, const struct buf *bytes)
{
	struct buf packed = {0};
	int rc = buf_error(bytes);

	if (!rc && bytes->n)
		rc = frame_pack_piece(&m->packer, &packed, m->level,
				      &(struct frame_columns){buf_str(bytes), NULL, 0}, 0,
				      bytes->n);
	column_put_varint(out, bytes->n);
	column_put_varint(out, packed.n);
	buf_put(out, packed.p, packed.n);
	buf_fini(&packed);
	return rc;
}

static void make_empty(struct metric_chunk_maker *m)
{
	struct metric_chunk_maker kept = *m;

	*m = (struct metric_chunk_maker){.level = kept.level,
					 .arena = kept.arena,
					 .packer = kept.packer,
					 .packed_times = kept.packed_times,
					 .piece = kept.piece,
					 .pieces = kept.pieces,
					 .head = kept.head,
					 .scratch = kept.scratch,
					 .scratch_n = kept.scratch_n};
	arena_reset(&m->arena);
	buf_clear(&m->packed_times);
	buf_clear(&m->piece);
	buf_clear(&m->pieces);
	buf_clear(&m->head);
}

int metric_chunk_finish(struct metric_chunk_maker *m, struct buf *frame)
{
	struct buf block = {0};
	int rc = end_piece(m);

	column_put_varint(&block, m->samples);
	column_put_varint(&block, m->names.n);
	column_put_varint(&block, m->times.n);
	column_put_varint(&block, m->piece_runs.n);
	if (!rc) {
		put_head(m, &m->head);
		rc = put_packed(m, &block, &m->head);
	}
	if (!rc)
		rc = put_packed(m, &block, &m->packed_times);
	buf_put(&block, m->pieces.p, m->pieces.n);
	if (!rc)
		rc = buf_error(&m->pieces);
	if (!rc)
		rc = buf_error(&block);
	if (!rc)
		rc = frame_put(frame, FRAME_METRIC_CHUNK, 0, buf_str(&block));
	buf_fini(&block);
	make_empty(m);
	return rc;
}
