/* SPDX-License-Identifier: Apache-2.0 */
/* Parses OTEL_RESOURCE_ATTRIBUTES: pairs of key and percent-encoded value, separated by commas. */
#include "pipeline/processors/resourcedetection/environment_facts.h"

#include <errno.h>
#include <stdlib.h>

#include "net/http/uri.h"

/* Parse one "key=value", whose value is percent-encoded. */
static int add_pair(struct attributes *out, struct str pair, struct arena *arena)
{
	size_t equals = str_find(pair, '=');
	struct str key = str_trim(str_head(pair, equals)), value;
	int rc;

	if (equals == pair.n || !key.n)
		return -EINVAL;
	rc = arena_copy_str(arena, key, &key);
	if (!rc)
		rc = http_unescape(arena, str_trim(str_from_at(pair, equals + 1)), false, &value);
	if (!rc)
		rc = arena_copy_str(arena, value, &value);
	if (rc)
		return rc == -ENOMEM ? rc : -EINVAL;
	return attributes_set(out, arena, key, &VALUE_OF_STR(value));
}

static int add_pairs(struct attributes *out, struct str text, struct arena *arena, struct err *e)
{
	struct str rest = text;
	int rc = 0;

	while (rest.n && !rc)
		rc = add_pair(out, str_cut(&rest, ','), arena);
	if (rc == -EINVAL)
		return err_set(e, rc,
			       "invalid resource format: \"%.*s\": OTEL_RESOURCE_ATTRIBUTES has to "
			       "be KEY=VALUE,KEY=VALUE",
			       STR_ARG(text));
	return rc;
}

int environment_facts(struct attributes *out, struct arena *arena, struct err *e)
{
	const char *pairs = getenv("OTEL_RESOURCE_ATTRIBUTES"), *name = getenv("OTEL_SERVICE_NAME");
	struct str copy;
	int rc;

	if (!pairs || !pairs[0])
		pairs = getenv("OTEL_RESOURCE");
	rc = add_pairs(out, str_trim(str_from(pairs ? pairs : "")), arena, e);
	if (rc || !name || !name[0])
		return rc;
	rc = arena_copy_str(arena, str_from(name), &copy);
	return rc ? rc : attributes_set(out, arena, STR("service.name"), &VALUE_OF_STR(copy));
}
