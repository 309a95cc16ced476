/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_RUN_H
#define VARVE_CLI_RUN_H

/* Run the command of a command line. Return its exit code (enum exit_code, except varve run). */
int cli_run(int argc, char **argv);

#endif
