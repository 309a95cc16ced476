/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the section of the receiver: scrapers, their filters, and metrics that are turned on or
 * off.
 */
#include "pipeline/receivers/hostmetrics/hostmetrics_settings.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "config/values.h"

/* ---- metrics ---- */

static bool read_switch(const struct config_node *n, bool *out)
{
	*out = n && str_eq(n->text, STR("true"));
	return n && (*out || str_eq(n->text, STR("false")));
}

/* Read {enabled, attributes} of a metric. */
static int read_metric(struct scraper_settings *s, size_t metric, const struct config_node *n,
		       const char *what, struct err *e)
{
	bool cpu = metric == CPU_TIME || metric == CPU_UTILIZATION;

	for (const struct config_node *c = n->first; c; c = c->next) {
		if (str_eq(c->key, STR("enabled"))) {
			if (!read_switch(c, &s->written[metric]))
				return config_fail(c, e, "%s: \"enabled\" has to be true or false",
						   what);
		} else if (cpu && str_eq(c->key, STR("attributes"))) {
			for (const struct config_node *a = c->first; a; a = a->next)
				s->cpu_attribute |= str_eq(a->text, STR("cpu"));
		} else if (str_eq(c->key, STR("attributes")) ||
			   str_eq(c->key, STR("aggregation_strategy"))) {
			config_warn(c,
				    "%s: \"%.*s\" is not supported and ignored: all attributes are "
				    "written",
				    what, STR_ARG(c->key));
		} else {
			return config_fail(c, e, "%s: unknown key \"%.*s\"; expected enabled", what,
					   STR_ARG(str_head(c->key, 64)));
		}
	}
	return 0;
}

static int read_metrics(struct scraper_settings *s, enum host_scraper scraper,
			const struct config_node *n, const char *what, struct err *e)
{
	const char *names[HOST_METRICS];
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < HOST_METRICS; i++)
		if (host_metric_table[i].scraper == scraper)
			names[count++] = host_metric_table[i].name;
	for (const struct config_node *c = n->first; c && !rc; c = c->next) {
		const char *meant = config_suggest(c->key, names, count, sizeof(names[0]));
		size_t i = 0;

		while (i < HOST_METRICS && !(host_metric_table[i].scraper == scraper &&
					     str_eq(str_from(host_metric_table[i].name), c->key)))
			i++;
		if (i == HOST_METRICS) {
			config_warn(c, "%s: the metric \"%.*s\" is not supported and ignored%s%s%s",
				    what, STR_ARG(str_head(c->key, 100)),
				    meant ? "; did you mean \"" : "", meant ? meant : "",
				    meant ? "\"?" : "");
			continue;
		}
		rc = read_metric(s, i, c, what, e);
	}
	return rc;
}

/* ---- scrapers ---- */

/* The filters of a scraper: the key of the setting, and that of its list of names. */
static const struct {
	enum host_scraper scraper;
	const char *key, *names;
	enum host_filter filter;
	bool exclude;
} filter_keys[] = {
	{SCRAPER_DISK, "include", "devices", FILTER_DISKS, false},
	{SCRAPER_DISK, "exclude", "devices", FILTER_DISKS, true},
	{SCRAPER_NETWORK, "include", "interfaces", FILTER_INTERFACES, false},
	{SCRAPER_NETWORK, "exclude", "interfaces", FILTER_INTERFACES, true},
	{SCRAPER_FILESYSTEM, "include_devices", "devices", FILTER_FS_DEVICES, false},
	{SCRAPER_FILESYSTEM, "exclude_devices", "devices", FILTER_FS_DEVICES, true},
	{SCRAPER_FILESYSTEM, "include_fs_types", "fs_types", FILTER_FS_TYPES, false},
	{SCRAPER_FILESYSTEM, "exclude_fs_types", "fs_types", FILTER_FS_TYPES, true},
	{SCRAPER_FILESYSTEM, "include_mount_points", "mount_points", FILTER_MOUNT_POINTS, false},
	{SCRAPER_FILESYSTEM, "exclude_mount_points", "mount_points", FILTER_MOUNT_POINTS, true},
	{SCRAPER_PROCESS, "include", "names", FILTER_PROCESSES, false},
	{SCRAPER_PROCESS, "exclude", "names", FILTER_PROCESSES, true},
};

/* Read {NAME: {enabled: ...}}: which attributes the resources of processes have. */
static int read_process_attributes(struct scraper_settings *s, const struct config_node *n,
				   const char *what, struct err *e)
{
	for (const struct config_node *c = n->first; c; c = c->next) {
		const struct config_node *enabled = c->first;
		size_t i = 0;
		bool on;

		while (i < PROCESS_ATTRIBUTES &&
		       !str_eq(str_from(process_attribute_names[i]), c->key))
			i++;
		if (i == PROCESS_ATTRIBUTES) {
			config_warn(c, "%s: the attribute \"%.*s\" is not supported and ignored",
				    what, STR_ARG(str_head(c->key, 64)));
			continue;
		}
		if (!enabled || enabled->next || !str_eq(enabled->key, STR("enabled")) ||
		    !read_switch(enabled, &on))
			return config_fail(c, e, "%s: \"%.*s\" has to be {enabled: true or false}",
					   what, STR_ARG(c->key));
		s->no_process_attribute[i] = !on;
	}
	return 0;
}

/*
 * Read a key of the scraper `process`. Return -ENOENT if it is none. What cannot be read is left out
 * without an error, so that there is nothing to mute.
 */
static int read_process_key(struct scraper_settings *s, const struct config_node *n,
			    const char *what, struct err *e)
{
	static const char *const mutes[] = {"mute_process_all_errors", "mute_process_name_error",
					    "mute_process_exe_error",  "mute_process_io_error",
					    "mute_process_user_error", "mute_process_cgroup_error"};
	bool muted;

	if (str_eq(n->key, STR("resource_attributes")))
		return read_process_attributes(s, n, what, e);
	if (str_eq(n->key, STR("scrape_process_delay")))
		return setting_parse_duration(n->text, &s->process_delay_ns)
			       ? config_fail(n, e, "%s: \"%.*s\" is no duration like 10s", what,
					     STR_ARG(str_head(n->text, 64)))
			       : 0;
	for (size_t i = 0; i < countof(mutes); i++)
		if (str_eq(str_from(mutes[i]), n->key))
			return read_switch(n, &muted)
				       ? 0
				       : config_fail(n, e, "%s: \"%s\" has to be true or false",
						     what, mutes[i]);
	return -ENOENT;
}

/* Read a key that only some scrapers have. Return -ENOENT if this one has no such key. */
static int read_own_key(struct scraper_settings *s, enum host_scraper scraper,
			const struct config_node *n, const char *what, struct arena *arena,
			struct err *e)
{
	bool *flag = NULL;

	for (size_t i = 0; i < countof(filter_keys); i++) {
		struct name_filter_settings *f = &s->filters[filter_keys[i].filter];

		if (filter_keys[i].scraper == scraper &&
		    str_eq(str_from(filter_keys[i].key), n->key))
			return name_list_read(filter_keys[i].exclude ? &f->exclude : &f->include, n,
					      filter_keys[i].names, what, arena, e);
	}
	if (scraper == SCRAPER_LOAD && str_eq(n->key, STR("cpu_average")))
		flag = &s->load_by_cpu;
	if (scraper == SCRAPER_FILESYSTEM && str_eq(n->key, STR("include_virtual_filesystems")))
		flag = &s->virtual_filesystems;
	if (!flag)
		return scraper == SCRAPER_PROCESS ? read_process_key(s, n, what, e) : -ENOENT;
	return read_switch(n, flag) ? 0
				    : config_fail(n, e, "%s: \"%.*s\" has to be true or false",
						  what, STR_ARG(n->key));
}

static int read_scraper(struct scraper_settings *s, enum host_scraper scraper,
			const struct config_node *n, struct arena *arena, struct err *e)
{
	char what[64];
	int rc = 0;

	snprintf(what, sizeof(what), "receiver hostmetrics: scraper %s",
		 host_scraper_names[scraper]);
	if (n->kind != CONFIG_MAP && n->kind != CONFIG_NULL)
		return config_fail(n, e, "%s: expected a map", what);
	s->on[scraper] = true;
	for (size_t i = 0; i < HOST_METRICS; i++)
		if (host_metric_table[i].scraper == scraper)
			s->written[i] = host_metric_table[i].by_default;
	for (const struct config_node *c = n->first; c && !rc; c = c->next) {
		rc = str_eq(c->key, STR("metrics")) ? read_metrics(s, scraper, c, what, e)
						    : read_own_key(s, scraper, c, what, arena, e);
		if (rc == -ENOENT)
			rc = config_fail(c, e, "%s: unknown key \"%.*s\"", what,
					 STR_ARG(str_head(c->key, 64)));
	}
	return rc;
}

static int read_scrapers(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	int rc = 0;

	if (n->kind != CONFIG_MAP)
		return config_fail(n, e, "%s: \"scrapers\" has to be a map", what);
	for (const struct config_node *c = n->first; c && !rc; c = c->next) {
		size_t i = 0;

		while (i < SCRAPERS && !str_eq(str_from(host_scraper_names[i]), c->key))
			i++;
		if (i < SCRAPERS)
			rc = read_scraper(to, (enum host_scraper)i, c, arena, e);
		else if (str_eq(c->key, STR("nfs")))
			config_warn(c, "receiver hostmetrics: the scraper \"nfs\" is not "
				       "supported and ignored");
		else
			rc = config_fail(
				c, e,
				"%s: unknown scraper \"%.*s\"; expected cpu, load, memory, "
				"disk, filesystem, network, paging, process, processes or "
				"system",
				what, STR_ARG(str_head(c->key, 64)));
	}
	return rc;
}

const struct setting hostmetrics_table[] = {
	SET_DURATION(struct hostmetrics_settings, interval, "collection_interval", "1m",
		     "How often the host is read."),
	SET_DURATION(struct hostmetrics_settings, initial_delay, "initial_delay", "1s",
		     "When it is read first, after the start."),
	SET_DURATION(struct hostmetrics_settings, timeout, "timeout", "0",
		     "How long reading may take; 0: the interval."),
	SET_STRING(struct hostmetrics_settings, root_path, "root_path", NULL,
		   "Where the file system of the host is mounted, in a container."),
	SET_CUSTOM(struct hostmetrics_settings, scrapers, "scrapers", read_scrapers, "map",
		   "What to read: cpu, load, memory, disk, filesystem, network, paging, "
		   "process, processes, system."),
	SET_IGNORED("metadata_collection_interval", "no entities are written"),
	SET_END,
};

int hostmetrics_settings_check(const void *settings, struct err *e)
{
	const struct hostmetrics_settings *s = settings;
	bool any = false;

	for (size_t i = 0; i < SCRAPERS; i++)
		any |= s->scrapers.on[i];
	if (!any)
		return err_set(e, -EINVAL,
			       "must specify at least one scraper when using hostmetrics receiver");
	if (s->interval < NS_PER_MS)
		return err_set(e, -EINVAL, "\"collection_interval\" has to be 1ms or more");
	if (s->root_path.n && s->root_path.p[0] != '/')
		return err_set(e, -EINVAL, "\"root_path\" has to be an absolute path");
	return 0;
}
