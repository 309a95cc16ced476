/* SPDX-License-Identifier: Apache-2.0 */
/* Requests through net/client/http_client.h; errors name the server and repeat its message. */
#include "cli/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/access/token_file.h"
#include "cli/input.h"

#define AT(field) offsetof(struct remote_options, field)

const struct option remote_options[] = {
	{"url", 'u', OPTION_TEXT, AT(url), "URL", NULL, NULL,
	 "URL of the server (default: $VARVE_URL, or http://127.0.0.1:4040)"},
	{"token-file", 0, OPTION_TEXT, AT(token_file), "FILE", NULL, NULL,
	 "file with the access token (default: $VARVE_TOKEN_FILE)"},
	{"tenant", 0, OPTION_TEXT, AT(tenant), "NAME", NULL, NULL,
	 "tenant, on a server with --tenants"},
	{"ca-file", 0, OPTION_TEXT, AT(ca_file), "FILE", NULL, NULL,
	 "trust these CA certificates (PEM) instead of the system's"},
	{"skip-verify", 0, OPTION_FLAG, AT(insecure), NULL, NULL, NULL,
	 "do not verify the certificate of the server"},
	{"timeout", 0, OPTION_COUNT, AT(timeout), "SECONDS", "60", NULL, "timeout of each request"},
	{0},
};

#undef AT
#define AT(field) offsetof(struct range_options, field)

const struct option range_options[] = {
	{"from", 0, OPTION_TEXT, AT(from), "TIME", "now-1h", NULL,
	 "start of the time range: now-1h, 2026-11-15T09:37:00Z, 20261115, seconds since 1970"},
	{"to", 0, OPTION_TEXT, AT(to), "TIME", "now", NULL, "end of the time range"},
	{0},
};

static int read_token(const char *path, struct buf *out, struct err *e)
{
	int rc = input_bytes(out, path, e);

	while (!rc && out->n && (out->p[out->n - 1] == '\n' || out->p[out->n - 1] == '\r'))
		out->n--;
	if (!rc && str_starts(buf_str(out), STR("varve_")) && !token_is_ours(buf_str(out)))
		rc = err_set(e, -EINVAL, "%s: the token is incomplete: its checksum is wrong",
			     path);
	buf_put_char(out, 0);
	return rc ? rc : buf_error(out);
}

int remote_open(struct remote *r, const struct remote_options *o, struct cli *cli, struct err *e)
{
	const char *url = o->url ? o->url : getenv("VARVE_URL");
	const char *file = o->token_file ? o->token_file : getenv("VARVE_TOKEN_FILE");
	struct net_client_options client = {.ca_file = o->ca_file, .skip_verify = o->insecure};
	struct buf token = {0};
	struct str base = str_from(url && *url ? url : "http://127.0.0.1:4040");
	int rc = 0;

	*r = (struct remote){.options = o, .cli = cli};
	if (file && *file)
		rc = read_token(file, &token, e);
	if (token.n > 1)
		client.token = token.p;
	if (str_find_str(base, STR("://")) == base.n)
		buf_put_str(&r->base, STR("http://"));
	while (base.n && base.p[base.n - 1] == '/')
		base.n--;
	buf_put_str(&r->base, base);
	if (!rc)
		rc = http_client_new(&r->client, &client, e);
	if (token.p) /* leave no copy in freed memory */
		explicit_bzero(token.p, token.n);
	buf_fini(&token);
	return rc;
}

void remote_close(struct remote *r)
{
	http_client_free(r->client);
	buf_fini(&r->base);
	buf_fini(&r->warning);
}

void remote_path(struct buf *url, const char *path)
{
	buf_clear(url);
	buf_put_str(url, str_from(path));
}

void remote_param(struct buf *url, const char *name, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~:";

	if (!value || !*value)
		return;
	buf_printf(url, "%c%s=", memchr(url->p, '?', url->n) ? '&' : '?', name);
	for (; *value; value++) {
		if (strchr(plain, *value))
			buf_put_char(url, *value);
		else
			buf_printf(url, "%%%02X", (unsigned char)*value);
	}
}

/* Set the error of a response: the message of {"error": {"message"}} or {"error"}, or the start of the body. */
static int response_error(const struct remote *r, const struct http_client_answer *a, struct err *e)
{
	struct str body = buf_str(&a->body), message;
	struct arena arena;
	struct json doc;

	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	if (!json_parse(&doc, body, NULL)) {
		const struct json_value *error = json_get(json_root(&doc), STR("error"));

		if (error && json_kind(error) == JSON_STRING)
			message = json_str(error);
		else
			message =
				json_str(json_get(error ? error : json_root(&doc), STR("message")));
	} else {
		message = str_trim(str_head(body, 200));
	}
	err_set(e, a->status == 404 ? -ENOENT : -EPROTO, "%.*s: %.*s%s(%u)%s",
		STR_ARG(buf_str(&r->base)), STR_ARG(str_head(message, 400)), message.n ? " " : "",
		a->status, a->status == 401 ? "; authenticate with --token-file and --tenant" : "");
	arena_fini(&arena);
	return e->code;
}

/* Print a warning, but not the same one for each of several requests. */
static void print_remote_warning(struct remote *r, const struct buf *warning)
{
	if (r->quiet || !warning->n || str_eq(buf_str(warning), buf_str(&r->warning)))
		return;
	cli_note(r->cli, "warning: %.*s", STR_ARG(buf_str(warning)));
	buf_clear(&r->warning);
	buf_put_str(&r->warning, buf_str(warning));
}

int remote_request(struct remote *r, const char *method, const struct buf *path, struct str body,
		   struct buf *out, struct err *e)
{
	struct http_header tenant = {STR("x-scope-orgid"),
				     str_from(r->options->tenant ? r->options->tenant : "")};
	struct http_client_answer answer = {0};
	struct http_client_request request = {
		.method = method,
		.headers = tenant.value.n ? &tenant : NULL,
		.header_count = tenant.value.n ? 1 : 0,
		.body = body,
		.timeout_ms = r->options->timeout * 1000,
		.max_response = r->cli->budget.limit,
		.want = STR("varve-warning"),
		.cancelled = r->cancelled,
	};
	struct buf url = {0};
	struct err why = {0};
	int rc;

	buf_put_str(&url, buf_str(&r->base));
	buf_put_str(&url, buf_str(path));
	buf_put_char(&url, 0);
	rc = buf_error(&url);
	request.url = url.p;
	if (!rc)
		rc = http_client_request(r->client, &request, &answer, &why);
	if (rc == -ECONNREFUSED)
		err_set(e, rc,
			"no server answers at %.*s: start one with varve up, or choose another "
			"with --url",
			STR_ARG(buf_str(&r->base)));
	else if (rc)
		err_set(e, rc, "%s", why.text);
	if (!rc && answer.status >= 300)
		rc = response_error(r, &answer, e);
	if (!rc) {
		print_remote_warning(r, &answer.wanted);
		buf_put_str(out, buf_str(&answer.body));
		rc = buf_error(out);
	}
	http_client_answer_fini(&answer);
	buf_fini(&url);
	return rc;
}

int remote_json(struct remote *r, const char *method, const struct buf *path, struct json *doc,
		struct arena *arena, struct err *e)
{
	struct buf body = {0};
	struct str text;
	int rc = remote_request(r, method, path, (struct str){0}, &body, e);

	json_init(doc, arena);
	if (!rc)
		rc = arena_copy_str(arena, buf_str(&body), &text);
	if (!rc)
		rc = json_parse(doc, text, e);
	buf_fini(&body);
	return rc;
}

#undef AT
#define AT(field) offsetof(struct span_options, field)

const struct option span_options[] = {
	{"span", 0, OPTION_LIST, AT(span), "ID", NULL, NULL,
	 "only samples of this span (16 hex digits); can be repeated"},
	{"trace", 0, OPTION_LIST, AT(trace), "ID", NULL, NULL,
	 "only samples of this trace (32 hex digits); can be repeated"},
	{"traces", 0, OPTION_TEXT, AT(traces), "QUERY", NULL, NULL,
	 "only samples of the spans that this TraceQL search finds: '{ duration > 1s }'"},
	{"children", 0, OPTION_FLAG, AT(children), NULL, NULL, NULL,
	 "with --span and --traces: include all spans below them, across services"},
	{0},
};

#undef AT

void remote_span_params(struct buf *url, const struct span_options *o)
{
	for (size_t i = 0; i < o->span.n; i++)
		remote_param(url, "span", o->span.at[i]);
	for (size_t i = 0; i < o->trace.n; i++)
		remote_param(url, "trace", o->trace.at[i]);
	remote_param(url, "traces", o->traces);
	remote_param(url, "children", o->children ? "1" : NULL);
}

void remote_profile_path(struct buf *url, const struct remote_profiles *p, const char *selector,
			 const char *format)
{
	remote_path(url, "/api/v1/profile");
	remote_param(url, "query", selector);
	remote_param(url, "type", p->type);
	remote_param(url, "from", p->from);
	remote_param(url, "to", p->to);
	remote_param(url, "format", format);
	if (p->spans)
		remote_span_params(url, p->spans);
}

int remote_fetch(void *arg, struct buf *out, const char *selector, struct err *e)
{
	const struct remote_profiles *p = arg;
	struct buf url = {0};
	int rc;

	remote_profile_path(&url, p, selector, "pprof");
	rc = remote_request(p->remote, NULL, &url, (struct str){0}, out, e);
	buf_fini(&url);
	return rc;
}

uint64_t remote_count(const struct json_value *root, const char *key)
{
	uint64_t n = 0;

	return json_u64(json_get(root, str_from(key)), &n) ? 0 : n;
}
