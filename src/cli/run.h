/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_RUN_H
#define VARVE_CLI_RUN_H

/* The program: find the command, parse its options, run it. Returns the exit code. */
int run(int argc, char **argv);

#endif
