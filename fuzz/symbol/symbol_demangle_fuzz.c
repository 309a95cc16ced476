/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a mangled name: the result is not empty, has a limited length and is found
 * within libFuzzer's timeout.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "symbol/demangle/demangle.h"
#include "symbol/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size), out;
	struct arena a;

	arena_init(&a, NULL);
	out = symbol_demangle(&a, in);
	FUZZ_CHECK(out.p == in.p || (out.n && out.n <= SYMBOL_DEMANGLED_MAX));
	FUZZ_CHECK(out.p != in.p || out.n == in.n);
	arena_fini(&a);
	return 0;
}
