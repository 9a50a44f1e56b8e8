/** A policy author's test suite as it was read (docs/testing.md). */
import type { Place, Placed } from "../../compiler/yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { AuxData, Principal, Resource } from "../../runtime/decide/input.ts";

/** The tests of one file. */
export interface Suite {
  /** Path relative to the folder that was searched. */
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly skip: Skip | undefined;
  readonly tables: readonly TestTable[];
  /** Those of the suite itself. */
  readonly fixtures: Fixtures;
  readonly options: TestOptions | undefined;
}

/** Something is not run, and why ("" when nobody said). */
export interface Skip {
  readonly reason: string;
}

/** Who and what tests are about, by the names that tests use. */
export interface Fixtures {
  readonly principals: ReadonlyMap<string, Principal>;
  readonly principalGroups: ReadonlyMap<string, Names>;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly resourceGroups: ReadonlyMap<string, Names>;
  readonly auxData: ReadonlyMap<string, AuxData>;
}

/** Names of fixtures or groups, each with its place. */
export type Names = readonly Placed<string>[];

/** Nobody and nothing. */
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
  /** Of its name. */
  readonly place: Place;
  readonly description: string;
  readonly skip: Skip | undefined;
  readonly input: TableInput;
  readonly expected: readonly Expectation[];
  /** Instead of the suite's, not beside them. */
  readonly options: TestOptions | undefined;
}

/** Names of fixtures and groups, and the actions that are asked about all of them. */
export interface TableInput {
  readonly principals: Names;
  readonly principalGroups: Names;
  readonly resources: Names;
  readonly resourceGroups: Names;
  readonly actions: readonly string[];
  readonly auxData: Placed<string> | undefined;
}

/** What is expected of some principals and resources. */
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

/** What tests set that a server has in its configuration. */
export interface TestOptions {
  /** Milliseconds since 1970, with a fraction; undefined: no condition may read the clock. */
  readonly now: number | undefined;
  readonly globals: { readonly [name: string]: Value };
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
}

/** What holds where neither the test nor the suite says anything. */
export const defaultTestOptions: TestOptions = {
  now: undefined,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
};
