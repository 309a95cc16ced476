/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolver of the C library has timeouts of its own, which are longer than those of users, so
 * the query runs beside. A query that is given up is left to the library with its memory.
 */
#include "pipeline/processors/resourcedetection/host_name.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

struct name_query {
	struct gaicb request;
	struct addrinfo hints;
	char name[HOST_NAME_MAX + 1];
};

int host_name_of_system(struct arena *arena, struct str *out)
{
	char name[HOST_NAME_MAX + 1] = "";

	if (gethostname(name, sizeof(name) - 1))
		return -errno;
	return arena_copy_str(arena, str_from(name), out);
}

/* Wait for the end of a query. Return 0, -ENOENT or -ETIMEDOUT. */
static int wait_for_name(struct gaicb *request, uint64_t timeout_ns)
{
	const struct gaicb *list[] = {request};
	const struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / NS_PER_SECOND),
					 .tv_nsec = (long)(timeout_ns % NS_PER_SECOND)};
	int rc;

	do {
		rc = gai_suspend(list, 1, &timeout);
	} while (rc == EAI_INTR);
	if (rc == EAI_AGAIN)
		return -ETIMEDOUT;
	return gai_error(request) ? -ENOENT : 0;
}

int host_name_of_resolver(struct arena *arena, uint64_t timeout_ns, struct str *out)
{
	struct name_query *q = calloc(1, sizeof(*q));
	struct gaicb *list[] = {q ? &q->request : NULL};
	const char *name;
	int rc;

	if (!q)
		return -ENOMEM;
	q->hints = (struct addrinfo){.ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM};
	q->request = (struct gaicb){.ar_name = q->name, .ar_request = &q->hints};
	rc = gethostname(q->name, sizeof(q->name) - 1) ? -errno : 0;
	if (!rc)
		rc = getaddrinfo_a(GAI_NOWAIT, list, 1, NULL) ? -ENOENT : 0;
	if (!rc)
		rc = wait_for_name(&q->request, timeout_ns);
	if (rc == -ETIMEDOUT && gai_cancel(&q->request) == EAI_NOTCANCELED)
		return rc;
	name = !rc && q->request.ar_result ? q->request.ar_result->ai_canonname : NULL;
	if (!rc)
		rc = name && strchr(name, '.') ? arena_copy_str(arena, str_from(name), out)
					       : -ENOENT;
	if (q->request.ar_result)
		freeaddrinfo(q->request.ar_result);
	free(q);
	return rc;
}
