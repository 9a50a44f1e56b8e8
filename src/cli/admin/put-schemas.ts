/** Uploads schemas from files to the store. */
import { printJsonMistake } from "../../../runtime/wire/json-mistake.ts";
import { scanJson } from "../../../runtime/wire/scan.ts";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { count } from "../../count.ts";
import { refusal } from "../../refusal.ts";
import { unsafeSchemaId } from "../../store/safe-names.ts";
import { usageError } from "../command.ts";
import { withClient, type AdminContext } from "./connection.ts";
import { printFailure, type Detail } from "./failure.ts";
import { findFiles, readText, standardInput, type FoundFile } from "./find-files.ts";
import { printable } from "./printable.ts";
import { sendBatches } from "./send-batches.ts";

interface PutSchemasOptions {
  readonly isRecursive: boolean;
  /** The id, when a single schema is uploaded. */
  readonly id: string | undefined;
}

interface LocalSchema {
  readonly id: string;
  readonly path: string;
  readonly definition: Uint8Array;
}

const folder = /^_schemas\//;

/** Uploads the schemas that paths stand for. */
export async function putSchemas(context: AdminContext, paths: readonly string[], { isRecursive, id }: PutSchemasOptions): Promise<void> {
  const files = await findFiles(paths, isRecursive);
  const selected = schemasAmong(files);
  if (id !== undefined && (selected.length !== 1 || selected[0]?.isNamed !== true))
    usageError(context.command, "--id names one schema: give one file, or -");
  if (id === undefined && selected.some(({ path }) => path === "-"))
    usageError(context.command, "a schema from standard input needs a name: give it with --id");
  const schemas = await readAllOf(context, selected, id);
  await withClient(context, async ({ tryCall }) => {
    const { accepted, refused } = await sendBatches({
      items: schemas,
      bytesOf: ({ definition }) => definition.length,
      rankOf: () => 0,
      send: (batch) =>
        tryCall(AuthzAdminService.method.addOrUpdateSchema, { schemas: batch.map(({ id, definition }) => ({ id, definition })) }),
    });
    if (refused !== undefined) {
      const details = refused.failure.details.map((detail) => withFile(detail, refused.batch));
      const done = accepted === 0 ? "nothing was uploaded" : `${accepted} of ${schemas.length} schemas were uploaded before`;
      throw refusal(`${printFailure({ ...refused.failure, details })}\n${done}`);
    }
    context.line.out(`Uploaded: ${accepted}\nIgnored: ${files.filter((file) => isJson(file) && !selected.includes(file)).length}\n`);
  });
}

const isJson = ({ relativePath }: FoundFile): boolean => /\.json$/i.test(relativePath);

/** Returns the files that are schemas. If a directory contains `_schemas`, as stores do, only files in there are. */
function schemasAmong(files: readonly FoundFile[]): readonly FoundFile[] {
  const rootOf = ({ path, relativePath }: FoundFile): string => path.slice(0, path.length - relativePath.length);
  const withFolder = new Set(files.filter(({ relativePath }) => folder.test(relativePath)).map(rootOf));
  return files.filter((file) => file.isNamed || (isJson(file) && (folder.test(file.relativePath) || !withFolder.has(rootOf(file)))));
}

async function readAllOf(
  { line, tty }: AdminContext,
  files: readonly FoundFile[],
  id: string | undefined,
): Promise<readonly LocalSchema[]> {
  const problems: string[] = [];
  const schemas = new Map<string, LocalSchema>();
  for (const file of files) {
    const path = file.path === "-" ? standardInput : file.path;
    const read = await readText(file, tty.input);
    const schema = {
      id: id ?? file.relativePath.replace(folder, ""),
      path,
      definition: Buffer.from("text" in read ? read.text : "", "utf8"),
    };
    const problem = "problem" in read ? `: ${read.problem}` : problemOf(schema.id, read.text, schemas.get(schema.id));
    if (problem === undefined) schemas.set(schema.id, schema);
    else problems.push(`${path}${problem}`);
  }
  for (const problem of problems) line.err(`${printable(problem)}\n`);
  if (problems.length > 0) throw refusal(`${count(problems.length, "error")} in ${count(files.length, "file")}: nothing was uploaded`);
  return [...schemas.values()];
}

/** Returns what is wrong with a schema before it is sent, to print after the file's name. */
function problemOf(id: string, text: string, same: LocalSchema | undefined): string | undefined {
  const unsafe = unsafeSchemaId(id);
  if (unsafe !== undefined) return `: its id \`${id}\` ${unsafe}`;
  if (same !== undefined) return `: its id \`${id}\` is that of ${same.path} too`;
  const malformed = scanJson(text);
  return malformed === undefined ? undefined : `: ${printJsonMistake(text, malformed)}`;
}

function withFile({ path, message }: Detail, batch: readonly LocalSchema[]): Detail {
  const schema = batch[Number(/^schemas\[(\d+)\]/.exec(path)?.[1] ?? Number.NaN)];
  return schema === undefined ? { path, message } : { path: schema.path, message };
}
