/** Splits a long list into requests of a size that a server accepts. */

/** The most policies or schemas in one request. */
export const maxPerRequest = 100;

/** A server's default limit is 4 MiB; this leaves room for the rest of a request. */
const maxBytes = 3 * 1024 * 1024;

/** Splits a list into chunks of a length. */
export function splitIntoChunks<T>(list: readonly T[], length: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / length) }, (_, at) => list.slice(at * length, (at + 1) * length));
}

/** Splits a list into batches, by number and by size in bytes. */
export function splitIntoBatches<T>(list: readonly T[], bytesOf: (item: T) => number): readonly (readonly T[])[] {
  const cut: T[][] = [];
  let bytes = 0;
  for (const item of list) {
    const size = bytesOf(item);
    const last = cut.at(-1);
    if (last === undefined || last.length >= maxPerRequest || bytes + size > maxBytes) {
      cut.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return cut;
}
