/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the extension that authenticates the requests for a page. */
#include "pipeline/extensions/page_auth.h"

#include <errno.h>

const struct setting page_auth_settings[] = {
	SET_STRING(struct page_auth_settings, authenticator, "authenticator", NULL,
		   "The extension that checks requests, for example basicauth."),
	SET_IGNORED("request_params", "credentials are read from headers only"),
	SET_END,
};

int page_auth_find(const struct extension **out, const struct page_auth_settings *s,
		   const struct component_env *env, struct err *e)
{
	const struct extension *x;

	*out = NULL;
	if (!s->authenticator.n)
		return 0;
	x = component_extension(env, s->authenticator, e);
	if (!x)
		return -EINVAL;
	if (!x->type->auth || !x->type->auth->admit)
		return err_set(e, -EINVAL, "extension \"%s\" does not authenticate requests",
			       x->id);
	*out = x;
	return 0;
}
