/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a token file: each is refused with a reason, or a token; a token that is not plain is
 * written as a line that is read back as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/access/token_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(struct str line)
{
	struct token t, again;
	struct err e = {0};
	struct buf out = {0};
	int rc = token_line_read(&t, line, &e);

	if (rc < 0 && !e.text[0])
		abort();
	if (rc > 0 && !t.plain) {
		token_line_write(&out, &t);
		if (token_line_read(&again, buf_str(&out), &e) != 1 || again.scopes != t.scopes ||
		    memcmp(again.digest, t.digest, sizeof(t.digest)) != 0)
			abort();
	}
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1); /* plain tokens are overwritten */
	struct str rest, line;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	rest = str_of(copy, size);
	while (str_next_line(&rest, &line))
		check_line(line);
	free(copy);
	return 0;
}
