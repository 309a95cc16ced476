/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/collect/modules.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdk/hook/guest.h"
#include "test/test.h"
#include "unwind/direct.h"

static uint64_t address_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void the_program_its_libraries_and_the_vdso_are_there(void **state)
{
	const struct module *program, *libc;
	struct modules *m;
	struct err e = {0};
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	bool vdso = false;

	(void)state;
	path[n > 0 ? n : 0] = 0;
	assert_ok_err(modules_new(&m, NULL, &e), &e);
	program = modules_find(
		m, address_of((const void *)the_program_its_libraries_and_the_vdso_are_there));
	assert_ptr_equal(program, modules_at(m, 0));
	assert_string_equal(program->path, path);
	assert_non_null(program->direct);
	libc = modules_find(m, address_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
	assert_non_null(libc);
	assert_non_null(strstr(libc->path, "libc.so"));
	assert_int_equal(libc->build_id_size, 20);
	assert_non_null(libc->direct);
	for (uint32_t i = 0; i < modules_count(m); i++)
		vdso |= !strcmp(modules_at(m, i)->path, "[vdso]") && modules_at(m, i)->table;
	assert_true(vdso);
	assert_null(modules_find(m, 1));
	assert_false(modules_update(m)); /* nothing has changed */
	modules_free(m);
}

static void a_module_that_is_met_often_gets_a_table(void **state)
{
	const struct module *program;
	struct modules *m;

	(void)state;
	assert_ok(modules_new(&m, NULL, NULL));
	program = modules_at(m, 0);
	assert_null(program->table);
	atomic_store(&program->direct->lookups, 1);
	assert_false(modules_update(m));
	atomic_store(&program->direct->lookups, UNWIND_LOOKUPS_MANY);
	assert_true(modules_update(m));
	assert_non_null(program->table);
	assert_ptr_equal(unwind_find_range(modules_space(m), program->start)->table,
			 program->table);
	assert_false(modules_update(m));
	modules_free(m);
}

/* Ranges are in order and do not overlap: walks search them in two halves at a time. */
static void assert_in_order(const struct modules *m)
{
	const struct unwind_space *s = modules_space(m);

	for (uint32_t i = 0; i < s->count; i++) {
		assert_true(s->ranges[i].start < s->ranges[i].limit);
		if (i)
			assert_true(s->ranges[i - 1].limit <= s->ranges[i].start);
	}
}

static void a_library_comes_and_goes_and_is_remembered(void **state)
{
	void *library;
	uint64_t inside, space_before;
	const struct module *found;
	struct modules *m;

	(void)state;
	assert_ok(modules_new(&m, NULL, NULL));
	space_before = modules_space(m)->count;
	library = dlopen("libutil.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library || !modules_update(m)) { /* not here, or a part of another one */
		if (library)
			dlclose(library);
		library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
		modules_update(m);
	}
	assert_non_null(library);
	assert_int_equal(modules_space(m)->count, space_before + 1);
	assert_in_order(m);
	found = modules_at(m, modules_count(m) - 1);
	inside = found->start;
	assert_ptr_equal(modules_find(m, inside), found);
	assert_non_null(unwind_find_range(modules_space(m), inside));
	dlclose(library);
	assert_true(modules_update(m));
	assert_true(found->gone);
	assert_null(unwind_find_range(modules_space(m), inside)); /* no walk goes there */
	assert_ptr_equal(modules_find(m, inside),
			 found); /* but samples from before get their names */
	assert_in_order(m);
	modules_free(m);
}

static void a_library_that_comes_a_thousand_times_does_not_pile_up(void **state)
{
	struct modules *m;

	(void)state;
	assert_ok(modules_new(&m, NULL, NULL));
	for (unsigned i = 0; i < 1500; i++) {
		void *library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);

		assert_non_null(library);
		modules_update(m);
		dlclose(library);
		modules_update(m);
	}
	assert_true(modules_count(m) < 1024 + 64);
	modules_free(m);
}

/* A thread that walks another's stack reads the ranges for a while, and is in no hook. */
static void what_a_visitor_reads_stays(void **state)
{
	const struct unwind_space *read;
	struct modules *m;
	uint64_t start;

	(void)state;
	assert_ok(modules_new(&m, NULL, NULL));
	guest_visit_begin();
	read = modules_space(m);
	start = read->ranges[0].start;
	for (unsigned i = 0; i < 3; i++) { /* each makes ranges anew, and frees older ones */
		void *library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);

		assert_non_null(library);
		assert_true(modules_update(m));
		dlclose(library);
		assert_true(modules_update(m));
	}
	assert_true(guest_somebody_inside());
	assert_int_equal(unwind_find_range(read, start)->start, start);
	guest_visit_end();
	assert_false(guest_somebody_inside());
	modules_free(m);
}

static void without_memory_for_tables_there_are_modules_without_tables(void **state)
{
	struct budget none = {.limit = 1};
	struct modules *m;

	(void)state;
	assert_ok(modules_new(&m, &none, NULL));
	assert_null(modules_at(m, 0)->table);
	assert_int_equal(none.used, 0);
	modules_free(m);
}

TEST_MAIN(test(the_program_its_libraries_and_the_vdso_are_there),
	  test(a_module_that_is_met_often_gets_a_table),
	  test(a_library_comes_and_goes_and_is_remembered),
	  test(a_library_that_comes_a_thousand_times_does_not_pile_up),
	  test(what_a_visitor_reads_stays),
	  test(without_memory_for_tables_there_are_modules_without_tables))
