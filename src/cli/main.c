/* SPDX-License-Identifier: Apache-2.0 */
/* The program varve. */
#include "cli/run.h"

int main(int argc, char **argv)
{
	return cli_run(argc, argv);
}
