/* SPDX-License-Identifier: Apache-2.0 */
/* Finds ranges of a space by binary search, and .eh_frame by its header. */
#include "unwind/cursor.h"
#include "unwind/unwind.h"

const struct unwind_range *unwind_find_range(const struct unwind_space *space, uint64_t address)
{
	const struct unwind_range *range = space->ranges;
	uint32_t count = space->count;

	if (!count)
		return NULL;
	while (count > 1) {
		uint32_t half = count / 2;

		range = range[half].start <= address ? range + half : range;
		count -= half;
	}
	return address - range->start < range->limit - range->start ? range : NULL;
}

bool unwind_find_eh_frame(struct str hdr, uint64_t address, uint64_t *eh_frame)
{
	struct cfi_cursor c = cfi_cursor_of((const uint8_t *)hdr.p, hdr.n);
	uint8_t version = cfi_u8(&c), encoding = cfi_u8(&c);

	(void)cfi_fixed(&c, 2); /* the encodings of the list of functions */
	*eh_frame = (encoding & CFI_POINTER_BASE) == CFI_POINTER_DATA_RELATIVE
			    ? address + cfi_pointer_value(&c, encoding)
			    : cfi_pointer(&c, encoding, address + 4);
	return version == 1 && encoding != CFI_POINTER_OMIT && !(encoding & CFI_POINTER_INDIRECT) &&
	       !c.failed;
}
