/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_TEXT_H
#define VARVE_FORMAT_JFR_TEXT_H

#include "base/arena.h"
#include "format/jfr/cursor.h"

/*
 * Read a string that is not a constant's id. UTF-8 and plain ASCII are borrowed from the input,
 * other encodings are converted into the arena; bytes that are not UTF-8 become U+FFFD. Null is
 * {NULL, 0}. An error of the input is in the cursor; returns 0 or -ENOMEM.
 */
MUST_USE int jfr_text_read(struct jfr_cursor *c, struct arena *arena, struct str *out);

/* `s` with what is not UTF-8 replaced by U+FFFD; the same bytes if all is well. 0 or -ENOMEM. */
MUST_USE int jfr_text_repair(struct arena *arena, struct str s, struct str *out);

#endif
