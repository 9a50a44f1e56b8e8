/** What the reference 0.51.0 does not have yet, function by function (D44, semantics section 11, row "CEL"). */
import type { FunctionRow } from "../../runtime/cel/declare.ts";
import { functionRows } from "../../runtime/cel/functions/index.ts";
import type { Type } from "../../runtime/cel/type.ts";

const names: ReadonlySet<string> = new Set([
  "json.encode",
  "first",
  "last",
  "isIP",
  "isCIDR",
  "ip.isCanonical",
  "ip",
  "cidr",
  "basePath",
  "dirPath",
  "extPath",
  "joinPath",
  "pathHasPrefix",
  "pathMatch",
  "pathMatchAnyOf",
  "relPath",
  "volumeName",
]);
const families = /^(?:sets|regex|optional)\./;
const types: ReadonlySet<string> = new Set(["optional_type", "net.IP", "net.CIDR"]);

function mentions(type: Type): boolean {
  if (type.kind === "list") return mentions(type.element);
  if (type.kind === "map") return mentions(type.key) || mentions(type.value);
  return type.kind === "opaque" && types.has(type.name);
}

/** Says whether the reference lacks an overload. */
export const isLacking = ({ name, parameters, result }: FunctionRow): boolean =>
  names.has(name) || families.test(name) || [...parameters, result].some(mentions) || name === "_?._";

/** What it has. */
export const presentRows: readonly FunctionRow[] = functionRows.filter((row) => !isLacking(row));

/** Names of functions that it has in no form. */
export const lackingNames: readonly string[] = [...new Set(functionRows.filter(isLacking).map(({ name }) => name))].filter(
  (name) => /^[a-zA-Z]/.test(name) && !presentRows.some((row) => row.name === name),
);
