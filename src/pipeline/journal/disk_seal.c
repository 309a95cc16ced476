/* SPDX-License-Identifier: Apache-2.0 */
/* A record is one message of AES-256-GCM. Readers have a context of their own. */
#include "pipeline/journal/disk_seal.h"

#include <endian.h>
#include <errno.h>

enum { CHECK_BYTES = 32 * 1024 };

/* What a record is authenticated with. */
struct disk_seal_place {
	uint8_t file[FILE_ID];
	uint64_t offset;
	uint8_t header[JOURNAL_RECORD_HEADER];
};

static void place_of_record(struct disk_seal_place *at, const struct disk_segment *s,
			    uint64_t offset, const uint8_t header[JOURNAL_RECORD_HEADER])
{
	memcpy(at->file, s->key.id, FILE_ID);
	at->offset = htole64(offset);
	memcpy(at->header, header, JOURNAL_RECORD_HEADER);
	memset(at->header + JOURNAL_MARK_OFFSET, 0, 4);
}

int disk_seal_begin(struct gcm *g, const struct disk_segment *s, uint64_t offset,
		    const uint8_t header[JOURNAL_RECORD_HEADER], uint8_t nonce[SEAL_NONCE])
{
	struct disk_seal_place at;
	int rc = seal_random(nonce, SEAL_NONCE);

	place_of_record(&at, s, offset, header);
	return rc ? rc : gcm_seal_begin(g, nonce, str_of((const char *)&at, sizeof(at)));
}

/* Begin to read a record: read nonce and tag, and make a context. */
static int begin_reading(struct gcm *g, const struct disk_segment *s, uint64_t offset,
			 const struct journal_header *h, uint8_t tag[SEAL_TAG])
{
	uint64_t end = offset + JOURNAL_RECORD_HEADER + h->text_bytes + h->payload_bytes;
	uint8_t header[JOURNAL_RECORD_HEADER], seal[JOURNAL_SEAL];
	struct disk_seal_place at;
	int rc;

	if (!s->encrypted || !h->encrypted)
		return -EBADMSG;
	rc = disk_read(s->fd, seal, sizeof(seal), end);
	if (!rc)
		rc = gcm_init(g, s->key.key, NULL);
	if (rc)
		return rc;
	journal_write_header(header, h);
	place_of_record(&at, s, offset, header);
	memcpy(tag, seal + SEAL_NONCE, SEAL_TAG);
	return gcm_open_begin(g, seal, str_of((const char *)&at, sizeof(at)));
}

static int read_sealed_piece(struct gcm *g, int fd, char *to, size_t n, uint64_t offset)
{
	int rc = disk_read(fd, to, n, offset);

	return rc ? rc : gcm_open_piece(g, to, n, to);
}

int disk_seal_read(const struct disk_segment *s, uint64_t offset, const struct journal_header *h,
		   char *texts, char *payload)
{
	uint64_t at = offset + JOURNAL_RECORD_HEADER;
	uint8_t tag[SEAL_TAG];
	struct gcm g = {0};
	int rc = begin_reading(&g, s, offset, h, tag);

	if (!rc)
		rc = read_sealed_piece(&g, s->fd, texts, h->text_bytes, at);
	if (!rc)
		rc = read_sealed_piece(&g, s->fd, payload, h->payload_bytes, at + h->text_bytes);
	if (!rc)
		rc = gcm_open_end(&g, tag);
	gcm_fini(&g);
	return rc;
}

bool disk_seal_intact(const struct disk_segment *s, uint64_t offset, const struct journal_header *h)
{
	uint64_t at = offset + JOURNAL_RECORD_HEADER;
	uint64_t left = (uint64_t)h->text_bytes + h->payload_bytes;
	char bytes[CHECK_BYTES];
	uint8_t tag[SEAL_TAG];
	struct gcm g = {0};
	int rc = begin_reading(&g, s, offset, h, tag);

	while (!rc && left) {
		size_t n = min_size(left, sizeof(bytes));

		rc = read_sealed_piece(&g, s->fd, bytes, n, at);
		at += n;
		left -= n;
	}
	if (!rc)
		rc = gcm_open_end(&g, tag);
	gcm_fini(&g);
	return !rc;
}
