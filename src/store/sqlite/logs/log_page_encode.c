/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes pages, without the details. */
#include "signal/otlp/value_text.h"
#include "store/sqlite/logs/log_details.h"
#include "store/sqlite/logs/log_numbers.h"
#include "store/sqlite/logs/log_page.h"
#include "store/sqlite/logs/log_text.h"

/* Pages are written once and read often, but most of their bytes are packed already. */
enum { PAGE_ZSTD = 1 };

void log_page_packer_init(struct log_page_packer *p)
{
	*p = (struct log_page_packer){0};
	arena_init(&p->arena, NULL);
	p->strings.arena = &p->arena;
}

void log_page_packer_fini(struct log_page_packer *p)
{
	for (unsigned i = 0; i < LOG_PIECES; i++)
		buf_fini(&p->pieces[i]);
	buf_fini(&p->rest);
	frame_packer_fini(&p->packer);
	arena_fini(&p->arena);
}

uint32_t log_page_cut(const struct kept_log *logs, uint32_t n)
{
	size_t bytes = 0;
	uint32_t i = 0;

	for (; i < n && i < LOGS_IN_PAGE; i++) {
		bytes += logs[i].message.n;
		if (i && bytes > LOG_PAGE_BYTES)
			break;
	}
	return i;
}

/* ---- hashes ---- */

int log_hashes_add(struct log_hashes *h, uint64_t hash)
{
	uint64_t *slot;

	if (!h->recent)
		h->recent = arena_zalloc(h->arena, LOG_RECENT_HASHES, sizeof(*h->recent));
	if (!h->recent)
		return -ENOMEM;
	slot = &h->recent[hash % LOG_RECENT_HASHES];
	if (*slot == hash)
		return 0;
	*slot = hash;
	return vec_push(h->arena, &h->list, hash);
}

int log_hashes_tokens(void *hashes, struct str text)
{
	struct str token;
	int rc = 0;

	while (!rc && log_next_token(&text, &token))
		rc = log_hashes_add(hashes, log_token_hash(token));
	return rc;
}

/* ---- the core ---- */

static int find_segments(struct log_page_packer *p, const struct kept_log *logs, uint32_t n)
{
	p->segments = arena_alloc(&p->arena, n + (size_t)1, sizeof(*p->segments));
	p->segment_n = 0;
	if (!p->segments)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct log_segment *s = p->segments + p->segment_n - 1;

		if (!i || s->stream != logs[i].stream)
			p->segments[p->segment_n++] =
				(struct log_segment){logs[i].stream, 1, logs[i].time, logs[i].time};
		else {
			s->n++;
			s->last = logs[i].time;
		}
	}
	return 0;
}

static void put_core(struct log_page_packer *p, const struct kept_log *logs, uint32_t n,
		     const uint8_t *kinds, uint64_t *numbers)
{
	struct buf *out = &p->pieces[LOG_PIECE_CORE];
	uint32_t row = 0;

	column_put_varint(out, p->segment_n);
	for (uint32_t i = 0; i < p->segment_n; i++) {
		const struct log_segment *s = &p->segments[i];

		column_put_varint(out, s->stream);
		column_put_varint(out, s->n);
		column_put_varint(out, s->first);
		numbers[row] = 0;
		for (uint32_t k = 1; k < s->n; k++)
			numbers[row + k] = logs[row + k].time - logs[row + k - 1].time;
		row += s->n;
	}
	log_numbers_put(out, numbers, n);
	log_numbers_put_u32(out, p->severities, n, numbers);
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = kinds[i];
	log_numbers_put(out, numbers, n);
}

/* ---- bodies ---- */

static int put_other_bodies(struct log_page_packer *p, const struct str *bodies, uint32_t n,
			    uint64_t *numbers, struct log_hashes *hashes)
{
	struct buf *out = &p->pieces[LOG_PIECE_TEXT], text = {0};
	int rc = 0;

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = bodies[i].n;
	column_put_varint(out, n);
	log_numbers_put(out, numbers, n);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct value v;

		buf_put_str(out, bodies[i]);
		buf_clear(&text);
		if (otlp_value_read(bodies[i], &v) && !otlp_value_text(&text, &v))
			rc = log_hashes_tokens(hashes, buf_str(&text));
	}
	buf_fini(&text);
	return rc;
}

static int put_bodies(struct log_page_packer *p, uint32_t n, uint8_t *kinds, uint64_t *numbers,
		      struct log_hashes *hashes)
{
	struct str *strings = arena_alloc(&p->arena, n + (size_t)1, sizeof(*strings));
	struct str *others = arena_alloc(&p->arena, n + (size_t)1, sizeof(*others));
	const struct log_tokens tokens = {log_hashes_tokens, hashes};
	uint32_t string_n = 0, other_n = 0;
	int rc;

	if (!strings || !others)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct log_record *r = &p->records[i];
		struct value v = {0};

		kinds[i] = LOG_BODY_NONE;
		if (!r->body.p)
			continue;
		if (otlp_value_read(r->body, &v) && v.kind == VALUE_STRING) {
			kinds[i] = LOG_BODY_STRING;
			strings[string_n++] = v.s.p ? v.s : STR("");
		} else {
			kinds[i] = LOG_BODY_OTHER;
			others[other_n++] = r->body;
		}
	}
	buf_clear(&p->rest);
	column_put_varint(&p->pieces[LOG_PIECE_HEAD], string_n);
	rc = log_strings_put(&p->strings, &p->pieces[LOG_PIECE_HEAD], &p->rest, strings, string_n,
			     &tokens);
	buf_put_str(&p->pieces[LOG_PIECE_TEXT], buf_str(&p->rest));
	return rc ? rc : put_other_bodies(p, others, other_n, numbers, hashes);
}

/* ---- pages ---- */

static int read_records(struct log_page_packer *p, const struct kept_log *logs, uint32_t n)
{
	p->records = arena_alloc(&p->arena, n + (size_t)1, sizeof(*p->records));
	p->severities = arena_alloc(&p->arena, n + (size_t)1, sizeof(*p->severities));
	if (!p->records || !p->severities)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct log_record *r = &p->records[i];

		if (log_record_read(r, logs[i].message))
			return -EBADMSG;
		p->severities[i] = log_severity(r->severity, r->severity_text);
	}
	return 0;
}

static int put_pieces(struct log_page_packer *p, struct buf *out, uint32_t n)
{
	struct buf packed = {0};
	int rc = 0;

	column_put_varint(out, n);
	for (unsigned i = 0; !rc && i < LOG_PIECES; i++) {
		const struct frame_columns columns = {buf_str(&p->pieces[i])};
		size_t before = packed.n;

		rc = buf_error(&p->pieces[i]);
		if (!rc)
			rc = frame_pack_piece(&p->packer, &packed, PAGE_ZSTD, &columns, 0,
					      p->pieces[i].n);
		column_put_varint(out, p->pieces[i].n);
		column_put_varint(out, packed.n - before);
	}
	buf_put_str(out, buf_str(&packed));
	if (!rc)
		rc = buf_error(out);
	buf_fini(&packed);
	return rc;
}

int log_page_put(struct log_page_packer *p, struct buf *out, const struct kept_log *logs,
		 uint32_t n, struct log_hashes *hashes)
{
	uint64_t *numbers;
	uint8_t *kinds;
	int rc;

	arena_reset(&p->arena);
	for (unsigned i = 0; i < LOG_PIECES; i++)
		buf_clear(&p->pieces[i]);
	numbers = arena_alloc(&p->arena, n + (size_t)1, sizeof(*numbers));
	kinds = arena_alloc(&p->arena, n + (size_t)1, 1);
	rc = numbers && kinds && n <= LOGS_IN_PAGE ? read_records(p, logs, n) : -ENOMEM;
	if (!rc)
		rc = find_segments(p, logs, n);
	if (!rc)
		rc = put_bodies(p, n, kinds, numbers, hashes);
	if (!rc)
		rc = log_details_put(p, &p->pieces[LOG_PIECE_DETAILS], logs, n, hashes);
	if (rc)
		return rc;
	put_core(p, logs, n, kinds, numbers);
	return put_pieces(p, out, n);
}
