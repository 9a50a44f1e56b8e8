/** What an entry is answered with, and what answering may ask of the world outside. */
import { visible } from "../../compiler/print-diagnostics.ts";
import type { Source } from "../../compiler/source.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { Paint } from "./paint.ts";
import type { Part, Problem } from "./problem.ts";
import type { State } from "./state.ts";

/** The answer to one entry. */
export interface Answer {
  /** The state afterwards; with a problem, the one before. */
  readonly state: State;
  /** Without the last line end; "" says nothing. */
  readonly text: string;
  readonly problems: readonly Problem[];
  /** The value that the entry came to, when it was an expression or defined one. */
  readonly result?: { readonly value: Value; readonly type: Type };
  /** The session is over. */
  readonly ends?: true;
}

/** What answering may ask for; everything else it knows itself. */
export interface World {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads policy files: one, or all below a folder; rejects with a refusal. */
  readonly readPolicies: (path: string) => Promise<readonly Source[]>;
  readonly paint: Paint;
  /** Units of work that one entry may cost. */
  readonly work: number;
  /** How wide a line may be; undefined puts every value on one line, and says nothing but the value. */
  readonly width: number | undefined;
}

/** A command of the console. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What follows the name: `EXPRESSION`, `[NAME]`, "". */
  readonly form: string;
  /** One sentence for the table of `:help`. */
  readonly says: string;
  /** What `:help NAME` adds. */
  readonly examples?: readonly (readonly [entry: string, says: string])[];
  /** What follows is CEL or JSON: brackets may stay open over several lines. */
  readonly continues?: true;
  readonly run: (part: Part, state: State, world: World) => Answer | Promise<Answer>;
  /** What could stand after the name; `expression` completes names of the session. */
  readonly completes?: "expression" | "file" | ((state: State) => readonly string[]);
}

/** An answer that says something and changes nothing. */
export const say = (state: State, text: string): Answer => ({ state, text: onScreen(text), problems: [] });

/** What a request, a policy or the name of a file holds must not move a terminal's cursor. */
export const onScreen = (text: string): string => text.split("\n").map(visible).join("\n");

/** An answer that refuses. */
export const refuse = (state: State, problems: readonly Problem[]): Answer => ({ state, text: "", problems });
