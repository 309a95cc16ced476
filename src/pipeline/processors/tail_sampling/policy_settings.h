/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_POLICY_SETTINGS_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_POLICY_SETTINGS_H

#include "config/settings.h"
#include "pipeline/ottl/ottl.h"

/* The policies of tail_sampling as they are configured. */
enum policy_kind {
	POLICY_ALWAYS,
	POLICY_LATENCY,
	POLICY_STATUS,
	POLICY_STRING,
	POLICY_NUMERIC,
	POLICY_BOOLEAN,
	POLICY_PROBABILISTIC,
	POLICY_SPAN_RATE,
	POLICY_BYTE_RATE,
	POLICY_SPAN_COUNT,
	POLICY_PROFILES,
	POLICY_AND,
	POLICY_NOT,
	POLICY_DROP,
	POLICY_COMPOSITE,
	POLICY_CONDITION,
	POLICY_TRACE_STATE,
	POLICY_KINDS,
};

struct policy_settings;

struct policy_list {
	struct policy_settings *at;
	uint32_t n;
};

/* composite: how much of the rate a policy gets. */
struct policy_share {
	struct str policy;
	int64_t percent; /* 0: an equal part */
};

struct policy_settings {
	struct str name, type;
	enum policy_kind kind;
	struct {
		int64_t threshold_ms, upper_threshold_ms;
	} latency;
	struct {
		struct setting_list codes;
	} status;
	struct {
		struct str key;
		struct setting_list values;
		bool regex, invert;
	} string;
	struct {
		struct str key;
		int64_t min, max;
		bool invert;
	} numeric;
	struct {
		struct str key;
		bool value, invert;
	} boolean;
	struct {
		double percentage;
		struct str salt;
	} probabilistic;
	struct {
		int64_t per_second, burst;
	} spans, bytes;
	struct {
		int64_t min, max;
	} count;
	struct {
		struct policy_list list;
	} all, none, drop; /* the policies below and, not, drop */
	struct {
		struct policy_list list; /* in the order of `order`, then the others */
		struct setting_list order;
		int64_t spans_per_second;
		struct policy_share *shares;
		uint32_t share_count;
	} composite;
	struct {
		const struct config_node *span, *span_event; /* lists, or NULL */
		enum ottl_error_mode error_mode;
	} condition;
	struct {
		struct str key;
		struct setting_list values;
	} trace_state;
};

/* Reads a list of policies; fills a struct policy_list. */
setting_reader policy_list_read;

#endif
