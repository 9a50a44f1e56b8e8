/** The type of the setting `auxData.jwt.keySets`: the key sets with which tokens are verified, and their sources. */
import { Buffer } from "node:buffer";
import { parseDuration, printDuration } from "./duration.ts";
import { booleanSchema, objectSchema, stringSchema } from "./json-schemas.ts";
import { displayKey, type ConfigEntry, type ConfigMap, type ConfigNode, type ConfigValue } from "./node.ts";
import type { ReportProblem } from "./problem.ts";
import type { SettingType } from "./setting-types.ts";
import { mask, maskUrlSecrets } from "./url-secrets.ts";

/** One key set. */
export interface KeySetSetting {
  readonly id: string;
  readonly source: KeySource;
  /** Keys may lack `alg`; keys and tokens may lack `kid`. */
  readonly optionalAlg: boolean;
  readonly optionalKid: boolean;
}

/** The source of the keys of a set. */
export type KeySource =
  | { readonly kind: "data"; readonly text: string; readonly pem: boolean }
  | { readonly kind: "file"; readonly path: string; readonly pem: boolean }
  /** `refreshMilliseconds` 0: as long as the response's cache headers say. */
  | { readonly kind: "remote"; readonly url: string; readonly refreshMilliseconds: number };

/** Key sets with distinct ids. */
export const keySets: SettingType<readonly KeySetSetting[]> = {
  description: "a list of key sets",
  jsonSchema: {
    type: ["array", "null"],
    items: objectSchema(
      {
        id: stringSchema,
        remote: objectSchema({ url: stringSchema, refreshInterval: stringSchema }, { required: ["url"] }),
        local: objectSchema(
          { data: stringSchema, file: stringSchema, pem: booleanSchema },
          { oneOf: [{ required: ["data"] }, { required: ["file"] }] },
        ),
        insecure: objectSchema({ optionalAlg: booleanSchema, optionalKid: booleanSchema }),
      },
      { required: ["id"], oneOf: [{ required: ["remote"] }, { required: ["local"] }] },
    ),
  },
  print: (sets) => sets.map(printKeySet),
  read: (node, report) => {
    if (node.kind !== "list") return undefined;
    const sets = node.items.map((item) => readKeySet(item, report));
    const ids = new Set<string>();
    for (const [index, set] of sets.entries()) {
      const place = node.items[index]?.place ?? node.place;
      if (set !== undefined && ids.has(set.id)) report({ severity: "error", place, message: `there is another key set \`${set.id}\`` });
      if (set !== undefined) ids.add(set.id);
    }
    return sets.flatMap((set) => set ?? []);
  },
};

/** The fields of a mapping, each known and given at most once. Mistakes are reported, and reading continues. */
interface Fields {
  readonly node: (key: string) => ConfigNode | undefined;
  readonly text: (key: string) => string | undefined;
  readonly flag: (key: string) => boolean;
  readonly wrong: (message: string, at?: ConfigNode) => undefined;
}

function fields(node: ConfigNode, name: string, known: readonly string[], report: ReportProblem): Fields | undefined {
  const wrong = (message: string, at: ConfigNode = node): undefined => {
    report({ severity: "error", place: at.place, message });
  };
  if (node.kind !== "map") return wrong(`${name} must be a mapping`);
  for (const entry of unknownEntries(node, known))
    report({
      severity: "error",
      place: entry.place,
      message: `unknown key \`${displayKey(entry)}\` in ${name}`,
      hint: `there are ${known.map((one) => `\`${one}\``).join(", ")}`,
    });
  const find = (key: string): ConfigNode | undefined => node.entries.find((entry) => entry.key === key)?.value;
  return {
    wrong,
    node: find,
    text: (key) => {
      const value = find(key);
      if (value === undefined) return undefined;
      if (value.kind === "scalar" && value.isUnresolved) return undefined;
      if (value.kind === "scalar" && value.value !== null && value.text.trim() !== "") return value.text.trim();
      return wrong(`\`${key}\` must be a string that is not empty`, value);
    },
    flag: (key) => {
      const value = find(key);
      if (value === undefined || (value.kind === "scalar" && (typeof value.value === "boolean" || value.isUnresolved)))
        return value !== undefined && value.kind === "scalar" && value.value === true;
      wrong(`\`${key}\` must be true or false`, value);
      return false;
    },
  };
}

const unknownEntries = (node: ConfigMap, known: readonly string[]): readonly ConfigEntry[] =>
  node.entries.filter(({ key }) => !known.includes(key));

function readKeySet(node: ConfigNode, report: ReportProblem): KeySetSetting | undefined {
  const set = fields(node, "a key set", ["id", "remote", "local", "insecure"], report);
  if (set === undefined) return undefined;
  const id = set.text("id") ?? (set.node("id") === undefined ? set.wrong("a key set must have an `id`") : undefined);
  const insecure = set.node("insecure");
  const options = insecure === undefined ? undefined : fields(insecure, "`insecure`", ["optionalAlg", "optionalKid"], report);
  const [optionalAlg, optionalKid] = [options?.flag("optionalAlg") ?? false, options?.flag("optionalKid") ?? false];
  const [remote, local] = [set.node("remote"), set.node("local")];
  if ((remote === undefined) === (local === undefined))
    return set.wrong(`the key set${id === undefined ? "" : ` \`${id}\``} must have either \`remote\` or \`local\``);
  const source = remote === undefined ? readLocal(local ?? node, report) : readRemote(remote, report);
  return id === undefined || source === undefined ? undefined : { id, source, optionalAlg, optionalKid };
}

function readRemote(node: ConfigNode, report: ReportProblem): KeySource | undefined {
  const remote = fields(node, "`remote`", ["url", "refreshInterval"], report);
  if (remote === undefined) return undefined;
  const [url, interval] = [remote.text("url"), remote.text("refreshInterval")];
  const refreshMilliseconds = interval === undefined ? 0 : parseDuration(interval === "0" ? "0s" : interval);
  if (url === undefined) return remote.node("url") === undefined ? remote.wrong("`remote` must have a `url`") : undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return remote.wrong("`url` must be an http or https URL", remote.node("url"));
  if (refreshMilliseconds === undefined)
    return remote.wrong("`refreshInterval` must be a duration such as 1h", remote.node("refreshInterval"));
  return { kind: "remote", url, refreshMilliseconds };
}

function readLocal(node: ConfigNode, report: ReportProblem): KeySource | undefined {
  const local = fields(node, "`local`", ["data", "file", "pem"], report);
  if (local === undefined) return undefined;
  const [data, path, pem] = [local.text("data"), local.text("file"), local.flag("pem")];
  if ((local.node("data") === undefined) === (local.node("file") === undefined))
    return local.wrong("`local` must have either `data` or `file`");
  if (path !== undefined) return { kind: "file", path, pem };
  if (data === undefined) return undefined;
  const compact = data.replaceAll(/\s/g, "");
  // The value is not quoted: it may be a secret.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return local.wrong("`data` must be base64", local.node("data"));
  return { kind: "data", text: Buffer.from(compact, "base64").toString("utf8"), pem };
}

/** Prints a key set for a configuration file, with inline keys and the secrets of URLs masked. */
function printKeySet({ id, source, optionalAlg, optionalKid }: KeySetSetting): ConfigValue {
  return {
    id,
    ...(source.kind === "remote"
      ? { remote: { url: maskUrlSecrets(source.url), refreshInterval: printDuration(source.refreshMilliseconds) } }
      : { local: source.kind === "file" ? { file: source.path, pem: source.pem } : { data: mask, pem: source.pem } }),
    insecure: { optionalAlg, optionalKid },
  };
}
