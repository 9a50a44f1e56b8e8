/** A persistent (immutable) map: an edit makes another map, which shares all but the entries around those that differ, so that it costs the same for ninety entries and for nine thousand. */

/** A map by texts, in no order that means anything, but the same order as long as its keys are the same. */
export class VersionedMap<V> implements ReadonlyMap<string, V> {
  readonly size: number;
  readonly #buckets: readonly Bucket<V>[];

  private constructor(buckets: readonly Bucket<V>[], size: number) {
    this.#buckets = buckets;
    this.size = size;
  }

  static of<V>(entries: Iterable<readonly [key: string, value: V]> = []): VersionedMap<V> {
    const draft = new Draft<V>([], 0, (buckets, size) => new VersionedMap(buckets, size));
    for (const [key, value] of entries) draft.set(key, value);
    return draft.finish();
  }

  /** Begins the next version; this one stays as it is. */
  edit(): Draft<V> {
    return new Draft(this.#buckets, this.size, (buckets, size) => new VersionedMap(buckets, size));
  }

  get(key: string): V | undefined {
    return this.#buckets[bucketOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.#buckets[bucketOf(key)]?.has(key) === true;
  }

  forEach(callback: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    const each = (value: V, key: string): void => callback(value, key, this);
    for (const bucket of this.#buckets) bucket?.forEach(each);
  }

  /** Tells every key whose value another version has not, or has otherwise; what both share is not looked at. */
  forEachDifference(from: VersionedMap<V>, callback: (key: string, was: V | undefined, is: V | undefined) => void): void {
    for (let index = 0; index < bucketCount; index++) {
      const was = from.#buckets[index];
      const is = this.#buckets[index];
      if (was === is) continue;
      is?.forEach((value, key) => was?.get(key) === value || callback(key, was?.get(key), value));
      was?.forEach((value, key) => is?.has(key) === true || callback(key, value, undefined));
    }
  }

  *entries(): MapIterator<[string, V]> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket;
  }

  *keys(): MapIterator<string> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket.keys();
  }

  *values(): MapIterator<V> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket.values();
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }
}

/** The next version while it is made. */
export class Draft<V> {
  #size: number;
  readonly #buckets: Bucket<V>[];
  /** Those that no version has. */
  readonly #own = new Set<number>();
  readonly #make: (buckets: readonly Bucket<V>[], size: number) => VersionedMap<V>;

  constructor(buckets: readonly Bucket<V>[], size: number, make: (buckets: readonly Bucket<V>[], size: number) => VersionedMap<V>) {
    this.#buckets = [...buckets];
    this.#size = size;
    this.#make = make;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#buckets[bucketOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.#buckets[bucketOf(key)]?.has(key) === true;
  }

  set(key: string, value: V): void {
    const bucket = this.#owned(bucketOf(key));
    if (!bucket.has(key)) this.#size++;
    bucket.set(key, value);
  }

  /** Was it there? */
  delete(key: string): boolean {
    if (!this.has(key)) return false;
    this.#size--;
    return this.#owned(bucketOf(key)).delete(key);
  }

  /** A list: keys may be deleted meanwhile. */
  keys(): readonly string[] {
    return this.#buckets.flatMap((bucket) => [...(bucket?.keys() ?? [])]);
  }

  /** Makes the version. The draft may go on; the version stays as it is. */
  finish(): VersionedMap<V> {
    this.#own.clear();
    return this.#make([...this.#buckets], this.#size);
  }

  #owned(index: number): Map<string, V> {
    const known = this.#buckets[index];
    if (known !== undefined && this.#own.has(index)) return known;
    const own = new Map(known);
    this.#own.add(index);
    while (this.#buckets.length <= index) this.#buckets.push(undefined);
    this.#buckets[index] = own;
    return own;
  }
}

type Bucket<V> = Map<string, V> | undefined;

const bucketCount = 512;

/** FNV-1a; whoever makes keys collide makes one bucket large, which is what a plain map is. */
function bucketOf(key: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01_00_01_93);
  return (hash ^ (hash >>> 16)) & (bucketCount - 1);
}
