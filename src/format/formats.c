/* SPDX-License-Identifier: Apache-2.0 */
/* All formats there are. To add one: its descriptor here, its sources in src/meson.build. */
#include "format/format.h"
#include "format/pprof/pprof.h"

const struct format *const formats[] = {
	&format_pprof,
	NULL,
};
