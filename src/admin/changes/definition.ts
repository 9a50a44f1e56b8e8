/** Is a text the definition of a schema? Judged among the other schemas of the store. */
import { positionOf } from "../../../runtime/wire/position.ts";
import { scanJson } from "../../../runtime/wire/scan.ts";
import { messageOf } from "../../refusal.ts";
import { readDocument, type SchemaDocument } from "../../schemas/document.ts";
import { defaultDialect } from "../../schemas/dialects.ts";
import { loadSchema, type SchemaFiles, type SchemaPlaces } from "../../schemas/load.ts";
import { compileSchema } from "../../schemas/validator.ts";

/** Nobody is asked: a definition is judged by what is here. */
const nobody: SchemaPlaces["fetchText"] = () => new Promise(() => undefined);

/** Says what is wrong with the definition that `files` has for an id, and where; undefined when nothing is. A reference to a schema that is not there yet is fine (D13). */
export function definitionProblem(id: string, files: SchemaFiles, places: Omit<SchemaPlaces, "fetchText">): string | undefined {
  const text = files.get(id) ?? "";
  const url = `authz:///${id.split("/").map(encodeURIComponent).join("/")}`;
  // Before anything else: a name given twice is read by one parser as the first, by another as the last.
  const malformed = scanJson(text);
  if (malformed !== undefined) return `${positionOf(text, malformed.offset)}: ${malformed.sentence}`;
  let document: SchemaDocument;
  try {
    document = readDocument(text, url, undefined);
    if (typeof document.schema === "boolean") return "it must be a JSON object";
  } catch (error) {
    return messageOf(error);
  }
  const alone = problemAlone(url, document);
  if (alone !== undefined || document.references.length === 0) return alone;
  // Ids without the ending of a schema's file have no URL that leads to them.
  if (!/\.json$/i.test(id)) return undefined;
  const loaded = loadSchema(url, files, { ...places, allowRefs: [...new Set([...places.allowRefs, "store" as const])], fetchText: nobody });
  if (loaded instanceof Promise || loaded.kind === "usable") return undefined;
  return [...loaded.files.values()].includes(undefined) ? undefined : loaded.reason;
}

/** What is wrong with a document whatever the others are. */
function problemAlone(url: string, document: SchemaDocument): string | undefined {
  try {
    compileSchema(url, [document], document.dialect ?? defaultDialect);
    return undefined;
  } catch (error) {
    // The validator's error for a reference names the document it leads to.
    const elsewhere = error instanceof Error && "missingSchema" in error && error.missingSchema !== url;
    return elsewhere ? undefined : messageOf(error);
  }
}
