#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve store: 0 clean, 1 damaged, 2 could not be read.
. "$SOURCE_ROOT/tests/cli/lib.sh"

run store
expect 'without arguments it says what it wants' 2 'check or stats'
run store mend data
expect 'what is neither check nor stats is refused' 2 'expected check or stats'
run store check missing
expect 'a directory that is not there could not be read' 2 'missing: '
mkdir empty
run store check empty
expect 'an empty directory is clean' 0 '^clean; 0 partitions'
run store stats empty --json
expect 'its stats are zeros' 0 '"samples": ?0'
# a file with the name of a partition that is none
mkdir damaged
printf 'this is not a database' >damaged/2024-10-04.db
run store check damaged
expect 'a damaged partition is told by name' 1 '^2024-10-04: ' '^damaged'
expect_that 'and stays where it is' test -f damaged/2024-10-04.db
finish
