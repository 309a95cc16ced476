/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 3986 section 3.2 (authority), RFC 6454 (origin), W3C Fetch Metadata. */
#include "wire/origin.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <strings.h>

enum { ADDRESS_TEXT_MAX = 64, ADDRESS_BYTES = 16, PORT_MAX = 65535 };

static bool text_equals(struct str a, struct str b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* Parse "", ":" or ":4040". */
static bool parse_port(struct str text, unsigned *port)
{
	uint64_t number = 0;

	*port = 0;
	if (!text.n)
		return true;
	if (text.p[0] != ':')
		return false;
	text = str_from_at(text, 1);
	if (text.n && (str_to_u64(text, 10, &number) || number > PORT_MAX))
		return false;
	*port = (unsigned)number;
	return true;
}

static bool is_name(struct str host)
{
	for (size_t i = 0; i < host.n; i++)
		if (!isalnum((unsigned char)host.p[i]) && !strchr("-._~", host.p[i]))
			return false;
	return host.n > 0;
}

/* Get the 16 bytes of an address; IPv4 as ::ffff:a.b.c.d. */
static bool address_bytes(struct str host, uint8_t out[ADDRESS_BYTES])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	char text[ADDRESS_TEXT_MAX];

	if (host.n >= sizeof(text))
		return false;
	memcpy(text, host.n ? host.p : "", host.n);
	text[host.n] = 0;
	memcpy(out, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, out + sizeof(mapped)) == 1 ||
	       inet_pton(AF_INET6, text, out) == 1;
}

bool authority_parse(struct str text, struct authority *out)
{
	uint8_t bytes[ADDRESS_BYTES];
	size_t end;

	if (text.n && text.p[0] == '[') {
		end = str_find(text, ']');
		if (end == text.n)
			return false;
		out->host = str_of(text.p + 1, end - 1);
		return str_find(out->host, ':') < out->host.n && address_bytes(out->host, bytes) &&
		       parse_port(str_from_at(text, end + 1), &out->port);
	}
	end = str_find(text, ':');
	out->host = str_head(text, end);
	if (out->host.n > 1 && out->host.p[out->host.n - 1] == '.')
		out->host.n--;
	return is_name(out->host) && parse_port(str_from_at(text, end), &out->port);
}

bool host_is_address(struct str host)
{
	uint8_t bytes[ADDRESS_BYTES];

	return address_bytes(host, bytes);
}

bool host_is_loopback(struct str host)
{
	static const struct str name = STR_INIT("localhost"), below = STR_INIT(".localhost");
	static const uint8_t v4[13] = {[10] = 0xff, [11] = 0xff, [12] = 127},
			     v6[ADDRESS_BYTES] = {[15] = 1};
	uint8_t bytes[ADDRESS_BYTES];

	if (address_bytes(host, bytes))
		return !memcmp(bytes, v4, sizeof(v4)) || !memcmp(bytes, v6, sizeof(v6));
	return text_equals(host, name) ||
	       (host.n > below.n && text_equals(str_from_at(host, host.n - below.n), below));
}

bool host_equal(struct str a, struct str b)
{
	uint8_t x[ADDRESS_BYTES], y[ADDRESS_BYTES];

	if (address_bytes(a, x))
		return address_bytes(b, y) && !memcmp(x, y, sizeof(x));
	return a.n && text_equals(a, b);
}

static bool is_any_rule(struct str rule)
{
	return str_eq(rule, STR("*"));
}

static bool is_suffix_rule(struct str rule)
{
	return str_starts(rule, STR("*."));
}

bool host_rule_valid(struct str name)
{
	struct authority a;

	if (is_any_rule(name))
		return true;
	if (is_suffix_rule(name))
		name = str_from_at(name, 2);
	if (host_is_address(name)) /* IPv6 without brackets, too */
		return true;
	return authority_parse(name, &a) && !a.port;
}

static bool rule_matches(struct str rule, struct str host)
{
	struct authority a;

	if (is_suffix_rule(rule)) {
		rule = str_from_at(rule, 1);
		return host.n > rule.n && !host_is_address(host) &&
		       text_equals(str_from_at(host, host.n - rule.n), rule);
	}
	if (rule.n && rule.p[0] == '[' && authority_parse(rule, &a))
		rule = a.host;
	if (rule.n > 1 && rule.p[rule.n - 1] == '.')
		rule.n--;
	return host_equal(rule, host);
}

static bool matches_rule(const struct host_rules *rules, struct str host)
{
	for (uint32_t i = 0; i < rules->count; i++)
		if (!is_any_rule(rules->names[i]) && rule_matches(rules->names[i], host))
			return true;
	return false;
}

bool host_allowed(const struct host_rules *rules, struct str authority)
{
	struct authority a;

	for (uint32_t i = 0; i < rules->count; i++)
		if (is_any_rule(rules->names[i]))
			return true;
	if (!authority_parse(authority, &a))
		return false;
	return host_is_loopback(a.host) || (rules->any_address && host_is_address(a.host)) ||
	       matches_rule(rules, a.host);
}

static unsigned default_port(bool https)
{
	return https ? 443 : 80;
}

/* Parse "http://host:port"; without a port it is the scheme's default. */
static bool parse_origin(struct str text, struct authority *out, bool *https)
{
	static const struct str http = STR_INIT("http://"), secure = STR_INIT("https://");

	*https = text_equals(str_head(text, secure.n), secure);
	if (!*https && !text_equals(str_head(text, http.n), http))
		return false;
	if (!authority_parse(str_from_at(text, *https ? secure.n : http.n), out))
		return false;
	if (!out->port)
		out->port = default_port(*https);
	return true;
}

static bool is_own_origin(const struct host_rules *rules, const struct origin_request *r)
{
	struct authority origin, host;
	bool https, same_port;

	if (!parse_origin(r->origin, &origin, &https) || (r->tls && !https))
		return false;
	if (!authority_parse(r->host, &host))
		host = (struct authority){0};
	/*
	 * A proxy may terminate TLS: a missing port in Host is the default of the origin's scheme.
	 */
	same_port = origin.port == (host.port ? host.port : default_port(https));
	if (same_port && host_equal(host.host, origin.host))
		return true;
	/* Or the proxy has replaced the Host header of the browser. */
	return (same_port || origin.port == default_port(https)) &&
	       matches_rule(rules, origin.host);
}

bool origin_is_foreign(const struct host_rules *rules, const struct origin_request *r)
{
	if (r->fetch_site.n && !text_equals(r->fetch_site, STR("same-origin")) &&
	    !text_equals(r->fetch_site, STR("none")))
		return true;
	return r->origin.n && !is_own_origin(rules, r);
}

bool origin_is_navigation(const struct origin_request *r)
{
	return text_equals(r->fetch_mode, STR("navigate")) && !r->origin.n &&
	       (!r->fetch_dest.n || text_equals(r->fetch_dest, STR("document")));
}
