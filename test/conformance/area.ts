/** One area of the conformance data: how its cases are found and run. */
export interface Area {
  /** As in the manifest: `cel-spec`, `parser`, `index`... */
  readonly name: string;
  /** The cases in the folder of the data; `run` throws when what it finds is not what the case wants. */
  readonly cases: (folder: string) => Iterable<ConformanceCase>;
}

export interface ConformanceCase {
  /** As in the manifest. */
  readonly id: string;
  readonly run: () => void | Promise<void>;
}
