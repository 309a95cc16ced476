/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SEAL_KEY_RING_H
#define VARVE_SEAL_KEY_RING_H

#include "base/log.h"
#include "seal/aes_gcm.h"

/*
 * The master keys of a key file. They encrypt nothing but data keys, of which each file has its
 * own: so a rotation rewrites a block per file (key_block.h), not the data.
 *
 * A key file has one key per line: 64 hexadecimal digits, or base64 of 32 bytes. Empty lines and
 * lines that begin with # are skipped. The first key is the current one, which new files use; the
 * others open older files. A file of 32 bytes that are not text is one key. A directory stands for
 * its files, by name; the first key of the last one is the current one.
 *
 * A key has an id, the first 8 bytes of SHA-256("varve master key" and the key): files name the key
 * that they need by it, so that a wrong key is not taken for damage.
 *
 * The file is read again when it has changed and a key is missing or a new file is begun. Any
 * thread.
 */
struct key_ring;

enum { KEY_ID = 8, KEY_ID_TEXT = 2 * KEY_ID + 1, KEY_RING_MOST = 64 };

struct key_id {
	uint8_t bytes[KEY_ID];
};

/* Write the id as 16 hexadecimal digits, and return `out`. */
const char *key_id_text(struct key_id id, char out[KEY_ID_TEXT]);

/*
 * Read the keys of a file or directory. Return 0, or -errno with a text that says what to do:
 * -EPERM if other users can read or change a file. `log` is borrowed; NULL: silent.
 */
MUST_USE int key_ring_open(struct key_ring **out, const char *path, const struct log *log,
			   struct err *e);

/* The same with one key; for tests. */
MUST_USE int key_ring_of_key(struct key_ring **out, const uint8_t key[SEAL_KEY], struct err *e);

struct key_ring *key_ring_ref(struct key_ring *r); /* takes NULL */
void key_ring_unref(struct key_ring *r);	   /* takes NULL */

/* Return the path that the ring was opened with, for messages. */
const char *key_ring_path(const struct key_ring *r);

/* Read the file again if it has changed. A failure is logged, and the old keys stay. */
void key_ring_refresh(struct key_ring *r);

/* Return the id of the current key. */
struct key_id key_ring_current(struct key_ring *r);

/* Copy the ids of all keys, in the order of the files, and return their number. */
uint32_t key_ring_list(struct key_ring *r, struct key_id out[KEY_RING_MOST]);

/* Copy the key with that id. Return false if there is none, also in the file as it is now. */
bool key_ring_find(struct key_ring *r, struct key_id id, uint8_t key[SEAL_KEY]);

/*
 * Parse one key: hexadecimal, base64, or 32 bytes that are not text. Return 0 or -EINVAL. For texts
 * of other sources than files (environment, options of a receiver).
 */
MUST_USE int key_parse(uint8_t key[SEAL_KEY], struct str text);

#endif
