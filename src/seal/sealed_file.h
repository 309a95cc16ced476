/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SEAL_SEALED_FILE_H
#define VARVE_SEAL_SEALED_FILE_H

#include "base/buf.h"
#include "seal/key_block.h"

/*
 * Encrypted files and messages, in two forms.
 *
 * Binary, for any size: a slot of a key block (key_block.h, kind 3), then chunks of 65,536 bytes,
 * the last one shorter or empty, each encrypted by AES-256-GCM with the data key of the slot and
 * followed by its tag. The nonce of a chunk is its number (u64, little-endian), three zeros, and 1
 * for the last chunk or 0: chunks cannot be reordered, cut off or appended. The id of the file is
 * authenticated with each.
 *
 * Messages of the binary form, each after its length (LEB128), make a file that is appended to,
 * such as libvarve's traces.otlp.sealed; its content is the content of each message after its
 * length.
 *
 * Text, as common snippets write it: base64 of a random nonce (12 bytes), the bytes encrypted by
 * AES-256-GCM with the master key itself, and the tag (16 bytes). It has no key id: all keys are
 * tried. White space is ignored.
 */
enum { SEALED_CHUNK = 64 * 1024, SEALED_CHUNK_TAGGED = SEALED_CHUNK + SEAL_TAG };

enum sealed_form { SEALED_NOT, SEALED_BINARY, SEALED_MESSAGES, SEALED_TEXT };

/*
 * Return the form that bytes seem to have: SEALED_BINARY and SEALED_MESSAGES by their first bytes,
 * SEALED_TEXT if all are base64 and there are enough, which other texts may be, too.
 */
enum sealed_form sealed_form_of(struct str bytes);

/* Append the bytes in a form, SEALED_BINARY or SEALED_TEXT. Return 0 or -errno. */
MUST_USE int sealed_write(struct buf *out, struct str bytes, enum sealed_form form,
			  struct key_ring *ring, struct err *e);

/*
 * Append what was encrypted, in any form. Return 0; -ENOKEY if the key is missing (the ring may be
 * NULL); -EBADMSG if the bytes are damaged, incomplete or in no form, or for SEALED_TEXT if no key
 * fits; or -ENOMEM. Nothing is appended on error.
 */
MUST_USE int sealed_read(struct buf *out, struct str bytes, struct key_ring *ring, struct err *e);

/* ---- the binary form in pieces ---- */

struct sealed_stream {
	struct gcm gcm;
	uint8_t file[FILE_ID];
	uint64_t chunk;
};

/* Begin to write: append the slot. sealed_stream_fini() takes the zero value. */
MUST_USE int sealed_stream_new(struct sealed_stream *s, struct buf *out, struct key_ring *ring,
			       struct err *e);

/* Begin to read a file that begins with `head`. Return as sealed_read(). */
MUST_USE int sealed_stream_open(struct sealed_stream *s, const uint8_t head[KEY_SLOT],
				struct key_ring *ring, struct err *e);
void sealed_stream_fini(struct sealed_stream *s);

/* Append the next chunk: SEALED_CHUNK bytes unless it is the last. Return 0 or -errno. */
MUST_USE int sealed_stream_write(struct sealed_stream *s, struct buf *out, struct str bytes,
				 bool last);

/*
 * Append the content of the next chunk: SEALED_CHUNK_TAGGED bytes unless the file ends with it.
 * Return 0, -EBADMSG, or -ENOMEM.
 */
MUST_USE int sealed_stream_read(struct sealed_stream *s, struct buf *out, struct str bytes,
				bool last, struct err *e);

#endif
