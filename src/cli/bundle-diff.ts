/** `authz bundle diff OLD NEW`: prints the differences between two bundles, for reviewers. */
import { Command, Option } from "commander";
import { compareBundles, type BundleDifference, type Change, type PolicyChange } from "../bundle/diff.ts";
import type { BundleFile } from "../bundle/index.ts";
import { readPublicKeys } from "../bundle/keys.ts";
import type { PolicyOutline } from "../bundle/outline.ts";
import type { ValueDifference } from "../bundle/value-difference.ts";
import type { Trust } from "../bundle/verify.ts";
import { count } from "../count.ts";
import { printable, printableLines } from "./admin/printable.ts";
import { countPolicies } from "./build.ts";
import { trustAnybody, readBundleFile } from "./bundle-file.ts";
import { exitCodes, type CommandLine } from "./command.ts";

interface DiffFlags {
  readonly key?: string;
  readonly output: "text" | "json";
}

/** Describes the command. */
export const diffCommand = (line: CommandLine): Command =>
  new Command("diff")
    .description(
      "show what differs between two bundles: policies, their rules, conditions and schemas; exits with 4 when they differ, with 1 when one cannot be read",
    )
    .argument("<old>", "the bundle to compare with")
    .argument("<new>", "the bundle to compare")
    .option("--key <file>", "file with one or more trusted public keys (PEM); both bundles must be signed by one of them")
    .addOption(new Option("-o, --output <format>", "how it is shown").choices(["text", "json"]).default("text"))
    .action((old: string, is: string, { key, output }: DiffFlags) => {
      const trust: Trust = key === undefined ? trustAnybody : { kind: "keys", keys: readPublicKeys([key]) };
      const [before, now] = [readBundleFile(old, trust), readBundleFile(is, trust)];
      const difference = compareBundles(before.content, now.content);
      const isChecked = key !== undefined;
      line.out(
        output === "json"
          ? `${printableLines(JSON.stringify(asJson([old, before], [is, now], isChecked, difference), undefined, 2))}\n`
          : print([old, before], [is, now], isChecked, difference),
      );
      line.finish(difference.isSame ? exitCodes.ok : exitCodes.tests);
    });

type Named = readonly [file: string, bundle: BundleFile];

function asJson(old: Named, is: Named, isChecked: boolean, { isSame, policies, schemas }: BundleDifference): object {
  const bundle = ([file, { digest, keyId, content }]: Named): object => ({
    file,
    digest,
    signedBy: keyId ?? null,
    ...(keyId !== undefined && { signatureChecked: isChecked }),
    policySet: content.bundle.manifest.digest,
  });
  const policy = ({ key, at }: PolicyOutline): object => ({ key, ...(at !== undefined && { at }) });
  const id = ({ id: name }: { readonly id: string }): string => name;
  return {
    same: isSame,
    old: bundle(old),
    new: bundle(is),
    policies: { ...policies, added: policies.added.map(policy), removed: policies.removed.map(policy) },
    schemas: { ...schemas, added: schemas.added.map(id), removed: schemas.removed.map(id) },
  };
}

function print(old: Named, is: Named, isChecked: boolean, { isSame, policies, schemas }: BundleDifference): string {
  const bundle = (which: string, [file, { digest, keyId }]: Named): readonly string[] => [
    `${which} ${printable(file)}`,
    `    sha256 ${digest}, ${keyId === undefined ? "not signed" : `signed by ${keyId}${isChecked ? "" : " (not checked: see --key)"}`}`,
  ];
  const place = (at: string | undefined): string => (at === undefined ? "" : `  ${printable(at)}`);
  const lines = [
    ...bundle("---", old),
    ...bundle("+++", is),
    "",
    isSame ? sameness(old, is) : `${summary(policies, "policy")}; ${summary(schemas, "schema")}`,
    ...(isSame ? [] : [""]),
    ...policies.removed.map(({ key, at }) => `- ${printable(key)}${place(at)}`),
    ...policies.added.map(({ key, at }) => `+ ${printable(key)}${place(at)}`),
    ...policies.changed.flatMap(printPolicy),
    ...schemas.removed.map(({ id }) => `- schema ${printable(id)}`),
    ...schemas.added.map(({ id }) => `+ schema ${printable(id)}`),
    ...schemas.changed.flatMap(({ id, differences }) => [`~ schema ${printable(id)}`, ...differences.flatMap(printDifference)]),
  ];
  return `${lines.join("\n")}\n`;
}

function sameness([, old]: Named, [, is]: Named): string {
  const { policies } = is.content;
  return old.digest === is.digest
    ? `the same bundle, of ${count(policies, "file")}`
    : "both decide the same: only names of rules, places and numbers of files differ";
}

function summary(
  {
    added,
    removed,
    changed,
    same,
  }: { readonly [list in "added" | "removed" | "changed"]: readonly unknown[] } & {
    readonly same: number;
  },
  noun: "policy" | "schema",
): string {
  const all = added.length + removed.length + changed.length + same;
  const parts = [
    ...(added.length > 0 ? [`${added.length} added`] : []),
    ...(removed.length > 0 ? [`${removed.length} removed`] : []),
    ...(changed.length > 0 ? [`${changed.length} changed`] : []),
    ...(same > 0 ? [`${same} the same`] : []),
  ];
  const what = noun === "policy" ? countPolicies(all) : count(all, "schema");
  return parts.length === 0 ? what : `${what}: ${parts.join(", ")}`;
}

function printPolicy({ key, old, new: is, changes }: PolicyChange): readonly string[] {
  return [`~ ${printable(key)}${between(old, is)}`, ...changes.flatMap(printChange)];
}

function printChange({ part, name, kind, old, new: is, says }: Change): readonly string[] {
  const mark = { added: "+", removed: "-", changed: "~" }[kind];
  const isWhole = part === "policy" || (name === "" && kind === "changed");
  const differences = says.flatMap(printDifference);
  if (isWhole && says.some(({ what }) => what === "program"))
    return ["    what it decides differs, and none of its words do: it was not built by `authz build` alone"];
  return isWhole ? differences : [`  ${mark} ${printable(`${part} ${name}`.trimEnd())}${between(old, is)}`, ...differences];
}

function printDifference({ what, old, new: is }: ValueDifference): readonly string[] {
  const label = what === "says" || what === "" ? "" : `${printable(what)}: `;
  if (old === undefined && is === undefined) return [`      ${printable(what)}`];
  return [
    ...(old === undefined ? [] : [`      - ${label}${printable(old)}`]),
    ...(is === undefined ? [] : [`      + ${label}${printable(is)}`]),
  ];
}

/** Prints a position, or how it changed. */
function between(old: string | undefined, is: string | undefined): string {
  if (old === undefined || is === undefined || old === is)
    return is === undefined && old === undefined ? "" : `  ${printable(is ?? old ?? "")}`;
  return `  ${printable(old)} -> ${printable(is)}`;
}
