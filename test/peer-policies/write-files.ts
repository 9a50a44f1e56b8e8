/** Writes a store as files, for the one server or for the other. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Document, isMap, Pair, Scalar, stringify } from "yaml";
import { forPeer } from "./lacking.ts";
import { schemaFiles } from "./schemas.ts";
import type { File, Json, Policy, Store } from "./store.ts";

/** Which server reads the files. */
export type Side = "ours" | "theirs";

/** A file's name and text. */
export interface Written {
  readonly path: string;
  readonly text: string;
}

/** The text of every file. What 0.51 does not know is written for it in other words. */
export const textsOf = (store: Store, side: Side): readonly Written[] =>
  (side === "theirs" ? forPeer(store) : store).files.map((file, index) => {
    const name = `policy_${String(index).padStart(3, "0")}`;
    // One in three of ours is read through the alias (D19).
    const apiVersion = side === "theirs" || index % 3 === 2 ? "api.cerbos.dev/v1" : "api.authz.dev/v1";
    // 0.51 refuses most quoted text in flow collections.
    const style = side === "theirs" && file.style === "flow" ? "json" : file.style;
    return { path: `${name}.${style === "json" ? "json" : "yaml"}`, text: inNamesOf(side, textOf(apiVersion, { ...file, style })) };
  });

/** Schemas are found by addresses that say whose they are. */
const inNamesOf = (side: Side, text: string): string => (side === "theirs" ? text.replaceAll("authz:///", "cerbos:///") : text);

/** The text of every schema. */
export const schemaTexts: ReadonlyMap<string, string> = new Map(
  Object.entries(schemaFiles).map(([name, document]) => [name, JSON.stringify(document)]),
);

/** Fills an empty folder with the store. */
export function writeStore(store: Store, side: Side, directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const { path, text } of textsOf(store, side)) writeFileSync(join(directory, path), text);
  if (store.schemaEnforcement === undefined) return;
  for (const [name, text] of schemaTexts) {
    const path = join(directory, "_schemas", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function textOf(apiVersion: string, { style, policy }: File): string {
  const document = { apiVersion, ...policy };
  switch (style) {
    case "json":
      return JSON.stringify(document, undefined, 2);
    case "flow":
      return `# flow\n---\n${JSON.stringify(document)}\n`;
    case "block":
      return stringify(document, { lineWidth: 0 });
    case "snake":
      return stringify(snake(document), { lineWidth: 0 });
    case "merge":
      return mergeText(apiVersion, policy);
  }
}

/** The second rule is written as the first, overridden: it must have every field that the first has. */
function mergeText(apiVersion: string, policy: Policy): string {
  const { resourcePolicy } = policy;
  if (resourcePolicy === undefined || resourcePolicy.rules.length < 2) return stringify({ apiVersion, ...policy }, { lineWidth: 0 });
  const document = new Document({ apiVersion, ...policy });
  const [one, two] = [0, 1].map((index) => document.getIn(["resourcePolicy", "rules", index], true));
  if (!isMap(one) || !isMap(two)) throw new Error("a rule is written as a mapping");
  two.items.unshift(new Pair(new Scalar("<<"), document.createAlias(one, "first")));
  return document.toString({ lineWidth: 0 });
}

/** Fields whose keys are names of the author's, not words of the language. */
const authors: ReadonlySet<string> = new Set(["local", "definitions"]);

function snake(value: Json): Json {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const named = key === "apiVersion" ? key : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const kept = (authors.has(key) && !Array.isArray(part)) || (key === "variables" && isTexts(part));
      return [named, kept ? part : snake(part)];
    }),
  );
}

const isTexts = (value: Json): boolean =>
  typeof value === "object" && value !== null && Object.values(value).every((part) => typeof part === "string");
