/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_TEXT_DECODE_H
#define VARVE_PIPELINE_FILELOG_TEXT_DECODE_H

#include "base/buf.h"

/* Encodings of files. ascii is read as utf-8, as in the collector. */
enum text_encoding { TEXT_UTF8, TEXT_UTF8_RAW, TEXT_UTF16LE, TEXT_UTF16BE, TEXT_NOP };

/* Find an encoding by its name, in any case. Return false if it is not supported. */
bool text_encoding_find(struct str name, enum text_encoding *out);

/*
 * Return the text in UTF-8: `in` itself, or a copy in `scratch` that replaces each byte that is not
 * UTF-8, and each half of a pair in UTF-16, by U+FFFD. utf-8-raw and nop are never changed. Memory
 * errors are kept in `scratch`.
 */
struct str text_decode(enum text_encoding encoding, struct str in, struct buf *scratch);

#endif
