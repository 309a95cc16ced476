/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_TEXT_H
#define VARVE_FORMAT_JFR_TEXT_H

#include "base/arena.h"
#include "format/jfr/cursor.h"
/*
 * Read a string that is not a reference to a constant. UTF-8 and ASCII are borrowed from the input,
 * other encodings are converted into the arena; invalid UTF-8 is replaced by U+FFFD. A null string
 * is {NULL, 0}. Return 0 or -ENOMEM; errors of the input are in the cursor.
 */
MUST_USE int jfr_text_read(struct jfr_cursor *c, struct arena *arena, struct str *out);

/* Replace invalid UTF-8 by U+FFFD; *out borrows `s` if it is valid. Return 0 or -ENOMEM. */
MUST_USE int jfr_text_repair(struct arena *arena, struct str s, struct str *out);

#endif
