/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PERF_SCRIPT_FRAME_LINE_H
#define VARVE_FORMAT_PERF_SCRIPT_FRAME_LINE_H

#include "base/str.h"

/*
 * The lines of a frame:
 *
 *	ffffffff821f5618 __schedule+0x618 ([kernel.kallsyms])
 *
 * and, with -F +srcline, the source line after it: "  main.c:12", "  main.c:12 (inlined)". Parsers
 * return false for other lines. Results borrow from the line.
 */
struct perf_frame {
	uint64_t address;
	struct str symbol; /* without the offset; empty: unknown */
	struct str dso;	   /* empty: unknown or not printed */
	bool inlined;
	bool has_dso; /* there is text in parentheses, even if it is no DSO */
};

bool perf_frame_parse(struct str line, struct perf_frame *out);

/* Return "kernel", "native", "jit" or "" by FlameGraph's rules, which also look at the address. */
struct str perf_frame_type(const struct perf_frame *f);

struct perf_srcline {
	struct str file;
	int64_t line;
	bool inlined;
};

bool perf_srcline_parse(struct str line, struct perf_srcline *out);

#endif
