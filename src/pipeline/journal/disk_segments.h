/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_JOURNAL_DISK_SEGMENTS_H
#define VARVE_PIPELINE_JOURNAL_DISK_SEGMENTS_H

#include "base/err.h"
#include "pipeline/journal/journal_file.h"
#include "seal/key_block.h"

/* The files of a disk queue: names, creation, reading of headers. Private to the queue. */

/* A number of records, with their items and bytes of payload. */
struct disk_totals {
	uint64_t records, items, bytes;
};

struct disk_segment {
	struct disk_segment *next; /* in the order of sequence numbers */
	uint64_t first;		   /* sequence number */
	int fd;			   /* -1: closed */
	uint64_t end;		   /* after the last durable record */
	uint64_t live;		   /* durable records that are not removed */
	struct disk_totals unread; /* those of them that the cursor has not reached */
	unsigned users;		   /* of the descriptor */
	bool sealed;		   /* nothing is appended any more */
	bool encrypted;		   /* by `key` */
	struct file_key key;
};

/* Return the offset of the header of the segment: a key block may precede it. */
static inline uint64_t disk_segment_header(const struct disk_segment *s)
{
	return s->encrypted ? KEY_BLOCK : 0;
}

/* Return the offset of the first record. */
static inline uint64_t disk_segment_begin(const struct disk_segment *s)
{
	return disk_segment_header(s) + JOURNAL_SEGMENT_HEADER;
}

enum { DISK_WINDOW = 16 * 1024 };

/* Reads the headers of a segment in order. */
struct disk_reader {
	uint64_t sequence;  /* of the last record, or of the one before the segment */
	uint64_t damaged;   /* places at which something other than a record was skipped */
	uint64_t window_at; /* in the file */
	size_t window_bytes;
	uint8_t window[DISK_WINDOW];
};

/* Prepare to read a segment. */
void disk_reader_begin(struct disk_reader *r, const struct disk_segment *s);

/*
 * Find the first record at *offset or later that ends before `end`, and skip what is damaged.
 * Return false if there is none; *offset is unchanged then. The caller adds the size of the record
 * to *offset.
 */
bool disk_reader_next(struct disk_reader *r, int fd, uint64_t end, uint64_t *offset,
		      struct journal_header *h);

/* Return whether texts and payload of the record at `offset` have their checksum, or their tag. */
bool disk_record_intact(const struct disk_segment *s, uint64_t offset,
			const struct journal_header *h);

/* Write the mark of a record. An error means that it may be handed out twice: it is ignored. */
void disk_record_mark(int fd, uint64_t offset, uint64_t sequence, enum journal_state state);

/*
 * Read all `n` bytes, or write them. Return 0 or -errno; -EIO if the file ends before. Both
 * continue after signals.
 */
MUST_USE int disk_read(int fd, void *to, size_t n, uint64_t offset);
MUST_USE int disk_write(int fd, const void *from, size_t n, uint64_t offset);

/*
 * Create the file of a segment, with its header and its name in the directory on disk. It is
 * encrypted if there are keys. Return 0 or -errno.
 */
MUST_USE int disk_segment_create(struct disk_segment **out, int dir, uint64_t first,
				 const uint8_t boot[JOURNAL_BOOT_SIZE], struct key_ring *keys);

/*
 * Read the key block of an open segment that was found, if it has one. Return 0, -ENOKEY, or
 * -EUCLEAN if the block is damaged.
 */
MUST_USE int disk_segment_unlock(struct disk_segment *s, struct key_ring *keys, struct err *e);

/* Rename the file, so that it is kept and not read again, and free the segment. */
void disk_segment_set_aside(struct disk_segment *s, int dir);

/* Read the id of this boot of the kernel; zeros if it is unknown. */
void disk_boot_id(uint8_t out[JOURNAL_BOOT_SIZE]);

/* Open the file unless it is open. Return 0 or -errno. */
MUST_USE int disk_segment_open(struct disk_segment *s, int dir);
void disk_segment_close(struct disk_segment *s);

/* Delete the file, and free the segment. */
void disk_segment_delete(struct disk_segment *s, int dir);

/* Make a sorted list of the segments in a directory, without opening them. Return 0 or -errno. */
MUST_USE int disk_segment_list(struct disk_segment **first, int dir);
void disk_segment_free_list(struct disk_segment *first);

#endif
