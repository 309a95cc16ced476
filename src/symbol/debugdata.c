/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .gnu_debugdata: an ELF file with the .symtab of a stripped program, compressed by xz (Fedora and
 * related distributions have it in every program). liblzma is loaded only for files with that
 * section.
 */
#include <dlfcn.h>
#include <errno.h>
#include <lzma.h>

#include "symbol/debugdata.h"

#define PACKED_MAX (64 * MIB)
#define UNPACKED_MAX (256 * MIB)
#define DECODER_MEMORY_MAX (128 * MIB) /* dictionaries of xz -9 need 65 MiB */

typedef uint64_t file_size_fn(const lzma_index *i);
typedef lzma_ret stream_buffer_decode_fn(uint64_t *memlimit, uint32_t flags,
					 const lzma_allocator *allocator, const uint8_t *in,
					 size_t *in_pos, size_t in_size, uint8_t *out,
					 size_t *out_pos, size_t out_size);
typedef lzma_ret footer_decode_fn(lzma_stream_flags *options, const uint8_t *in);
typedef lzma_ret index_decode_fn(lzma_index **i, uint64_t *memlimit,
				 const lzma_allocator *allocator, const uint8_t *in, size_t *in_pos,
				 size_t in_size);
typedef void index_end_fn(lzma_index *i, const lzma_allocator *allocator);

struct lzma {
	void *library;
	file_size_fn *index_uncompressed_size;
	stream_buffer_decode_fn *stream_buffer_decode;
	footer_decode_fn *stream_footer_decode;
	index_decode_fn *index_buffer_decode;
	index_end_fn *index_end;
};

static bool load_liblzma(struct lzma *l)
{
	l->library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!l->library)
		return false;
	l->index_uncompressed_size =
		(file_size_fn *)dlsym(l->library, "lzma_index_uncompressed_size");
	l->stream_buffer_decode =
		(stream_buffer_decode_fn *)dlsym(l->library, "lzma_stream_buffer_decode");
	l->stream_footer_decode =
		(footer_decode_fn *)dlsym(l->library, "lzma_stream_footer_decode");
	l->index_buffer_decode = (index_decode_fn *)dlsym(l->library, "lzma_index_buffer_decode");
	l->index_end = (index_end_fn *)dlsym(l->library, "lzma_index_end");
	return l->index_uncompressed_size && l->stream_buffer_decode && l->stream_footer_decode &&
	       l->index_buffer_decode && l->index_end;
}

/* Return the unpacked size by the index at the end; 0 when it is invalid or too large. */
static uint64_t unpacked_size(const struct lzma *l, struct str in)
{
	const uint8_t *bytes = (const uint8_t *)in.p;
	lzma_stream_flags flags;
	lzma_index *index = NULL;
	uint64_t limit = 16 * MIB, size;
	size_t at;

	if (in.n < 2 * LZMA_STREAM_HEADER_SIZE ||
	    l->stream_footer_decode(&flags, bytes + in.n - LZMA_STREAM_HEADER_SIZE) != LZMA_OK ||
	    flags.backward_size > in.n - 2 * LZMA_STREAM_HEADER_SIZE)
		return 0;
	at = in.n - LZMA_STREAM_HEADER_SIZE - flags.backward_size;
	if (l->index_buffer_decode(&index, &limit, NULL, bytes, &at, in.n) != LZMA_OK)
		return 0;
	size = l->index_uncompressed_size(index);
	l->index_end(index, NULL);
	return size <= UNPACKED_MAX ? size : 0;
}

static int unpack_xz(const struct lzma *l, struct str in, struct arena *a, struct str *out)
{
	uint64_t size = unpacked_size(l, in), limit = DECODER_MEMORY_MAX;
	size_t in_at = 0, out_at = 0;
	uint8_t *bytes;

	if (!size)
		return -EBADMSG;
	bytes = arena_alloc(a, size, 1);
	if (!bytes)
		return -ENOMEM;
	if (l->stream_buffer_decode(&limit, 0, NULL, (const uint8_t *)in.p, &in_at, in.n, bytes,
				    &out_at, size) != LZMA_OK)
		return -EBADMSG;
	*out = str_of((const char *)bytes, out_at);
	return 0;
}

int symbol_read_debugdata(const struct elf *elf, struct arena *a, struct str *out)
{
	const struct elf_section *s = elf_find_section(elf, ".gnu_debugdata");
	struct lzma l = {0};
	struct str in;
	int rc;

	if (!s)
		return -ENOENT;
	if (s->size > PACKED_MAX)
		return -EBADMSG;
	rc = source_read_new(elf->source, s->offset, s->size, a, &in);
	if (rc)
		return rc;
	rc = load_liblzma(&l) ? unpack_xz(&l, in, a, out) : -ENOENT;
	if (l.library)
		dlclose(l.library);
	return rc;
}
