// SPDX-License-Identifier: Apache-2.0
// Tests of the values of the status view.
import assert from "node:assert/strict";
import {
  addCount,
  Count,
  countOf,
  earlierText,
  formatLength,
  protocolName,
  rateOf,
  receivedAnything,
  Receiver,
  refusedOf,
  StatusAnswer,
} from "../../src/status/status_numbers";
import { test } from "../tap";

const receiver: Receiver = {
  protocol: "ingest",
  requests: 2,
  profiles: 2,
  samples: 30,
  spans: 0,
  bytes: 100,
  duplicates: 0,
  refused: { bad: 1, rejected: 2, failed: 3, overload: 4 },
};
const status: StatusAnswer = {
  name: "varve",
  version: "1",
  now: 5000,
  started: 0,
  tenants: false,
  receivers: [receiver, { ...receiver, samples: 5, spans: 0, bytes: 7 }],
};

test("refusals_are_summed_over_all_reasons", () => {
  assert.equal(refusedOf(receiver), 10);
});

test("a_refused_request_counts_as_received_data", () => {
  assert.equal(receivedAnything(status), true);
  assert.equal(receivedAnything({ ...status, receivers: [{ ...receiver, requests: 0 }] }), false);
  assert.equal(receivedAnything({ ...status, receivers: undefined }), false);
});

test("unknown_protocols_are_shown_by_their_id", () => {
  assert.equal(protocolName("otlp_grpc"), "OTLP/gRPC");
  assert.equal(protocolName("toString"), "toString");
});

test("lengths_of_time_have_the_largest_useful_unit", () => {
  assert.equal(formatLength(0), "0 seconds");
  assert.equal(formatLength(1), "1 second");
  assert.equal(formatLength(90), "90 seconds");
  assert.equal(formatLength(3600), "1 hour");
  assert.equal(formatLength(5400), "90 minutes");
  assert.equal(formatLength(30 * 86400), "30 days");
});

const count = (time: number, samples: number): Count => ({ time, samples, bytes: 10 * samples });

test("the_rate_covers_the_last_minute", () => {
  assert.deepEqual(countOf(status), { time: 5000, samples: 35, bytes: 107 });
  let counts: Count[] = [];
  assert.equal(rateOf(counts), undefined);
  counts = addCount(counts, count(0, 0));
  assert.equal(rateOf(counts), undefined);
  counts = addCount(counts, count(10_000, 50));
  assert.deepEqual(rateOf(counts), { samples: 5, bytes: 50 });
  counts = addCount(addCount(counts, count(65_000, 50)), count(70_000, 50));
  assert.deepEqual(rateOf(counts), { samples: 0, bytes: 0 });
});

test("a_restarted_server_has_no_negative_rate", () => {
  const counts = addCount([count(0, 100), count(5000, 200)], count(10_000, 3));
  assert.deepEqual(counts, [count(10_000, 3)]);
  assert.equal(rateOf(counts), undefined);
});

test("early_refusals_are_described", () => {
  assert.equal(
    earlierText({ no_route: 2, slow: 0, new_reason: 1 }),
    "2 for an unknown path; 1 new_reason",
  );
  assert.equal(earlierText({}), "");
});
