/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/varints.h"

const uint32_t varint_groups[VARINT_WINDOW + 1] = {0, 0x7f, 0x7f7f, 0x7f7f7f, 0x7f7f7f7f};
