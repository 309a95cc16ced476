/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_JOURNAL_FILE_H
#define VARVE_PIPELINE_JOURNAL_JOURNAL_FILE_H

#include "net/http/http.h"
#include "signal/signal_kind.h"

/*
 * The format of the files of a disk queue. A directory has
 *
 *	lock			held (flock) by the process that uses the queue
 *	0000000000000001.queue	segments, named after their first sequence number (hexadecimal)
 *
 * A segment is a header and records, each at a multiple of 8 bytes. Numbers are little-endian.
 * Checksums are CRC-32C.
 *
 *	segment header	8 bytes		"VARVEQUE"
 *			u32		version: 1
 *			u32		checksum of the other bytes of the header
 *			u64		first sequence number
 *			16 bytes	boot of the kernel that the segment was written under
 *			u64		0
 *	commit		u64		end of the records that were acknowledged
 *			u32		checksum of it
 *			u32		0
 *	record header	u32		"VREC"
 *			u32		mark: 0 waiting, else checksum of sequence number and state
 *			u64		sequence number, ascending
 *			u64		time of receipt, nanoseconds since 1970
 *			u32		number of items
 *			u32		length of the payload
 *			u32		length of the texts
 *			u32		checksum of texts and payload; 0 if they are encrypted
 *			u16		signal (enum signal_kind)
 *			u16		1: texts and payload are encrypted, else 0
 *			u32		checksum of the other bytes of the header, but for the mark
 *	texts		u32, u32	length of the tenant, number of metadata headers
 *			u32, u32	for each header: length of its name, and of its value
 *			...		the bytes of all of them in this order
 *	payload		...		an OTLP message
 *	seal		12, 16 bytes	if they are encrypted: nonce and tag
 *
 * With a key, a key block (seal/key_block.h) precedes the header of the segment, and texts and
 * payload of each record are encrypted by AES-256-GCM, as one message that is authenticated with
 * the id of the file, the offset of the record, and its header without the mark. Headers are in
 * clear: they have numbers, times and sizes. A record in clear is not accepted in an encrypted
 * segment.
 *
 * Records are appended, and synced before they are acknowledged; the commit is written in between,
 * and not synced. It is valid as long as the kernel runs, also after kill -9: what follows it was
 * not acknowledged, and will be sent again by the sender. After another boot it may be older than
 * what was acknowledged, and is ignored. Afterwards only the mark changes,
 * in place, because a sector is written as a whole. It depends on the sequence number, so that a
 * damaged mark is recognized; it counts as "taken". A reader that finds a damaged header looks for
 * the next valid one.
 */
enum {
	JOURNAL_SEGMENT_HEADER = 64,
	JOURNAL_COMMIT_OFFSET = 48,
	JOURNAL_COMMIT_SIZE = 12,
	JOURNAL_BOOT_SIZE = 16,
	JOURNAL_RECORD_HEADER = 48,
	JOURNAL_MARK_OFFSET = 4,
	JOURNAL_ALIGN = 8,
	JOURNAL_SEAL = 12 + 16, /* nonce and tag */
};

/* Limits of a record. */
#define JOURNAL_PAYLOAD_MAX ((size_t)1 << 30)
#define JOURNAL_TEXTS_MAX ((size_t)1 << 20)

enum journal_state { JOURNAL_WAITING, JOURNAL_TAKEN, JOURNAL_REMOVED };

struct journal_header {
	enum journal_state state;
	enum signal_kind signal;
	bool encrypted; /* texts and payload are encrypted */
	uint64_t sequence, received;
	uint32_t items, payload_bytes, text_bytes, checksum;
};

/* The texts of a record. */
struct journal_texts {
	struct str tenant;
	const struct http_header *headers;
	uint32_t header_count;
};

struct journal_segment {
	uint64_t first;
	uint8_t boot[JOURNAL_BOOT_SIZE];
	uint64_t committed; /* 0: unknown */
};

/* Write a header, with a commit if it is known. */
void journal_write_segment(uint8_t out[JOURNAL_SEGMENT_HEADER], const struct journal_segment *s);
void journal_write_commit(uint8_t out[JOURNAL_COMMIT_SIZE], uint64_t end);

/* Return 0, -EBADMSG if the header is damaged, or -ENOTSUP for another version. */
MUST_USE int journal_read_segment(const uint8_t in[JOURNAL_SEGMENT_HEADER],
				  struct journal_segment *s);

/* Write a header in state JOURNAL_WAITING. */
void journal_write_header(uint8_t out[JOURNAL_RECORD_HEADER], const struct journal_header *h);

/* Return whether the bytes are the header of a record. */
bool journal_read_header(struct journal_header *h, const uint8_t in[JOURNAL_RECORD_HEADER]);

/* Write the mark of a state. */
void journal_write_mark(uint8_t out[4], uint64_t sequence, enum journal_state state);

/* Return the bytes that a record takes in its file. */
static inline uint64_t journal_record_size(const struct journal_header *h)
{
	uint64_t n = (uint64_t)JOURNAL_RECORD_HEADER + h->text_bytes + h->payload_bytes +
		     (h->encrypted ? JOURNAL_SEAL : 0);

	return (n + JOURNAL_ALIGN - 1) & ~(uint64_t)(JOURNAL_ALIGN - 1);
}

/* Return the length of the texts, and write that many bytes. */
size_t journal_texts_size(const struct journal_texts *t);
void journal_write_texts(char *out, const struct journal_texts *t);

/*
 * Read texts, which are borrowed. `headers` has room for journal_texts_headers() elements. Return
 * false if they are damaged.
 */
uint32_t journal_texts_headers(struct str bytes);
bool journal_read_texts(struct journal_texts *t, struct http_header *headers, struct str bytes);

#endif
