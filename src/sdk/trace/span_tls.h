/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_TLS_H
#define VARVE_SDK_TRACE_SPAN_TLS_H

struct thread_context;

/*
 * Set otel_thread_ctx_v1 of this thread, which host profilers read (OTEP 4947); NULL: no context.
 */
void span_publish_thread(struct thread_context *context);

#endif
