/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of all formats. To add one, list its descriptor here and its sources in
 * src/meson.build.
 */
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/jfr/jfr.h"
#include "format/otlp/otlp.h"
#include "format/perf_script/perf_script.h"
#include "format/pprof/pprof.h"
#include "format/speedscope/speedscope.h"
#include "format/v8/v8.h"

/* clang-format off */
const struct format *const formats[] = {
	&format_pprof,
	&format_pprof_raw,
	&format_otlp,
	&format_otlp_json,
	&format_jfr,
	&format_folded,
	&format_lines,
	&format_perf_script,
	&format_speedscope,
	&format_cpuprofile,
	&format_heapprofile,
	&format_trie,
	&format_tree,
	&format_gperftools,
	&format_heap_text,
	&format_contention_text,
	&format_thread_text,
	NULL,
};
/* clang-format on */
