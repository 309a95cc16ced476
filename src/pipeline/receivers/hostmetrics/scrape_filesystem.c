/* SPDX-License-Identifier: Apache-2.0 */
/* File systems, from mountinfo and statvfs(). */
#include <stdio.h>
#include <sys/statvfs.h>

#include "pipeline/receivers/hostmetrics/host_reading.h"

enum { MOUNTS_MAX = 4096, MOUNT_PATH_MAX = 4096 };

struct mount {
	const char *device, *mode, *point, *type;
	struct statvfs at;
};

struct mounts {
	struct mount *at;
	uint32_t n;
};

/* Types without a device of their own. */
static const char *const virtual_types[] = {
	"autofs",     "binfmt_misc", "bpf",	  "cgroup",   "cgroup2", "configfs",
	"debugfs",    "devpts",	     "devtmpfs",  "efivarfs", "fusectl", "hugetlbfs",
	"mqueue",     "nsfs",	     "overlay",	  "proc",     "pstore",	 "ramfs",
	"rpc_pipefs", "securityfs",  "selinuxfs", "sysfs",    "tmpfs",	 "tracefs",
};

static bool is_virtual(struct str type)
{
	for (size_t i = 0; i < countof(virtual_types); i++)
		if (str_eq(type, str_from(virtual_types[i])))
			return true;
	return false;
}

/* Replace \ooo, by which mountinfo writes spaces. In place. */
static void unescape(char *p)
{
	char *to = p;

	for (; *p; p++, to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
		    p[3] >= '0' && p[3] <= '7') {
			*to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + p[3] - '0');
			p += 3;
		} else {
			*to = *p;
		}
	}
	*to = '\0';
}

static const char *copy_word(struct host_reading *r, struct str word)
{
	char *copy = arena_alloc(&r->arena, word.n + 1, 1);

	if (!copy) {
		r->failed = true;
		return "";
	}
	memcpy(copy, word.p, word.n);
	copy[word.n] = '\0';
	unescape(copy);
	return copy;
}

static bool is_known(const struct mounts *m, const char *device)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!strcmp(m->at[i].device, device))
			return true;
	return false;
}

/* Read a line of mountinfo. Return false if the file system is not reported. */
static bool read_mount(struct host_reading *r, const struct mounts *known, struct str line,
		       struct mount *out)
{
	const struct host_state *h = r->state;
	struct str word[6], type;
	char path[MOUNT_PATH_MAX];

	for (unsigned i = 0; i < countof(word); i++) /* ids, device number, root, point, options */
		word[i] = host_word(&line);
	do
		type = host_word(&line);
	while (type.n && !str_eq(type, STR("-")));
	type = host_word(&line);
	out->device = copy_word(r, host_word(&line));
	out->type = copy_word(r, type);
	out->point = copy_word(r, word[4]);
	out->mode = str_starts(word[5], STR("ro")) ? "ro" : "rw";
	if (!type.n || (is_virtual(type) && !h->settings->scrapers.virtual_filesystems))
		return false;
	if (!name_filter_passes(&h->filters[FILTER_FS_DEVICES], str_from(out->device)) ||
	    !name_filter_passes(&h->filters[FILTER_FS_TYPES], type) ||
	    !name_filter_passes(&h->filters[FILTER_MOUNT_POINTS], str_from(out->point)))
		return false;
	if (is_known(known, out->device) && !is_virtual(type))
		return false; /* mounted a second time */
	if (snprintf(path, sizeof(path), "%s%s", h->root, out->point) >= (int)sizeof(path))
		return false;
	return !statvfs(path, &out->at) && out->at.f_blocks > 0;
}

static bool read_mounts(struct host_reading *r, struct mounts *m)
{
	struct str rest, line;

	m->at = arena_alloc(&r->arena, MOUNTS_MAX, sizeof(*m->at));
	r->failed |= !m->at;
	if (r->failed)
		return false;
	if (!host_file(r, "/proc/1/mountinfo", &rest)) {
		r->e = (struct err){0};
		if (!host_file(r, "/proc/self/mountinfo", &rest))
			return false;
	}
	while (m->n < MOUNTS_MAX && str_next_line(&rest, &line))
		if (read_mount(r, m, line, &m->at[m->n]))
			m->n++;
	return m->n > 0;
}

static void put_mount(struct host_reading *r, const struct mount *m, const char *state, double n)
{
	host_point(r, n, "device", m->device, "mode", m->mode, "mountpoint", m->point, "type",
		   m->type, "state", state, NULL);
}

void scrape_filesystem(struct host_reading *r)
{
	struct mounts m = {0};

	if (!read_mounts(r, &m))
		return;
	if (host_metric(r, FILESYSTEM_USAGE))
		for (uint32_t i = 0; i < m.n; i++) {
			const struct statvfs *s = &m.at[i].at;
			double block = (double)s->f_frsize;

			put_mount(r, &m.at[i], "used", (double)(s->f_blocks - s->f_bfree) * block);
			put_mount(r, &m.at[i], "free", (double)s->f_bavail * block);
			put_mount(r, &m.at[i], "reserved",
				  (double)(s->f_bfree - s->f_bavail) * block);
		}
	if (host_metric(r, FILESYSTEM_INODES_USAGE))
		for (uint32_t i = 0; i < m.n; i++) {
			const struct statvfs *s = &m.at[i].at;

			put_mount(r, &m.at[i], "used", (double)(s->f_files - s->f_ffree));
			put_mount(r, &m.at[i], "free", (double)s->f_ffree);
		}
	if (host_metric(r, FILESYSTEM_UTILIZATION))
		for (uint32_t i = 0; i < m.n; i++) {
			const struct statvfs *s = &m.at[i].at;
			double used = (double)(s->f_blocks - s->f_bfree);
			double all = used + (double)s->f_bavail;

			host_point(r, all > 0 ? used / all : 0, "device", m.at[i].device, "mode",
				   m.at[i].mode, "mountpoint", m.at[i].point, "type", m.at[i].type,
				   NULL);
		}
}
