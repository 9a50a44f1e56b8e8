/** The answer to an entry, and what the host of a session provides. */
import { visible } from "../../compiler/print-diagnostics.ts";
import type { Source } from "../../compiler/source.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { Styles } from "./styles.ts";
import type { Part, Problem } from "./problem.ts";
import type { State } from "./state.ts";

/** The answer to one entry. */
export interface Answer {
  /** The next state; after a problem, the previous one. */
  readonly state: State;
  /** The output without a final line feed; "" for none. */
  readonly text: string;
  readonly problems: readonly Problem[];
  /** The value that the entry came to, when it was an expression or defined one. */
  readonly result?: { readonly value: Value; readonly type: Type };
  /** The session is over. */
  readonly ends?: true;
}

/** Policy files, and the schemas of their folder. */
export interface PolicyFiles {
  /** A file has the same path however its folder was written. */
  readonly policies: readonly Source[];
  readonly schemas: SchemaFiles;
  /** The folder in which a file that was read alone lies: what it imports may be there. */
  readonly folder?: string;
  /** The nearest folder around such a file that holds schemas, if there is one. */
  readonly store?: string;
}

/** No files. */
export const noPolicyFiles: PolicyFiles = { policies: [], schemas: new Map() };

/** Everything from outside that a session may use: the host is the program that runs it. */
export interface SessionHost {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads policy files: one, or all below a directory; rejects with a refusal. */
  readonly readPolicies: (path: string) => Promise<PolicyFiles>;
  /** Loads the schemas with these references, to validate attributes as the server does; absent: attributes are not validated. */
  readonly openSchemas?: (references: ReadonlySet<string>, files: SchemaFiles) => Promise<SchemaEnforcement>;
  readonly styles: Styles;
  /** The limit of work units for one entry. */
  readonly maxWork: number;
  /** The width of lines. Undefined prints every value on one line, and nothing but the value. */
  readonly width: number | undefined;
}

/** A command of the console. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The form of its argument: `EXPRESSION`, `[NAME]`, "". */
  readonly form: string;
  /** One sentence for the table of `:help`. */
  readonly summary: string;
  /** Examples for `:help NAME`. */
  readonly examples?: readonly (readonly [entry: string, says: string])[];
  /** Whether the argument is CEL or JSON, so that brackets may stay open over several lines. */
  readonly multiline?: true;
  readonly run: (part: Part, state: State, host: SessionHost) => Answer | Promise<Answer>;
  /** The completions of the argument; `expression` completes names of the session. */
  readonly completion?: "expression" | "file" | ((state: State) => readonly string[]);
}

/** Returns an answer with output that changes nothing. */
export const say = (state: State, text: string): Answer => ({ state, text: visibleLines(text), problems: [] });

/** Escapes strings from requests, policies and file names, so that they cannot move the cursor. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n");

/** Returns an answer with problems that changes nothing. */
export const refuse = (state: State, problems: readonly Problem[]): Answer => ({ state, text: "", problems });
