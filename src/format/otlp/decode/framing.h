/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_FRAMING_H
#define VARVE_FORMAT_OTLP_DECODE_FRAMING_H

#include "base/err.h"
#include "base/str.h"

/* How the input is divided into messages: one message, or each preceded by its length. */
enum otlp_framing { OTLP_PLAIN, OTLP_BIG_ENDIAN, OTLP_VARINT };

/* Detect the framing. Input that matches no other framing is OTLP_PLAIN. */
enum otlp_framing otlp_find_framing(struct str in);

/*
 * Set *message to the next message of *rest, which is the tail of `whole`, and advance *rest.
 * Return 1, 0 if *rest is empty, or -EBADMSG with `e` set.
 */
MUST_USE int otlp_next_message(enum otlp_framing framing, struct str whole, struct str *rest,
			       struct str *message, struct err *e);

#endif
