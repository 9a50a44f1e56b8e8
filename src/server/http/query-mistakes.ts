/** Finds mistakes in the query of a URL: broken escapes, and names that are almost those of a parameter. Other unknown names are ignored (wire 2.2). */
import type { DescMessage } from "@bufbuild/protobuf";
import { nearest } from "../../../runtime/nearest.ts";
import { inBackticks } from "../../../runtime/wire/position.ts";
import { isText } from "./http-query.ts";

/** Returns why a query is refused before it is converted; undefined when it is not refused. */
export function queryMistakeIn(message: DescMessage, url: string): string | undefined {
  const at = url.indexOf("?");
  const parts = at === -1 ? [] : url.slice(at + 1).split("&");
  for (const part of parts) {
    const name = decoded(part.split("=", 1)[0] ?? "");
    if (name === undefined || decoded(part) === undefined)
      return `the query cannot be read: ${inBackticks(part)} is not UTF-8 text with the escapes of URLs`;
    const mistake = mistakeInName(message, name.split("."));
    if (mistake !== undefined) return `unknown parameter ${inBackticks(name)}: ${mistake}`;
  }
  return undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/**
 * Returns a hint for a name that is almost that of a parameter. Ignoring a misspelt filter or limit would change what the call does: it
 * would list all policies, or keep no revision.
 */
function mistakeInName(message: DescMessage, [name = "", ...rest]: readonly string[], before = ""): string | undefined {
  const field = message.fields.find((each) => each.jsonName === name || each.name === name);
  if (field !== undefined) {
    const isDivided = rest.length > 0 && field.fieldKind === "message" && !isText(field.message);
    return isDivided ? mistakeInName(field.message, rest, `${before}${name}.`) : undefined;
  }
  if (before === "" && name === "pretty") return undefined;
  const bare = name.replace(/\[[^\]]*\]$/, "");
  const known = message.fields.map(({ jsonName }) => jsonName);
  const near = known.find((each) => each === bare) ?? nearest(bare, known);
  return near === undefined ? undefined : `did you mean \`${before}${near}\`?`;
}
