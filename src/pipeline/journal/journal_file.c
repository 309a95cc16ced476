/* SPDX-License-Identifier: Apache-2.0 */
/* Headers, marks and texts of the files of disk queues, to and from bytes. */
#include "pipeline/journal/journal_file.h"

#include <endian.h>
#include <errno.h>

#include "base/crc32c.h"

static const char segment_magic[8] = "VARVEQUE";
static const char record_magic[4] = "VREC";

enum { JOURNAL_VERSION = 1 };

static void put_le32(void *out, uint32_t value)
{
	value = htole32(value);
	memcpy(out, &value, sizeof(value));
}

static void put_le64(void *out, uint64_t value)
{
	value = htole64(value);
	memcpy(out, &value, sizeof(value));
}

static uint32_t get_le32(const void *in)
{
	uint32_t value;

	memcpy(&value, in, sizeof(value));
	return le32toh(value);
}

static uint64_t get_le64(const void *in)
{
	uint64_t value;

	memcpy(&value, in, sizeof(value));
	return le64toh(value);
}

/* ---- segments ---- */

static uint32_t segment_checksum(const uint8_t *h)
{
	return crc32c(crc32c(0, h, 12), h + 16, JOURNAL_COMMIT_OFFSET - 16);
}

void journal_write_commit(uint8_t out[JOURNAL_COMMIT_SIZE], uint64_t end)
{
	put_le64(out, end);
	put_le32(out + 8, crc32c(0, out, 8));
}

void journal_write_segment(uint8_t out[JOURNAL_SEGMENT_HEADER], const struct journal_segment *s)
{
	memset(out, 0, JOURNAL_SEGMENT_HEADER);
	memcpy(out, segment_magic, sizeof(segment_magic));
	put_le32(out + 8, JOURNAL_VERSION);
	put_le64(out + 16, s->first);
	memcpy(out + 24, s->boot, JOURNAL_BOOT_SIZE);
	put_le32(out + 12, segment_checksum(out));
	if (s->committed)
		journal_write_commit(out + JOURNAL_COMMIT_OFFSET, s->committed);
}

int journal_read_segment(const uint8_t in[JOURNAL_SEGMENT_HEADER], struct journal_segment *s)
{
	const uint8_t *commit = in + JOURNAL_COMMIT_OFFSET;

	if (memcmp(in, segment_magic, sizeof(segment_magic)) != 0 ||
	    get_le32(in + 12) != segment_checksum(in))
		return -EBADMSG;
	s->first = get_le64(in + 16);
	memcpy(s->boot, in + 24, JOURNAL_BOOT_SIZE);
	s->committed = get_le32(commit + 8) == crc32c(0, commit, 8) ? get_le64(commit) : 0;
	return get_le32(in + 8) == JOURNAL_VERSION ? 0 : -ENOTSUP;
}

/* ---- records ---- */

static uint32_t header_checksum(const uint8_t *h)
{
	return crc32c(crc32c(0, h, 4), h + 8, JOURNAL_RECORD_HEADER - 12);
}

/* Return the mark of a state: 0, or the checksum of number and state, made odd. */
static uint32_t mark_of(uint64_t sequence, enum journal_state state)
{
	uint8_t bytes[9];

	if (state == JOURNAL_WAITING)
		return 0;
	put_le64(bytes, sequence);
	bytes[8] = (uint8_t)state;
	return crc32c(0, bytes, sizeof(bytes)) | 1;
}

void journal_write_mark(uint8_t out[4], uint64_t sequence, enum journal_state state)
{
	put_le32(out, mark_of(sequence, state));
}

void journal_write_header(uint8_t out[JOURNAL_RECORD_HEADER], const struct journal_header *h)
{
	memset(out, 0, JOURNAL_RECORD_HEADER);
	memcpy(out, record_magic, sizeof(record_magic));
	put_le64(out + 8, h->sequence);
	put_le64(out + 16, h->received);
	put_le32(out + 24, h->items);
	put_le32(out + 28, h->payload_bytes);
	put_le32(out + 32, h->text_bytes);
	put_le32(out + 36, h->checksum);
	out[40] = (uint8_t)h->signal;
	out[42] = h->encrypted;
	put_le32(out + 44, header_checksum(out));
}

static bool is_signal(unsigned signal)
{
	return signal && signal < 1u << SIGNALS && !(signal & (signal - 1));
}

bool journal_read_header(struct journal_header *h, const uint8_t in[JOURNAL_RECORD_HEADER])
{
	uint32_t mark = get_le32(in + JOURNAL_MARK_OFFSET);

	if (memcmp(in, record_magic, sizeof(record_magic)) != 0 ||
	    get_le32(in + 44) != header_checksum(in) || !is_signal(in[40]))
		return false;
	*h = (struct journal_header){.state = mark ? JOURNAL_TAKEN : JOURNAL_WAITING,
				     .signal = in[40],
				     .encrypted = in[42] & 1,
				     .sequence = get_le64(in + 8),
				     .received = get_le64(in + 16),
				     .items = get_le32(in + 24),
				     .payload_bytes = get_le32(in + 28),
				     .text_bytes = get_le32(in + 32),
				     .checksum = get_le32(in + 36)};
	if (mark == mark_of(h->sequence, JOURNAL_REMOVED))
		h->state = JOURNAL_REMOVED;
	return h->payload_bytes <= JOURNAL_PAYLOAD_MAX && h->text_bytes <= JOURNAL_TEXTS_MAX;
}

/* ---- texts ---- */

size_t journal_texts_size(const struct journal_texts *t)
{
	size_t n = 8 + (size_t)t->header_count * 8 + t->tenant.n;

	for (uint32_t i = 0; i < t->header_count; i++)
		n += t->headers[i].name.n + t->headers[i].value.n;
	return n;
}

static char *put_journal_text(char *at, struct str s)
{
	if (s.n)
		memcpy(at, s.p, s.n);
	return at + s.n;
}

void journal_write_texts(char *out, const struct journal_texts *t)
{
	char *at = out + 8 + (size_t)t->header_count * 8;

	put_le32(out, (uint32_t)t->tenant.n);
	put_le32(out + 4, t->header_count);
	at = put_journal_text(at, t->tenant);
	for (uint32_t i = 0; i < t->header_count; i++) {
		put_le32(out + 8 + (size_t)i * 8, (uint32_t)t->headers[i].name.n);
		put_le32(out + 12 + (size_t)i * 8, (uint32_t)t->headers[i].value.n);
		at = put_journal_text(at, t->headers[i].name);
		at = put_journal_text(at, t->headers[i].value);
	}
}

uint32_t journal_texts_headers(struct str bytes)
{
	uint32_t count = bytes.n >= 8 ? get_le32(bytes.p + 4) : 0;

	return count <= (bytes.n - min_size(bytes.n, 8)) / 8 ? count : 0;
}

/* Take `n` bytes from *from. Return false if there are fewer. */
static bool get_journal_text(struct str *from, uint32_t n, struct str *out)
{
	if (n > from->n)
		return false;
	*out = str_of(from->p, n);
	*from = str_of(from->p + n, from->n - n);
	return true;
}

bool journal_read_texts(struct journal_texts *t, struct http_header *headers, struct str bytes)
{
	const char *lengths = bytes.p + 8;
	uint32_t count = journal_texts_headers(bytes);
	struct str rest;

	if (bytes.n < 8 || count != get_le32(bytes.p + 4))
		return false;
	rest = str_of(lengths + (size_t)count * 8, bytes.n - 8 - (size_t)count * 8);
	*t = (struct journal_texts){.headers = count ? headers : NULL, .header_count = count};
	if (!get_journal_text(&rest, get_le32(bytes.p), &t->tenant))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!get_journal_text(&rest, get_le32(lengths + (size_t)i * 8), &headers[i].name) ||
		    !get_journal_text(&rest, get_le32(lengths + (size_t)i * 8 + 4),
				      &headers[i].value))
			return false;
	return true;
}
