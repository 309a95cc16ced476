/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes pages, without the details. */
#include "store/sqlite/logs/log_match.h"
#include "store/sqlite/logs/log_numbers.h"
#include "store/sqlite/logs/log_page.h"

/* A record takes at most this many bytes in a piece, so that a page cannot claim more. */
#define PIECE_MAX (LOG_PAGE_BYTES + 4 * (size_t)LOG_RECORD_MAX)

static int damaged_page(struct err *e)
{
	return err_set(e, -EUCLEAN, "a page of log records is damaged");
}

int log_page_open(struct log_page *p, struct str bytes, struct frame_unpacker *u, struct arena *a,
		  struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	uint64_t n = column_varint(&c), sizes[LOG_PIECES], packed[LOG_PIECES];

	*p = (struct log_page){.arena = a, .unpacker = u, .n = (uint32_t)n};
	for (unsigned i = 0; i < LOG_PIECES; i++) {
		sizes[i] = column_varint(&c);
		packed[i] = column_varint(&c);
	}
	for (unsigned i = 0; i < LOG_PIECES; i++) {
		const uint8_t *at = column_bytes(&c, packed[i]);

		if (sizes[i] > PIECE_MAX || packed[i] > sizes[i] || (!at && packed[i]))
			return damaged_page(e);
		p->sizes[i] = (uint32_t)sizes[i];
		p->packed[i] = str_of((const char *)at, packed[i]);
	}
	return c.bad || column_left(&c) || n > LOGS_IN_PAGE ? damaged_page(e) : 0;
}

static int get_segments(struct log_page *p, struct column_cursor *c)
{
	uint32_t rows = 0;

	p->segment_n = column_count(c);
	if (c->bad || p->segment_n > p->n)
		return -EUCLEAN;
	p->segments = arena_alloc(p->arena, p->segment_n + (size_t)1, sizeof(*p->segments));
	if (!p->segments)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->segment_n; i++) {
		struct log_segment *s = &p->segments[i];
		uint64_t stream = column_varint(c), n = column_varint(c);

		if (!n || n > p->n - rows || stream > UINT32_MAX)
			return -EUCLEAN;
		*s = (struct log_segment){(uint32_t)stream, (uint32_t)n, column_varint(c), 0};
		rows += s->n;
	}
	return rows == p->n && !c->bad ? 0 : -EUCLEAN;
}

static int get_core(struct log_page *p, struct column_cursor *c)
{
	uint32_t *kinds, row = 0;
	int rc = get_segments(p, c);

	if (rc)
		return rc;
	p->times = log_numbers_get(c, p->arena, p->n, &rc);
	p->severities = log_numbers_get_u32(c, p->arena, p->n, &rc);
	kinds = log_numbers_get_u32(c, p->arena, p->n, &rc);
	p->body_kinds = arena_alloc(p->arena, p->n + (size_t)1, 1);
	p->body_places = arena_alloc(p->arena, p->n + (size_t)1, sizeof(*p->body_places));
	if (!p->times || !p->severities || !kinds)
		return rc ? rc : -EUCLEAN;
	if (!p->body_kinds || !p->body_places)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->segment_n; i++) {
		struct log_segment *s = &p->segments[i];
		uint64_t time = s->first;

		for (uint32_t k = 0; k < s->n; k++, row++) {
			time += p->times[row];
			p->times[row] = time;
			s->last = time;
		}
	}
	for (uint32_t i = 0; i < p->n; i++) {
		if (kinds[i] > LOG_BODY_OTHER || p->severities[i] > SEVERITY_MAX)
			return -EUCLEAN;
		p->body_kinds[i] = (uint8_t)kinds[i];
	}
	return 0;
}

static int get_head(struct log_page *p, struct column_cursor *c)
{
	uint32_t places[LOG_BODY_OTHER + 1] = {0};

	for (uint32_t i = 0; i < p->n; i++)
		p->body_places[i] = places[p->body_kinds[i]]++;
	p->other_n = places[LOG_BODY_OTHER];
	if (column_varint(c) != places[LOG_BODY_STRING] || c->bad)
		return -EUCLEAN;
	return log_strings_get(&p->strings, c, places[LOG_BODY_STRING], p->arena);
}

static int get_text(struct log_page *p, struct column_cursor *c)
{
	uint64_t *lengths, sum = 0;
	uint32_t *at;
	int rc = log_strings_get_rest(&p->strings, c, p->arena);

	if (rc)
		return rc;
	if (column_varint(c) != p->other_n || c->bad)
		return -EUCLEAN;
	lengths = log_numbers_get(c, p->arena, p->other_n, &rc);
	at = arena_alloc(p->arena, p->other_n + (size_t)1, sizeof(*at));
	if (!lengths || !at)
		return rc || !at ? -ENOMEM : -EUCLEAN;
	for (uint32_t i = 0; i < p->other_n; i++) {
		at[i] = (uint32_t)sum;
		sum += min_size(lengths[i], UINT32_MAX);
		if (sum > column_left(c))
			return -EUCLEAN;
	}
	at[p->other_n] = (uint32_t)sum;
	p->other_at = at;
	p->others = (const char *)column_bytes(c, sum);
	return c->bad ? -EUCLEAN : 0;
}

int log_page_read(struct log_page *p, enum log_piece piece, struct err *e)
{
	struct column_cursor c;
	char *bytes;
	int rc;

	if (p->read[piece])
		return 0;
	bytes = arena_alloc(p->arena, p->sizes[piece] + (size_t)1, 1);
	if (!bytes)
		return err_errno(e, -ENOMEM, "read log records");
	rc = frame_unpack_piece(p->unpacker, p->packed[piece], bytes, p->sizes[piece]);
	c = column_cursor(str_of(bytes, p->sizes[piece]));
	if (!rc && piece == LOG_PIECE_CORE)
		rc = get_core(p, &c);
	else if (!rc && piece == LOG_PIECE_HEAD)
		rc = get_head(p, &c);
	else if (!rc && piece == LOG_PIECE_TEXT)
		rc = get_text(p, &c);
	else if (!rc) /* log_details.c decodes it */
		p->packed[piece] = str_of(bytes, p->sizes[piece]);
	if (rc == -ENOMEM)
		return err_errno(e, rc, "read log records");
	if (rc || c.bad || (piece != LOG_PIECE_DETAILS && column_left(&c)))
		return damaged_page(e);
	p->read[piece] = true;
	return 0;
}

struct str log_page_other_body(const struct log_page *p, uint32_t i)
{
	uint32_t place = p->body_places[i];

	return str_of(p->others ? p->others + p->other_at[place] : "",
		      p->other_at[place + 1] - p->other_at[place]);
}

struct str log_page_text(const struct log_page *p, uint32_t i, struct buf *scratch)
{
	switch (p->body_kinds[i]) {
	case LOG_BODY_STRING:
		return log_strings_text(&p->strings, p->body_places[i], scratch);
	case LOG_BODY_OTHER:
		return log_body_text(scratch, log_page_other_body(p, i));
	default:
		return STR("");
	}
}
