/** Cuts a long list into requests that a server takes. */

/** At most so many policies or schemas go into one request. */
export const mostInRequest = 100;

/** A server's usual limit is 4 MiB; the rest of a request needs room too. */
const mostBytes = 3 * 1024 * 1024;

/** Cuts a list into pieces of a length. */
export function chunks<T>(list: readonly T[], length: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / length) }, (_, at) => list.slice(at * length, (at + 1) * length));
}

/** Cuts a list into requests, by number and by size. */
export function batches<T>(list: readonly T[], bytesOf: (item: T) => number): readonly (readonly T[])[] {
  const cut: T[][] = [];
  let bytes = 0;
  for (const item of list) {
    const size = bytesOf(item);
    const last = cut.at(-1);
    if (last === undefined || last.length >= mostInRequest || bytes + size > mostBytes) {
      cut.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return cut;
}
