/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of key blocks, to and from bytes. */
#include "seal/key_block.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <unistd.h>

#include "base/crc32c.h"

enum {
	SLOTS = 2,
	SLOT_DISTANCE = 512,
	SLOT_VERSION = 1,
	AT_VERSION = 12,
	AT_KIND = 14,
	AT_FILE = 16,
	AT_GENERATION = 32,
	AT_MASTER = 40,
	AT_NONCE = 48,
	AT_WRAPPED = AT_NONCE + SEAL_NONCE,
	AT_TAG = AT_WRAPPED + SEAL_KEY,
	AT_CHECKSUM = AT_TAG + SEAL_TAG,
	SLOT = AT_CHECKSUM + 4,
};

static_assert((int)SLOT == (int)KEY_SLOT, "the size of a slot is part of the format");

static const char slot_magic[AT_VERSION] = "varve-sealed";

static uint64_t slot_generation(const uint8_t *slot)
{
	uint64_t value;

	memcpy(&value, slot + AT_GENERATION, sizeof(value));
	return le64toh(value);
}

static unsigned slot_u16(const uint8_t *slot, size_t at)
{
	return slot[at] | (unsigned)slot[at + 1] << 8;
}

static uint32_t slot_checksum(const uint8_t *slot)
{
	return htole32(crc32c(0, slot, AT_CHECKSUM));
}

static struct key_id slot_master(const uint8_t *slot)
{
	struct key_id id;

	memcpy(id.bytes, slot + AT_MASTER, KEY_ID);
	return id;
}

bool key_block_is(const void *bytes, size_t n)
{
	const uint8_t *block = bytes;

	for (size_t i = 0; i < SLOTS; i++)
		if (n >= i * SLOT_DISTANCE + sizeof(slot_magic) &&
		    memcmp(block + i * SLOT_DISTANCE, slot_magic, sizeof(slot_magic)) == 0)
			return true;
	return false;
}

static bool is_valid_slot(const uint8_t *slot)
{
	uint32_t sum = slot_checksum(slot);

	return memcmp(slot, slot_magic, sizeof(slot_magic)) == 0 &&
	       memcmp(slot + AT_CHECKSUM, &sum, sizeof(sum)) == 0;
}

/* Return the slot that counts, or NULL if none is valid. */
static const uint8_t *best_slot(const uint8_t block[KEY_BLOCK])
{
	const uint8_t *best = NULL;

	for (size_t i = 0; i < SLOTS; i++) {
		const uint8_t *slot = block + i * SLOT_DISTANCE;

		if (is_valid_slot(slot) && (!best || slot_generation(slot) > slot_generation(best)))
			best = slot;
	}
	return best;
}

/* ---- wrapping ---- */

/* Fill what follows the generation. `master` is the key with that id. */
static int wrap_slot(uint8_t slot[SLOT], const struct file_key *key, struct key_id id,
		     const uint8_t master[SEAL_KEY], struct err *e)
{
	struct gcm g;
	uint32_t sum;
	int rc = gcm_init(&g, master, e);

	if (rc)
		return rc;
	memcpy(slot + AT_MASTER, id.bytes, KEY_ID);
	rc = seal_random(slot + AT_NONCE, SEAL_NONCE);
	if (!rc)
		rc = gcm_seal(&g, slot + AT_NONCE, str_of((const char *)slot, AT_NONCE), key->key,
			      SEAL_KEY, slot + AT_WRAPPED, slot + AT_TAG);
	gcm_fini(&g);
	sum = slot_checksum(slot);
	memcpy(slot + AT_CHECKSUM, &sum, sizeof(sum));
	return rc ? err_errno(e, rc, "wrap a data key") : 0;
}

static void put_slot_head(uint8_t slot[SLOT], const uint8_t id[FILE_ID], unsigned kind,
			  uint64_t generation)
{
	generation = htole64(generation);
	memcpy(slot, slot_magic, sizeof(slot_magic));
	slot[AT_VERSION] = SLOT_VERSION;
	slot[AT_VERSION + 1] = 0;
	slot[AT_KIND] = (uint8_t)kind;
	slot[AT_KIND + 1] = 0;
	memcpy(slot + AT_FILE, id, FILE_ID);
	memcpy(slot + AT_GENERATION, &generation, sizeof(generation));
}

int key_slot_new(uint8_t out[KEY_SLOT], struct file_key *key, enum sealed_kind kind,
		 struct key_ring *ring, struct err *e)
{
	uint8_t master[SEAL_KEY];
	struct key_id id;
	int rc = seal_random(key, sizeof(*key));

	if (rc)
		return err_errno(e, rc, "make a data key");
	key_ring_refresh(ring);
	id = key_ring_current(ring);
	if (!key_ring_find(ring, id, master))
		return err_set(e, -ENOKEY, "the key file has changed: try again");
	put_slot_head(out, key->id, kind, 1);
	rc = wrap_slot(out, key, id, master, e);
	explicit_bzero(master, sizeof(master));
	return rc;
}

int key_block_new(uint8_t out[KEY_BLOCK], struct file_key *key, enum sealed_kind kind,
		  struct key_ring *ring, struct err *e)
{
	memset(out, 0, KEY_BLOCK);

	int rc = key_slot_new(out, key, kind, ring, e);

	memcpy(out + SLOT_DISTANCE, out, SLOT);
	return rc;
}

static int missing_key(struct key_id id, const struct key_ring *ring, struct err *e)
{
	char text[KEY_ID_TEXT];

	key_id_text(id, text);
	if (!ring)
		return err_set(e, -ENOKEY,
			       "is encrypted with the key %s: name the key file "
			       "(--encrypt-key-file FILE; nothing was changed)",
			       text);
	return err_set(e, -ENOKEY,
		       "is encrypted with the key %s, which %s does not have: add that key to it, "
		       "or use the right file (varve store keys FILE lists ids; nothing was "
		       "changed)",
		       text, key_ring_path(ring));
}

static int unwrap_slot(struct file_key *key, const uint8_t *slot, struct key_ring *ring,
		       struct err *e)
{
	uint8_t master[SEAL_KEY];
	struct gcm g;
	int rc;

	if (slot_u16(slot, AT_VERSION) != SLOT_VERSION)
		return err_set(e, -ENOTSUP, "is encrypted by a newer varve (version %u)",
			       slot_u16(slot, AT_VERSION));
	if (!ring || !key_ring_find(ring, slot_master(slot), master))
		return missing_key(slot_master(slot), ring, e);
	rc = gcm_init(&g, master, e);
	explicit_bzero(master, sizeof(master));
	if (rc)
		return rc;
	memcpy(key->id, slot + AT_FILE, FILE_ID);
	rc = gcm_open(&g, slot + AT_NONCE, str_of((const char *)slot, AT_NONCE), slot + AT_WRAPPED,
		      SEAL_KEY, key->key, slot + AT_TAG);
	gcm_fini(&g);
	return rc ? err_set(e, -EUCLEAN, "its data key is damaged") : 0;
}

static int open_slot(struct file_key *key, const uint8_t *slot, enum sealed_kind kind,
		     struct key_ring *ring, struct err *e)
{
	if (!slot)
		return err_set(e, -EUCLEAN, "its key block is damaged");
	if (slot_u16(slot, AT_KIND) != kind)
		return err_set(e, -EUCLEAN, "it is an encrypted file of another kind");
	return unwrap_slot(key, slot, ring, e);
}

int key_block_open(struct file_key *key, const uint8_t in[KEY_BLOCK], enum sealed_kind kind,
		   struct key_ring *ring, struct err *e)
{
	return open_slot(key, best_slot(in), kind, ring, e);
}

int key_slot_open(struct file_key *key, const uint8_t in[KEY_SLOT], enum sealed_kind kind,
		  struct key_ring *ring, struct err *e)
{
	return open_slot(key, is_valid_slot(in) ? in : NULL, kind, ring, e);
}

/* ---- rotation ---- */

static int write_slot(int fd, const uint8_t slot[SLOT], off_t at)
{
	ssize_t n;

	do
		n = pwrite(fd, slot, SLOT, at);
	while (n < 0 && errno == EINTR);
	if (n != SLOT)
		return n < 0 ? -errno : -ENOSPC;
	return fdatasync(fd) ? -errno : 0;
}

/* Write the slot that does not count first. */
static int write_slots(int fd, const uint8_t slot[SLOT], bool second_counts)
{
	int rc = write_slot(fd, slot, second_counts ? 0 : SLOT_DISTANCE);

	return rc ? rc : write_slot(fd, slot, second_counts ? SLOT_DISTANCE : 0);
}

static bool slots_are_equal(const uint8_t block[KEY_BLOCK])
{
	return memcmp(block, block + SLOT_DISTANCE, SLOT) == 0;
}

int key_block_rotate(int fd, struct key_ring *ring, bool *changed, struct err *e)
{
	uint8_t block[KEY_BLOCK], master[SEAL_KEY], next[SLOT];
	ssize_t n = pread(fd, block, sizeof(block), 0);
	const uint8_t *slot;
	struct file_key key;
	struct key_id id;
	int rc;

	*changed = false;
	if (n < 0)
		return err_errno(e, -errno, "read");
	if (n < KEY_BLOCK || !key_block_is(block, sizeof(block)))
		return 0;
	slot = best_slot(block);
	if (!slot)
		return err_set(e, -EUCLEAN, "its key block is damaged");
	id = key_ring_current(ring);
	if (memcmp(id.bytes, slot + AT_MASTER, KEY_ID) == 0 && slots_are_equal(block))
		return 0;
	rc = unwrap_slot(&key, slot, ring, e);
	if (!rc && !key_ring_find(ring, id, master))
		rc = err_set(e, -ENOKEY, "the key file has changed: try again");
	if (!rc) {
		put_slot_head(next, key.id, slot_u16(slot, AT_KIND), slot_generation(slot) + 1);
		rc = wrap_slot(next, &key, id, master, e);
	}
	if (!rc) {
		rc = write_slots(fd, next, slot != block);
		if (rc)
			err_errno(e, rc, "write the key block");
		*changed = !rc;
	}
	explicit_bzero(&key, sizeof(key));
	explicit_bzero(master, sizeof(master));
	return rc;
}
