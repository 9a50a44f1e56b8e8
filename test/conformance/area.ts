/** One area of the conformance data: how its cases are found and run. */
export interface Area {
  /** As in the manifest: `cel-spec`, `parser`, `index`... */
  readonly name: string;
  /** The cases in the folder of the data; `run` throws when what it finds is not what the case wants. */
  readonly cases: (folder: string) => Iterable<ConformanceCase>;
  /** Ends what the cases had in common. */
  readonly close?: () => Promise<void>;
}

export interface ConformanceCase {
  /** As in the manifest. */
  readonly id: string;
  /** Uses protobuf messages, enums or wrappers, or `cel.block`, none of which a policy can name (D62). */
  readonly needsProtobuf?: boolean;
  readonly run: () => void | Promise<void>;
}
