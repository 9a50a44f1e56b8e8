/** Which headers of a call an entry records: none, unless the configuration names some to include or to leave out. */
import type { CallHeaders } from "../server/calls/call.ts";

/** Writes the `metadata` of an entry, with a leading comma; "" when there is none. */
export type ReadMetadata = (headers: CallHeaders) => string;

/** What lets somebody in is never recorded, whoever asks for it. */
const secret: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie", "grpc-trace-bin"]);

/** Decides once what is recorded: the included ones, or all when only left-out ones are named, without those. */
export function metadataReader(include: readonly string[], exclude: readonly string[]): ReadMetadata {
  if (include.length === 0 && exclude.length === 0) return () => "";
  const included = new Set(include.map(lowerCase));
  const excluded = new Set(exclude.map(lowerCase));
  const records = (name: string): boolean => !secret.has(name) && (included.size === 0 || included.has(name)) && !excluded.has(name);
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
