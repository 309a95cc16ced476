/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_TEXT_H
#define VARVE_QUERY_TIME_TEXT_H

#include "base/time_text.h"

#endif
