/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_POLICY_SETTINGS_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_POLICY_SETTINGS_H

#include "config/settings.h"

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
	POLICY_KINDS,
};

struct policy_settings;

struct policy_list {
	struct policy_settings *at;
	uint32_t n;
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
};

/* Reads a list of policies; fills a struct policy_list. */
setting_reader policy_list_read;

#endif
