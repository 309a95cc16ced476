/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_ATTRIBUTE_H
#define VARVE_ATTRIBUTE_H

/* Attributes of metrics, logs and events: a key and a typed value. Included by varve/varve.h. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VARVE_API __attribute__((visibility("default")))

enum varve_type {
	VARVE_STRING,
	VARVE_INT,
	VARVE_DOUBLE,
	VARVE_BOOL,
};

/*
 * One attribute. Key and string are copied by each function that takes attributes; attributes with
 * a NULL or empty key are ignored, and of several with one key the last one counts.
 */
struct varve_attribute {
	const char *key;
	enum varve_type type;
	union {
		const char *string;
		int64_t integer;
		double real;
		int boolean;
	} value;
};

/* Return an attribute: varve_log_with(VARVE_WARN, "slow", (struct varve_attribute[]){...}, n). */
static inline struct varve_attribute varve_str(const char *key, const char *value)
{
	struct varve_attribute a;

	a.key = key;
	a.type = VARVE_STRING;
	a.value.string = value;
	return a;
}

static inline struct varve_attribute varve_int(const char *key, int64_t value)
{
	struct varve_attribute a;

	a.key = key;
	a.type = VARVE_INT;
	a.value.integer = value;
	return a;
}

static inline struct varve_attribute varve_double(const char *key, double value)
{
	struct varve_attribute a;

	a.key = key;
	a.type = VARVE_DOUBLE;
	a.value.real = value;
	return a;
}

static inline struct varve_attribute varve_bool(const char *key, int value)
{
	struct varve_attribute a;

	a.key = key;
	a.type = VARVE_BOOL;
	a.value.boolean = value;
	return a;
}

#ifdef __cplusplus
}
#endif

#endif
