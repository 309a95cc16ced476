/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SEAL_KEY_BLOCK_H
#define VARVE_SEAL_KEY_BLOCK_H

#include "seal/key_ring.h"

/*
 * The first block of an encrypted file: its id, and its data key, wrapped by a master key.
 *
 * The block has two copies of this slot, 512 bytes apart, and zeros. Numbers are little-endian.
 *
 *	12 bytes	"varve-sealed"
 *	u16		version: 1
 *	u16		kind of the file: enum sealed_kind
 *	16 bytes	id of the file, random
 *	u64		generation: the valid slot with the higher one counts
 *	8 bytes		id of the master key
 *	12 bytes	nonce
 *	32 bytes	the data key, encrypted by AES-256-GCM; all bytes before the nonce are
 *			authenticated
 *	16 bytes	tag
 *	u32		CRC-32C of the bytes before
 *
 * A rotation writes one slot after the other, each synced before the next: one of them is valid
 * whenever it is interrupted, and in the end the old master key opens neither.
 */
enum { KEY_BLOCK = 4096, KEY_SLOT = 112, FILE_ID = 16 };

enum sealed_kind { SEALED_DATABASE = 1, SEALED_QUEUE, SEALED_FILE, SEALED_AUDIT };

/* The id and the data key of a file. */
struct file_key {
	uint8_t id[FILE_ID];
	uint8_t key[SEAL_KEY];
};

/* Return whether bytes from the beginning of a file are those of a key block. */
bool key_block_is(const void *bytes, size_t n);

/* The same as key_block_new() and key_block_open(), of one slot: for files that are not rotated. */
MUST_USE int key_slot_new(uint8_t out[KEY_SLOT], struct file_key *key, enum sealed_kind kind,
			  struct key_ring *ring, struct err *e);
MUST_USE int key_slot_open(struct file_key *key, const uint8_t in[KEY_SLOT], enum sealed_kind kind,
			   struct key_ring *ring, struct err *e);

/* Make a data key and the block of a new file, by the current master key. Return 0 or -errno. */
MUST_USE int key_block_new(uint8_t out[KEY_BLOCK], struct file_key *key, enum sealed_kind kind,
			   struct key_ring *ring, struct err *e);

/*
 * Unwrap the data key of a file. Return 0; -ENOKEY if the ring, which may be NULL, does not have
 * the master key, with a text that says what to do; or -EUCLEAN if the block is damaged.
 */
MUST_USE int key_block_open(struct file_key *key, const uint8_t in[KEY_BLOCK],
			    enum sealed_kind kind, struct key_ring *ring, struct err *e);

/*
 * Wrap the data key of an open file by the current master key. Set *changed to whether another key
 * was used before. Return 0, what key_block_open() returns, or -errno of the disk. Files without a
 * key block: 0. For any kind; other processes may read the file meanwhile, but not rotate.
 */
MUST_USE int key_block_rotate(int fd, struct key_ring *ring, bool *changed, struct err *e);

#endif
