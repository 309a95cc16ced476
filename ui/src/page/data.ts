// SPDX-License-Identifier: Apache-2.0
// The data that `varve flame FILE -o page.html` writes into the page (src/cli/terminal/page.c).
import type { TopRow, TreeNodes } from "../api/types";

export interface PageProfile {
  type: string;
  unit: string;
  total: number;
  kept: number; // total of the samples that pass the filters
  samples: number;
  duration_nano: number;
  inverted: boolean;
  nodes: TreeNodes;
  row_count: number;
  rows: TopRow[];
}

export interface PageData {
  title: string;
  version: string;
  initial: number; // index of the profile that is shown first
  profiles: PageProfile[];
}

export function readData(text: string): PageData | string {
  if (!text.trim()) return "this page contains no profile";
  try {
    const data = JSON.parse(text) as PageData;
    return data.profiles?.length ? data : "this page contains no profile";
  } catch (e) {
    return `cannot parse the profile in this page: ${(e as Error).message}`;
  }
}
