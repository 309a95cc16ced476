/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of files. */
#include "cli/server/file_watch.h"

#include <sys/stat.h>

#define FINGERPRINT_SEED 0xcbf29ce484222325
/* The fingerprint of a list with a missing file: an odd number is one of existing files. */
#define FINGERPRINT_MISSING 2

static uint64_t mix(uint64_t sum, uint64_t value)
{
	for (unsigned i = 0; i < sizeof(value); i++, value >>= 8)
		sum = (sum ^ (value & 0xff)) * 0x100000001b3; /* FNV-1a */
	return sum;
}

uint64_t file_watch_add(uint64_t sum, const char *path)
{
	struct stat st;

	if (sum == FINGERPRINT_MISSING || stat(path, &st))
		return FINGERPRINT_MISSING;
	sum = sum ? sum : FINGERPRINT_SEED;
	sum = mix(sum, (uint64_t)st.st_dev);
	sum = mix(sum, (uint64_t)st.st_ino);
	sum = mix(sum, (uint64_t)st.st_size);
	sum = mix(sum, (uint64_t)st.st_mtim.tv_sec);
	sum = mix(sum, (uint64_t)st.st_mtim.tv_nsec);
	sum = mix(sum, (uint64_t)st.st_ctim.tv_sec);
	sum = mix(sum, (uint64_t)st.st_ctim.tv_nsec);
	return sum | 1;
}

void file_watch_begin(struct file_watch *w, uint64_t now)
{
	w->loaded = w->seen = now;
}

bool file_watch_changed(struct file_watch *w, uint64_t now)
{
	bool stable = now != FINGERPRINT_MISSING && now == w->seen;

	w->seen = now;
	if (!stable || now == w->loaded)
		return false;
	w->loaded = now;
	return true;
}
