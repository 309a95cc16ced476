/* SPDX-License-Identifier: Apache-2.0 */
/* The processor resourcedetection: what the environment and the machine say. */
#include "pipeline/processors/resourcedetection/resourcedetection_processor.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "signal/otlp/build.h"
#include "test/attribute_text.h"
#include "test/component.h"
#include "test/sink.h"

struct detection_fixture {
	struct host host;
	struct test_sink sink;
	struct component_env env;
	struct arena arena;
	struct buf text;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct detection_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	unsetenv("OTEL_RESOURCE_ATTRIBUTES");
	unsetenv("OTEL_RESOURCE");
	unsetenv("OTEL_SERVICE_NAME");
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->env = (struct component_env){.id = "resourcedetection", .host = &f->host};
	f->env.next[signal_index(SIGNAL_LOGS)] = &f->sink.consumer;
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct detection_fixture *f = *state;

	test_sink_fini(&f->sink);
	buf_fini(&f->text);
	arena_fini(&f->arena);
	host_fini(&f->host);
	free(f);
	return 0;
}

static void note_success(struct delivery *d, const struct delivery_result *r)
{
	(void)d;
	assert_ok(r->rc);
}

/* Pass a resource with these attributes through the processor; return those that come out. */
static struct attributes pass(struct detection_fixture *f, const char *yaml, const char *before)
{
	struct delivery d = {.signal = SIGNAL_LOGS, .done = note_success};
	struct test_component x;
	struct attributes list;
	struct otlp_builder b;
	struct payload *p;
	struct otlp_tree tree;

	test_attributes_of(&list, before, &f->arena);
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_begin_resource(&b, &list, (struct str){0});
	otlp_add_log(&b, &(struct otlp_log){.time = 1});
	d.payload = p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	test_sink_clear(&f->sink);
	assert_ok_err(test_component_new(&x, &resourcedetection_processor, &f->env, yaml), &x.e);
	assert_ok_err(resourcedetection_processor.start(x.instance, &x.e), &x.e);
	resourcedetection_processor.consume(x.instance, &d);
	test_component_free(&x);
	payload_release(p);
	tree = test_sink_tree(&f->sink, 0, &f->arena);
	assert_ok(otlp_attributes_read(&list, tree.resources[0].resource, OTLP_RESOURCE_ATTRIBUTES,
				       &f->arena));
	buf_clear(&f->text);
	test_attributes_text(&f->text, tree.resources[0].resource, OTLP_RESOURCE_ATTRIBUTES,
			     &f->arena);
	return list;
}

static void the_environment_is_read(void **state)
{
	struct detection_fixture *f = *state;

	pass(f, "{}", "a=1");
	assert_str_equal(buf_str(&f->text), STR("a=1"));
	setenv("OTEL_RESOURCE", "old=1", 1);
	pass(f, "{}", "a=1");
	assert_str_equal(buf_str(&f->text), STR("a=1 old='1'"));
	setenv("OTEL_RESOURCE_ATTRIBUTES", "b=x%2Cy, service.name=one ,a=new", 1);
	pass(f, "{}", "a=1");
	assert_str_equal(buf_str(&f->text), STR("a=new b=x,y service.name=one"));
	setenv("OTEL_SERVICE_NAME", "two", 1);
	pass(f, "{detectors: [env], override: false}", "a=1");
	assert_str_equal(buf_str(&f->text), STR("a=1 b=x,y service.name=two"));
}

static struct str text_of(const struct attributes *list, const char *key)
{
	const struct otlp_attribute *a = attributes_get(list, str_from(key));

	return a ? a->value.s : (struct str){0};
}

static void the_machine_is_read(void **state)
{
	struct detection_fixture *f = *state;
	struct attributes list =
		pass(f, "{detectors: [system], system: {hostname_sources: [os]}}", "");
	char name[256] = "";
	struct utsname u;

	assert_ok(gethostname(name, sizeof(name) - 1));
	assert_ok(uname(&u));
	assert_int_equal(list.list.n, 2);
	assert_str_equal(text_of(&list, "host.name"), str_from(name));
	assert_str_equal(text_of(&list, "os.type"), STR("linux"));
	list = pass(f,
		    "{detectors: [system], system: {resource_attributes: {host.name: {enabled: "
		    "false}, os.build.id: {enabled: true}, os.description: {enabled: true}, "
		    "host.arch: {enabled: true}, host.cpu.model.name: {enabled: true}, host.ip: "
		    "{enabled: true}, host.interface: {enabled: true}}}}",
		    "os.type=other");
	assert_null(attributes_get(&list, STR("host.name")));
	assert_str_equal(text_of(&list, "os.build.id"), str_from(u.release));
	assert_str_equal(text_of(&list, "os.type"), STR("linux"));
	assert_true(text_of(&list, "host.arch").n > 0);
	assert_true(str_find_str(text_of(&list, "os.description"), str_from(u.release)) <
		    text_of(&list, "os.description").n);
}

static void the_first_detector_wins(void **state)
{
	struct detection_fixture *f = *state;
	struct attributes list;

	setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name=mine,os.type=minix", 1);
	list = pass(f, "{detectors: [env, system]}", "");
	assert_str_equal(text_of(&list, "host.name"), STR("mine"));
	assert_str_equal(text_of(&list, "os.type"), STR("minix"));
	list = pass(f, "{detectors: [system, env], system: {hostname_sources: [dns, os]}}", "");
	assert_str_equal(text_of(&list, "os.type"), STR("linux"));
	assert_true(text_of(&list, "host.name").n > 0);
}

static void bad_settings_are_refused(void **state)
{
	struct detection_fixture *f = *state;
	const struct component *type = &resourcedetection_processor;
	struct test_component x;

	test_component_refused(type, &f->env, "{detectors: [env, ec2]}",
			       "detectors: \"ec2\" is not available: use env or system");
	test_component_refused(type, &f->env, "{system: {resource_attributes: {host.nam: {}}}}",
			       "unknown attribute \"host.nam\"; did you mean \"host.name\"?");
	test_component_refused(type, &f->env, "{system: {hostname_sources: [lookup]}}",
			       "\"lookup\" is not available");
	setenv("OTEL_RESOURCE_ATTRIBUTES", "a=1,b", 1);
	assert_ok(test_component_new(&x, type, &f->env, "{}"));
	assert_int_equal(type->start(x.instance, &x.e), -EINVAL);
	assert_err_says(&x.e, "invalid resource format: \"a=1,b\"");
	test_component_free(&x);
}

TEST_MAIN(test_with(fixture, the_environment_is_read), test_with(fixture, the_machine_is_read),
	  test_with(fixture, the_first_detector_wins), test_with(fixture, bad_settings_are_refused))
