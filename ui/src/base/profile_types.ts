// SPDX-License-Identifier: Apache-2.0
// Display names of profile types. A type that is not in the table is shown by its own name.

const words: Record<string, string> = {
  "process_cpu:cpu": "CPU time",
  "process_cpu:samples": "CPU samples",
  "memory:inuse_space": "Heap in use",
  "memory:inuse_objects": "Live objects",
  "memory:alloc_space": "Allocated bytes",
  "memory:alloc_objects": "Allocations",
  "memory:alloc_in_new_tlab_bytes": "Allocated bytes (TLAB)",
  "memory:alloc_in_new_tlab_objects": "Allocations (TLAB)",
  "mutex:contentions": "Mutex contentions",
  "mutex:delay": "Mutex delay",
  "block:contentions": "Blocked count",
  "block:delay": "Blocked time",
  "goroutines:goroutine": "Threads, goroutines",
  "goroutine:goroutine": "Threads, goroutines",
  "threads:threads": "Threads",
  "wall:wall": "Wall-clock time",
  "wall:cpu": "Wall-clock time",
  "wall:off_cpu": "Off-CPU time",
  "wall:samples": "Wall-clock samples",
};

export function typeName(id: string): string {
  const [name, sample] = id.split(":");
  return words[`${name}:${sample}`] ?? (sample && sample !== name ? `${sample} (${name})` : name);
}

// The most used types come first, the others by name.
const order = [
  "process_cpu:cpu",
  "memory:inuse_space",
  "memory:alloc_space",
  "mutex:delay",
  "block:delay",
  "wall:wall",
];

export function sortTypes(ids: readonly string[]): string[] {
  const rank = (id: string) => {
    const at = order.indexOf(id.split(":").slice(0, 2).join(":"));
    return at < 0 ? order.length : at;
  };
  return [...ids].sort((a, b) => rank(a) - rank(b) || typeName(a).localeCompare(typeName(b)));
}
