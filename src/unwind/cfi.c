/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the entries of .eh_frame. All input is untrusted: lengths are checked against the section,
 * and the fields of an entry against the entry.
 */
#include "unwind/cfi.h"

#include <errno.h>

#include "unwind/program.h"

/*
 * Compilers write five to ten bytes. The limit bounds the work of re-reading a CIE each time after
 * it was evicted from the cache.
 */
enum { INITIAL_PROGRAM_MAX = 256 };

void cfi_reader_init(struct cfi_reader *r, struct cfi_section section)
{
	*r = (struct cfi_reader){.section = section};
	for (size_t i = 0; i < CFI_CIE_CACHE; i++)
		r->cache[i].at = UINT32_MAX;
}

int cfi_entry_at(const struct cfi_reader *r, uint32_t at, struct cfi_entry *entry)
{
	const struct cfi_section *s = &r->section;

	*entry = (struct cfi_entry){.kind = CFI_END, .at = at};
	if (at == s->size)
		return 0;
	if (at > s->size)
		return -EBADMSG;

	struct cfi_cursor c = cfi_cursor_of(s->bytes + at, s->size - at);
	uint64_t length = cfi_fixed(&c, 4);
	size_t id_size = 4;

	if (length == UINT32_MAX) {
		length = cfi_fixed(&c, 8);
		id_size = 8;
	}
	if (!c.failed && !length)
		return 0;
	entry->body = cfi_block(&c, length);

	uint32_t id_at = (uint32_t)(entry->body.at - s->bytes);
	uint64_t id = cfi_fixed(&entry->body, id_size);

	if (c.failed || entry->body.failed || id > id_at)
		return -EBADMSG;
	entry->kind = id ? CFI_FDE : CFI_CIE;
	entry->cie = (uint32_t)(id_at - id);
	entry->next = (uint32_t)(c.at - s->bytes);
	return 0;
}

/* Read the letters of the augmentation and their data. Return false for an unknown letter. */
static bool read_augmentation(struct cfi_cie *cie, const uint8_t *letters, struct cfi_cursor *c)
{
	struct cfi_cursor data;

	if (*letters != 'z')
		return !*letters;
	cie->augmentation = true;
	data = cfi_block(c, cfi_uleb(c));
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->pointer_encoding = cfi_u8(&data);
			break;
		case 'P':
			(void)cfi_pointer_value(&data, cfi_u8(&data));
			break;
		case 'L':
			(void)cfi_u8(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* arm64: signed return addresses, tagged memory */
		case 'G':
			break;
		default:
			return false;
		}
	}
	return !data.failed;
}

bool cfi_read_cie(struct cfi_cie *cie, struct cfi_cursor c)
{
	uint8_t version = cfi_u8(&c);
	const uint8_t *letters = c.at;

	while (cfi_u8(&c))
		;
	if (c.failed || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4) {
		uint8_t address_size = cfi_u8(&c), segment_size = cfi_u8(&c);

		if (address_size != 8 || segment_size)
			return false;
	}
	cie->code_factor = cfi_uleb(&c);
	cie->data_factor = cfi_sleb(&c);
	cie->ra_register = version == 1 ? cfi_u8(&c) : cfi_uleb(&c);
	if (!read_augmentation(cie, letters, &c) || c.failed ||
	    cfi_left(&c) > INITIAL_PROGRAM_MAX || cie->ra_register != UNWIND_REG_RA)
		return false;
	return cfi_run_initial(cie, c);
}

/* Return the CIE at that offset, read into the cache if needed; NULL when it is invalid. */
static const struct cfi_cie *find_cie(struct cfi_reader *r, uint32_t at)
{
	struct cfi_cie *cie = &r->cache[(at ^ at >> 5 ^ at >> 10) % CFI_CIE_CACHE];
	struct cfi_entry entry;

	if (cie->at != at) {
		*cie = (struct cfi_cie){.at = at};
		cie->valid = !cfi_entry_at(r, at, &entry) && entry.kind == CFI_CIE &&
			     cfi_read_cie(cie, entry.body);
	}
	return cie->valid ? cie : NULL;
}

bool cfi_function_of(struct cfi_reader *r, const struct cfi_entry *entry, struct cfi_function *f)
{
	const struct cfi_cie *cie = find_cie(r, entry->cie);

	return cie && cfi_read_function(&r->section, cie, entry->body, f);
}

bool cfi_read_function(const struct cfi_section *s, const struct cfi_cie *cie, struct cfi_cursor c,
		       struct cfi_function *f)
{
	f->cie = cie;
	f->start = cfi_pointer(&c, cie->pointer_encoding, s->address + (uint64_t)(c.at - s->bytes));
	f->size = cfi_pointer_value(&c, cie->pointer_encoding);
	if (cie->augmentation)
		(void)cfi_block(&c, cfi_uleb(&c));
	f->program = c;
	return !c.failed && f->size && f->start + f->size > f->start;
}
