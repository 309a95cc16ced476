/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the key of an attribute says about its value (sanitize.h). The last word of the key decides,
 * so that token.count and secret_name are harmless; words end at characters that are no letters or
 * digits, and where a capital follows a small letter.
 */
#include "signal/sanitize/sanitize.h"
#include "signal/sanitize/text_class.h"

enum { WORD_MAX = 24 };

struct key_word {
	char p[WORD_MAX];
	size_t n;
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Take the last word off the key, in small letters. One that is too long is empty. */
static struct key_word last_word(struct str *key)
{
	struct key_word w = {.n = 0};
	size_t end = key->n, at;

	while (end && !text_is_alnum(key->p[end - 1]))
		end--;
	for (at = end; at && text_is_alnum(key->p[at - 1]); at--)
		if (at < end && is_upper(key->p[at]) && !is_upper(key->p[at - 1]))
			break;
	key->n = at;
	if (end - at > WORD_MAX)
		return w;
	for (; at < end; at++)
		w.p[w.n++] = is_upper(key->p[at]) ? (char)(key->p[at] + 32) : key->p[at];
	return w;
}

static bool is_one_of(const struct key_word *w, const char *const *words)
{
	for (; *words; words++)
		if (str_eq(str_of(w->p, w->n), str_from(*words)))
			return true;
	return false;
}

static const char *const secret_words[] = {
	"password",    "passwords", "passwd",	     "passphrase", "pwd",     "secret",
	"token",       "apikey",    "authorization", "cookie",	   "cookies", "credential",
	"credentials", "accesskey", "secretkey",     "privatekey", "jwt",     NULL};
static const char *const key_owners[] = {"api",	    "access",	  "private", "secret", "signing",
					 "account", "encryption", "auth",    NULL};
static const char *const pass_owners[] = {"db",	   "user", "smtp",  "root", "admin",
					  "redis", "sql",  "mysql", "ftp",  NULL};
static const char *const card_words[] = {"card", "pan", "creditcard", "cardnumber", "cc", NULL};
static const char *const id_words[] = {
	"id",	     "ids",    "uid",	"uuid",	    "guid",   "hash",	  "sha",     "sha1",
	"sha256",    "digest", "md5",	"checksum", "commit", "revision", "build",   "time",
	"timestamp", "nano",   "nanos", "ns",	    "us",     "ms",	  "version", "address",
	"offset",    "bytes",  "size",	"count",    "seq",    "sequence", NULL};

enum sanitize_key_kind sanitize_key_kind(struct str key)
{
	struct key_word last = last_word(&key);
	struct key_word before = last_word(&key);

	if (is_one_of(&last, secret_words))
		return SANITIZE_KEY_SECRET;
	if (str_eq(str_of(last.p, last.n), STR("key")) && is_one_of(&before, key_owners))
		return SANITIZE_KEY_SECRET;
	if (str_eq(str_of(last.p, last.n), STR("pass")) && is_one_of(&before, pass_owners))
		return SANITIZE_KEY_SECRET;
	if (is_one_of(&last, card_words) || is_one_of(&before, card_words))
		return SANITIZE_KEY_CARD;
	return is_one_of(&last, id_words) ? SANITIZE_KEY_ID : SANITIZE_KEY_PLAIN;
}
