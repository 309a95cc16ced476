// SPDX-License-Identifier: Apache-2.0
// Tests of the comparison of versions.
import assert from "node:assert/strict";
import { SeriesAnswer } from "../../src/api/types";
import { compareVersions, pickPair, rankVersions } from "../../src/compare/versions";
import { versionLabels } from "../../src/compare/version_labels";
import { parseUrl } from "../../src/url";
import { test } from "../tap";

const series = (rows: Record<string, number[]>): SeriesAnswer => ({
  type: "t",
  unit: "ns",
  gauge: false,
  from: 0,
  to: 100,
  step: 1,
  start: 0,
  rows: Object.entries(rows).map(([v, times]) => ({
    labels: (v ? { version: v } : {}) as Record<string, string>,
    total: 1,
    points: times.map((t) => [t, 1]),
  })),
});

test("versions: labels that may contain versions, most likely first", () => {
  assert.deepEqual(
    versionLabels([
      "pod",
      "git.commit",
      "__version__",
      "Service.Version",
      "telemetry.sdk.version",
      "app.kubernetes.io/version",
      "conversion",
    ]),
    ["Service.Version", "git.commit", "app.kubernetes.io/version"],
  );
  assert.deepEqual(versionLabels(["env", "host.name"]), []);
});

test("versions: the latest version is the one first seen last", () => {
  const list = rankVersions(
    "version",
    series({ v9: [90, 95], v10: [80] }),
    series({ v9: [40], v10: [80], "": [1] }),
  );
  assert.deepEqual(
    list.map((v) => v.value),
    ["v10", "v9"],
  );
  assert.deepEqual([list[1].first, list[1].last, list[1].shown], [40, 40, true]);
});

test("versions: within one bucket of the long range the short range decides, then the number", () => {
  assert.deepEqual(
    rankVersions("version", series({ a: [7], b: [3] }), series({ a: [10], b: [10] })).map(
      (v) => v.value,
    ),
    ["a", "b"],
  );
  assert.deepEqual(
    rankVersions("version", series({}), series({ "1.9": [10], "1.10": [10] })).map((v) => v.value),
    ["1.10", "1.9"],
  );
});

test("versions: the selected version is compared with its predecessor", () => {
  const list = rankVersions("version", series({}), series({ v1: [1], v2: [2], v3: [3] }));
  const pair = (query: string) => {
    const p = pickPair(list, query, "version");
    return p && [p.before.value, p.after.value];
  };
  assert.deepEqual(pair("shop"), ["v2", "v3"]);
  assert.deepEqual(pair('shop{version="v2"}'), ["v1", "v2"]);
  assert.deepEqual(pair('shop{version="v1"}'), ["v2", "v3"]);
  assert.equal(pickPair(list.slice(0, 1), "shop", "version"), undefined);
});

test("versions: a version without data in the range is shown when it was last seen", () => {
  const state = parseUrl(
    new URL('http://localhost/profiles?query=shop{env="prod"}&from=1000000&to=4600000'),
  );
  const change = compareVersions(
    state,
    "version",
    { value: "v1", first: 0, last: 700000, shown: false },
    { value: "v2", first: 1, last: 2, shown: true },
  );
  assert.equal(change.query, 'shop{env="prod",version="v2"}');
  assert.equal(change.before, 'shop{env="prod",version="v1"}');
  assert.deepEqual(
    [change.from, change.to, change.before_from, change.before_to],
    ["1000000", "4600000", "-2900000", "700000"],
  );
});
