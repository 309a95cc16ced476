/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_PERSONAL_DATA_H
#define VARVE_SIGNAL_SANITIZE_PERSONAL_DATA_H

#include "signal/sanitize/builtin_rules.h"

/* Finders of e-mail addresses, card numbers and IP addresses. */

keyword_matcher match_email; /* at @ */

/*
 * Find the first card number at or after `at`: 13 to 19 digits of the length and prefix of an
 * issuer, in plain or in the groups that are printed on cards, with a valid check digit (Luhn).
 */
bool find_card(struct str text, size_t at, struct sanitize_range *found);

/*
 * Find the first IPv4 or IPv6 address at or after `at`. Loopback and unspecified addresses are no
 * findings, nor are versions of more than four numbers.
 */
bool find_ip(struct str text, size_t at, struct sanitize_range *found);

#endif
