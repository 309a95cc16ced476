/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of /api/v1/control, /capture, /events and of what instances send. */
#include <errno.h>
#include <stdio.h>

#include "api/access/access.h"
#include "api/control/control.h"
#include "api/control/control_request.h"
#include "api/drift/drift_answers.h"
#include "api/endpoint.h"
#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "base/time_text.h"
#include "net/address.h"

/* Everything a handler needs. */
struct control_use {
	struct control *control;
	struct control_caller from;
	char address[NET_ADDRESS_TEXT];
};

static int begin_use(struct request *r, struct control_use *u, struct err *e)
{
	const struct http_exchange *x = r->sender;

	*u = (struct control_use){.control = r->api ? r->api->control : NULL};
	if (!u->control)
		return err_set(e, -EOPNOTSUPP, "this server does not control instances");
	u->from.tenant = r->tenant;
	u->from.name = STR("anonymous");
	if (x && x->caller) {
		u->from.name = x->caller->name;
		u->from.services = x->caller->services;
	}
	if (x && x->peer)
		u->from.address = str_from(net_address_format(x->peer, u->address));
	return 0;
}

/* ---- for people ---- */

int varve_control_get(struct request *r, struct reply *out, struct err *e)
{
	struct control_use u;
	struct str service;
	struct json_writer w;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : request_param(r, "service", &service, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	control_put_state(u.control, &u.from, service, control_now(), &w);
	return view_close(&w);
}

int varve_control_set(struct request *r, struct reply *out, struct err *e)
{
	struct control_request q = {0};
	struct control_use u;
	struct json_writer w;
	unsigned instances = 0;
	uint64_t id = 0;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : control_request_read(&q, r->body, r->arena, e);
	rc = rc ? rc : control_set(u.control, &u.from, &q, control_now(), &id, &instances, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	put_u64(&w, "instances", instances);
	control_put_lease(u.control, id, control_now(), &w);
	return view_close(&w);
}

int varve_control_end(struct request *r, struct reply *out, struct err *e)
{
	struct control_use u;
	struct str service;
	struct json_writer w;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : request_param(r, "service", &service, e);
	rc = rc ? rc : control_end(u.control, &u.from, service, control_now(), e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	put_text(&w, "service", service);
	return view_close(&w);
}

int varve_capture_start(struct request *r, struct reply *out, struct err *e)
{
	struct control_capture_request q = {0};
	struct control_use u;
	struct json_writer w;
	unsigned instances = 0;
	uint64_t id = 0;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : control_capture_request_read(&q, r->body, r->arena, e);
	rc = rc ? rc : control_capture(u.control, &u.from, &q, control_now(), &id, &instances, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	rc = control_put_capture(u.control, &u.from, id, control_now(), &w, e);
	return rc ? rc : view_close(&w);
}

int varve_capture_get(struct request *r, struct reply *out, struct err *e)
{
	struct control_use u;
	struct json_writer w;
	uint64_t id;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : request_u64(r, "id", 0, &id, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	rc = control_put_capture(u.control, &u.from, id, control_now(), &w, e);
	return rc ? rc : view_close(&w);
}

int varve_capture_profile(struct request *r, struct reply *out, struct err *e)
{
	struct control_use u;
	struct str instance;
	uint64_t id;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : request_u64(r, "id", 0, &id, e);
	rc = rc ? rc : request_param(r, "instance", &instance, e);
	buf_init(&out->body, r->limits.budget);
	rc = rc ? rc : control_profile(u.control, &u.from, id, instance, &out->body, e);
	out->content_type = STR("application/octet-stream");
	out->header = (struct http_header){STR("content-disposition"),
					   STR("attachment; filename=\"profile.pb.gz\"")};
	return rc;
}

int varve_events(struct request *r, struct reply *out, struct err *e)
{
	uint64_t start = 0, end = UINT64_MAX;
	struct str service, from, to;
	struct control_use u;
	struct json_writer w;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : request_param(r, "service", &service, e);
	rc = rc ? rc : request_param(r, "from", &from, e);
	rc = rc ? rc : request_param(r, "to", &to, e);
	if (!rc && from.n)
		rc = time_parse(from, r->now_ns, &start, e);
	if (!rc && to.n)
		rc = time_parse(to, r->now_ns, &end, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	json_put_key(&w, STR("events"));
	json_open_array(&w);
	control_put_events(u.control, &u.from, service, start, end, &w);
	drift_put_marks(r->api->options.drift,
			&(struct drift_filter){.tenant = u.from.tenant,
					       .services = u.from.services,
					       .service = service,
					       .from = start,
					       .to = end},
			&w);
	json_close_array(&w);
	return view_close(&w);
}

/* ---- for instances ---- */

int varve_agent_poll(struct request *r, struct reply *out, struct err *e)
{
	struct control_report report;
	struct control_order order;
	struct control_use u;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : control_report_decode(&report, r->body, e);
	rc = rc ? rc
		: control_report(u.control, &u.from, &report, control_now(), r->arena, &order, e);
	out->content_type = STR("application/x-protobuf");
	return rc ? rc : control_order_encode(&out->body, &order);
}

int varve_agent_profile(struct request *r, struct reply *out, struct err *e)
{
	struct control_use u;
	struct str instance;
	struct json_writer w;
	uint64_t id;
	int rc = begin_use(r, &u, e);

	rc = rc ? rc : request_u64(r, "capture", 0, &id, e);
	rc = rc ? rc : request_param(r, "instance", &instance, e);
	rc = rc ? rc : request_unseal(r, e);
	rc = rc ? rc : control_upload(u.control, &u.from, id, instance, r->body, control_now(), e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	put_u64(&w, "bytes", r->body.n);
	return view_close(&w);
}
