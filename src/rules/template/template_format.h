/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_FORMAT_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_FORMAT_H

#include "rules/template/template_value.h"

/* How a value is written: a verb of Go's fmt with its flags. */

/* The largest width or precision; larger ones are an error, as beyond a million in Go. */
enum { TEMPLATE_WIDTH_MAX = 10000 };

struct template_format {
	bool plus, minus, sharp, space, zero;
	bool has_width, has_precision;
	int width, precision;
	int32_t verb;
	struct buf *out;
	struct buf number; /* the text of one number */
};

/* Append a value; `nested`: as an argument or element, not as the value of an action. */
void template_format_value(struct template_format *f, const struct template_value *v, bool nested);

/* Append a text with the width of the format. */
void template_format_padded(struct template_format *f, struct str s);

/* Append a value with %v. */
void template_format_plain(struct buf *out, const struct template_value *v, bool nested);

#endif
