// SPDX-License-Identifier: Apache-2.0
// Generates large, realistic trees: a few expensive functions, a long tail, repeated names.
// Deterministic for a seed.
import type { TreeNodes } from "../../src/api/types";

export function randomNodes(count: number, seed = 1): TreeNodes {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const nameCount = Math.max(20, Math.round(count / 12));
  const packages = [
    "main",
    "net/http",
    "runtime",
    "encoding/json",
    "strings",
    "github.com/acme/shop/cart",
    "database/sql",
    "sync",
    "bufio",
    "compress/flate",
  ];
  const names = Array.from(
    { length: nameCount },
    (_, i) => `${packages[Math.floor(random() * packages.length)]}.(*Type${i % 97}).method${i}`,
  );
  const level: number[] = [0];
  const name: number[] = [-1];
  const self: number[] = [0];
  // Each node distributes its number of descendants among one or a few children, most of them to
  // the first.
  const open: { depth: number; room: number }[] = [{ depth: 1, room: count - 1 }];
  while (open.length && level.length < count) {
    const { depth, room } = open.pop()!;
    level.push(depth);
    name.push(Math.floor(random() ** 2 * nameCount));
    self.push(Math.floor(1e5 / (0.001 + random() ** 2)) + (room < 2 ? 1e6 : 0));
    let rest = room - 1;
    const children: number[] = [];
    const wanted = random() < 0.5 ? 1 : 2 + Math.floor(random() * 6);
    for (let i = 0; i < wanted && rest > 0; i++) {
      const part = i === wanted - 1 ? rest : Math.ceil(rest * (0.3 + 0.5 * random()));
      children.push(part);
      rest -= part;
    }
    for (const part of children.reverse()) open.push({ depth: depth + 1, room: part });
  }
  const total = self.slice();
  const last: number[] = []; // by level
  const parents = level.map((depth, i) => ((last[depth] = i), depth ? last[depth - 1] : -1));
  for (let i = level.length - 1; i > 0; i--) total[parents[i]] += total[i];
  const blank = names.map(() => "");
  return {
    path: [],
    node_count: level.length - 1,
    shown_count: level.length - 1,
    hidden_share: 0,
    names,
    files: blank,
    modules: blank,
    level,
    name,
    self,
    total,
  };
}

// Return the server's answer for a path.
export function subtree(nodes: TreeNodes, path: readonly string[]): TreeNodes {
  let at = 0;
  for (const wanted of path) {
    let child = at + 1;
    while (
      child < nodes.level.length &&
      nodes.level[child] > nodes.level[at] &&
      !(nodes.level[child] === nodes.level[at] + 1 && nodes.names[nodes.name[child]] === wanted)
    )
      child++;
    if (child >= nodes.level.length || nodes.level[child] <= nodes.level[at])
      throw new Error(`no such path: ${path.join(";")}`);
    at = child;
  }
  let end = at + 1;
  while (end < nodes.level.length && nodes.level[end] > nodes.level[at]) end++;
  const part = (values: number[] | undefined) => values?.slice(at, end);
  return {
    ...nodes,
    path: [...path],
    node_count: end - at - 1,
    shown_count: end - at - 1,
    level: nodes.level.slice(at, end).map((l) => l - nodes.level[at]),
    name: part(nodes.name)!,
    self: part(nodes.self)!,
    total: part(nodes.total)!,
    before_self: part(nodes.before_self),
    before_total: part(nodes.before_total),
  };
}
