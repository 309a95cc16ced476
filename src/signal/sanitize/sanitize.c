/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: find ranges, merge those that overlap, write the text anew. The new text is examined
 * again until nothing is found, because a replacement can turn what follows it into the begin of a
 * word; a text that does not settle is replaced as a whole.
 *
 * Most texts take the fast path: their hash is in the cache, or the automaton finds no keyword in
 * them.
 */
#include "signal/sanitize/sanitize.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "base/container/vec.h"
#include "signal/sanitize/builtin_rules.h"
#include "signal/sanitize/keyword_scan.h"
#include "signal/sanitize/personal_data.h"
#include "signal/sanitize/secret_context.h"
#include "signal/sanitize/text_class.h"
#include "signal/sanitize/verdict_cache.h"

enum {
	PASSES_MAX = 4,
	MATCHES_MAX = 10000, /* in one text; more: the whole text is replaced */
	CODE_MIN = 9,	     /* the shortest secret in a name of a file: a://b:c@d */
	HASH_TOKEN = 29,     /* h1_ and 26 characters */
	KEY_KINDS = 512,     /* keys whose kind is remembered; a power of two */
	KEY_KIND_MASK = 3,
};

struct sanitizer {
	unsigned groups;
	struct keyword_scan *keywords;
	struct verdict_cache cache;
	struct verdict_cache runs;	   /* of texts */
	const struct sanitize_rule *rules; /* of the user */
	uint32_t rule_count;
	unsigned user_places; /* of all rules of the user */
	/* By the lower bits of its hash: the hash of a key, its last bits replaced by the kind. */
	_Atomic uint64_t key_kinds[KEY_KINDS];
};

const char *const sanitize_place_names[SANITIZE_PLACES] = {
	"values", "keys", "functions", "files", "spans", "bodies", "metrics", "other"};

int sanitizer_new(struct sanitizer **out, const struct sanitize_options *o, struct err *e)
{
	struct sanitizer *z = calloc(1, sizeof(*z));

	if (!z)
		return err_errno(e, -ENOMEM, "sanitizer");
	z->groups = o->groups;
	z->rules = o->rules;
	z->rule_count = o->rule_count;
	for (uint32_t i = 0; i < o->rule_count; i++)
		z->user_places |= o->rules[i].places;
	z->keywords = keyword_scan_new(&builtin_keywords[0].text, sizeof(builtin_keywords[0]),
				       builtin_keyword_count);
	if (!z->keywords || verdict_cache_init(&z->cache, o->cache_bits) ||
	    verdict_cache_init(&z->runs, o->cache_bits > 4 ? o->cache_bits - 3 : 0)) {
		sanitizer_free(z);
		return err_errno(e, -ENOMEM, "sanitizer");
	}
	*out = z;
	return 0;
}

void sanitizer_free(struct sanitizer *z)
{
	if (!z)
		return;
	keyword_scan_free(z->keywords);
	verdict_cache_fini(&z->cache);
	verdict_cache_fini(&z->runs);
	free(z);
}

uint32_t sanitizer_rule_count(const struct sanitizer *z)
{
	return BUILTIN_RULES + z->rule_count;
}

const char *sanitizer_rule_name(const struct sanitizer *z, uint32_t rule)
{
	return rule < BUILTIN_RULES ? builtin_rules[rule].name
				    : z->rules[rule - BUILTIN_RULES].name;
}

/* ---- matches ---- */

struct match {
	struct sanitize_range at;
	uint32_t rule;
};

/* One text that is examined. */
struct examination {
	struct sanitize_run *run;
	enum sanitize_place place;
	enum sanitize_key_kind kind; /* of the key */
	struct str key, text;
	VEC(struct match) matches;
	bool failed; /* replace the whole text */
	int rc;	     /* -ENOMEM */
};

static bool is_inside_character(struct str text, size_t at)
{
	return at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80;
}

/* Add a match, extended to whole characters of UTF-8. */
static void add_match(struct examination *x, uint32_t rule, struct sanitize_range at)
{
	while (at.from && is_inside_character(x->text, at.from))
		at.from--;
	while (is_inside_character(x->text, at.to))
		at.to++;
	if (x->matches.n == MATCHES_MAX) {
		x->failed = true;
		return;
	}
	if (!x->rc)
		x->rc = vec_push(x->run->arena, &x->matches, (struct match){at, rule});
}

static bool is_active(const struct examination *x, enum builtin_rule_number rule)
{
	const struct builtin_rule *r = &builtin_rules[rule];

	return (r->group & x->run->z->groups) && (r->places & (unsigned)x->place);
}

static bool is_code(enum sanitize_place place)
{
	return place == SANITIZE_FUNCTIONS || place == SANITIZE_FILES;
}

/* Run the matchers of all keywords that end before `end`. */
static void match_keywords(struct examination *x, uint16_t state, size_t end, size_t *done)
{
	const struct keyword_scan *k = x->run->z->keywords;

	for (; state; state = k->shorter[state]) {
		const struct builtin_keyword *w;
		struct sanitize_range found;
		keyword_matcher *match;
		size_t length;

		if (!k->word[state])
			continue;
		w = &builtin_keywords[k->word[state] - 1];
		length = k->lengths[k->word[state] - 1];
		match = w->in_code && is_code(x->place) ? w->in_code : w->match;
		if (end - length < *done || !is_active(x, w->rule) ||
		    !match(x->text, end - length, end, &found))
			continue;
		add_match(x, w->rule, found);
		if (w->rule < RULE_EMAIL && found.to > *done)
			*done = found.to;
	}
}

static void scan_keywords(struct examination *x)
{
	const struct keyword_scan *k = x->run->z->keywords;
	uint16_t state = 0;
	size_t done = 0; /* keywords before it are inside of a match */

	for (size_t i = 0; i < x->text.n && !x->failed; i++) {
		state = keyword_step(k, state, x->text.p[i]);
		if (unlikely(state & KEYWORD_HIT))
			match_keywords(x, state & (KEYWORD_HIT - 1), i + 1, &done);
	}
}

static void scan_numbers(struct examination *x)
{
	struct sanitize_range found;

	if (is_active(x, RULE_CARD) && x->kind != SANITIZE_KEY_ID)
		for (size_t at = 0; !x->failed && find_card(x->text, at, &found); at = found.to)
			add_match(x, RULE_CARD, found);
	if (is_active(x, RULE_IP))
		for (size_t at = 0; !x->failed && find_ip(x->text, at, &found); at = found.to)
			add_match(x, RULE_IP, found);
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!text_is_digit(s.p[i]))
			return false;
	return true;
}

/* The value of an attribute whose key names a secret, such as db.password, is one. */
static void match_key(struct examination *x)
{
	struct str v = x->text;

	if (x->kind != SANITIZE_KEY_SECRET || !is_active(x, RULE_SECRET_KEY) || is_no_secret(v))
		return;
	if (str_ends(x->key, STR("oken")) && v.n < 10 && all_digits(v))
		return; /* a number of tokens */
	if (v.p[0] == '/' && (str_ends(x->key, STR("wd")) || str_ends(x->key, STR("WD"))))
		return; /* the working directory */
	add_match(x, RULE_SECRET_KEY, (struct sanitize_range){0, v.n});
}

static void match_function_name(struct examination *x)
{
	static const struct str words[] = {STR_INIT("password"), STR_INIT("secret"),
					   STR_INIT("credential"), STR_INIT("token")};

	if (!is_active(x, RULE_FUNCTION_NAME))
		return;
	for (size_t w = 0; w < countof(words); w++)
		for (size_t at = 0; at + words[w].n <= x->text.n; at++)
			if (text_eq_fold(str_of(x->text.p + at, words[w].n), words[w])) {
				add_match(x, RULE_FUNCTION_NAME,
					  (struct sanitize_range){0, x->text.n});
				return;
			}
}

/* ---- rules of the user ---- */

/*
 * Return whether the range touches a replacement that this module wrote. Then *next is where the
 * search goes on.
 */
static bool is_in_token(struct str text, struct sanitize_range r, size_t *next)
{
	size_t from = r.from > SANITIZE_TOKEN_MAX ? r.from - SANITIZE_TOKEN_MAX : 0;

	for (size_t at = from; at < r.to; at++) {
		struct str rest = str_from_at(text, at);
		size_t end = 0;

		if (str_starts(rest, STR("[REDACTED")))
			end = str_find(str_head(rest, SANITIZE_TOKEN_MAX), ']') + 1;
		else if (str_starts(rest, STR("h1_")) && rest.n >= HASH_TOKEN)
			end = HASH_TOKEN;
		if (end && at + end > r.from) {
			*next = min_size(at + end, text.n);
			return true;
		}
	}
	return false;
}

static void match_user_rule(struct examination *x, uint32_t rule)
{
	const struct sanitize_user *u = &x->run->user;

	for (size_t at = 0; at <= x->text.n && !x->failed && !x->rc;) {
		struct sanitize_range found;
		int rc = u->find(u->state, rule, x->text, at, &found);

		if (rc <= 0) {
			x->failed |= rc < 0;
			return;
		}
		if (found.to <= found.from) {
			at = found.to + 1; /* an empty match is no finding */
			continue;
		}
		if (is_in_token(x->text, found, &at))
			continue;
		add_match(x, BUILTIN_RULES + rule, found);
		at = found.to;
	}
}

static void match_user_rules(struct examination *x)
{
	const struct sanitizer *z = x->run->z;

	for (uint32_t i = 0; i < z->rule_count && !x->failed; i++)
		if (z->rules[i].places & (unsigned)x->place)
			match_user_rule(x, i);
}

static enum sanitize_action action_of(const struct examination *x, uint32_t rule)
{
	return rule < BUILTIN_RULES ? SANITIZE_REPLACE
				    : x->run->z->rules[rule - BUILTIN_RULES].action;
}

/* ---- the new text ---- */

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->at.from != y->at.from)
		return x->at.from < y->at.from ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/*
 * Sort the matches and join those that overlap. An address of e-mail that begins inside of a secret
 * is none: the password in ftp://user:password@host.
 */
static void join_matches(struct examination *x)
{
	uint32_t kept = 0;

	qsort(x->matches.at, x->matches.n, sizeof(*x->matches.at), compare_matches);
	for (uint32_t i = 0; i < x->matches.n; i++) {
		struct match m = x->matches.at[i];
		struct match *last = kept ? &x->matches.at[kept - 1] : NULL;

		if (!last || m.at.from >= last->at.to) {
			x->matches.at[kept++] = m;
			continue;
		}
		if (last->rule == RULE_EMAIL && m.rule < RULE_EMAIL)
			*last = m;
		else if (m.rule != RULE_EMAIL && m.at.to > last->at.to)
			last->at.to = m.at.to;
	}
	x->matches.n = kept;
}

static struct str token_of(const struct examination *x, uint32_t rule)
{
	return rule < BUILTIN_RULES ? str_from(builtin_rules[rule].token)
				    : x->run->z->rules[rule - BUILTIN_RULES].token;
}

/* Append what replaces a match. */
static int put_replacement(struct examination *x, const struct match *m, char *to, size_t *n)
{
	struct str token = token_of(x, m->rule);

	if (action_of(x, m->rule) == SANITIZE_HASH) {
		const struct sanitize_user *u = &x->run->user;
		struct str value = str_of(x->text.p + m->at.from, m->at.to - m->at.from);

		return u->hash(u->state, sanitizer_rule_name(x->run->z, m->rule), value, to, n);
	}
	memcpy(to, token.p, token.n);
	*n = token.n;
	return 0;
}

static int write_text(struct examination *x, struct str *out)
{
	size_t room = x->text.n + (size_t)x->matches.n * SANITIZE_TOKEN_MAX, at = 0, n = 0;
	char *p = arena_alloc(x->run->arena, room + 1, 1);

	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->matches.n; i++) {
		const struct match *m = &x->matches.at[i];
		size_t added = 0;

		memcpy(p + n, x->text.p + at, m->at.from - at);
		n += m->at.from - at;
		if (put_replacement(x, m, p + n, &added)) {
			x->failed = true;
			return 0;
		}
		n += added;
		at = m->at.to;
	}
	memcpy(p + n, x->text.p + at, x->text.n - at);
	*out = str_of(p, n + x->text.n - at);
	return 0;
}

/* ---- counting ---- */

static void note_match(struct examination *x, uint32_t rule, struct sanitize_range at)
{
	struct sanitize_run *r = x->run;

	r->counts[rule]++;
	if (r->report)
		r->report(r->report_arg, sanitizer_rule_name(r->z, rule), x->place, x->key,
			  str_of(x->text.p + at.from, at.to - at.from));
}

static void note_matches(struct examination *x)
{
	for (uint32_t i = 0; i < x->matches.n; i++)
		note_match(x, x->matches.at[i].rule, x->matches.at[i].at);
}

/* Return SANITIZE_REMOVE or SANITIZE_REMOVE_ITEM if a rule says so, else 0. */
static int removal(const struct examination *x)
{
	int verdict = 0;

	for (uint32_t i = 0; i < x->matches.n; i++) {
		enum sanitize_action action = action_of(x, x->matches.at[i].rule);

		if (action == SANITIZE_DROP_ITEM)
			return SANITIZE_REMOVE_ITEM;
		if (action == SANITIZE_DROP)
			verdict = SANITIZE_REMOVE;
	}
	return verdict;
}

/* ---- examining ---- */

static int examine_once(struct examination *x)
{
	x->matches.n = 0;
	scan_keywords(x);
	match_key(x);
	scan_numbers(x);
	match_function_name(x);
	if (x->run->z->user_places & (unsigned)x->place)
		match_user_rules(x);
	return x->rc;
}

static int replace_whole(struct examination *x, struct str *out)
{
	note_match(x, RULE_ERROR, (struct sanitize_range){0, x->text.n});
	*out = str_from(builtin_rules[RULE_ERROR].token);
	return SANITIZE_CHANGED;
}

/* Examine until nothing is found. Return a verdict or -ENOMEM. */
static int examine(struct examination *x, struct str *out)
{
	const size_t limit = x->text.n * SANITIZE_GROWTH + SANITIZE_GROWTH_MIN;
	int verdict = SANITIZE_KEEP;

	for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
		int rc = examine_once(x), removed;

		if (rc)
			return rc;
		if (x->failed)
			return replace_whole(x, out);
		if (!x->matches.n) {
			*out = x->text;
			return verdict;
		}
		removed = removal(x);
		if (!removed)
			join_matches(x);
		note_matches(x);
		if (removed)
			return removed;
		rc = write_text(x, &x->text);
		if (rc)
			return rc;
		if (x->failed || x->text.n > limit)
			return replace_whole(x, out);
		verdict = SANITIZE_CHANGED;
	}
	return replace_whole(x, out);
}

/* Ids, hashes and UUIDs, which are many and different. */
static bool is_id(struct str s)
{
	bool letter = false;

	if (s.n != 16 && s.n != 32 && s.n != 36 && s.n != 40 && s.n != 64)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!text_is_hex(s.p[i]) && s.p[i] != '-')
			return false;
		letter |= !text_is_digit(s.p[i]) && s.p[i] != '-';
	}
	return letter;
}

/* Return whether a text at this place is too short for any rule. */
static bool is_trivial(const struct sanitizer *z, enum sanitize_place place, size_t length)
{
	size_t least = is_code(place) ? CODE_MIN : 1;

	return length < least &&
	       (!length || !((z->user_places & place) || (z->groups & SANITIZE_FUNCTION_NAMES)));
}

/* The hash of a text at a place, by which findings are remembered. */
static uint64_t place_hash(uint64_t hash, enum sanitize_place place, enum sanitize_key_kind kind)
{
	return hash + 0x9e3779b97f4a7c15u * (place * 8u + kind);
}

/* sanitize_key_kind() of a key, which is remembered: keys repeat in each item. */
static enum sanitize_key_kind kind_of_key(const struct sanitizer *z, struct str key)
{
	uint64_t hash = hash_bytes(key.p, key.n), known;
	_Atomic uint64_t *at = (_Atomic uint64_t *)&z->key_kinds[hash / 4 % KEY_KINDS];
	enum sanitize_key_kind kind;

	known = atomic_load_explicit(at, memory_order_relaxed);
	if (known && (known ^ hash) <= KEY_KIND_MASK)
		return (enum sanitize_key_kind)(known & KEY_KIND_MASK);
	kind = sanitize_key_kind(key);
	atomic_store_explicit(at, (hash & ~(uint64_t)KEY_KIND_MASK) | kind, memory_order_relaxed);
	return kind;
}

/* Examine a text that is not in the cache, and enter it there if nothing is found. */
static int examine_unknown(struct examination *x, uint64_t hash, struct str *out)
{
	int verdict = examine(x, out);

	if (verdict == SANITIZE_KEEP)
		verdict_cache_add((struct verdict_cache *)&x->run->z->cache, hash);
	return verdict;
}

int sanitize_text(struct sanitize_run *r, enum sanitize_place place, struct str key,
		  struct str text, struct str *out)
{
	const struct sanitizer *z = r->z;
	struct examination x = {.run = r, .place = place, .key = key, .text = text};
	uint64_t hash;

	*out = text;
	if (is_trivial(z, place, text.n))
		return SANITIZE_KEEP;
	x.kind = key.n ? kind_of_key(z, key) : SANITIZE_KEY_PLAIN;
	if (x.kind != SANITIZE_KEY_SECRET && !(z->user_places & place) && is_id(text))
		return SANITIZE_KEEP;
	hash = place_hash(hash_bytes(text.p, text.n), place, x.kind);
	return verdict_cache_has(&z->cache, hash) ? SANITIZE_KEEP : examine_unknown(&x, hash, out);
}

bool sanitize_knows_run(const struct sanitizer *z, uint64_t hash)
{
	return verdict_cache_has(&z->runs, hash);
}

void sanitize_learn_run(const struct sanitizer *z, uint64_t hash)
{
	verdict_cache_add((struct verdict_cache *)&z->runs, hash);
}

uint32_t sanitize_look_up(const struct sanitizer *z, struct sanitize_lookup *at, uint32_t n)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n; i++) {
		at[i].hash = place_hash(at[i].hash, at[i].place, SANITIZE_KEY_PLAIN);
		verdict_cache_prefetch(&z->cache, at[i].hash);
	}
	for (uint32_t i = 0; i < n; i++)
		if (unlikely(!verdict_cache_has(&z->cache, at[i].hash)))
			at[left++] = at[i];
	return left;
}

int sanitize_looked_up(struct sanitize_run *r, const struct sanitize_lookup *l, struct str text,
		       struct str *out)
{
	struct examination x = {.run = r, .place = l->place, .text = text};

	*out = text;
	return examine_unknown(&x, l->hash, out);
}

bool sanitize_is_token(struct str text)
{
	return str_starts(text, STR("[REDACTED")) ||
	       (text.n == HASH_TOKEN && str_starts(text, STR("h1_")));
}
