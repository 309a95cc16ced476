// SPDX-License-Identifier: Apache-2.0
// What `varve flame FILE -o page.html` writes into the page (src/cli/page.c).
import type { TopRow, TreeNodes } from "../api/types";

export interface PageProfile {
  type: string;
  unit: string;
  total: number;
  kept: number; // what the filters leave
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
  initial: number; // which profile is shown first
  profiles: PageProfile[];
}

export function readData(text: string): PageData | string {
  if (!text.trim()) return "there is no profile in this page";
  try {
    const data = JSON.parse(text) as PageData;
    return data.profiles?.length ? data : "there is no profile in this page";
  } catch (e) {
    return `the profile in this page cannot be read: ${(e as Error).message}`;
  }
}
