/** A persistent (immutable) map. An edit creates a new version, which shares all buckets that did not change. */

/** A map with string keys. The iteration order is arbitrary, but fixed for a given set of keys. */
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

  /** Starts the next version; this one does not change. */
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

  /** Calls back for each key that differs between two versions. Shared buckets are skipped. */
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

/** The next version under construction. */
export class Draft<V> {
  #size: number;
  readonly #buckets: Bucket<V>[];
  /** The buckets created by this draft, which no version shares. */
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

  /** Returns whether the key was present. */
  delete(key: string): boolean {
    if (!this.has(key)) return false;
    this.#size--;
    return this.#owned(bucketOf(key)).delete(key);
  }

  /** Returns an array, so that keys may be deleted while it is iterated. */
  keys(): readonly string[] {
    return this.#buckets.flatMap((bucket) => [...(bucket?.keys() ?? [])]);
  }

  /** Returns the version. The draft may be edited further; the version does not change. */
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

/** FNV-1a. Colliding keys only make one bucket large, which is still a native Map. */
function bucketOf(key: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01_00_01_93);
  return (hash ^ (hash >>> 16)) & (bucketCount - 1);
}
