/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the endpoint of an OTLP exporter. */
#include "pipeline/exporters/otlp/otlp_endpoint.h"

#include <errno.h>

/* Remove a name resolver of gRPC: "dns:///host:port", "dns://server/host:port", "dns:host:port". */
static struct str without_resolver(struct str s)
{
	static const struct str names[] = {STR_INIT("dns:"), STR_INIT("passthrough:")};

	for (size_t i = 0; i < countof(names); i++) {
		struct str rest = str_from_at(s, names[i].n);

		if (!str_starts(s, names[i]))
			continue;
		if (!str_starts(rest, STR("//")))
			return rest;
		rest = str_from_at(rest, 2);
		return str_from_at(rest, str_find(rest, '/') + 1);
	}
	return s;
}

/* Cut "host:port" off a URL's rest, and set whether a path follows. */
static struct str cut_authority(struct str rest, bool *has_path)
{
	size_t end = 0;

	while (end < rest.n && !memchr("/?#", rest.p[end], 3))
		end++;
	*has_path = end < rest.n && !str_eq(str_from_at(rest, end), STR("/"));
	return str_head(rest, end);
}

/* Check host and port; "https://host" has port 443. */
static int set_address(struct otlp_endpoint *out, struct str s, struct arena *arena, struct err *e)
{
	size_t colon = str_find_last(s, ':');
	struct str text = str_head(s, 200), port;
	uint64_t number;

	if (str_find(str_from_at(s, colon), ']') < str_from_at(s, colon).n)
		colon = s.n; /* "[::1]" */
	port = str_from_at(s, colon + 1);
	if (colon == s.n && s.n && out->scheme == OTLP_SCHEME_HTTPS)
		return arena_printf(arena, &out->address, "%.*s:443", STR_ARG(s));
	if (colon == s.n)
		return err_set(e, -EINVAL,
			       "\"endpoint\": missing port in address: expected host:port, such as "
			       "%.*s:4317",
			       STR_ARG(text));
	if (!colon)
		return err_set(e, -EINVAL, "\"endpoint\": missing host in address \"%.*s\"",
			       STR_ARG(text));
	if (str_to_u64(port, 10, &number) || !number || number > 65535)
		return err_set(e, -EINVAL, "\"endpoint\": invalid port \"%.*s\"",
			       STR_ARG(str_head(port, 200)));
	return arena_copy_str(arena, s, &out->address);
}

int otlp_endpoint_parse(struct otlp_endpoint *out, struct str endpoint, struct arena *arena,
			struct err *e)
{
	struct str rest;

	*out = (struct otlp_endpoint){0};
	if (!endpoint.n)
		return err_set(e, -EINVAL, "requires a non-empty \"endpoint\"");
	if (str_starts(endpoint, STR("unix:")))
		return err_set(e, -EINVAL,
			       "\"endpoint\": Unix sockets are not supported: use host:port");
	if (str_starts(endpoint, STR("http://")))
		out->scheme = OTLP_SCHEME_HTTP;
	else if (str_starts(endpoint, STR("https://")))
		out->scheme = OTLP_SCHEME_HTTPS;
	if (out->scheme == OTLP_SCHEME_NONE)
		return set_address(out, without_resolver(endpoint), arena, e);
	rest = str_from_at(endpoint, str_find(endpoint, ':') + 3);
	rest = cut_authority(rest, &out->has_path);
	if (out->has_path && rest.n)
		return 0;
	return set_address(out, rest, arena, e);
}
