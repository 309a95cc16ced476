/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_TEXT_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_TEXT_H

#include "base/buf.h"

/* Escapes of texts, as Go's libraries write them. */

/* Append for HTML: & < > " ' and NUL. */
void template_put_html(struct buf *out, struct str s);

/* Append for a string of JavaScript. */
void template_put_js(struct buf *out, struct str s);

/* Append for a parameter of a URL: a space becomes +. */
void template_put_url(struct buf *out, struct str s);

enum template_case { TEMPLATE_UPPER, TEMPLATE_LOWER, TEMPLATE_TITLE };

/* Append with other letter case. TEMPLATE_TITLE changes only the first letter of each word. */
void template_put_case(struct buf *out, struct str s, enum template_case to);

/*
 * Cut the first character off *rest. Return it, or -1 for a byte that is not valid UTF-8; *rest is
 * not empty.
 */
int32_t template_rune(struct str *rest);

void template_put_rune(struct buf *out, uint32_t rune);

/*
 * Split "host:port" or "[host]:port". Return false if it has no port or is no such address; *host
 * and *port are unchanged then.
 */
bool template_split_port(struct str address, struct str *host, struct str *port);

#endif
