/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CRC32C_H
#define VARVE_BASE_CRC32C_H

#include "base/base.h"

/*
 * CRC-32C (Castagnoli), the checksum of RFC 3720, for files. Return the checksum of the bytes
 * before, whose checksum is `crc` (0: none), followed by these `n` bytes.
 */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);

#endif
