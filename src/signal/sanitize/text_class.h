/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_TEXT_CLASS_H
#define VARVE_SIGNAL_SANITIZE_TEXT_CLASS_H

#include "base/str.h"

/* Classes of ASCII characters, edges of words, and entropy, for the matchers of secrets. */

static inline bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline char text_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline bool text_is_hex(char c)
{
	return text_is_digit(c) || (text_fold(c) >= 'a' && text_fold(c) <= 'f');
}

static inline bool text_is_alnum(char c)
{
	return text_is_digit(c) || (text_fold(c) >= 'a' && text_fold(c) <= 'z');
}

bool text_is_word(char c);	   /* and _ */
bool text_is_token(char c);	   /* and _ - : base64url */
bool text_is_dotted_token(char c); /* and . */
bool text_is_base64(char c);	   /* letters, digits, + / = _ - */
bool text_is_base32(char c);	   /* A-Z 2-7 */
bool text_is_space(char c);

/*
 * Return whether a word can begin at `at`: at the begin of the text, after a character that is not
 * part of a word, or after an escape sequence such as \n or %3D.
 */
bool text_at_edge(struct str text, size_t at);

/* Return the entropy of the bytes in bits per byte. */
double text_entropy(struct str text);

/* Compare without regard to ASCII case. */
bool text_eq_fold(struct str text, struct str lower);

#endif
