/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_SETTINGS_H
#define VARVE_PIPELINE_FILELOG_SETTINGS_H

#include "pipeline/receivers/filelog/operators/operators.h"
#include "pipeline/receivers/filelog/tail/text_decode.h"

/* The settings of the receiver filelog. */
struct filelog_multiline {
	struct str start, end;
	bool omit;
};

/* Which attributes of the file each record gets. */
struct filelog_include {
	bool name, path, name_resolved, path_resolved, owner, group, permissions, record_number,
		record_offset;
};

/* A map of any values. */
struct filelog_values {
	const struct log_pair *at;
	uint32_t n;
};

struct filelog_settings {
	struct setting_list include, exclude;
	uint64_t exclude_older_than, poll_interval, force_flush_period;
	uint64_t fingerprint_size, max_log_size, initial_buffer_size;
	int64_t max_concurrent_files, max_batches;
	struct str start_at, encoding, max_log_size_behavior, compression, on_truncate, storage;
	struct filelog_multiline multiline;
	bool preserve_leading, preserve_trailing;
	struct filelog_include attach;
	struct filelog_values attributes, resource;
	struct operator_list operators;
	struct filelog_retry {
		bool enabled;
		uint64_t initial_interval, max_interval;
	} retry;
};

extern const struct setting filelog_table[];

/* Check the settings against each other. Return 0, or -EINVAL with text in `e`. */
int filelog_settings_check(const void *settings, struct err *e);

/* Return the encoding of checked settings. */
enum text_encoding filelog_encoding(const struct filelog_settings *s);

#endif
