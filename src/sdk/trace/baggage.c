/* SPDX-License-Identifier: Apache-2.0 */
/* W3C baggage: parsing, changing and formatting, and what is current on a thread. */
#include "sdk/trace/baggage.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "sdk/hook/guest.h"
#include "sdk/labels.h"
#include "wire/text.h"

struct varve_baggage {
	_Atomic uint32_t references;
	uint32_t n;
	char text[]; /* key=value;property,key2=value2, with a NUL */
};

/* -- characters -------------------------------------------------------------------------------- */

/* Is it a character of a token (RFC 9110)? */
static bool is_token(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Is it a character of a value: visible, without quotes, comma, semicolon and backslash? */
static bool is_value(unsigned char c)
{
	return c > ' ' && c < 0x7f && !strchr("\",;\\", c);
}

static bool all_are(struct str s, bool (*is)(unsigned char c))
{
	for (size_t i = 0; i < s.n; i++)
		if (!is((unsigned char)s.p[i]))
			return false;
	return true;
}

/* -- entries ----------------------------------------------------------------------------------- */

/* One entry; all three are parts of the header. */
struct baggage_entry {
	struct str key, value, properties;
};

/* Check one property: a key, optionally with a value. */
static bool property_is_valid(struct str property)
{
	struct str key = str_trim(str_cut(&property, '='));

	return key.n && all_are(key, is_token) && all_are(str_trim(property), is_value);
}

static bool read_entry(struct str member, struct baggage_entry *out)
{
	struct str rest = member, properties;

	out->value = str_cut(&rest, ';');
	out->properties = str_trim(rest);
	out->key = str_trim(str_cut(&out->value, '='));
	if (!out->value.p || !out->key.n || !all_are(out->key, is_token))
		return false;
	out->value = str_trim(out->value);
	for (properties = out->properties; properties.n;)
		if (!property_is_valid(str_trim(str_cut(&properties, ';'))))
			return false;
	return all_are(out->value, is_value);
}

/* Get the next entry of a checked text. */
static bool next_entry(struct str *rest, struct baggage_entry *out)
{
	return rest->n && read_entry(str_cut(rest, ','), out);
}

/* A text being made: at most BAGGAGE_BYTES, as malloc'ed baggage. */
struct baggage_maker {
	struct varve_baggage *b;
	uint32_t entries;
	bool full;
};

static bool maker_init(struct baggage_maker *m)
{
	*m = (struct baggage_maker){.b = malloc(sizeof(*m->b) + BAGGAGE_BYTES + 1)};
	if (m->b)
		m->b->n = 0;
	return m->b != NULL;
}

static void put_piece(struct varve_baggage *b, struct str s)
{
	if (s.n)
		memcpy(b->text + b->n, s.p, s.n);
	b->n += (uint32_t)s.n;
}

/* Append an entry if it fits into the limits. */
static void put_entry(struct baggage_maker *m, const struct baggage_entry *entry)
{
	size_t n = (m->b->n != 0) + entry->key.n + 1 + entry->value.n +
		   (entry->properties.n ? 1 + entry->properties.n : 0);

	if (m->entries == BAGGAGE_ENTRIES || m->b->n + n > BAGGAGE_BYTES) {
		m->full = true;
		return;
	}
	if (m->b->n)
		put_piece(m->b, STR(","));
	put_piece(m->b, entry->key);
	put_piece(m->b, STR("="));
	put_piece(m->b, entry->value);
	if (entry->properties.n) {
		put_piece(m->b, STR(";"));
		put_piece(m->b, entry->properties);
	}
	m->entries++;
}

/* Return what was made, with one reference; NULL if it is empty. */
static struct varve_baggage *maker_finish(struct baggage_maker *m, bool discard)
{
	struct varve_baggage *b = m->b, *fitted;

	if (!b->n || discard) {
		free(b);
		return NULL;
	}
	b->text[b->n] = 0;
	fitted = realloc(b, sizeof(*b) + b->n + 1);
	b = fitted ? fitted : b;
	atomic_init(&b->references, 1);
	return b;
}

struct varve_baggage *varve_baggage_parse(const char *header)
{
	enum { HEADER_MAX = 64 << 10 };
	struct guest_call call = guest_call_begin();
	struct str rest = str_of(header, header ? strnlen(header, HEADER_MAX) : 0);
	struct varve_baggage *b = NULL;
	struct baggage_maker m;

	if (rest.n && maker_init(&m)) {
		while (rest.n) {
			struct baggage_entry entry;

			if (read_entry(str_cut(&rest, ','), &entry))
				put_entry(&m, &entry);
		}
		b = maker_finish(&m, false);
	}
	guest_call_end(call);
	return b;
}

/* Percent-encode a value into out[size]. Return its length, or `size` when it does not fit. */
static size_t encode_value(char *out, size_t size, const char *value)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (; *value && n + 3 < size; value++) {
		unsigned char c = (unsigned char)*value;

		if (is_value(c) && c != '%') {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[c >> 4];
		out[n++] = digits[c & 15];
	}
	return *value ? size : n;
}

struct varve_baggage *varve_baggage_with(const struct varve_baggage *baggage, const char *key,
					 const char *value)
{
	struct guest_call call = guest_call_begin();
	struct baggage_entry entry, added = {.key = str_of(key, key ? strlen(key) : 0)};
	struct str rest = baggage ? str_of(baggage->text, baggage->n) : (struct str){0};
	struct varve_baggage *b = NULL;
	struct baggage_maker m;
	char *encoded = malloc(BAGGAGE_BYTES);

	added.value.p = encoded;
	if (encoded && value)
		added.value.n = encode_value(encoded, BAGGAGE_BYTES, value);
	if (encoded && added.key.n && all_are(added.key, is_token) && maker_init(&m)) {
		while (next_entry(&rest, &entry))
			if (!str_eq(entry.key, added.key))
				put_entry(&m, &entry);
		if (value)
			put_entry(&m, &added);
		b = maker_finish(&m, m.full || added.value.n == BAGGAGE_BYTES);
	}
	free(encoded);
	guest_call_end(call);
	return b;
}

struct varve_baggage *varve_baggage_ref(struct varve_baggage *baggage)
{
	if (baggage)
		atomic_fetch_add_explicit(&baggage->references, 1, memory_order_relaxed);
	return baggage;
}

void varve_baggage_release(struct varve_baggage *baggage)
{
	struct guest_call call;

	if (!baggage ||
	    atomic_fetch_sub_explicit(&baggage->references, 1, memory_order_acq_rel) != 1)
		return;
	call = guest_call_begin();
	free(baggage);
	guest_call_end(call);
}

int varve_baggage_get(const struct varve_baggage *baggage, const char *key, char *out, size_t size)
{
	struct str rest = baggage ? str_of(baggage->text, baggage->n) : (struct str){0};
	struct baggage_entry entry;
	size_t n = 0;

	if (size)
		out[0] = 0;
	if (!key)
		return -ENOENT;
	do {
		if (!next_entry(&rest, &entry))
			return -ENOENT;
	} while (!str_eq(entry.key, str_from(key)));
	for (size_t i = 0; i < entry.value.n; i++) {
		char c = entry.value.p[i];

		if (c == '%' && i + 2 < entry.value.n && hex_digit(entry.value.p[i + 1]) >= 0 &&
		    hex_digit(entry.value.p[i + 2]) >= 0) {
			c = (char)(hex_digit(entry.value.p[i + 1]) << 4 |
				   hex_digit(entry.value.p[i + 2]));
			i += 2;
		}
		if (n + 1 >= size || !c) {
			if (size)
				out[0] = 0;
			return c ? -ENOSPC : -ENOENT; /* a NUL is no text */
		}
		out[n++] = c;
	}
	if (!size)
		return -ENOSPC;
	out[n] = 0;
	return (int)n;
}

int varve_baggage_format(const struct varve_baggage *baggage, char *out, size_t size)
{
	size_t n = baggage ? baggage->n : 0;

	if (n >= size)
		return -ENOSPC;
	if (n)
		memcpy(out, baggage->text, n);
	out[n] = 0;
	return (int)n;
}

/* -- labels of samples ------------------------------------------------------------------------- */

/* The keys that become labels. Never freed, because any thread may be reading them. */
struct baggage_label_keys {
	struct baggage_label_keys *older;
	uint32_t count;
	char keys[BAGGAGE_LABELS][LABEL_TEXT_MAX + 1];
};
static _Atomic(struct baggage_label_keys *) label_keys;

static int read_label_keys(struct baggage_label_keys *k, struct str text, struct err *e)
{
	while (text.n) {
		struct str key = str_trim(str_cut(&text, ','));

		if (!key.n)
			continue;
		if (k->count == BAGGAGE_LABELS || key.n > LABEL_TEXT_MAX || !all_are(key, is_token))
			return err_set(
				e, -EINVAL,
				"profiling.baggage_labels: \"%.*s\": expected at most %d keys "
				"of baggage, separated by commas",
				STR_ARG(str_head(key, 64)), BAGGAGE_LABELS);
		memcpy(k->keys[k->count], key.p, key.n);
		k->keys[k->count++][key.n] = 0;
	}
	return 0;
}

int baggage_set_labels(const char *keys, struct err *e)
{
	struct baggage_label_keys *old = atomic_load(&label_keys), *k;
	int rc;

	if (!keys && (!old || !old->count))
		return 0;
	k = calloc(1, sizeof(*k));
	if (!k)
		return err_errno(e, -ENOMEM, "profiling.baggage_labels");
	rc = read_label_keys(k, str_from(keys ? keys : ""), e);
	if (!rc && old && !memcmp(k->keys, old->keys, sizeof(k->keys)))
		rc = -EALREADY;
	if (rc) {
		free(k);
		return rc == -EALREADY ? 0 : rc;
	}
	k->older = old;
	atomic_store(&label_keys, k);
	return 0;
}

/* Set the labels of this thread to those of its baggage. */
static void apply_labels(const struct varve_baggage *b)
{
	const struct baggage_label_keys *k =
		atomic_load_explicit(&label_keys, memory_order_acquire);
	char value[LABEL_TEXT_MAX + 1];

	for (uint32_t i = 0; k && i < k->count; i++) {
		int n = varve_baggage_get(b, k->keys[i], value, sizeof(value));

		(void)!varve_label(k->keys[i],
				   n > 0 ? value : NULL); /* without profiles: no labels */
	}
}

/* -- what is current --------------------------------------------------------------------------- */

static __thread struct varve_baggage *current __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void release_at_exit(void *baggage)
{
	current = NULL;
	varve_baggage_release(baggage);
}

static void make_thread_key(void)
{
	if (pthread_key_create(&thread_key, release_at_exit))
		thread_key = (pthread_key_t)-1; /* a thread's last baggage leaks */
}

static void set_current(struct varve_baggage *b)
{
	current = b;
	pthread_once(&thread_once, make_thread_key);
	if (thread_key != (pthread_key_t)-1)
		(void)!pthread_setspecific(thread_key, b);
}

void varve_baggage_attach(struct varve_baggage *baggage, struct varve_baggage **previous)
{
	struct guest_call call;
	struct varve_baggage *before = current;

	if (previous)
		*previous = before;
	if (!baggage && !before)
		return;
	call = guest_call_begin();
	set_current(varve_baggage_ref(baggage));
	if (!previous)
		varve_baggage_release(before);
	guest_call_end(call);
	apply_labels(baggage);
}

void varve_baggage_detach(struct varve_baggage *previous)
{
	struct guest_call call;
	struct varve_baggage *ended = current;

	if (!previous && !ended)
		return;
	call = guest_call_begin();
	set_current(previous);
	varve_baggage_release(ended);
	guest_call_end(call);
	apply_labels(previous);
}

struct varve_baggage *varve_baggage_current(void)
{
	return varve_baggage_ref(current);
}
