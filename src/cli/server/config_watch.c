/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the files of a configuration. */
#include "cli/server/config_watch.h"

#include <sys/stat.h>

static uint64_t mix(uint64_t sum, uint64_t value)
{
	for (unsigned i = 0; i < sizeof(value); i++, value >>= 8)
		sum = (sum ^ (value & 0xff)) * 0x100000001b3; /* FNV-1a */
	return sum;
}

/* Return a fingerprint of all files, or 0 if one is missing. */
static uint64_t look(const struct config *c)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (uint32_t i = 0; i < c->files.n; i++) {
		struct stat st;

		if (stat(c->files.at[i].p, &st))
			return 0;
		sum = mix(sum, (uint64_t)st.st_dev);
		sum = mix(sum, (uint64_t)st.st_ino);
		sum = mix(sum, (uint64_t)st.st_size);
		sum = mix(sum, (uint64_t)st.st_mtim.tv_sec);
		sum = mix(sum, (uint64_t)st.st_mtim.tv_nsec);
		sum = mix(sum, (uint64_t)st.st_ctim.tv_sec);
		sum = mix(sum, (uint64_t)st.st_ctim.tv_nsec);
	}
	return sum | 1;
}

void config_watch_begin(struct config_watch *w, const struct config *c)
{
	w->loaded = w->seen = look(c);
}

bool config_watch_changed(struct config_watch *w, const struct config *c)
{
	uint64_t now = look(c);
	bool stable = now && now == w->seen;

	w->seen = now;
	if (!stable || now == w->loaded)
		return false;
	w->loaded = now;
	return true;
}
