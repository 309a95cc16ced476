/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread-local symbol of OTEP 4947, which host profilers read. It is in a file of its own
 * because they find it by a relocation that only one TLS dialect makes (-mtls-dialect=gnu2). It is
 * weak, so that several SDKs of a process share one. Hooks do not use it: they have a pointer that
 * needs no call.
 */
#include "sdk/trace/span_tls.h"

#include "sdk/trace/span_thread.h"

extern __thread struct thread_context *otel_thread_ctx_v1;
__attribute__((weak, visibility("default"),
	       tls_model("global-dynamic"))) __thread struct thread_context *otel_thread_ctx_v1;

void span_publish_thread(struct thread_context *context)
{
	otel_thread_ctx_v1 = context;
}
