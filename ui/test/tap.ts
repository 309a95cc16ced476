// SPDX-License-Identifier: Apache-2.0
// A minimal test runner: runs tests one after the other and prints TAP. run.mjs bundles all files
// of a kind and calls runAll().
interface Test {
  name: string;
  run: () => unknown;
}

const tests: Test[] = [];
const endings: (() => unknown)[] = [];

export function test(name: string, run: () => unknown) {
  tests.push({ name, run });
}

// Thrown by a test that cannot run here; it is reported as skipped.
export class Skip extends Error {}

// Register a function that runs after all tests, e.g. to stop a server.
export function atEnd(run: () => unknown) {
  endings.push(run);
}

const comment = (text: string) => text.replace(/^/gm, "# ");

async function runOne({ name, run }: Test, number: number): Promise<boolean> {
  try {
    await run();
    console.log(`ok ${number} - ${name}`);
  } catch (e) {
    if (e instanceof Skip) console.log(`ok ${number} - ${name} # SKIP ${e.message}`);
    else {
      console.log(
        `not ok ${number} - ${name}\n${comment(e instanceof Error ? (e.stack ?? e.message) : String(e))}`,
      );
      return false;
    }
  }
  return true;
}

// Run all tests whose names contain `only`.
export async function runAll(only = "") {
  const chosen = tests.filter((t) => t.name.includes(only));
  console.log(`1..${chosen.length}`);
  let failed = 0;
  for (const [i, t] of chosen.entries()) if (!(await runOne(t, i + 1))) failed++;
  for (const end of endings.reverse()) await end();
  process.exitCode = failed || !chosen.length ? 1 : 0;
}
