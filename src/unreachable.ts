/** What the errors of a connection mean, in words: Node, OpenSSL and grpc-js say it in theirs. */

/** Returns what an error means whoever connects; undefined where nothing better is known than its text. */
export const meaningOf = (said: string): string | undefined => meanings.find(([pattern]) => pattern.test(said))?.[1];

/** Returns whether the other side ended the connection without a word. Breaking off a handshake produces only these errors. */
export const hungUp = (said: string): boolean =>
  /ECONNRESET|Connection dropped|socket hang up|Protocol error|Failed to connect/i.test(said);

/** Returns an error's text in one line, without what grpc-js puts around it. */
export const plainText = (said: string): string =>
  said
    .replaceAll(/\s+/g, " ")
    .replace(/\. Last error: null\b/, "")
    .replace(/No connection established\. Last error: (?:Error: )?/, "")
    .replace(/\.? Resolution note:.*$/, "")
    .trim();

const meanings: readonly (readonly [said: RegExp, meaning: string])[] = [
  [/certificate has expired/i, "its certificate has expired"],
  [
    /unable to verify|self[- ]signed|unable to get (?:local )?issuer/i,
    "its certificate is not signed by a trusted authority (--ca-cert names one to trust)",
  ],
  [/altnames|Hostname\/IP does not match/i, "its certificate is for another name"],
  [/ECONNREFUSED/, "nothing listens there"],
  [/ENOENT/, "there is no such socket"],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, "its name is not known"],
];
