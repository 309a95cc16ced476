/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_CONFIG_WATCH_H
#define VARVE_CLI_SERVER_CONFIG_WATCH_H

#include "config/config.h"

/*
 * Notices that a file of the configuration changed. The files are looked at by name, once a second,
 * not watched: so it makes no difference whether a file is written in place, replaced by a rename,
 * reached through a symbolic link that was switched (a ConfigMap of Kubernetes), or on a network
 * file system. stat() of a few files is cheaper than to follow all directories on the way.
 */
struct config_watch {
	/* Of the files when the configuration was loaded, and when they were last looked at. */
	uint64_t loaded, seen;
};

/* Begin to watch the files of a configuration that was loaded. */
void config_watch_begin(struct config_watch *w, const struct config *c);

/*
 * Return whether the files are not what they were, all exist, and have been the same twice in a
 * row, so that none is half written. The next call compares with the files of now.
 */
bool config_watch_changed(struct config_watch *w, const struct config *c);

#endif
