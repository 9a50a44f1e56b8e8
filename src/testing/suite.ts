/** A test suite as parsed (docs/testing.md). */
import type { Place, Placed } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { AuxData, Principal, Resource } from "../../runtime/decide/input.ts";

/** The tests of one file. */
export interface Suite {
  /** The path relative to the directory that was searched. */
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly skip: Skip | undefined;
  readonly tables: readonly TestTable[];
  /** The fixtures of the suite itself. */
  readonly fixtures: Fixtures;
  readonly options: TestOptions | undefined;
}

/** Marks something as skipped, with the reason ("" when none was given). */
export interface Skip {
  readonly reason: string;
}

/** Principals, resources and auxiliary data by the names that tests use. */
export interface Fixtures {
  readonly principals: ReadonlyMap<string, Principal>;
  readonly principalGroups: ReadonlyMap<string, Names>;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly resourceGroups: ReadonlyMap<string, Names>;
  readonly auxData: ReadonlyMap<string, AuxData>;
}

/** Names of fixtures or groups, each with its position. */
export type Names = readonly Placed<string>[];

/** No fixtures. */
export const noFixtures: Fixtures = {
  principals: new Map(),
  principalGroups: new Map(),
  resources: new Map(),
  resourceGroups: new Map(),
  auxData: new Map(),
};

/** One entry of `tests`: every principal of its input with every resource is a test. */
export interface TestTable {
  readonly name: string;
  /** The position of its name. */
  readonly place: Place;
  readonly description: string;
  readonly skip: Skip | undefined;
  readonly input: TableInput;
  readonly expected: readonly Expectation[];
  /** The options of this table, which replace the suite's. */
  readonly options: TestOptions | undefined;
}

/** The names of fixtures and groups, and the actions. */
export interface TableInput {
  readonly principals: Names;
  readonly principalGroups: Names;
  readonly resources: Names;
  readonly resourceGroups: Names;
  readonly actions: readonly string[];
  readonly auxData: Placed<string> | undefined;
}

/** The expectations for some principals and resources. */
export interface Expectation {
  readonly principals: Names;
  readonly principalGroups: Names;
  readonly resources: Names;
  readonly resourceGroups: Names;
  readonly effects: readonly { readonly action: Placed<string>; readonly effect: ExpectedEffect }[];
  readonly outputs: readonly { readonly action: Placed<string>; readonly expected: readonly ExpectedOutput[] }[];
}

/** An effect that a test may expect. */
export type ExpectedEffect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** An output that a test expects. */
export interface ExpectedOutput {
  readonly src: Placed<string>;
  readonly val: Value;
}

/** The options that a server has in its configuration. */
export interface TestOptions {
  /** Milliseconds since 1970, with a fraction; undefined: conditions must not read the clock. */
  readonly now: number | undefined;
  readonly globals: { readonly [name: string]: Value };
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
}

/** The defaults. */
export const defaultTestOptions: TestOptions = {
  now: undefined,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
};
