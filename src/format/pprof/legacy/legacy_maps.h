/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_LEGACY_LEGACY_MAPS_H
#define VARVE_FORMAT_PPROF_LEGACY_LEGACY_MAPS_H

#include "format/pprof/legacy/legacy.h"

/* Read the rest of the input as a memory map, with or without a heading. Return 0 or -errno. */
MUST_USE int legacy_read_maps(struct legacy *l);

#define NO_MAPPING UINT32_MAX

/*
 * Set *mapping to the index in l->mappings of the mapping that contains the address, or to
 * NO_MAPPING for address 0. May extend a mapping or append the fallback. Return 0 or -ENOMEM.
 */
MUST_USE int legacy_find_mapping(struct legacy *l, uint64_t address, uint32_t *mapping);

#endif
