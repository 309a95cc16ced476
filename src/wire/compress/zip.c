/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip by APPNOTE.TXT 6.3. The end record is searched backwards from the end; the central directory
 * is walked once, forwards. Sizes come from the central directory only (in streamed archives the
 * local headers have none). Every offset is checked against the input before it is used.
 */
#include "wire/compress/zip.h"

#include <errno.h>
#include <libdeflate.h>

#include "wire/compress/decompress.h"

enum {
	END_SIZE = 22,
	END64_SIZE = 56,
	LOCATOR64_SIZE = 20,
	CENTRAL_SIZE = 46,
	LOCAL_SIZE = 30,
	COMMENT_MAX = 65535,
	EXTRA_ZIP64 = 1,
	FLAG_ENCRYPTED = 1,
	METHOD_STORED = 0,
	METHOD_DEFLATED = 8,
};

#define MAGIC_END 0x06054b50u
#define MAGIC_END64 0x06064b50u
#define MAGIC_LOCATOR64 0x07064b50u
#define MAGIC_CENTRAL 0x02014b50u
#define MAGIC_LOCAL 0x04034b50u

static int zip_fail(struct err *e, size_t at, const char *text)
{
	return err_set(e, -EBADMSG, "zip: at byte %zu: %s", at, text);
}

/* Return whether there is a record of `size` bytes with this magic at `at`. */
static bool has_record(struct str in, uint64_t at, size_t size, uint32_t magic)
{
	return at <= in.n && in.n - at >= size && load32(in.p + at) == magic;
}

/* Return the offset of the last end record, or in.n. */
static size_t find_end(struct str in)
{
	size_t lowest = in.n > END_SIZE + COMMENT_MAX ? in.n - END_SIZE - COMMENT_MAX : 0;

	if (in.n < END_SIZE)
		return in.n;
	for (size_t at = in.n - END_SIZE + 1; at-- > lowest;)
		if (load32(in.p + at) == MAGIC_END &&
		    load16(in.p + at + 20) <= in.n - at - END_SIZE)
			return at;
	return in.n;
}

int zip_open(struct zip *z, struct str in, struct err *e)
{
	size_t end = find_end(in);
	uint64_t size, offset, entries;

	if (end == in.n)
		return zip_fail(e, in.n,
				"expected the end of a central directory, found none: truncated?");
	entries = load16(in.p + end + 10);
	size = load32(in.p + end + 12);
	offset = load32(in.p + end + 16);
	if (end >= LOCATOR64_SIZE &&
	    has_record(in, end - LOCATOR64_SIZE, LOCATOR64_SIZE, MAGIC_LOCATOR64)) {
		uint64_t end64 = load64(in.p + end - LOCATOR64_SIZE + 8);

		if (!has_record(in, end64, END64_SIZE, MAGIC_END64))
			return zip_fail(e, end - LOCATOR64_SIZE,
					"expected the place of a zip64 end record");
		entries = load64(in.p + end64 + 32);
		size = load64(in.p + end64 + 40);
		offset = load64(in.p + end64 + 48);
	}
	if (offset > end || size > end - offset)
		return zip_fail(e, end, "expected a central directory inside the file");
	*z = (struct zip){in, (size_t)offset, (size_t)(offset + size), entries};
	return 0;
}

/* Replace fields that are all ones by the 64-bit values of the extra field, in field order. */
static void apply_zip64(struct zip_entry *entry, struct str extra)
{
	while (extra.n >= 4) {
		uint16_t id = load16(extra.p), size = load16(extra.p + 2);
		struct str field = str_head(str_from_at(extra, 4), size);
		uint64_t *const wide[] = {&entry->size, &entry->packed_size, &entry->offset};

		extra = str_from_at(extra, 4u + size);
		if (id != EXTRA_ZIP64)
			continue;
		for (size_t i = 0; i < countof(wide); i++) {
			if (*wide[i] != UINT32_MAX || field.n < 8)
				continue;
			*wide[i] = load64(field.p);
			field = str_from_at(field, 8);
		}
	}
}

int zip_next(struct zip *z, struct zip_entry *entry, struct err *e)
{
	const char *p = z->in.p + z->at;
	size_t name, extra, all;

	if (!z->left || z->at == z->end)
		return 0;
	if (z->end - z->at < CENTRAL_SIZE || load32(p) != MAGIC_CENTRAL)
		return zip_fail(e, z->at, "expected an entry of the central directory");
	name = load16(p + 28);
	extra = load16(p + 30);
	all = CENTRAL_SIZE + name + extra + load16(p + 32);
	if (z->end - z->at < all)
		return zip_fail(e, z->at,
				"expected more data: an entry extends past the central directory");
	*entry = (struct zip_entry){
		.name = str_of(p + CENTRAL_SIZE, name),
		.flags = load16(p + 8),
		.method = load16(p + 10),
		.crc = load32(p + 16),
		.packed_size = load32(p + 20),
		.size = load32(p + 24),
		.offset = load32(p + 42),
	};
	apply_zip64(entry, str_of(p + CENTRAL_SIZE + name, extra));
	z->at += all;
	z->left--;
	return 1;
}

/* Get the bytes of the entry, checked to be inside the input. */
static int find_data(const struct zip *z, const struct zip_entry *entry, struct str *data,
		     struct err *e)
{
	const char *p;
	size_t at;

	if (!has_record(z->in, entry->offset, LOCAL_SIZE, MAGIC_LOCAL))
		return zip_fail(e, (size_t)min_size(entry->offset, z->in.n),
				"expected a local header");
	p = z->in.p + entry->offset;
	at = (size_t)entry->offset + LOCAL_SIZE + load16(p + 26) + load16(p + 28);
	if (at > z->in.n || entry->packed_size > z->in.n - at)
		return zip_fail(e, (size_t)entry->offset,
				"expected more data: an entry extends past the end");
	*data = str_of(z->in.p + at, (size_t)entry->packed_size);
	return 0;
}

int zip_extract(const struct zip *z, const struct zip_entry *entry, struct arena *a,
		const struct decompress_limits *limits, struct str *out, struct err *e)
{
	struct str data, plain;
	int rc = find_data(z, entry, &data, e);

	if (rc)
		return rc;
	if (entry->flags & FLAG_ENCRYPTED)
		return err_set(e, -ENOTSUP, "zip: %.*s is encrypted", STR_ARG(entry->name));
	if (entry->method != METHOD_STORED && entry->method != METHOD_DEFLATED)
		return err_set(e, -ENOTSUP, "zip: %.*s has compression method %u, expected 0 or 8",
			       STR_ARG(entry->name), entry->method);
	rc = decompress_bytes(entry->method == METHOD_STORED ? COMPRESS_NONE : COMPRESS_DEFLATE,
			      data, a, limits, &plain, e);
	if (rc) {
		err_prefix(e, "zip: %.*s", STR_ARG(entry->name));
		return rc;
	}
	if (plain.n != entry->size || libdeflate_crc32(0, plain.p, plain.n) != entry->crc)
		return zip_fail(e, (size_t)entry->offset,
				"an entry's size or checksum does not match");
	*out = plain;
	return 0;
}

int zip_extract_one(struct str in, struct str suffix, struct arena *a,
		    const struct decompress_limits *limits, struct str *out, struct err *e)
{
	struct zip_entry entry, chosen;
	bool found = false;
	struct zip z;
	int rc = zip_open(&z, in, e);

	while (!rc && (rc = zip_next(&z, &entry, e)) == 1) {
		rc = 0;
		if (str_ends(entry.name, STR("/")))
			continue;
		if (!found || str_ends(entry.name, suffix))
			chosen = entry;
		found = true;
		if (str_ends(entry.name, suffix))
			break;
	}
	if (rc)
		return rc;
	if (!found)
		return err_set(e, -ENOENT, "zip: expected a file in the archive, found none");
	return zip_extract(&z, &chosen, a, limits, out, e);
}
