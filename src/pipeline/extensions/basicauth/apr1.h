/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_APR1_H
#define VARVE_PIPELINE_APR1_H

#include "base/str.h"

/* Apache's variant of md5-crypt, which htpasswd -m writes and crypt(3) does not know. */
enum { APR1_TEXT = 40 };

/*
 * Compute the hash of a password with the salt of `hash` ("$apr1$SALT$..."), as text with a NUL.
 * Return 0, -EINVAL if `hash` has another form, or -ENOMEM.
 */
MUST_USE int apr1_hash(struct str password, struct str hash, char out[APR1_TEXT]);

#endif
