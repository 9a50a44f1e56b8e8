/** `authz admin store export`: writes all policies and schemas of a store to a directory, as files that `put` accepts. */
import { Command } from "commander";
import { toJson } from "@bufbuild/protobuf";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PolicySchema } from "../../../proto/gen/authz/policy/v1/policy_pb.js";
import { isPolicyPath } from "../../../compiler/policy/paths.ts";
import { policyText } from "../../admin/changes/policy-text.ts";
import { byUnits } from "../../../runtime/order.ts";
import { codeOf, isRefusal, messageOf, refusal } from "../../refusal.ts";
import { policyFileName, unsafeSchemaId } from "../../store/safe-names.ts";
import type { CommandLine } from "../command.ts";
import type { AdminClient } from "./client.ts";
import { withClient } from "./connection.ts";
import { getPolicies, listPolicyIds } from "./fetch-policies.ts";
import { getSchemas, listSchemaIds } from "./get-schemas.ts";
import { rowOf } from "./kinds.ts";
import { printable } from "./printable.ts";
import { withoutStoreMetadata } from "./read-policies.ts";
import type { Tty } from "./tty.ts";

/** A file to write. */
interface ExportedFile {
  readonly path: string;
  readonly text: string;
  readonly what: "policy" | "schema";
}

/** Describes the command. */
export const exportCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("export")
    .alias("e")
    .description("write all policies and schemas to a folder, including disabled policies")
    .argument("<path>", "the folder; files of the same names in it are overwritten")
    .action(async (path: string, _flags: unknown, command: Command) => {
      const folder = resolve(path);
      // Checked before the server is asked, because a large store takes long.
      if (
        await stat(folder).then(
          (found) => !found.isDirectory(),
          () => false,
        )
      )
        throw refusal(`\`${path}\` is a file: name a folder`);
      const files = await withClient({ line, tty, command }, filesOf);
      await writeAll(folder, files).catch((error: unknown) => {
        if (isRefusal(error)) throw error;
        throw refusal(`the folder \`${path}\` cannot be written: ${codeOf(error) ?? messageOf(error)}`);
      });
      for (const { path: written, what } of files) line.out(`\u2713 ${printable(written)} (${what})\n`);
      const [policies, schemas] = (["policy", "schema"] as const).map((kind) => files.filter(({ what }) => what === kind).length);
      line.out(`\nExported ${policies} policies and ${schemas} schemas to ${printable(folder)}\n`);
    });

async function writeAll(folder: string, files: readonly ExportedFile[]): Promise<void> {
  /** The files that were written, by what tells them apart: a disk may take two names for one, as where it ignores case. */
  const written = new Map<string, string>();
  for (const { path, text } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    const earlier = written.get((await identityOf(file)) ?? "");
    if (earlier !== undefined) throw refusal(sameFile(printable(earlier), printable(path), printable(folder)));
    await writeFile(file, text);
    written.set((await identityOf(file)) ?? path, path);
  }
  await mkdir(folder, { recursive: true });
}

const sameFile = (one: string, other: string, folder: string): string =>
  `\`${one}\` and \`${other}\` are one file in \`${folder}\`, as on disks that tell no capital letters from small ones: export to another disk`;

/** Returns what tells a file from every other; undefined where there is none. */
const identityOf = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );

async function filesOf(client: AdminClient): Promise<readonly ExportedFile[]> {
  const policies = await getPolicies(client, await listPolicyIds(client, { includeDisabled: true }));
  const taken = new Set<string>();
  const files: ExportedFile[] = [];
  for (const policy of policies) {
    const row = rowOf(policy);
    if (row === undefined) continue;
    const json = toJson(PolicySchema, withoutStoreMetadata(policy));
    const path = freeName(row.id, row.key, taken);
    files.push({ path, text: policyText(json, path), what: "policy" });
  }
  const ids = await listSchemaIds(client);
  const schemas = ids.length === 0 ? [] : await getSchemas(client, ids);
  const unsafe = schemas.flatMap(({ id }) => (unsafeSchemaId(id) === undefined ? [] : [`  ${printable(id)}`]));
  if (unsafe.length > 0) throw refusal(`no file can have the names of these schemas:\n${unsafe.join("\n")}`);
  files.push(...schemas.map(({ id, text }) => ({ path: `_schemas/${id}`, text, what: "schema" as const })));
  return files.toSorted((left, right) => byUnits(left.what, right.what) || byUnits(left.path, right.path));
}

/**
 * Returns a free file name. A file-based store identifies a policy by its path, which is kept if it is safe; others get a name derived
 * from their key.
 */
function freeName(id: string, key: string, taken: Set<string>): string {
  for (let attempt = 0; ; attempt++) {
    const kept = attempt === 0 && isPolicyPath(id) && unsafeSchemaId(id) === undefined;
    const name = kept ? id : policyFileName(key, Math.max(0, attempt - 1));
    // Some disks tell no capital letters from small ones.
    const place = name.toLowerCase();
    if (taken.has(place)) continue;
    taken.add(place);
    return name;
  }
}
