/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends profiles to /ingest of a Pyroscope server: a form with the pprof and the configuration of
 * its sample types, as Pyroscope's own Go agent sends it. Profiles only.
 */
#include "sdk/export/sink_pyroscope.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sdk/export/body_seal.h"
#include "sdk/export/export.h"
#include "sdk/export/http_client.h"
#include "wire/compress/deflate.h"
struct pyroscope_sink {
	struct sink sink; /* first */
	struct post_client client;
	struct key_ring *keys;		 /* of encrypted bodies; NULL: in clear */
	const struct keyvalue *resource; /* borrowed */
	uint32_t resource_count;
	struct buf path;
};

#define BOUNDARY "varve-5c5f1f0b8a7e4d6c"

/* mutex and block have the same sample types; the configuration distinguishes them. */
static const struct {
	enum varve_profile kind;
	const char *config;
} configs[] = {
	{VARVE_MUTEX,
	 "{\"contentions\":{\"units\":\"lock_samples\",\"display-name\":\"mutex_count\"},"
	 "\"delay\":{\"units\":\"lock_nanoseconds\",\"display-name\":\"mutex_duration\"}}"},
	{VARVE_BLOCK,
	 "{\"contentions\":{\"units\":\"lock_samples\",\"display-name\":\"block_count\"},"
	 "\"delay\":{\"units\":\"lock_nanoseconds\",\"display-name\":\"block_duration\"}}"},
};

static int pack_form(const struct pyroscope_sink *s, struct export_item *item)
{
	struct buf *out = &item->packed;
	int rc;

	if (out->n)
		return 0;
	buf_put_str(out, STR("--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"profile\"; "
			     "filename=\"profile.pprof\"\r\nContent-Type: "
			     "application/octet-stream\r\n\r\n"));
	if (deflate_bytes(out, COMPRESS_GZIP, 1, buf_str(&item->body))) {
		buf_clear(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < countof(configs); i++)
		if (configs[i].kind == item->kind)
			buf_printf(out,
				   "\r\n--" BOUNDARY "\r\nContent-Disposition: form-data; "
				   "name=\"sample_type_config\"; "
				   "filename=\"sample_type_config.json\"\r\nContent-Type: "
				   "application/json\r\n\r\n%s",
				   configs[i].config);
	buf_put_str(out, STR("\r\n--" BOUNDARY "--\r\n"));
	rc = buf_error(out);
	if (!rc && s->keys)
		rc = body_seal(out, 0, s->keys, NULL);
	if (rc)
		buf_clear(out);
	return rc;
}

static bool is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
	       c == '.' || c == '-';
}

/* Append percent-encoded text. Characters that delimit labels are replaced. */
static void put_label_text(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c < ' ' || strchr(",{}=", c))
			c = '_';
		if (is_word(c))
			buf_put_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

/* Append "key=value" after a separator. Return false when the attribute cannot be a label. */
static bool put_resource_label(struct buf *out, const struct keyvalue *kv, bool first)
{
	for (size_t i = 0; i < kv->key.n; i++)
		if (!is_word((unsigned char)kv->key.p[i]) || kv->key.p[i] == '-')
			return false;
	if (kv->value.kind != VALUE_STRING && kv->value.kind != VALUE_INT)
		return false;
	buf_printf(out, "%s%.*s%%3D", first ? "%7B" : "%2C", STR_ARG(kv->key));
	if (kv->value.kind == VALUE_INT)
		buf_printf(out, "%lld", (long long)kv->value.i);
	else
		put_label_text(out, kv->value.s);
	return true;
}

/* Append the name of the service; Pyroscope refuses other characters than these in it. */
static void put_service_name(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool plain = is_word((unsigned char)c) || c == '.' || c == '/';

		put_label_text(out, plain ? str_of(&c, 1) : STR("_"));
	}
}

/* Append service{key=value,...}: the resource's attributes in order, as many as fit. */
static void put_series_name(struct buf *out, const struct pyroscope_sink *s)
{
	size_t most = out->n + 2 * POST_PATH_MAX, before;
	bool first = true;

	for (uint32_t i = 0; i < s->resource_count; i++)
		if (str_eq(s->resource[i].key, STR("service.name")))
			put_service_name(out, str_head(s->resource[i].value.s, 256));
	for (uint32_t i = 0; i < s->resource_count; i++) {
		if (str_eq(s->resource[i].key, STR("service.name")))
			continue;
		before = out->n;
		if (put_resource_label(out, &s->resource[i], first) && out->n <= most)
			first = false;
		else
			out->n = before;
	}
	buf_put_str(out, first ? STR("") : STR("%7D"));
}

static int check_ingest_answer(const struct post_answer *a, struct err *e)
{
	bool again = a->status == 429 || (a->status >= 502 && a->status <= 504);

	if (a->status >= 200 && a->status < 300)
		return 0;
	return err_set(e, again ? -EAGAIN : -EREMOTEIO, "HTTP %u %.*s", a->status,
		       STR_ARG(str_head(buf_str(&a->body), 256)));
}

static int pyroscope_deliver(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
			     uint64_t *retry_after_ms, struct err *e)
{
	struct pyroscope_sink *s = (struct pyroscope_sink *)sink;
	struct post_request r = {.method = "POST",
				 .content_type = "multipart/form-data; boundary=" BOUNDARY,
				 .timeout_ms = timeout_ms,
				 .stop = sink->stop};
	uint64_t until = item->start_unix_ns + item->duration_ns;
	struct post_answer a = {0};
	char cost[SINK_COST_MAX];
	int rc;

	if (item->signal != EXPORT_PROFILES)
		return 0;
	if (pack_form(s, item))
		return err_errno(e, -EAGAIN, "packing a profile");
	buf_clear(&s->path);
	buf_put_str(&s->path, STR("/ingest?name="));
	put_series_name(&s->path, s);
	/* nanoseconds, as profiles within one second must differ in time */
	buf_printf(&s->path, "&from=%llu&until=%llu&format=pprof&spyName=varve&sampleRate=100",
		   (unsigned long long)item->start_unix_ns, (unsigned long long)until);
	buf_put_char(&s->path, 0);
	if (buf_error(&s->path))
		return err_errno(e, -EAGAIN, "sending a profile");
	r.path = s->path.p;
	r.header = sink_cost(cost);
	r.body = buf_str(&item->packed);
	rc = post_send(&s->client, &r, &a, e);
	item->sent_bytes = a.sent;
	if (!rc) {
		*retry_after_ms = a.retry_after_ms;
		rc = check_ingest_answer(&a, e);
	} else if (rc != -ECANCELED && rc != -EACCES && rc != -ENOSYS) {
		rc = -EAGAIN;
	}
	post_answer_fini(&a);
	return rc;
}

static int pyroscope_check(struct sink *sink, uint64_t timeout_ms, struct err *e)
{
	return sink_check_ready(&((struct pyroscope_sink *)sink)->client, timeout_ms, e);
}

static void pyroscope_forked(struct sink *sink, unsigned busy)
{
	post_client_forked(&((struct pyroscope_sink *)sink)->client, busy != 0);
}

static void pyroscope_free(struct sink *sink)
{
	struct pyroscope_sink *s = (struct pyroscope_sink *)sink;

	if (!s)
		return;
	post_client_fini(&s->client);
	buf_fini(&s->path);
	key_ring_unref(s->keys);
	free(s);
}

int sink_pyroscope(struct sink **out, const char *endpoint, const struct otlp_sink_options *o,
		   const struct keyvalue *resource, uint32_t resource_count, struct err *e)
{
	struct pyroscope_sink *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_errno(e, -ENOMEM, "making a sink");
	s->sink = (struct sink){.name = "Pyroscope",
				.pprof = true,
				.profiles_only = true,
				.deliver = pyroscope_deliver,
				.check = pyroscope_check,
				.forked = pyroscope_forked,
				.free = pyroscope_free};
	s->resource = resource;
	s->resource_count = resource_count;
	rc = post_client_init(&s->client, endpoint, o->headers, "4040", e);
	if (!rc)
		rc = body_seal_mark(o->keys, &s->client, 1);
	s->keys = key_ring_ref(o->keys);
	if (rc) {
		pyroscope_free(&s->sink);
		return rc;
	}
	*out = &s->sink;
	return 0;
}
