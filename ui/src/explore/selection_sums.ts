// SPDX-License-Identifier: Apache-2.0
// Queries sums over all frames of a selection, for graphs that show only the widest frames.
import { useMemo } from "preact/hooks";
import { apiUrl, fetchAnswer, Params } from "../api/client";
import type { Sums, SumsAnswer } from "../flame/model/server_sums";

// `params`: selection and filters of one selection, or of both sides of a difference; undefined:
// not known yet.
export function useSelectionSums(params: Params | undefined): Sums | undefined {
  return useMemo(
    () =>
      params &&
      ((query, signal) => fetchAnswer<SumsAnswer>("sums", { ...params, ...query }, signal)),
    [params && apiUrl("sums", params)],
  );
}
