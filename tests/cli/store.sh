#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve store: exit codes 0 clean, 1 damaged, 2 unreadable.
. "$SOURCE_ROOT/tests/cli/lib.sh"

run store
expect 'missing arguments are reported' 2 'check or stats'
run store mend data
expect 'an unknown action is rejected' 2 'expected check or stats'
run store check missing
expect 'a nonexistent directory cannot be read' 2 'missing: '
mkdir empty
run store check empty
expect 'an empty directory is clean' 0 '^clean; 0 partitions'
run store stats empty --json
expect 'the stats of an empty directory are zeros' 0 '"samples": ?0'
# a file with the name of a partition and other contents
mkdir damaged
printf 'this is not a database' >damaged/2024-10-04.db
run store check damaged
expect 'a damaged partition is reported by name' 1 '^2024-10-04: ' '^damaged'
expect_that 'a damaged partition stays in place' test -f damaged/2024-10-04.db
finish
