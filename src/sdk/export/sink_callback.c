/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function of the host program with each profile, as gzipped pprof. */
#include "sdk/export/sink_callback.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/compress/deflate.h"
struct callback_sink {
	struct sink sink; /* first */
	void (*on_profile)(void *arg, enum varve_profile kind, const void *pprof, size_t size,
			   uint64_t start_unix_ns, uint64_t duration_ns);
	void *arg;
};

static int callback_deliver(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
			    uint64_t *retry_after_ms, struct err *e)
{
	struct callback_sink *s = (struct callback_sink *)sink;

	(void)timeout_ms, (void)retry_after_ms;
	if (item->signal != EXPORT_PROFILES)
		return 0;
	if (!item->packed.n && deflate_bytes(&item->packed, COMPRESS_GZIP, 1, buf_str(&item->body)))
		return err_errno(e, -EAGAIN, "compressing a profile");
	item->sent_bytes = item->packed.n;
	s->on_profile(s->arg, item->kind, item->packed.p, item->packed.n, item->start_unix_ns,
		      item->duration_ns);
	return 0;
}

static void callback_free(struct sink *sink)
{
	free(sink);
}

int sink_callback(struct sink **out, const struct varve_options *o, struct err *e)
{
	struct callback_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return err_errno(e, -ENOMEM, "making a sink");
	*s = (struct callback_sink){.sink = {.name = "callback",
					     .pprof = true,
					     .profiles_only = true,
					     .deliver = callback_deliver,
					     .free = callback_free},
				    .on_profile = o->on_profile,
				    .arg = o->on_profile_arg};
	*out = &s->sink;
	return 0;
}
