/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the dynamic symbol table without section headers: sstrip and some packers remove them, and
 * the dynamic linker does not need them. The dynamic segment has the addresses of symbols and
 * strings. The number of symbols is known only from the hash tables: DT_HASH stores it; in
 * DT_GNU_HASH it is the end of the longest chain.
 */
#include <elf.h>

#include "symbol/elf.h"

enum { DYNAMIC_ENTRIES_MAX = 1024, CHAIN_MAX = 1 << 16 };

struct dynamic {
	uint64_t symbols, names, names_size, entry_size, hash, gnu_hash; /* addresses; 0: absent */
};

static bool read_dynamic(const struct elf *elf, struct dynamic *d)
{
	uint64_t count = min_size(elf->dynamic_size / sizeof(Elf64_Dyn), DYNAMIC_ENTRIES_MAX);
	Elf64_Dyn entry;

	*d = (struct dynamic){.entry_size = sizeof(Elf64_Sym)};
	for (uint64_t i = 0; i < count; i++) {
		if (source_read(elf->source, elf->dynamic_offset + i * sizeof(entry), &entry,
				sizeof(entry)))
			return false;
		switch (entry.d_tag) {
		case DT_SYMTAB:
			d->symbols = entry.d_un.d_ptr;
			break;
		case DT_STRTAB:
			d->names = entry.d_un.d_ptr;
			break;
		case DT_STRSZ:
			d->names_size = entry.d_un.d_val;
			break;
		case DT_SYMENT:
			d->entry_size = entry.d_un.d_val;
			break;
		case DT_HASH:
			d->hash = entry.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			d->gnu_hash = entry.d_un.d_ptr;
			break;
		case DT_NULL:
			i = count;
			break;
		default:
			break;
		}
	}
	return d->symbols && d->names && d->names_size && d->entry_size == sizeof(Elf64_Sym);
}

/* Convert an address to a file offset and the bytes left in its segment. False: no segment. */
static bool file_offset_of(const struct elf *elf, uint64_t address, uint64_t *offset,
			   uint64_t *left)
{
	const struct elf_segment *s = elf_segment_at(elf, address);

	if (!s || address - s->address >= s->file_size)
		return false;
	*offset = s->offset + (address - s->address);
	*left = s->file_size - (address - s->address);
	return true;
}

static bool read_words_at(const struct elf *elf, uint64_t address, uint32_t *to, size_t n)
{
	uint64_t offset, left;

	return file_offset_of(elf, address, &offset, &left) && left >= n * sizeof(*to) &&
	       source_read(elf->source, offset, to, n * sizeof(*to)) == 0;
}

/* Find the highest first symbol of all chains. Return false when the table exceeds its segment. */
static bool last_bucket(const struct elf *elf, uint64_t address, uint32_t buckets, uint32_t *last)
{
	uint32_t chunk[256];

	*last = 0;
	for (uint32_t done = 0; done < buckets;) {
		uint32_t n = (uint32_t)min_size(buckets - done, countof(chunk));

		if (!read_words_at(elf, address + (uint64_t)done * 4, chunk, n))
			return false;
		for (uint32_t i = 0; i < n; i++)
			*last = chunk[i] > *last ? chunk[i] : *last;
		done += n;
	}
	return true;
}

static uint64_t count_by_gnu_hash(const struct elf *elf, uint64_t address)
{
	uint32_t head[4], last, word; /* buckets, first symbol, bloom words, shift */
	uint64_t buckets, chains;

	if (!read_words_at(elf, address, head, 4))
		return 0;
	buckets = address + sizeof(head) + (uint64_t)head[2] * 8;
	if (!last_bucket(elf, buckets, head[0], &last) || last < head[1])
		return last;
	chains = buckets + (uint64_t)head[0] * 4;
	/* the lowest bit marks the end of the chain */
	for (uint32_t i = 0; i < CHAIN_MAX && last < UINT32_MAX; i++) {
		if (!read_words_at(elf, chains + (uint64_t)(last - head[1]) * 4, &word, 1))
			return 0;
		last++;
		if (word & 1)
			return last;
	}
	return 0;
}

static uint64_t count_symbols(const struct elf *elf, const struct dynamic *d)
{
	uint32_t head[2];
	uint64_t count = 0;

	if (d->hash && read_words_at(elf, d->hash, head, 2))
		return head[1];
	if (d->gnu_hash)
		count = count_by_gnu_hash(elf, d->gnu_hash);
	/* without a table: strings usually follow the symbols directly */
	if (!count && d->names > d->symbols)
		count = (d->names - d->symbols) / sizeof(Elf64_Sym);
	return count;
}

bool elf_find_dynamic_symbols(const struct elf *elf, struct elf_symbols *out)
{
	struct dynamic d;
	uint64_t left;

	if (!elf->dynamic_size || !read_dynamic(elf, &d) ||
	    !file_offset_of(elf, d.symbols, &out->offset, &left))
		return false;
	out->count = min_size(count_symbols(elf, &d), left / sizeof(Elf64_Sym));
	if (!file_offset_of(elf, d.names, &out->names_offset, &left))
		return false;
	out->names_size = min_size(d.names_size, left);
	return out->count > 0;
}
