/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_FOLDED_H
#define VARVE_FORMAT_FOLDED_H

#include "format/format.h"

/*
 * Stacks as text, one per line, root first, and two binary formats with the same content:
 *
 *	folded	main;work;read_[k] 12	FlameGraph's collapsed stacks
 *	lines	main;work;read		Pyroscope's stacks: each line counts one
 *	trie	Pyroscope's prefix tree of byte strings like "main;work;read"
 *	tree	Pyroscope's tree of frames
 *
 * folded.c decodes the first two, trie.c the others, and encode.c encodes folded.
 */
extern const struct format format_folded, format_lines, format_trie, format_tree;

int folded_encode(struct buf *out, const struct profile_batch *b, const struct encode_options *o,
		  struct err *e);

#endif
