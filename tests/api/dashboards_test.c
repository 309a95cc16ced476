/* SPDX-License-Identifier: Apache-2.0 */
/* Dashboards: documents, names, conditions of changes, files, tenants, and the API's answers. */
#include "api/dashboards/dashboards.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/dashboards/dashboard_document.h"
#include "api/endpoint.h"
#include "api/varve/varve.h"
#include "api_test.h"
#include "openapi.h"
#include "pipeline/caller.h"

#define DOCUMENT                                                                                   \
	"{\"version\":1,\"title\":\"Shop\",\"panels\":[{\"type\":\"chart\",\"x\":0,\"y\":0,"       \
	"\"w\":12,\"h\":8,\"queries\":[{\"query\":\"up\"}]}]}"
#define OTHER_DOCUMENT "{\"version\":1,\"title\":\"Other\",\"panels\":[]}"

struct fixture {
	char above[64], directory[96];
	struct dashboards d;
	struct test_request q;
	struct http_exchange x;
	struct http_header headers[2];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	snprintf(f->above, sizeof(f->above), "/tmp/varve-dashboards-XXXXXX");
	assert_non_null(mkdtemp(f->above));
	snprintf(f->directory, sizeof(f->directory), "%s/dashboards", f->above);
	assert_ok(dashboards_init(&f->d, f->directory));
	test_request_init(&f->q, NULL);
	*state = f;
	return 0;
}

static void remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char deeper[512];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(deeper, sizeof(deeper), "%s/%s", path, entry->d_name);
		if (unlink(deeper))
			remove_tree(deeper);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	test_request_fini(&f->q);
	dashboards_fini(&f->d);
	remove_tree(f->above);
	free(f);
	return 0;
}

/* Send a request; the answer is in f->q.reply until the next one. */
static int send_request(struct fixture *f, enum http_method method, const char *path,
			const char *condition, const char *body)
{
	struct str tenant = f->q.request.tenant;
	bool match = condition && strcmp(condition, "*") != 0;

	test_request_fini(&f->q);
	test_request_init(&f->q, NULL);
	f->x.method = method;
	f->x.path = str_from(path);
	f->headers[0] = (struct http_header){match ? STR("if-match") : STR("if-none-match"),
					     str_from(condition ? condition : "")};
	f->x.headers = f->headers;
	f->x.header_count = condition ? 1 : 0;
	f->q.request.tenant = tenant;
	f->q.request.dashboards = &f->d;
	f->q.request.sender = &f->x;
	f->q.request.body = str_from(body ? body : "");
	return strlen(path) + 1 < sizeof(DASHBOARDS_PATH)
		       ? varve_dashboards(&f->q.request, &f->q.reply, &f->q.e)
		       : varve_dashboard(&f->q.request, &f->q.reply, &f->q.e);
}

static int put(struct fixture *f, const char *path, const char *condition, const char *body)
{
	return send_request(f, METHOD_PUT, path, condition, body);
}

static void assert_conforms(struct fixture *f, const char *path, const char *method)
{
	struct openapi o;

	openapi_open(&o);
	openapi_check_answer(&o, str_from(path), method, "200", buf_str(&f->q.reply.body));
	openapi_close(&o);
}

#define ONE DASHBOARDS_PATH "shop"
#define DESCRIBED DASHBOARDS_PATH "{name}"

static void a_dashboard_is_written_listed_read_and_deleted(void **state)
{
	struct fixture *f = *state;
	char path[160];
	struct stat st;

	assert_ok_err(send_request(f, METHOD_GET, "/api/v1/dashboards", NULL, NULL), &f->q.e);
	assert_str_equal(buf_str(&f->q.reply.body), STR("{\"dashboards\":[]}"));
	assert_ok_err(put(f, ONE, NULL, DOCUMENT), &f->q.e);
	assert_conforms(f, DESCRIBED, "put");
	assert_has(buf_str(&f->q.reply.body), "\"created\":true");
	assert_ok_err(send_request(f, METHOD_GET, ONE, NULL, NULL), &f->q.e);
	assert_conforms(f, DESCRIBED, "get");
	assert_str_equal(buf_str(&f->q.reply.body), STR(DOCUMENT));
	assert_str_equal(f->q.reply.header.name, STR("etag"));
	assert_ok_err(send_request(f, METHOD_GET, "/api/v1/dashboards", NULL, NULL), &f->q.e);
	assert_conforms(f, "/api/v1/dashboards", "get");
	assert_has(buf_str(&f->q.reply.body), "\"title\":\"Shop\"");
	assert_has(buf_str(&f->q.reply.body), "\"panels\":1");
	snprintf(path, sizeof(path), "%s/shop.json", f->directory);
	assert_ok(stat(path, &st));
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_ok_err(send_request(f, METHOD_DELETE, ONE, NULL, NULL), &f->q.e);
	assert_conforms(f, DESCRIBED, "delete");
	assert_int_equal(send_request(f, METHOD_DELETE, ONE, NULL, NULL), -ENOENT);
	assert_int_equal(send_request(f, METHOD_GET, ONE, NULL, NULL), -ENOENT);
	assert_int_equal(stat(path, &st), -1);
}

static void two_editors_do_not_overwrite_each_other(void **state)
{
	struct fixture *f = *state;
	char etag[DASHBOARD_ETAG_SIZE];

	assert_ok_err(put(f, ONE, "*", DOCUMENT), &f->q.e);
	snprintf(etag, sizeof(etag), "%.*s", STR_ARG(f->q.reply.header.value));
	assert_int_equal(put(f, ONE, "*", OTHER_DOCUMENT), -ESTALE);
	assert_err_says(&f->q.e, "already");
	assert_ok_err(put(f, ONE, etag, OTHER_DOCUMENT), &f->q.e);
	assert_int_equal(put(f, ONE, etag, DOCUMENT), -ESTALE);
	assert_err_says(&f->q.e, "changed meanwhile");
	assert_int_equal(api_code(-ESTALE, &f->q.e), RPC_FAILED_PRECONDITION);
	assert_int_equal(send_request(f, METHOD_DELETE, ONE, etag, NULL), -ESTALE);
	assert_ok_err(send_request(f, METHOD_GET, ONE, NULL, NULL), &f->q.e);
	assert_str_equal(buf_str(&f->q.reply.body), STR(OTHER_DOCUMENT));
	snprintf(etag, sizeof(etag), "%.*s", STR_ARG(f->q.reply.header.value));
	assert_ok_err(send_request(f, METHOD_DELETE, ONE, etag, NULL), &f->q.e);
	assert_int_equal(put(f, ONE, etag, DOCUMENT), -ESTALE);
	assert_err_says(&f->q.e, "deleted");
}

static void names_cannot_leave_the_directory(void **state)
{
	static const char *const names[] = {
		"",	 ".",	"..",
		"../x",	 "a/b", ".hidden",
		"-a",	 "a b", "\xc3\xa4",
		"a%2fb", "@a",	"a234567890123456789012345678901234567890123456789012345678901234x",
	};
	struct fixture *f = *state;
	char path[256];

	for (size_t i = 0; i < countof(names); i++) {
		snprintf(path, sizeof(path), DASHBOARDS_PATH "%s", names[i]);
		f->q.e = (struct err){0};
		assert_int_equal(dashboard_name_check(str_from(names[i]), &f->q.e), -EINVAL);
		assert_int_equal(put(f, path, NULL, DOCUMENT), -EINVAL);
		assert_int_equal(send_request(f, METHOD_GET, path, NULL, NULL), -EINVAL);
		assert_int_equal(send_request(f, METHOD_DELETE, path, NULL, NULL), -EINVAL);
	}
	assert_ok(dashboard_name_check(STR("A-1_b.c"), NULL));
}

static void tenants_have_their_own_dashboards(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(put(f, ONE, NULL, DOCUMENT), &f->q.e);
	f->q.request.tenant = STR("team-a");
	assert_int_equal(send_request(f, METHOD_GET, ONE, NULL, NULL), -ENOENT);
	assert_ok_err(put(f, ONE, "*", OTHER_DOCUMENT), &f->q.e);
	f->q.request.tenant = STR("team-b");
	assert_ok_err(send_request(f, METHOD_GET, "/api/v1/dashboards", NULL, NULL), &f->q.e);
	assert_str_equal(buf_str(&f->q.reply.body), STR("{\"dashboards\":[]}"));
	f->q.request.tenant = STR("");
	assert_ok_err(send_request(f, METHOD_GET, ONE, NULL, NULL), &f->q.e);
	assert_str_equal(buf_str(&f->q.reply.body), STR(DOCUMENT));
	f->q.request.tenant = STR("team-a");
	assert_ok_err(send_request(f, METHOD_GET, ONE, NULL, NULL), &f->q.e);
	assert_str_equal(buf_str(&f->q.reply.body), STR(OTHER_DOCUMENT));
}

static void tokens_of_senders_change_nothing(void **state)
{
	struct caller sender = {.services = STR_INIT("shop")};
	struct fixture *f = *state;

	f->x.caller = &sender;
	assert_int_equal(put(f, ONE, NULL, DOCUMENT), -EPERM);
	assert_int_equal(send_request(f, METHOD_DELETE, ONE, NULL, NULL), -EPERM);
	assert_ok_err(send_request(f, METHOD_GET, "/api/v1/dashboards", NULL, NULL), &f->q.e);
}

static int refuse_log(void *arg, struct err *e)
{
	(void)arg;
	return err_set(e, -EIO, "the audit log is full");
}

static void a_change_that_cannot_be_logged_is_not_made(void **state)
{
	struct dashboard_change c = {.key.name = STR_INIT("shop"), .log = refuse_log};
	char etag[DASHBOARD_ETAG_SIZE];
	struct fixture *f = *state;
	bool created;

	assert_int_equal(dashboards_put(&f->d, &c, STR(DOCUMENT), etag, &created, NULL), -EIO);
	assert_int_equal(send_request(f, METHOD_GET, ONE, NULL, NULL), -ENOENT);
	assert_ok_err(put(f, ONE, NULL, DOCUMENT), &f->q.e);
	assert_int_equal(dashboards_delete(&f->d, &c, NULL), -EIO);
	assert_ok_err(send_request(f, METHOD_GET, ONE, NULL, NULL), &f->q.e);
}

static void invalid_documents_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "byte 0"},
		{"{\n \"version\": 1,\n \"title\": }", "line 3, column 11"},
		{"[]", "expected an object"},
		{"{\"version\":2,\"title\":\"a\",\"panels\":[]}", "version"},
		{"{\"version\":1,\"title\":\" \",\"panels\":[]}", "expected a title"},
		{"{\"version\":1,\"title\":\"a\"}", "the field \"panels\""},
		{"{\"version\":1,\"title\":\"a\",\"panels\":[],\n\"pannels\":1}",
		 "line 2, column 1): expected a known field instead of \"pannels\""},
		{"{\"version\":1,\"title\":\"a\",\"panels\":[{\"type\":\"pie\"}]}", "one of chart"},
		{"{\"version\":1,\"title\":\"a\",\"panels\":[{\"type\":\"text\",\"x\":24,\"y\":0,"
		 "\"w\":1,\"h\":1}]}",
		 "0 to 23"},
		{"{\"version\":1,\"title\":\"a\",\"panels\":[],\"variables\":[{\"name\":\"1a\","
		 "\"type\":\"list\"}]}",
		 "letters, digits"},
		{"{\"version\":1,\"title\":\"a\",\"panels\":[],\"variables\":[{\"name\":\"\"}]}",
		 "letters, digits"},
		{"{\"version\":1,\"title\":\"a\",\"panels\":[],\"refresh\":\"x\"}",
		 "true or false"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_equal(put(f, ONE, NULL, cases[i].text), -EINVAL);
		assert_err_says(&f->q.e, cases[i].says);
	}
	assert_int_equal(send_request(f, METHOD_GET, ONE, NULL, NULL), -ENOENT);
}

static void large_documents_are_refused(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};

	buf_put_str(&text, STR("{\"version\":1,\"title\":\"a\",\"panels\":[]"));
	for (unsigned i = 0; i < DASHBOARD_BYTES_MAX; i++)
		buf_put_char(&text, ' ');
	buf_put_str(&text, STR("}"));
	buf_put_char(&text, 0);
	assert_ok(buf_error(&text));
	assert_int_equal(put(f, ONE, NULL, text.p), -EINVAL);
	assert_err_says(&f->q.e, "more than 262144");
	buf_fini(&text);
}

static void write_file(const struct fixture *f, const char *name, const char *text)
{
	char path[200];
	FILE *out;

	mkdir(f->directory, 0700);
	snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void files_of_others_are_read_and_their_errors_shown(void **state)
{
	struct fixture *f = *state;

	write_file(f, "by-hand.json", OTHER_DOCUMENT);
	write_file(f, "broken.json", "{\"version\":1,}");
	write_file(f, "notes.txt", "a");
	write_file(f, ".new", "a");
	assert_ok_err(send_request(f, METHOD_GET, "/api/v1/dashboards", NULL, NULL), &f->q.e);
	assert_conforms(f, "/api/v1/dashboards", "get");
	assert_has(buf_str(&f->q.reply.body), "\"name\":\"broken\"");
	assert_has(buf_str(&f->q.reply.body), "\"error\":\"at byte 13 (line 1, column 14)");
	assert_has(buf_str(&f->q.reply.body), "\"title\":\"Other\"");
	assert_int_equal(str_find_str(buf_str(&f->q.reply.body), STR("notes")), f->q.reply.body.n);
}

static void the_number_of_dashboards_is_limited(void **state)
{
	struct fixture *f = *state;
	char name[32];

	for (unsigned i = 0; i < DASHBOARDS_MAX; i++) {
		snprintf(name, sizeof(name), "d%u.json", i);
		write_file(f, name, OTHER_DOCUMENT);
	}
	assert_int_equal(put(f, ONE, NULL, DOCUMENT), -EINVAL);
	assert_err_says(&f->q.e, "which is the limit");
	assert_ok_err(put(f, DASHBOARDS_PATH "d7", NULL, DOCUMENT), &f->q.e);
	assert_has(buf_str(&f->q.reply.body), "\"created\":false");
}

static void without_a_directory_there_are_none(void **state)
{
	struct fixture *f = *state;
	struct dashboards old = f->d;

	f->d.directory = NULL;
	assert_int_equal(put(f, ONE, NULL, DOCUMENT), -EOPNOTSUPP);
	f->d = old;
}

#define with(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with(a_dashboard_is_written_listed_read_and_deleted),
	  with(two_editors_do_not_overwrite_each_other), with(names_cannot_leave_the_directory),
	  with(tenants_have_their_own_dashboards), with(tokens_of_senders_change_nothing),
	  with(a_change_that_cannot_be_logged_is_not_made),
	  with(invalid_documents_are_refused_with_their_place), with(large_documents_are_refused),
	  with(files_of_others_are_read_and_their_errors_shown),
	  with(the_number_of_dashboards_is_limited), with(without_a_directory_there_are_none))
