/* SPDX-License-Identifier: Apache-2.0 */
/* The list of loaded modules and their unwind tables. */
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

static void the_program_its_libraries_and_the_vdso_are_listed(void **state)
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
		m, address_of((const void *)the_program_its_libraries_and_the_vdso_are_listed));
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
	assert_false(modules_update(m)); /* no change */
	modules_free(m);
}

static void a_module_with_many_samples_gets_an_unwind_table(void **state)
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

/* Check that ranges are sorted and do not overlap, which the walk's binary search needs. */
static void assert_in_order(const struct modules *m)
{
	const struct unwind_space *s = modules_space(m);

	for (uint32_t i = 0; i < s->count; i++) {
		assert_true(s->ranges[i].start < s->ranges[i].limit);
		if (i)
			assert_true(s->ranges[i - 1].limit <= s->ranges[i].start);
	}
}

static void an_unloaded_library_is_remembered(void **state)
{
	void *library;
	uint64_t inside, space_before;
	const struct module *found;
	struct modules *m;

	(void)state;
	assert_ok(modules_new(&m, NULL, NULL));
	space_before = modules_space(m)->count;
	library = dlopen("libutil.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library || !modules_update(m)) { /* not installed, or already loaded */
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
	assert_null(unwind_find_range(modules_space(m), inside)); /* walks do not use it */
	assert_ptr_equal(modules_find(m, inside), found); /* but earlier samples are symbolized */
	assert_in_order(m);
	modules_free(m);
}

static void a_library_loaded_a_thousand_times_uses_bounded_memory(void **state)
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

/* A thread that walks another thread's stack reads the ranges outside of any hook. */
static void pinned_ranges_are_not_freed(void **state)
{
	const struct unwind_space *read;
	struct modules *m;
	uint64_t start;

	(void)state;
	assert_ok(modules_new(&m, NULL, NULL));
	guest_pin_begin();
	read = modules_space(m);
	start = read->ranges[0].start;
	for (unsigned i = 0; i < 3;
	     i++) { /* each update rebuilds the ranges and frees older ones */
		void *library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);

		assert_non_null(library);
		assert_true(modules_update(m));
		dlclose(library);
		assert_true(modules_update(m));
	}
	assert_true(guest_hook_is_active());
	assert_int_equal(unwind_find_range(read, start)->start, start);
	guest_pin_end();
	assert_false(guest_hook_is_active());
	modules_free(m);
}

static void without_memory_modules_have_no_unwind_tables(void **state)
{
	struct budget none = {.limit = 1};
	struct modules *m;

	(void)state;
	assert_ok(modules_new(&m, &none, NULL));
	assert_null(modules_at(m, 0)->table);
	assert_int_equal(none.used, 0);
	modules_free(m);
}

TEST_MAIN(test(the_program_its_libraries_and_the_vdso_are_listed),
	  test(a_module_with_many_samples_gets_an_unwind_table),
	  test(an_unloaded_library_is_remembered),
	  test(a_library_loaded_a_thousand_times_uses_bounded_memory),
	  test(pinned_ranges_are_not_freed), test(without_memory_modules_have_no_unwind_tables))
