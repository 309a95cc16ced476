/* SPDX-License-Identifier: Apache-2.0 */
/* The PYROSCOPE_* environment variables of Pyroscope's own clients. */
#include "sdk/options_pyroscope.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "wire/text.h"

static const char *variable(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

/* Set a text option from a variable, unless it is given. */
static int fill_text(struct sdk_options *out, const char *path, const char *text)
{
	const struct option_row *row = sdk_option_named(path);
	const char *const *field = (const char *const *)((const char *)&out->o + row->offset);

	return text && !*field ? sdk_option_read(out, row, str_from(text)) : 0;
}

/* Append key=value with the value percent-encoded, as export.headers requires. */
static void put_header_pair(struct buf *out, const char *key, struct str value)
{
	buf_printf(out, "%s%s=", out->n ? "," : "", key);
	for (size_t i = 0; i < value.n; i++)
		buf_printf(out, "%%%02X", (unsigned char)value.p[i]);
}

static int fill_headers(struct sdk_options *out)
{
	const char *token = variable("PYROSCOPE_AUTH_TOKEN");
	const char *user = variable("PYROSCOPE_BASIC_AUTH_USER");
	const char *password = variable("PYROSCOPE_BASIC_AUTH_PASSWORD");
	const char *tenant = variable("PYROSCOPE_TENANT_ID");
	struct buf headers = {0}, secret = {0}, value = {0};
	int rc;

	if (token) {
		buf_printf(&value, "Bearer %s", token);
	} else if (user) {
		buf_printf(&secret, "%s:%s", user, password ? password : "");
		buf_put_str(&value, STR("Basic "));
		base64_encode(&value, buf_str(&secret));
	}
	if (value.n)
		put_header_pair(&headers, "authorization", buf_str(&value));
	if (tenant)
		put_header_pair(&headers, "x-scope-orgid", str_from(tenant));
	buf_put_char(&headers, 0);
	rc = buf_error(&headers) || buf_error(&value) || buf_error(&secret) ? -ENOMEM : 0;
	if (!rc && headers.n > 1)
		rc = fill_text(out, "export.headers", headers.p);
	buf_fini(&headers);
	buf_fini(&secret);
	buf_fini(&value);
	return rc;
}

int sdk_options_from_pyroscope(struct sdk_options *out, struct err *e)
{
	const struct option_row *interval = sdk_option_named("profiling.upload_interval");
	const char *server = variable("PYROSCOPE_SERVER_ADDRESS"), *text;
	enum varve_protocol protocol = out->o.protocol;
	int rc;

	if (!server || out->o.endpoint || out->o.directory ||
	    (protocol != VARVE_PROTOCOL_DEFAULT && protocol != VARVE_PROTOCOL_PYROSCOPE))
		return 0;
	out->o.protocol = VARVE_PROTOCOL_PYROSCOPE;
	rc = fill_text(out, "export.endpoint", server);
	rc = rc ? rc : fill_text(out, "service.name", variable("PYROSCOPE_APPLICATION_NAME"));
	rc = rc ? rc : fill_text(out, "service.attributes", variable("PYROSCOPE_LABELS"));
	rc = rc ? rc : fill_headers(out);
	if (rc)
		return err_errno(e, rc, "read the variables of Pyroscope");
	text = variable("PYROSCOPE_UPLOAD_INTERVAL");
	if (text && !out->o.export_interval_ms && sdk_option_read(out, interval, str_from(text)))
		return err_set(e, -EINVAL,
			       "PYROSCOPE_UPLOAD_INTERVAL: cannot read \"%.64s\": expected 100ms "
			       "to 1h",
			       text);
	return 0;
}
