/* SPDX-License-Identifier: Apache-2.0 */
/* The hostmetrics receiver: what it makes of known files below root_path, and of this host. */
#include "pipeline/receivers/hostmetrics/hostmetrics_receiver.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "pipeline/exporters/debug/debug_text.h"
#include "test/component.h"

struct fixture {
	struct host host;
	struct component_env env;
	struct consumer next;
	struct test_component x;
	pthread_mutex_t mu; /* guards the following fields */
	struct buf text;    /* what was emitted */
	unsigned emitted;
	char root[64];
};

static bool take_metrics(void *state, struct delivery *d)
{
	struct fixture *f = state;
	struct buf scratch = {0};

	pthread_mutex_lock(&f->mu);
	debug_write_normal(&f->text, d->signal, payload_str(d->payload, &scratch));
	f->emitted++;
	pthread_mutex_unlock(&f->mu);
	buf_fini(&scratch);
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	*state = f;
	if (!f || host_init(&f->host, 1, 16 * MIB, NULL, &e))
		return -1;
	pthread_mutex_init(&f->mu, NULL);
	strcpy(f->root, "/tmp/varve-host-XXXXXX");
	f->env = (struct component_env){.id = "hostmetrics", .host = &f->host};
	f->next = (struct consumer){.state = f, .consume = take_metrics};
	f->env.next[signal_index(SIGNAL_METRICS)] = &f->next;
	return mkdtemp(f->root) ? 0 : -1;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char command[100];

	if (f->x.type)
		test_component_free(&f->x);
	host_fini(&f->host);
	buf_fini(&f->text);
	pthread_mutex_destroy(&f->mu);
	snprintf(command, sizeof(command), "rm -r %s", f->root);
	assert_ok(system(command));
	free(f);
	return 0;
}

/* Write a file below the root; directories are made. */
static void put_file(const struct fixture *f, const char *path, const char *text)
{
	char whole[200];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", f->root, path);
	for (char *slash = whole + strlen(f->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(whole, 0700);
		*slash = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_ok(fclose(file));
}

/* Read `n` times with these scrapers below the root, or the real host; return the text. */
static const char *scrape(struct fixture *f, bool real, const char *scrapers, unsigned n)
{
	char yaml[1000];
	unsigned emitted = 0;

	snprintf(yaml, sizeof(yaml),
		 "{root_path: '%s', initial_delay: 0s, collection_interval: 50ms, scrapers: %s}",
		 real ? "" : f->root, scrapers);
	assert_ok_err(test_component_new(&f->x, &hostmetrics_receiver, &f->env, yaml), &f->x.e);
	assert_ok_err(f->x.type->start(f->x.instance, &f->x.e), &f->x.e);
	for (unsigned i = 0; i < 2000 && emitted < n; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
		pthread_mutex_lock(&f->mu);
		emitted = f->emitted;
		pthread_mutex_unlock(&f->mu);
	}
	f->x.type->stop(f->x.instance);
	assert_true(f->emitted >= n);
	buf_put_char(&f->text, 0);
	return f->text.p;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

static void cpus_and_load(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/proc/stat",
		 "cpu  300 20 100 4000 50 6 7 8 9 10\ncpu0 100 10 50 2000 20 3 3 4 0 0\n"
		 "cpu1 200 10 50 2000 30 3 4 4 0 0\nintr 1 2\nprocesses 4711\n");
	put_file(f, "/proc/loadavg", "0.50 1.25 2.00 3/456 789\n");
	text = scrape(f, false,
		      "{cpu: {metrics: {system.cpu.logical.count: {enabled: true}}}, load: }", 1);
	assert_has(text, "system.cpu.time{state=user} 3\n");
	assert_has(text, "system.cpu.time{state=nice} 0.2\n");
	assert_has(text, "system.cpu.time{state=wait} 0.5\n");
	assert_has(text, "system.cpu.logical.count{} 2\n");
	assert_has(text, "system.cpu.load_average.1m{} 0.5\n");
	assert_has(text, "system.cpu.load_average.15m{} 2\n");
	assert_has_not(text, "cpu=cpu0");
	assert_has_not(text, "utilization");
}

static void each_cpu_is_written_if_it_is_configured(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/proc/stat",
		 "cpu  3 0 0 0 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0\ncpu1 2 0 0 0 0 0 0 0\n");
	text = scrape(f, false, "{cpu: {metrics: {system.cpu.time: {attributes: [cpu, state]}}}}",
		      1);
	assert_has(text, "system.cpu.time{cpu=cpu1,state=user} 0.02\n");
	assert_has_not(text, "{state=user}");
}

static void memory_and_paging(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/proc/meminfo",
		 "MemTotal:  1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\nBuffers: 10 kB\n"
		 "Cached: 200 kB\nDirty: 5 kB\nSReclaimable: 30 kB\nSUnreclaim: 40 kB\n");
	put_file(f, "/proc/swaps",
		 "Filename Type Size Used Priority\n/dev/sda2 partition 1000 250 -2\n");
	put_file(f, "/proc/vmstat",
		 "pgpgin 10\npgpgout 20\npswpin 3\npswpout 4\npgfault 100\npgmajfault 7\n");
	text = scrape(f, false,
		      "{memory: {metrics: {system.memory.utilization: {enabled: true}, "
		      "system.linux.memory.dirty: {enabled: true}}}, paging: }",
		      1);
	assert_has(text, "system.memory.usage{state=used} 614400\n");
	assert_has(text, "system.memory.usage{state=cached} 235520\n");
	assert_has(text, "system.memory.utilization{state=free} 0.1\n");
	assert_has(text, "system.linux.memory.dirty{} 5120\n");
	assert_has(text, "system.paging.usage{device=/dev/sda2,state=used} 256000\n");
	assert_has(text, "system.paging.usage{device=/dev/sda2,state=free} 768000\n");
	assert_has(text, "system.paging.operations{direction=page_in,type=major} 3\n");
	assert_has(text, "system.paging.operations{direction=page_out,type=minor} 20\n");
	assert_has(text, "system.paging.faults{type=minor} 93\n");
}

static void disks_and_networks_are_filtered(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/proc/diskstats",
		 "   8  0 sda 10 1 100 2000 20 2 200 4000 5 6000 7000 0 0 0 0\n"
		 "   7  0 loop0 1 1 1 1 1 1 1 1 1 1 1\n");
	put_file(f, "/proc/net/dev",
		 "Inter-|   Receive\n face |bytes\n    lo: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n"
		 "  eth0:1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n");
	put_file(f, "/proc/net/tcp",
		 "  sl  local_address rem_address   st\n"
		 "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n"
		 "   1: 0100007F:1F90 0100007F:1F91 01 00000000:00000000\n");
	put_file(f, "/proc/net/tcp6",
		 "  sl  local_address rem_address st\n   0: 0:1F90 0:0000 0A 00000000\n");
	text = scrape(
		f, false,
		"{disk: {include: {devices: ['^sd'], match_type: regexp}}, network: {exclude: "
		"{interfaces: [lo], match_type: strict}}}",
		1);
	assert_has(text, "system.disk.io{device=sda,direction=read} 51200\n");
	assert_has(text, "system.disk.operations{device=sda,direction=write} 20\n");
	assert_has(text, "system.disk.merged{device=sda,direction=write} 2\n");
	assert_has(text, "system.disk.operation_time{device=sda,direction=read} 2\n");
	assert_has(text, "system.disk.io_time{device=sda} 6\n");
	assert_has(text, "system.disk.weighted_io_time{device=sda} 7\n");
	assert_has(text, "system.disk.pending_operations{device=sda} 5\n");
	assert_has(text, "system.network.io{device=eth0,direction=transmit} 2000\n");
	assert_has(text, "system.network.errors{device=eth0,direction=receive} 1\n");
	assert_has(text, "system.network.dropped{device=eth0,direction=transmit} 4\n");
	assert_has(text, "system.network.connections{protocol=tcp,state=LISTEN} 2\n");
	assert_has(text, "system.network.connections{protocol=tcp,state=ESTABLISHED} 1\n");
	assert_has_not(text, "loop0");
	assert_has_not(text, "device=lo,");
}

static void file_systems_are_those_of_devices(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/data dir/file", "x");
	put_file(f, "/proc/1/mountinfo",
		 "1 0 8:1 / /data\\040dir rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
		 "2 0 8:1 / /again rw - ext4 /dev/sda1 rw\n"
		 "3 0 0:5 / / ro - tmpfs tmpfs rw\n");
	text = scrape(f, false,
		      "{filesystem: {metrics: {system.filesystem.utilization: {enabled: true}}}}",
		      1);
	assert_has(text, "system.filesystem.usage{device=/dev/sda1,mode=rw,mountpoint=/data "
			 "dir,type=ext4,state=reserved} ");
	assert_has(text, "system.filesystem.inodes.usage{device=/dev/sda1,mode=rw,mountpoint=/data "
			 "dir,type=ext4,state=free} ");
	assert_has(text, "system.filesystem.utilization{device=/dev/sda1,");
	assert_has_not(text, "/again");
	assert_has_not(text, "tmpfs");
}

static void processes_are_counted_by_state(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/proc/stat", "cpu 1\nprocesses 4711\n");
	put_file(f, "/proc/uptime", "123.45 99.0\n");
	put_file(f, "/proc/1/stat", "1 (init) S 0 1\n");
	put_file(f, "/proc/22/stat", "22 (a) R (b) S 1\n"); /* the name ends at the last ')' */
	put_file(f, "/proc/23/stat", "23 (c) T 1\n");
	put_file(f, "/proc/24/stat", "24 (d) t 1\n");
	text = scrape(f, false, "{processes: , system: }", 1);
	assert_has(text, "system.processes.count{status=sleeping} 2\n");
	assert_has(text, "system.processes.count{status=running} 0\n");
	assert_has(text, "system.processes.count{status=stopped} 2\n");
	assert_has(text, "system.processes.created{} 4711\n");
	assert_has(text, "system.uptime{} 123.45\n");
}

/* Write /proc/PID/stat with these fields, as far as the scraper reads them. */
static void put_stat(const struct fixture *f, unsigned pid, const char *name)
{
	char path[40], text[300];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	snprintf(text, sizeof(text),
		 "%u (%s) S 1 1 1 0 -1 4194304 55 0 7 0 300 200 0 0 20 0 9 0 1000 4096000 12 1 1 1 "
		 "1 1 1 1 1 1 1 1 1 1 17 1 0 0 150 0\n",
		 pid, name);
	put_file(f, path, text);
}

static void each_process_is_a_resource(void **state)
{
	struct fixture *f = *state;
	const char *text;
	char want[100];

	put_file(f, "/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nshop:x:1000:1000::/:/bin/sh\n");
	put_stat(f, 22, "a) R (b");
	put_stat(f, 23, "a-program-with-"); /* cut by the kernel */
	put_stat(f, 24, "other");
	put_file(f, "/proc/23/cmdline", "/bin/a-program-with-a-long-name");
	put_file(f, "/proc/23/status", "Name:\tx\nUid:\t1000\t1000\t1000\t1000\n");
	put_file(f, "/proc/23/io", "rchar: 1\nread_bytes: 8192\nwrite_bytes: 4096\n");
	put_file(f, "/proc/23/fd/0", "");
	put_file(f, "/proc/23/fd/1", "");
	put_file(f, "/proc/25/stat", "25 broken");
	text = scrape(f, false,
		      "{process: {include: {names: ['^a'], match_type: regexp}, "
		      "mute_process_exe_error: true, metrics: {process.threads: {enabled: true}, "
		      "process.open_file_descriptors: {enabled: true}, "
		      "process.paging.faults: {enabled: true}, process.uptime: {enabled: true}}, "
		      "resource_attributes: {process.parent_pid: {enabled: false}}}}",
		      1);
	assert_has(text, "process.pid=22");
	assert_has(text, "process.executable.name=a) R (b");
	assert_has(text, "process.pid=23");
	assert_has(text, "process.executable.name=a-program-with-a-long-name");
	assert_has(text, "process.command_line=/bin/a-program-with-a-long-name");
	assert_has(text, "process.owner=shop");
	assert_has_not(text, "process.parent_pid");
	assert_has_not(text, "process.pid=24");
	assert_has_not(text, "process.pid=25");
	assert_has(text, "process.cpu.time{state=user} 3\n");
	assert_has(text, "process.cpu.time{state=wait} 1.5\n");
	snprintf(want, sizeof(want), "process.memory.usage{} %ld\n", 12 * sysconf(_SC_PAGESIZE));
	assert_has(text, want);
	assert_has(text, "process.memory.virtual{} 4096000\n");
	assert_has(text, "process.disk.io{direction=write} 4096\n");
	assert_has(text, "process.threads{} 9\n");
	assert_has(text, "process.open_file_descriptors{} 2\n");
	assert_has(text, "process.paging.faults{type=major} 7\n");
	assert_has(text, "process.uptime{} ");
}

static void young_processes_can_be_left_out(void **state)
{
	struct fixture *f = *state;

	put_stat(f, 22, "old");
	put_file(f, "/proc/loadavg", "1 2 3\n");
	assert_has_not(scrape(f, false, "{load: , process: {scrape_process_delay: 999999h}}", 1),
		       "process.pid");
}

static void this_host_is_read(void **state)
{
	struct fixture *f = *state;
	const char *text = scrape(
		f, true,
		"{cpu: {metrics: {system.cpu.utilization: {enabled: true}}}, load: , memory: , "
		"disk: , filesystem: {include_virtual_filesystems: true}, network: , paging: , "
		"processes: , process: , system: }",
		3);

	assert_has(text, "system.cpu.time{state=idle} ");
	assert_has(text, "system.cpu.utilization{state=idle} 0");
	assert_has(text, "system.memory.usage{state=used} ");
	assert_has(text, "system.network.io{device=lo,direction=receive} ");
	assert_has(text, "system.filesystem.usage{device=");
	assert_has(text, "system.processes.count{status=running} ");
	assert_has(text, "process.executable.name=pipeline_");
	assert_has(text, "process.cpu.time{state=user} ");
}

static void what_cannot_be_read_is_left_out(void **state)
{
	struct fixture *f = *state;
	const char *text;

	put_file(f, "/proc/loadavg", "1 2 3\n");
	put_file(f, "/proc/stat", "nothing\n");
	put_file(f, "/proc/meminfo", "MemTotal: many kB\n");
	text = scrape(f, false, "{cpu: , load: , memory: , disk: , network: , paging: }", 1);
	assert_has(text, "system.cpu.load_average.5m{} 2\n");
	assert_has_not(text, "system.memory");
	assert_has_not(text, "system.cpu.time");
}

static void settings_are_checked(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "must specify at least one scraper"},
		{"{scrapers: {gpu: }}", "unknown scraper \"gpu\""},
		{"{scrapers: {cpu: {metric: }}}", "unknown key \"metric\""},
		{"{scrapers: {cpu: {metrics: {system.cpu.time: {enabled: yes}}}}}",
		 "has to be true or false"},
		{"{scrapers: {disk: {include: {devices: [a]}}}}", "\"match_type\" is missing"},
		{"{scrapers: {disk: {include: {devices: [a], match_type: glob}}}}",
		 "has to be strict or regexp"},
		{"{scrapers: {disk: {include: {interfaces: [a], match_type: strict}}}}",
		 "unknown key \"interfaces\""},
		{"{scrapers: {network: {include: {interfaces: ['('], match_type: regexp}}}}", "("},
		{"{scrapers: {process: {scrape_process_delay: soon}}}", "no duration"},
		{"{scrapers: {process: {mute_process_exe_error: 1}}}", "has to be true or false"},
		{"{scrapers: {process: {resource_attributes: {process.pid: true}}}}",
		 "{enabled: true or false}"},
		{"{scrapers: {cpu: }, root_path: host}", "absolute path"},
		{"{scrapers: {cpu: }, collection_interval: 0}", "1ms or more"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&hostmetrics_receiver, &f->env, cases[i][0], cases[i][1]);
}

TEST_MAIN(test_with(fixture, cpus_and_load),
	  test_with(fixture, each_cpu_is_written_if_it_is_configured),
	  test_with(fixture, memory_and_paging),
	  test_with(fixture, disks_and_networks_are_filtered),
	  test_with(fixture, file_systems_are_those_of_devices),
	  test_with(fixture, processes_are_counted_by_state),
	  test_with(fixture, each_process_is_a_resource),
	  test_with(fixture, young_processes_can_be_left_out),
	  test_with(fixture, this_host_is_read),
	  test_with(fixture, what_cannot_be_read_is_left_out),
	  test_with(fixture, settings_are_checked))
