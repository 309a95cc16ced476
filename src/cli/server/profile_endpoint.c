/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and stops the library's endpoint for the extension pprof. */
#include "cli/server/profile_endpoint.h"

#include "cli/server/server_process.h"
#include "net/address.h"
#include "sdk/debug/debug_pprof.h"

int profile_endpoint_start(void *arg, const char *address, void **out, struct err *e)
{
	struct server_process *p = arg;
	struct endpoint *endpoint = NULL;
	bool loopback;
	int rc = net_address_is_loopback(address, &loopback, e);

	if (!rc)
		rc = endpoint_start(&endpoint, address, loopback ? NULL : "*", debug_pprof_answer,
				    NULL, e);
	if (rc)
		return rc;
	*out = endpoint;
	server_process_want_profiles(p);
	return 0;
}

void profile_endpoint_stop(void *endpoint)
{
	endpoint_stop(endpoint);
}

void profile_endpoint_want(void *arg)
{
	server_process_want_profiles(arg);
}
