/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks and texts, to and from ciphertext. */
#include "seal/sealed_file.h"

#include <endian.h>
#include <errno.h>

#include "wire/text.h"

enum { TEXT_LEAST = (SEAL_NONCE + SEAL_TAG) / 3 * 4, SEALED_BASE64 = SEAL_NONCE + SEAL_TAG };

/* ---- the binary form ---- */

static void chunk_nonce(const struct sealed_stream *s, bool last, uint8_t nonce[SEAL_NONCE])
{
	uint64_t number = htole64(s->chunk);

	memset(nonce, 0, SEAL_NONCE);
	memcpy(nonce, &number, sizeof(number));
	nonce[SEAL_NONCE - 1] = last;
}

static struct str stream_aad(const struct sealed_stream *s)
{
	return str_of((const char *)s->file, FILE_ID);
}

static int stream_use(struct sealed_stream *s, struct file_key *key, struct err *e)
{
	int rc = gcm_init(&s->gcm, key->key, e);

	memcpy(s->file, key->id, FILE_ID);
	s->chunk = 0;
	explicit_bzero(key, sizeof(*key));
	return rc;
}

int sealed_stream_new(struct sealed_stream *s, struct buf *out, struct key_ring *ring,
		      struct err *e)
{
	uint8_t slot[KEY_SLOT];
	struct file_key key;
	int rc;

	*s = (struct sealed_stream){0};
	rc = key_slot_new(slot, &key, SEALED_FILE, ring, e);
	if (rc)
		return rc;
	rc = stream_use(s, &key, e);
	if (!rc) {
		buf_put_str(out, str_of((const char *)slot, sizeof(slot)));
		rc = buf_error(out);
	}
	return rc;
}

int sealed_stream_open(struct sealed_stream *s, const uint8_t head[KEY_SLOT], struct key_ring *ring,
		       struct err *e)
{
	struct file_key key;
	int rc;

	*s = (struct sealed_stream){0};
	rc = key_slot_open(&key, head, SEALED_FILE, ring, e);
	if (rc == -EUCLEAN)
		rc = -EBADMSG;
	return rc ? rc : stream_use(s, &key, e);
}

void sealed_stream_fini(struct sealed_stream *s)
{
	gcm_fini(&s->gcm);
}

int sealed_stream_write(struct sealed_stream *s, struct buf *out, struct str bytes, bool last)
{
	uint8_t nonce[SEAL_NONCE];
	char *to = buf_reserve(out, bytes.n + SEAL_TAG);
	int rc;

	if (!to)
		return -ENOMEM;
	chunk_nonce(s, last, nonce);
	rc = gcm_seal(&s->gcm, nonce, stream_aad(s), bytes.p, bytes.n, to, (uint8_t *)to + bytes.n);
	if (rc)
		return rc;
	out->n += bytes.n + SEAL_TAG;
	s->chunk++;
	return 0;
}

int sealed_stream_read(struct sealed_stream *s, struct buf *out, struct str bytes, bool last,
		       struct err *e)
{
	uint8_t nonce[SEAL_NONCE];
	size_t n = bytes.n - min_size(bytes.n, SEAL_TAG);
	char *to;

	if (bytes.n < SEAL_TAG)
		return err_set(e, -EBADMSG, "the encrypted data is incomplete");
	to = buf_reserve(out, n + 1);
	if (!to)
		return -ENOMEM;
	chunk_nonce(s, last, nonce);
	if (gcm_open(&s->gcm, nonce, stream_aad(s), bytes.p, n, to, (const uint8_t *)bytes.p + n))
		return err_set(
			e, -EBADMSG,
			"the encrypted data is damaged or incomplete, in the 64 KiB from byte "
			"%llu of its content",
			(unsigned long long)s->chunk * SEALED_CHUNK);
	out->n += n;
	s->chunk++;
	return 0;
}

static int write_binary(struct buf *out, struct str bytes, struct key_ring *ring, struct err *e)
{
	struct sealed_stream s;
	int rc = sealed_stream_new(&s, out, ring, e);
	bool last = false;

	while (!rc && !last) {
		struct str chunk = str_head(bytes, SEALED_CHUNK);

		bytes = str_from_at(bytes, chunk.n);
		last = chunk.n < SEALED_CHUNK;
		rc = sealed_stream_write(&s, out, chunk, last);
	}
	sealed_stream_fini(&s);
	return rc;
}

static int read_binary(struct buf *out, struct str bytes, struct key_ring *ring, struct err *e)
{
	struct sealed_stream s = {0};
	int rc;

	if (bytes.n < KEY_SLOT)
		return err_set(e, -EBADMSG, "the encrypted data is incomplete");
	rc = sealed_stream_open(&s, (const uint8_t *)bytes.p, ring, e);
	bytes = str_from_at(bytes, KEY_SLOT);
	while (!rc) {
		struct str chunk = str_head(bytes, SEALED_CHUNK_TAGGED);
		bool last = chunk.n < SEALED_CHUNK_TAGGED;

		bytes = str_from_at(bytes, chunk.n);
		rc = sealed_stream_read(&s, out, chunk, last, e);
		if (last)
			break;
	}
	sealed_stream_fini(&s);
	return rc;
}

/* ---- messages ---- */

/* Take a length (LEB128) from the beginning of the bytes. Return 0 if there is none that fits. */
static uint64_t take_length(struct str *bytes)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 5 && i < bytes->n; i++) {
		uint8_t byte = (uint8_t)bytes->p[i];

		n |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		*bytes = str_from_at(*bytes, i + 1);
		return n <= bytes->n ? n : 0;
	}
	return 0;
}

static bool is_messages(struct str bytes)
{
	return take_length(&bytes) >= KEY_SLOT && key_block_is(bytes.p, KEY_SLOT);
}

/* A message that was cut off at the end of the file is an error: it looks like damage. */
static int read_messages(struct buf *out, struct str bytes, struct key_ring *ring, struct err *e)
{
	struct buf content = {.budget = out->budget};
	int rc = 0;

	while (!rc && bytes.n) {
		uint64_t n = take_length(&bytes);

		buf_clear(&content);
		rc = n ? read_binary(&content, str_head(bytes, n), ring, e)
		       : err_set(e, -EBADMSG, "a message is incomplete");
		bytes = str_from_at(bytes, n);
		leb128_put_u64(out, content.n);
		buf_put_str(out, buf_str(&content));
		if (!rc)
			rc = buf_error(out);
	}
	buf_fini(&content);
	return rc;
}

/* ---- text ---- */

static int write_text(struct buf *out, struct str bytes, struct key_ring *ring, struct err *e)
{
	uint8_t key[SEAL_KEY];
	struct buf sealed = {.budget = out->budget};
	struct gcm g = {0};
	uint8_t *to = (uint8_t *)buf_reserve(&sealed, bytes.n + SEALED_BASE64);
	int rc = to ? seal_random(to, SEAL_NONCE) : -ENOMEM;

	if (!rc && !key_ring_find(ring, key_ring_current(ring), key))
		rc = err_set(e, -ENOKEY, "the key file has changed: try again");
	if (!rc)
		rc = gcm_init(&g, key, e);
	if (!rc)
		rc = gcm_seal(&g, to, (struct str){0}, bytes.p, bytes.n, to + SEAL_NONCE,
			      to + SEAL_NONCE + bytes.n);
	if (!rc) {
		sealed.n = bytes.n + SEALED_BASE64;
		base64_encode(out, buf_str(&sealed));
		rc = buf_error(out);
	}
	gcm_fini(&g);
	explicit_bzero(key, sizeof(key));
	buf_fini(&sealed);
	return rc;
}

static int try_text_key(struct buf *out, const uint8_t *sealed, size_t n, const uint8_t *key,
			struct err *e)
{
	struct gcm g;
	size_t content = n - SEALED_BASE64;
	char *to = buf_reserve(out, content + 1);
	int rc = to ? gcm_init(&g, key, e) : -ENOMEM;

	if (rc)
		return rc;
	rc = gcm_open(&g, sealed, (struct str){0}, sealed + SEAL_NONCE, content, to,
		      sealed + SEAL_NONCE + content);
	gcm_fini(&g);
	if (!rc)
		out->n += content;
	return rc;
}

static int open_decoded_text(struct buf *out, const uint8_t *sealed, size_t n,
			     struct key_ring *ring, struct err *e)
{
	struct key_id ids[KEY_RING_MOST];
	uint8_t key[SEAL_KEY];
	uint32_t count;
	int rc = -EBADMSG;

	key_ring_refresh(ring); /* a text has no id that could be missing */
	count = key_ring_list(ring, ids);

	for (uint32_t i = 0; i < count && rc == -EBADMSG; i++)
		if (key_ring_find(ring, ids[i], key))
			rc = try_text_key(out, sealed, n, key, e);
	explicit_bzero(key, sizeof(key));
	if (rc == -EBADMSG)
		err_set(e, rc,
			"no key of %s opens the encrypted text: it has another key, or is damaged",
			key_ring_path(ring));
	return rc;
}

static int read_text(struct buf *out, struct str text, struct key_ring *ring, struct err *e)
{
	struct buf compact = {.budget = out->budget}, sealed = {.budget = out->budget};
	size_t n = 0;
	int rc = -ENOMEM;

	if (!ring)
		return err_set(e, -ENOKEY, "is encrypted text: name its key file");
	for (size_t i = 0; i < text.n; i++)
		if (!text.p[i] || !strchr(" \t\r\n", text.p[i]))
			buf_put_char(&compact, text.p[i]);
	if (!buf_error(&compact) && buf_reserve(&sealed, BASE64_DECODED_MAX(compact.n) + 1))
		rc = base64_decode(buf_str(&compact), sealed.p, BASE64_DECODED_MAX(compact.n), &n);
	if (!rc && n < SEALED_BASE64)
		rc = -EINVAL;
	if (rc == -EINVAL || rc == -ENOSPC)
		rc = err_set(e, -EBADMSG, "the encrypted text is not valid base64, or incomplete");
	if (!rc)
		rc = open_decoded_text(out, (const uint8_t *)sealed.p, n, ring, e);
	buf_fini(&compact);
	buf_fini(&sealed);
	return rc;
}

/* ---- both ---- */

static bool is_base64_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("+/-_= \t\r\n", c));
}

enum sealed_form sealed_form_of(struct str bytes)
{
	if (bytes.n >= KEY_SLOT && key_block_is(bytes.p, KEY_SLOT))
		return SEALED_BINARY;
	if (is_messages(bytes))
		return SEALED_MESSAGES;
	if (bytes.n < TEXT_LEAST)
		return SEALED_NOT;
	for (size_t i = 0; i < bytes.n; i++)
		if (!is_base64_char(bytes.p[i]))
			return SEALED_NOT;
	return SEALED_TEXT;
}

int sealed_write(struct buf *out, struct str bytes, enum sealed_form form, struct key_ring *ring,
		 struct err *e)
{
	return form == SEALED_TEXT ? write_text(out, bytes, ring, e)
				   : write_binary(out, bytes, ring, e);
}

int sealed_read(struct buf *out, struct str bytes, struct key_ring *ring, struct err *e)
{
	enum sealed_form form = sealed_form_of(bytes);
	size_t before = out->n;
	int rc;

	if (form == SEALED_NOT)
		return err_set(e, -EBADMSG,
			       "is not encrypted: neither in the form of varve encrypt nor base64");
	rc = form == SEALED_BINARY     ? read_binary(out, bytes, ring, e)
	     : form == SEALED_MESSAGES ? read_messages(out, bytes, ring, e)
				       : read_text(out, bytes, ring, e);
	if (rc)
		out->n = before;
	if (rc == -ENOMEM)
		err_errno(e, rc, "decrypt");
	return rc;
}
