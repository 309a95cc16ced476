/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_SANITIZE_SETTINGS_H
#define VARVE_PIPELINE_PROCESSORS_SANITIZE_SETTINGS_H

#include "config/settings.h"
#include "signal/sanitize/sanitize.h"

/*
 * The settings of the processor sanitize, which are also those of a file for `varve sanitize
 * --rules`.
 */
enum { SANITIZE_PATTERN_MAX = 4096, SANITIZE_NAME_MAX = 64 };

struct sanitize_rule_setting {
	struct sanitize_rule rule;
	struct str pattern;
};

struct sanitize_rule_list {
	struct sanitize_rule_setting *at;
	uint32_t n;
};

struct sanitize_settings {
	bool secrets, email, cards, ip, function_names;
	struct str hash_key_file;
	struct sanitize_rule_list rules;
};

extern const struct setting sanitize_setting_table[];

/* For struct component. */
int sanitize_settings_check(const void *settings, struct err *e);

/* Return the built-in groups that are on. */
unsigned sanitize_settings_groups(const struct sanitize_settings *s);

#endif
