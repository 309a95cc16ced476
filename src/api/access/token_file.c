/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes lines of token files, and makes tokens. The fields of a line are a table. */
#include "api/access/token_file.h"

#include <ctype.h>
#include <errno.h>
#include <sys/random.h>
#include <zlib.h>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "api/access/network.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "wire/text.h"

#define HASHED "sha256:"
#define SECRET_PREFIX "varve_"

enum {
	PREFIX_LENGTH = sizeof(SECRET_PREFIX) - 1,
	RANDOM_LENGTH = 43, /* characters of 62: 256 bits */
	CHECK_LENGTH = 6,
	VALUE_MAX = 4096, /* of a list of services */
	NAME_MAX_LENGTH = 200,
	ID_BYTES = 6,
};
_Static_assert(PREFIX_LENGTH + RANDOM_LENGTH + CHECK_LENGTH + 1 == TOKEN_SECRET, "of a secret");

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static const struct {
	const char *name;
	unsigned scope;
} scope_names[] = {
	{"read", TOKEN_READ},
	{"write", TOKEN_WRITE},
	{"control", TOKEN_CONTROL},
	{"admin", TOKEN_ADMIN},
};

bool access_tenant_valid(struct str name)
{
	if (!name.n || name.n > ACCESS_TENANT_MAX || str_eq(name, STR(".")) ||
	    str_eq(name, STR("..")))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && !strchr("!-_.*'()", name.p[i]))
			return false;
	return true;
}

void token_digest(struct str token, uint8_t digest[TOKEN_DIGEST])
{
	SHA256((const unsigned char *)token.p, token.n, digest);
}

static bool is_printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isgraph((unsigned char)s.p[i]))
			return false;
	return true;
}

bool token_value_valid(struct str value)
{
	return value.n && value.n <= NAME_MAX_LENGTH && is_printable(value);
}

bool token_serves(struct str services, struct str service)
{
	if (!services.n)
		return true;
	while (services.n)
		if (str_eq(str_cut(&services, ','), service))
			return true;
	return false;
}

/* ---- scopes ---- */

int token_scopes_read(unsigned *out, struct str text, struct err *e)
{
	*out = 0;
	do {
		struct str word = str_trim(str_cut(&text, ','));
		unsigned scope = 0;

		for (size_t i = 0; i < countof(scope_names); i++)
			if (str_eq(word, str_from(scope_names[i].name)))
				scope = scope_names[i].scope;
		if (!scope)
			return err_set(e, -EINVAL,
				       "unknown scope \"%.*s\": expected read, write, control or "
				       "admin, separated by commas",
				       STR_ARG(str_head(word, 40)));
		*out |= scope;
	} while (text.n);
	return 0;
}

void token_scopes_write(struct buf *out, unsigned scopes)
{
	const char *comma = "";

	for (size_t i = 0; i < countof(scope_names); i++)
		if (scopes & scope_names[i].scope) {
			buf_printf(out, "%s%s", comma, scope_names[i].name);
			comma = ",";
		}
}

/* ---- lines ---- */

static int read_id(struct token *t, struct str value, struct err *e)
{
	if (!value.n || value.n > TOKEN_ID_MAX)
		return err_set(e, -EINVAL, "id: expected 1 to %d characters", TOKEN_ID_MAX);
	memcpy(t->id, value.p, value.n);
	t->id[value.n] = 0;
	return 0;
}

static int read_text(struct str *out, struct str value, size_t most, const char *key, struct err *e)
{
	if (!value.n || value.n > most)
		return err_set(e, -EINVAL, "%s: expected 1 to %zu characters", key, most);
	*out = value;
	return 0;
}

static int read_tenant(struct token *t, struct str value, struct err *e)
{
	if (!access_tenant_valid(value))
		return err_set(e, -EINVAL, "invalid tenant name");
	t->tenant = value;
	return 0;
}

static int read_time(uint64_t *out, struct str value, struct err *e)
{
	int rc = time_parse(value, clock_realtime_ns(), out, e);

	/* a relative time would move with each reload */
	if (!rc && (str_starts(value, STR("now")) || value.p[0] == '-'))
		return err_set(e, -EINVAL, "expected an absolute time, as 2026-11-15T09:37:00Z");
	return rc;
}

static int read_field(struct token *t, struct str key, struct str value, struct err *e)
{
	if (str_eq(key, STR("id")))
		return read_id(t, value, e);
	if (str_eq(key, STR("name")))
		return read_text(&t->name, value, NAME_MAX_LENGTH, "name", e);
	if (str_eq(key, STR("scopes")))
		return token_scopes_read(&t->scopes, value, e);
	if (str_eq(key, STR("tenant")))
		return read_tenant(t, value, e);
	if (str_eq(key, STR("services")))
		return read_text(&t->services, value, VALUE_MAX, "services", e);
	if (str_eq(key, STR("addresses"))) {
		t->addresses = value;
		return network_list_valid(value, TOKEN_NETWORKS)
			       ? 0
			       : err_set(e, -EINVAL,
					 "addresses: expected up to %d addresses or networks, as "
					 "10.0.0.0/8,::1",
					 TOKEN_NETWORKS);
	}
	if (str_eq(key, STR("created")))
		return read_time(&t->created, value, e);
	if (str_eq(key, STR("expires")))
		return read_time(&t->expires, value, e);
	if (str_eq(key, STR("revoked")))
		return read_time(&t->revoked, value, e);
	if (str_eq(key, STR("requests_per_second")))
		return str_to_u64(value, 10, &t->requests_per_second) ||
				       t->requests_per_second > 1000000
			       ? err_set(e, -EINVAL,
					 "requests_per_second: expected a number up to 1000000")
			       : 0;
	return err_set(e, -EINVAL, "unknown field \"%.*s\"", STR_ARG(str_head(key, 40)));
}

static int read_hashed(struct token *t, struct str line, struct err *e)
{
	struct str digest = str_from_at(str_cut(&line, ' '), sizeof(HASHED) - 1);
	size_t n = 0;
	int rc = 0;

	if (hex_decode(digest, t->digest, sizeof(t->digest), &n) || n != sizeof(t->digest))
		return err_set(e, -EINVAL, "expected 64 hex digits after " HASHED);
	while (!rc && line.n) {
		struct str value = str_cut(&line, ' '), key;

		if (!value.n)
			continue;
		key = str_cut(&value, '=');
		rc = is_printable(value) ? read_field(t, key, value, e)
					 : err_set(e, -EINVAL, "a value is printable ASCII");
	}
	if (!rc && !t->id[0])
		rc = err_set(e, -EINVAL, "missing field: id");
	if (!rc && !t->scopes)
		rc = err_set(e, -EINVAL, "missing field: scopes");
	return rc;
}

static int read_plain(struct token *t, struct str line, struct err *e)
{
	struct str rest = line, token = str_cut(&rest, ' '), tenant = str_trim(rest);

	if (token.n < TOKEN_MIN)
		return err_set(e, -EINVAL, "a token has at least 16 characters");
	if (token.n > TOKEN_MAX)
		return err_set(e, -EINVAL, "a token has at most 1024 characters");
	if (!is_printable(token))
		return err_set(e, -EINVAL, "a token is printable ASCII");
	if (tenant.n && !access_tenant_valid(tenant))
		return err_set(e, -EINVAL, "invalid tenant name after the token");
	t->plain = true;
	t->scopes = TOKEN_READ | TOKEN_WRITE | TOKEN_CONTROL | TOKEN_ADMIN;
	t->tenant = tenant;
	token_digest(token, t->digest);
	hex_digits(t->id, str_of((const char *)t->digest, ID_BYTES));
	t->id[2 * ID_BYTES] = 0;
	OPENSSL_cleanse((char *)(uintptr_t)token.p, token.n);
	return 0;
}

int token_line_read(struct token *out, struct str line, struct err *e)
{
	int rc;

	*out = (struct token){0};
	line = str_trim(line);
	if (!line.n || line.p[0] == '#')
		return 0;
	rc = str_starts(line, STR(HASHED)) ? read_hashed(out, line, e) : read_plain(out, line, e);
	return rc ? rc : 1;
}

static void put_time(struct buf *out, const char *key, uint64_t ns)
{
	char text[CLOCK_TEXT_SIZE];

	if (ns)
		buf_printf(out, " %s=%s", key, clock_format(ns, text));
}

static void put_text(struct buf *out, const char *key, struct str value)
{
	if (value.n)
		buf_printf(out, " %s=%.*s", key, STR_ARG(value));
}

void token_line_write(struct buf *out, const struct token *t)
{
	char hex[2 * TOKEN_DIGEST + 1];

	hex_digits(hex, str_of((const char *)t->digest, sizeof(t->digest)));
	buf_printf(out, HASHED "%.*s id=%s", 2 * TOKEN_DIGEST, hex, t->id);
	put_text(out, "name", t->name);
	buf_put_str(out, STR(" scopes="));
	token_scopes_write(out, t->scopes);
	put_text(out, "tenant", t->tenant);
	put_text(out, "services", t->services);
	put_text(out, "addresses", t->addresses);
	if (t->requests_per_second)
		buf_printf(out, " requests_per_second=%llu",
			   (unsigned long long)t->requests_per_second);
	put_time(out, "created", t->created);
	put_time(out, "expires", t->expires);
	put_time(out, "revoked", t->revoked);
	buf_put_char(out, '\n');
}

/* ---- new tokens ---- */

/* Fill with random characters of the alphabet, each as likely as any other. */
static int fill_random(char *out, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint8_t bytes[64];

		if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
			return -EIO;
		for (size_t k = 0; k < sizeof(bytes) && i < n; k++)
			if (bytes[k] < 248) /* 4 * 62 */
				out[i++] = alphabet[bytes[k] % 62];
		OPENSSL_cleanse(bytes, sizeof(bytes));
	}
	return 0;
}

static void put_checksum(const char *secret, char out[CHECK_LENGTH])
{
	uint32_t sum = (uint32_t)crc32(0, (const Bytef *)secret, PREFIX_LENGTH + RANDOM_LENGTH);

	for (unsigned i = CHECK_LENGTH; i--; sum /= 62)
		out[i] = alphabet[sum % 62];
}

int token_make(struct token *out, char secret[TOKEN_SECRET], struct err *e)
{
	uint8_t id[ID_BYTES];

	*out = (struct token){0};
	memcpy(secret, SECRET_PREFIX, PREFIX_LENGTH);
	if (fill_random(secret + PREFIX_LENGTH, RANDOM_LENGTH) ||
	    getrandom(id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return err_set(e, -EIO, "no random bytes from the system");
	put_checksum(secret, secret + PREFIX_LENGTH + RANDOM_LENGTH);
	secret[TOKEN_SECRET - 1] = 0;
	token_digest(str_of(secret, TOKEN_SECRET - 1), out->digest);
	hex_digits(out->id, str_of((const char *)id, sizeof(id)));
	out->id[2 * ID_BYTES] = 0;
	out->created = clock_realtime_ns();
	return 0;
}

bool token_is_ours(struct str secret)
{
	char check[CHECK_LENGTH];

	if (secret.n != TOKEN_SECRET - 1 || !str_starts(secret, STR(SECRET_PREFIX)))
		return false;
	put_checksum(secret.p, check);
	return !memcmp(check, secret.p + PREFIX_LENGTH + RANDOM_LENGTH, CHECK_LENGTH);
}
