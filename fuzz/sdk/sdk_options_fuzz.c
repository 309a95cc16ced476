/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Option files of libvarve: each is accepted or refused with file and line, and accepted options
 * are in their ranges.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sdk_options s, again;
	struct err e = {0};
	int rc = sdk_options_load(&s, NULL, str_of((const char *)data, size), "f", &e);

	if (rc && (rc != -EINVAL || strncmp(e.text, "f:", 2) != 0))
		abort();
	if (!rc) {
		/* options from a file must also be accepted from code */
		s.o.profiles &= 0xff;
		if (sdk_options_load(&again, &s.o, (struct str){0}, NULL, &e))
			abort();
		sdk_options_fini(&again);
	}
	sdk_options_fini(&s);
	return 0;
}
