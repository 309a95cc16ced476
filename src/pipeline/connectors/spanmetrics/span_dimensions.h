/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_SPAN_DIMENSIONS_H
#define VARVE_PIPELINE_CONNECTORS_SPAN_DIMENSIONS_H

#include "config/settings.h"
#include "pipeline/connectors/spanmetrics/span_fields.h"
#include "wire/proto.h"

/* Which attributes a metric of spans has, and their values for a span. */

/* An attribute of the span or, if it has none of that name, of the resource. */
struct span_dimension {
	struct str name;
	struct str fallback;
	bool has_fallback; /* else spans without the attribute do not get it */
};

struct span_dimension_list {
	const struct span_dimension *at;
	uint32_t n;
};

enum { SPAN_DIMENSIONS_MAX = 64 };

/* A setting_reader: a list of {name, default}. */
int span_dimensions_read(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e);

/* The attributes that all metrics of spans have unless they are excluded. */
enum span_basic {
	BASIC_SERVICE = 1,
	BASIC_NAME = 2,
	BASIC_KIND = 4,
	BASIC_STATUS = 8,
	BASIC_ALL = 15,
};

/* Return those that are not excluded; fail with -EINVAL for a name that is none of them. */
MUST_USE int span_basics_of(struct setting_list excluded, unsigned *basics, struct err *e);

/* Fail with -EINVAL if two attributes of a metric have the same name. */
MUST_USE int span_dimensions_check(const struct span_dimension_list *lists, size_t count,
				   unsigned basics, struct err *e);

/*
 * Write the attributes of a span as fields 1 of a message, back to front, into an empty writer.
 * `resource` is its Resource message.
 */
void span_dimensions_write(struct proto_writer *w, unsigned basics,
			   const struct span_dimension_list *lists, size_t count,
			   const struct span_fields *span, struct str resource, struct str service);

#endif
