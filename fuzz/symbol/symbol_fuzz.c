/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as an ELF file: opening succeeds or gives an error text, memory stays within the
 * budget and is freed, and all results point to readable memory.
 */
#include "fuzz.h"

#include <errno.h>

#include "symbol/symbol.h"

static unsigned sum; /* keeps reads from being optimized away */

static void touch(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		sum += (unsigned char)s.p[i];
}

static void look_up(struct symbol_file *f, uint64_t address)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	uint32_t n = symbol_lookup(f, address, frames);

	FUZZ_CHECK(n <= 1);
	if (!n)
		return;
	FUZZ_CHECK(frames[0].name.n && frames[0].system_name.n && frames[0].start <= address);
	touch(frames[0].name);
	touch(frames[0].system_name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sections[] = {".text", ".eh_frame", ".symtab", ""};
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct symbol_options o = {.budget = &budget, .debug_directory = "/nowhere"};
	struct str in = str_of((const char *)data, size);
	struct symbol_file *f = NULL;
	struct err e = {0};
	uint64_t address;
	int rc = symbol_file_open_bytes(&f, in, "fuzz", &o, &e);

	if (rc) {
		FUZZ_CHECK((rc == -EBADMSG || rc == -ENOMEM) && e.code == rc && e.text[0]);
		FUZZ_CHECK(!f && budget.used == 0);
		return 0;
	}
	touch(symbol_file_build_id(f));
	for (size_t i = 0; i < countof(sections); i++)
		touch(symbol_file_section(f, sections[i], &address));
	for (uint64_t at = 0; at < size; at += 16) {
		look_up(f, at);
		if (symbol_file_offset_to_address(f, at, &address))
			look_up(f, address);
	}
	look_up(f, UINT64_MAX);
	FUZZ_CHECK(symbol_file_bytes(f) >= budget.used);
	symbol_file_close(f);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
