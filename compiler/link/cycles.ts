/** Finds cycles among names that depend on each other. */

/**
 * Returns each cycle once, its members sorted by name; a name that depends on itself is a cycle of one. Tarjan's
 * algorithm: linear, without recursion.
 */
export function findCycles(needs: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];

  const enter = (name: string): Visit => {
    order.set(name, order.size);
    lowest.set(name, order.size - 1);
    open.push(name);
    isOpen.add(name);
    return { name, remaining: [...(needs.get(name) ?? [])] };
  };
  const lower = (name: string, to: number | undefined): void => {
    lowest.set(name, Math.min(lowest.get(name) ?? Infinity, to ?? Infinity));
  };

  for (const start of needs.keys()) {
    if (order.has(start)) continue;
    const visits = [enter(start)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const next = visit.remaining.pop();
      if (next !== undefined) {
        if (!order.has(next)) visits.push(enter(next));
        else if (isOpen.has(next)) lower(visit.name, order.get(next));
        continue;
      }
      visits.pop();
      const parent = visits.at(-1);
      if (parent !== undefined) lower(parent.name, lowest.get(visit.name));
      if (lowest.get(visit.name) !== order.get(visit.name)) continue;
      const members = open.splice(open.lastIndexOf(visit.name));
      for (const member of members) isOpen.delete(member);
      if (members.length > 1 || needs.get(visit.name)?.includes(visit.name)) cycles.push(members.toSorted());
    }
  }
  return cycles;
}

interface Visit {
  readonly name: string;
  readonly remaining: string[];
}
