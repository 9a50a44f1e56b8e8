/** Checks whether a string is a valid schema definition, given the other schemas of the store. */
import { printJsonMistake } from "../../../runtime/wire/json-mistake.ts";
import { scanJson } from "../../../runtime/wire/scan.ts";
import { messageOf } from "../../refusal.ts";
import { readDocument, type SchemaDocument } from "../../schemas/document.ts";
import { defaultDialect } from "../../schemas/dialects.ts";
import { loadSchema, type SchemaFiles, type SchemaPlaces } from "../../schemas/load.ts";
import { compileSchema } from "../../schemas/validator.ts";

/** Fetches nothing: definitions are checked against the store only. */
const nobody: SchemaPlaces["fetchText"] = () => new Promise(() => undefined);

/**
 * Returns what is wrong with the definition of an id in `files`, and where; undefined when it is valid. References to schemas that do
 * not exist yet are allowed (D13).
 */
export function definitionProblem(id: string, files: SchemaFiles, places: Omit<SchemaPlaces, "fetchText">): string | undefined {
  const text = files.get(id) ?? "";
  const url = `authz:///${id.split("/").map(encodeURIComponent).join("/")}`;
  // Checked first, because JSON parsers disagree on duplicate names.
  const malformed = scanJson(text);
  if (malformed !== undefined) return printJsonMistake(text, malformed);
  let document: SchemaDocument;
  try {
    document = readDocument(text, url, undefined);
    if (typeof document.schema === "boolean") return "it must be a JSON object";
  } catch (error) {
    return messageOf(error);
  }
  const alone = problemAlone(url, document);
  if (alone !== undefined || document.references.length === 0) return alone;
  // Without the extension, no URL leads to the schema.
  if (!/\.json$/i.test(id)) return undefined;
  const loaded = loadSchema(url, files, { ...places, allowRefs: [...new Set([...places.allowRefs, "store" as const])], fetchText: nobody });
  if (loaded instanceof Promise || loaded.kind === "usable") return undefined;
  return [...loaded.files.values()].includes(undefined) ? undefined : loaded.reason;
}

/** Returns what is wrong with a document by itself. */
function problemAlone(url: string, document: SchemaDocument): string | undefined {
  try {
    compileSchema(url, [document], document.dialect ?? defaultDialect);
    return undefined;
  } catch (error) {
    // An error about a reference names the document that it leads to.
    const elsewhere = error instanceof Error && "missingSchema" in error && error.missingSchema !== url;
    return elsewhere ? undefined : messageOf(error);
  }
}
