/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sdk/export.h"
#include "sdk/http_client.h"
#include "wire/compress.h"

/*
 * A Pyroscope server's /ingest: a form with the pprof and with what its sample types are called, as Pyroscope's own Go agent
 * sends it. Profiles only.
 */
struct pyroscope_sink {
	struct sink sink; /* first */
	struct post_client client;
	char *name; /* percent-encoded */
};

#define BOUNDARY "varve-5c5f1f0b8a7e4d6c"

/* mutex and block have the same sample types: this says which it is. */
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

static int pack(struct export_item *item)
{
	struct buf *out = &item->packed;

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
	if (buf_error(out)) {
		buf_clear(out);
		return -ENOMEM;
	}
	return 0;
}

static int judge(const struct post_answer *a, struct err *e)
{
	bool again = a->status == 429 || (a->status >= 502 && a->status <= 504);

	if (a->status >= 200 && a->status < 300)
		return 0;
	return err_set(e, again ? -EAGAIN : -EREMOTEIO, "HTTP %u %.*s", a->status,
		       STR_ARG(str_head(buf_str(&a->body), 256)));
}

static int deliver(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
		   uint64_t *retry_after_ms, struct err *e)
{
	struct pyroscope_sink *s = (struct pyroscope_sink *)sink;
	struct post_request r = {.method = "POST",
				 .content_type = "multipart/form-data; boundary=" BOUNDARY,
				 .timeout_ms = timeout_ms,
				 .stop = sink->stop};
	uint64_t until = item->start_unix_ns + item->duration_ns;
	struct post_answer a = {0};
	char path[POST_PATH_MAX];
	int rc;

	if (item->signal != EXPORT_PROFILES)
		return 0;
	if (pack(item))
		return err_errno(e, -EAGAIN, "compress");
	/* nanoseconds: seconds would make two profiles of one second the same time */
	snprintf(path, sizeof(path),
		 "/ingest?name=%s&from=%llu&until=%llu&format=pprof&spyName=varve&sampleRate=100",
		 s->name, (unsigned long long)item->start_unix_ns, (unsigned long long)until);
	r.path = path;
	r.body = buf_str(&item->packed);
	rc = post_send(&s->client, &r, &a, e);
	item->sent_bytes = a.sent;
	if (!rc) {
		*retry_after_ms = a.retry_after_ms;
		rc = judge(&a, e);
	} else if (rc != -ECANCELED && rc != -EACCES && rc != -ENOSYS) {
		rc = -EAGAIN;
	}
	post_answer_fini(&a);
	return rc;
}

static int check(struct sink *sink, uint64_t timeout_ms, struct err *e)
{
	return sink_check_ready(&((struct pyroscope_sink *)sink)->client, timeout_ms, e);
}

static void forked(struct sink *sink, bool busy)
{
	post_client_forked(&((struct pyroscope_sink *)sink)->client, busy);
}

static void pyroscope_free(struct sink *sink)
{
	struct pyroscope_sink *s = (struct pyroscope_sink *)sink;

	if (!s)
		return;
	post_client_fini(&s->client);
	free(s->name);
	free(s);
}

static char *percent_encode(const char *text)
{
	enum { NAME_MAX_ = 256 };
	size_t n = strnlen(text, NAME_MAX_);
	char *out = malloc(3 * n + 1), *at = out;

	for (size_t i = 0; out && i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
		    strchr("-._~", c))
			*at++ = (char)c;
		else
			at += sprintf(at, "%%%02X", c);
	}
	if (out)
		*at = 0;
	return out;
}

int sink_pyroscope(struct sink **out, const char *endpoint, const char *headers,
		   const char *service_name, struct err *e)
{
	struct pyroscope_sink *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_errno(e, -ENOMEM, "make a sink");
	s->sink = (struct sink){.name = "Pyroscope",
				.pprof = true,
				.profiles_only = true,
				.deliver = deliver,
				.check = check,
				.forked = forked,
				.free = pyroscope_free};
	rc = post_client_init(&s->client, endpoint, headers, "4040", e);
	if (!rc && !(s->name = percent_encode(service_name)))
		rc = err_errno(e, -ENOMEM, "make a sink");
	if (rc) {
		pyroscope_free(&s->sink);
		return rc;
	}
	*out = &s->sink;
	return 0;
}
