/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of /api/v1/dashboards: list, get, put, delete. */
#include <errno.h>

#include "api/access/access.h"
#include "api/dashboards/dashboard_document.h"
#include "api/dashboards/dashboards.h"
#include "api/endpoint.h"
#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "net/http/header.h"
#include "net/http/http.h"

/* ---- the list ---- */

struct listing {
	struct request *request;
	struct json_writer w;
	struct arena arena; /* of one document */
	struct buf text;
};

static void put_summary(struct listing *l, struct str name, const char *etag, uint64_t changed_ns)
{
	struct dashboard_summary summary;
	struct err e = {0};

	json_open_object(&l->w);
	put_text(&l->w, "name", name);
	put_text(&l->w, "etag", str_from(etag));
	put_ms(&l->w, "changed", changed_ns);
	if (dashboard_check(buf_str(&l->text), &l->arena, &summary, &e)) {
		put_text(&l->w, "error", str_from(e.text));
	} else {
		put_text(&l->w, "title", summary.title);
		put_text(&l->w, "description", summary.description);
		put_u64(&l->w, "panels", summary.panels);
	}
	json_close_object(&l->w);
}

static int put_listed(void *arg, struct str name)
{
	struct listing *l = arg;
	struct dashboard_key key = {l->request->tenant, name};
	char etag[DASHBOARD_ETAG_SIZE];
	uint64_t changed_ns;
	int rc;

	buf_clear(&l->text);
	arena_reset(&l->arena);
	rc = dashboards_read(l->request->dashboards, &key, &l->text, etag, &changed_ns, NULL);
	if (rc == -ENOMEM)
		return rc;
	if (!rc)
		put_summary(l, name, etag, changed_ns);
	return 0; /* a file that cannot be read, or was deleted meanwhile, is not listed */
}

static int list_dashboards(struct request *r, struct reply *out, struct err *e)
{
	struct listing l = {.request = r, .w = json_writer_to(&out->body, 0)};
	int rc;

	buf_init(&l.text, r->limits.budget);
	arena_init(&l.arena, r->limits.budget);
	json_open_object(&l.w);
	json_put_key(&l.w, STR("dashboards"));
	json_open_array(&l.w);
	rc = dashboards_list(r->dashboards, r->tenant, put_listed, &l, e);
	json_close_array(&l.w);
	json_close_object(&l.w);
	arena_fini(&l.arena);
	buf_fini(&l.text);
	return rc ? rc : buf_error(&out->body);
}

/* ---- one dashboard ---- */

static struct str name_of(const struct request *r)
{
	static const struct str before = STR_INIT(DASHBOARDS_PATH);

	return r->sender && str_starts(r->sender->path, before)
		       ? str_from_at(r->sender->path, before.n)
		       : (struct str){0};
}

static int set_etag(struct request *r, struct reply *out, const char *etag)
{
	out->header.name = STR("etag");
	return arena_copy_str(r->arena, str_from(etag), &out->header.value);
}

static int get_dashboard(struct request *r, struct reply *out, struct err *e)
{
	struct dashboard_key key = {r->tenant, name_of(r)};
	char etag[DASHBOARD_ETAG_SIZE];
	uint64_t changed_ns;
	int rc = dashboards_read(r->dashboards, &key, &out->body, etag, &changed_ns, e);

	return rc ? rc : set_etag(r, out, etag);
}

struct change_log {
	struct request *request;
	const char *action;
	struct str name, detail;
};

static int log_change(void *arg, struct err *e)
{
	const struct change_log *l = arg;
	struct audit *audit = l->request->api ? l->request->api->options.audit : NULL;

	return access_log(audit, l->request->sender, l->action, l->name, "done", l->detail, e)
		       ? -EAGAIN
		       : 0;
}

/* Tokens that are limited to services belong to senders of data. */
static int check_permission(const struct request *r, struct err *e)
{
	const struct caller *caller = r->sender ? r->sender->caller : NULL;

	return caller && caller->services.n
		       ? err_set(e, -EPERM, "a token for some services cannot change dashboards")
		       : 0;
}

static struct dashboard_change change_of(const struct request *r, struct change_log *log)
{
	return (struct dashboard_change){
		.key = {r->tenant, log->name},
		.if_match = http_header(r->sender, STR("if-match")),
		.if_none_match = http_header(r->sender, STR("if-none-match")),
		.log = log_change,
		.arg = log,
	};
}

static int put_dashboard(struct request *r, struct reply *out, struct err *e)
{
	struct change_log log = {r, "dashboard.put", name_of(r), (struct str){0}};
	struct json_writer w = json_writer_to(&out->body, 0);
	struct dashboard_change change = change_of(r, &log);
	struct dashboard_summary summary;
	char etag[DASHBOARD_ETAG_SIZE];
	bool created = false;
	int rc = check_permission(r, e);

	if (!rc)
		rc = dashboard_name_check(log.name, e);
	if (!rc && r->body.n <= DASHBOARD_BYTES_MAX)
		rc = dashboard_check(r->body, r->arena, &summary, e);
	if (!rc) {
		log.detail = r->body.n <= DASHBOARD_BYTES_MAX ? summary.title : log.detail;
		rc = dashboards_put(r->dashboards, &change, r->body, etag, &created, e);
	}
	if (!rc)
		rc = set_etag(r, out, etag);
	if (rc)
		return rc;
	json_open_object(&w);
	put_text(&w, "name", log.name);
	put_text(&w, "etag", str_from(etag));
	put_flag(&w, "created", created);
	json_close_object(&w);
	return buf_error(&out->body);
}

static int delete_dashboard(struct request *r, struct reply *out, struct err *e)
{
	struct change_log log = {r, "dashboard.delete", name_of(r), (struct str){0}};
	struct json_writer w = json_writer_to(&out->body, 0);
	struct dashboard_change change = change_of(r, &log);
	int rc = check_permission(r, e);

	if (!rc)
		rc = dashboards_delete(r->dashboards, &change, e);
	if (rc)
		return rc;
	json_open_object(&w);
	put_text(&w, "deleted", log.name);
	json_close_object(&w);
	return buf_error(&out->body);
}

static int begin(const struct request *r, struct reply *out, struct err *e)
{
	out->content_type = STR("application/json");
	return r->dashboards ? 0 : err_set(e, -EOPNOTSUPP, "this server has no dashboards");
}

int varve_dashboards(struct request *r, struct reply *out, struct err *e)
{
	int rc = begin(r, out, e);

	return rc ? rc : list_dashboards(r, out, e);
}

int varve_dashboard(struct request *r, struct reply *out, struct err *e)
{
	int rc = begin(r, out, e);

	if (!rc && !r->sender)
		rc = err_set(e, -EINVAL, "expected the path " DASHBOARDS_PATH "NAME");
	if (rc)
		return rc;
	switch (r->sender->method) {
	case METHOD_PUT:
		return put_dashboard(r, out, e);
	case METHOD_DELETE:
		return delete_dashboard(r, out, e);
	default:
		return get_dashboard(r, out, e);
	}
}
