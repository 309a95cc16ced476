// SPDX-License-Identifier: Apache-2.0
// Sums of a selection over all frames, for graphs that show the widest of them.
import { useMemo } from "preact/hooks";
import { apiUrl, ask, Params } from "../api/client";
import type { Sums, SumsAnswer } from "../flame/exact";

// `params`: selection and filters, of one side or of both of a difference; undefined: not known yet.
export function useSelectionSums(params: Params | undefined): Sums | undefined {
  return useMemo(() => params && ((question, signal) => ask<SumsAnswer>("sums", { ...params, ...question }, signal)), [params && apiUrl("sums", params)]);
}
