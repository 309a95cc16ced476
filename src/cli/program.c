/* SPDX-License-Identifier: Apache-2.0 */
/* Search of programs and libraries, and the ELF header of a program. */
#include "cli/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int program_find(const char *name, char path[PROGRAM_PATH_MAX], struct err *e)
{
	const char *rest = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, PROGRAM_PATH_MAX, "%s", name);
		if (access(path, X_OK))
			return err_set(e, -errno, "%s: %s", name, strerror(errno));
		return 0;
	}
	while (rest && *rest) {
		size_t n = strcspn(rest, ":");

		snprintf(path, PROGRAM_PATH_MAX, "%.*s/%s", (int)n, rest, name);
		if (!access(path, X_OK))
			return 0;
		rest += n + (rest[n] == ':');
	}
	return err_set(e, -ENOENT, "%s: no such program in PATH", name);
}

/* Return true for a 64-bit ELF file without PT_INTERP; false for anything else. */
static bool is_static(int fd)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(segment))
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			return false;
		if (segment.p_type == PT_INTERP)
			return false;
	}
	return true;
}

int program_check_preload(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool no_loader;

	if (fd < 0)
		return 0; /* executable but not readable: leave errors to the loader */
	no_loader = is_static(fd);
	if (fstat(fd, &st))
		st.st_mode = 0;
	close(fd);
	if (no_loader)
		return err_set(
			e, -ENOTSUP,
			"%s is statically linked, so no library can be loaded into it: link it "
			"with libvarve, or profile it from outside",
			path);
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	    (st.st_mode & S_ISGID && st.st_gid != getegid()))
		return err_set(e, -ENOTSUP,
			       "%s is setuid or setgid, and ignores preloaded libraries: run it as "
			       "its owner, or link it with libvarve",
			       path);
	return 0;
}

int program_find_library(char path[PROGRAM_PATH_MAX], struct err *e)
{
	static const char *const places[] = {"", "/../lib/x86_64-linux-gnu",
					     "/../lib/aarch64-linux-gnu", "/../lib"};
	const char *configured = getenv("VARVE_LIBRARY");
	char own[PROGRAM_PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (configured && *configured) {
		snprintf(path, PROGRAM_PATH_MAX, "%s", configured);
		return access(path, R_OK) ? err_set(e, -errno, "VARVE_LIBRARY: %s: %s", configured,
						    strerror(errno))
					  : 0;
	}
	own[n > 0 ? n : 0] = 0;
	slash = strrchr(own, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; slash && i < countof(places); i++) {
		if (snprintf(path, PROGRAM_PATH_MAX, "%s%s/libvarve.so", own, places[i]) <
			    PROGRAM_PATH_MAX &&
		    !access(path, R_OK))
			return 0;
	}
	return err_set(
		e, -ENOENT,
		"libvarve.so not found next to varve or in ../lib: set VARVE_LIBRARY to its path");
}
