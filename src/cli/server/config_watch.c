/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the files of a configuration. */
#include "cli/server/config_watch.h"

static uint64_t look(const struct config *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->files.n; i++)
		sum = file_watch_add(sum, c->files.at[i].p);
	return sum;
}

void config_watch_begin(struct file_watch *w, const struct config *c)
{
	file_watch_begin(w, look(c));
}

bool config_watch_changed(struct file_watch *w, const struct config *c)
{
	return file_watch_changed(w, look(c));
}
