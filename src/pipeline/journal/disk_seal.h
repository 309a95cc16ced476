/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_DISK_SEAL_H
#define VARVE_PIPELINE_JOURNAL_DISK_SEAL_H

#include "pipeline/journal/disk_segments.h"

/* Encryption of the records of a disk queue (journal_file.h). Private to the queue. */

/*
 * Begin a record at `offset`: its texts and payload follow by gcm_seal_piece(), then nonce and tag
 * are written after them. `header` is that of the record. Return 0 or -errno.
 */
MUST_USE int disk_seal_begin(struct gcm *g, const struct disk_segment *s, uint64_t offset,
			     const uint8_t header[JOURNAL_RECORD_HEADER],
			     uint8_t nonce[SEAL_NONCE]);

/*
 * Read texts and payload of a record and decrypt them. Return 0, -ENOMEM, -EBADMSG if they are
 * damaged or not of this place, or another -errno. For any thread.
 */
MUST_USE int disk_seal_read(const struct disk_segment *s, uint64_t offset,
			    const struct journal_header *h, char *texts, char *payload);

/* Return whether texts and payload of an encrypted record are authentic. */
bool disk_seal_intact(const struct disk_segment *s, uint64_t offset,
		      const struct journal_header *h);

#endif
