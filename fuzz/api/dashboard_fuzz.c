/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of dashboards: refused with a reason, or accepted with a title. */
#include <stdint.h>
#include <stdlib.h>

#include "api/dashboards/dashboard_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	struct dashboard_summary summary = {0};
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, NULL);
	rc = dashboard_check(in, &arena, &summary, &e);
	if (rc ? !e.text[0] : !summary.title.n || summary.panels > DASHBOARD_PANELS_MAX)
		abort();
	arena_fini(&arena);
	return 0;
}
