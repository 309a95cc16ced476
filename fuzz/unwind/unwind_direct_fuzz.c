/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single lookups of unwind rules in a module of arbitrary bytes, with .eh_frame_hdr at its start
 * and .eh_frame after it. The first four bytes set the size of the header and the address to look
 * up. For any input a lookup ends, reads only bytes of the module, and returns a valid rule.
 */
#include "fuzz.h"

#include <string.h>

#include "unwind/direct.h"

enum { BASE = 0x10000 }; /* address of the module's bytes; its code is before them */

static struct str image;

static bool copy(void *arg, uint64_t address, void *to, size_t n)
{
	(void)arg;
	if (address < BASE || address - BASE > image.n || n > image.n - (address - BASE))
		return false;
	memcpy(to, image.p + (address - BASE), n);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t scratch[UNWIND_SCRATCH / 8];
	struct unwind_memory memory = {.copy = copy, .scratch = scratch};
	struct unwind_direct direct;
	struct unwind_range range = {.limit = BASE, .direct = &direct};
	struct unwind_found found;
	uint16_t header, first_pc;

	if (size < 4)
		return 0;
	memcpy(&header, data, 2);
	memcpy(&first_pc, data + 2, 2);
	image = str_of((const char *)data + 4, size - 4);
	if (unwind_direct_init(&direct, str_head(image, header), BASE, BASE + image.n, BASE))
		return 0;
	for (uint32_t pc = first_pc; pc < BASE; pc += 997) {
		unwind_direct_find(&range, pc, &memory, &found);
		FUZZ_CHECK(found.rule <= UNWIND_RULE_MASK && found.rbx <= UNWIND_RULE_MASK);
	}
	FUZZ_CHECK(atomic_load(&direct.lookups) > 0);
	unwind_direct_fini(&direct);
	return 0;
}
