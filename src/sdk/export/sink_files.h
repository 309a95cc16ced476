/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_FILES_H
#define VARVE_SDK_EXPORT_SINK_FILES_H

#include "sdk/export/sink.h"
#include "seal/key_ring.h"

/*
 * Make a sink that writes files into a directory, which is created. With keys (NULL: none)
 * they are encrypted: cpu.pb.gz.sealed in the binary form of seal/sealed_file.h; traces.otlp.sealed
 * as messages of that form, each after its length. Return 0 or -errno.
 */
MUST_USE int sink_files(struct sink **out, const char *directory, struct key_ring *keys,
			struct err *e);

/* Create the directory and its parents. Return 0, or -errno when it cannot be written to. */
MUST_USE int sink_files_directory(const char *path, struct err *e);

/*
 * Return whether this is not the process that `varve run` started (VARVE_MAIN_PID). The files of
 * such a child have its pid in their names.
 */
bool sink_is_child(void);

/*
 * Copy a batch without the sample types that are no sums, such as memory in use: they are
 * meaningless once the program has exited. Return 0 or -ENOMEM.
 */
MUST_USE int sink_keep_sums(struct profile_batch *out, const struct profile_batch *batch);

/*
 * Write a file under a temporary name beside it, and rename it, so that readers see a complete one.
 * Return 0 or -errno.
 */
MUST_USE int sink_replace_file(const char *path, struct str data, struct err *e);

/* The same for the encrypted form of the bytes. */
MUST_USE int sink_replace_sealed(const char *path, struct str data, struct key_ring *keys,
				 struct err *e);

#endif
