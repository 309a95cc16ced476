/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/demangle.h"

int symbol_demangle_rust(struct str name, char *out, size_t size)
{
	(void)name;
	(void)out;
	(void)size;
	return 0;
}
