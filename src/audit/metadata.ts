/** Selects the headers of a call that entries record: none, unless the configuration includes or excludes some by name. */
import type { CallHeaders } from "../server/calls/call.ts";

/** Returns the `metadata` field of an entry, with a leading comma; "" when there is none. */
export type ReadMetadata = (headers: CallHeaders) => string;

/** Credentials are never recorded, whatever the configuration says. */
const secretHeader: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie", "grpc-trace-bin"]);

/** Compiles the selection: the included headers, or all if only exclusions are configured; without the excluded ones. */
export function metadataReader(include: readonly string[], exclude: readonly string[]): ReadMetadata {
  if (include.length === 0 && exclude.length === 0) return () => "";
  const included = new Set(include.map(lowerCase));
  const excluded = new Set(exclude.map(lowerCase));
  const records = (name: string): boolean => !secretHeader.has(name) && (included.size === 0 || included.has(name)) && !excluded.has(name);
  return (headers) => {
    let text = "";
    for (const [header, values] of headers.entries()) {
      const name = lowerCase(header);
      if (records(name)) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:{"values":${JSON.stringify(values)}}`;
    }
    return text === "" ? "" : `,"metadata":{${text}}`;
  };
}

const lowerCase = (name: string): string => name.toLowerCase();
