/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/trace/span.h"

/*
 * OTEP 4947: the thread-local symbol that host profilers look for. A file of its own, since they find its place by a
 * relocation that only one dialect of TLS makes (-mtls-dialect=gnu2). Weak: where another SDK of this process has one, it is the same one.
 * Hooks never touch it: they have a pointer of their own that needs no call.
 */
extern __thread struct thread_context *otel_thread_ctx_v1;
__attribute__((weak, visibility("default"),
	       tls_model("global-dynamic"))) __thread struct thread_context *otel_thread_ctx_v1;

void span_publish_thread(struct thread_context *context)
{
	otel_thread_ctx_v1 = context;
}
