/** Policy files as JSON. */

/** A policy file's content. */
export interface Document {
  readonly apiVersion: string;
  readonly [part: string]: Json;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Makes a document of one of the six kinds. */
export const document = (kind: string, content: Json, envelope: { readonly [part: string]: Json } = {}): Document => ({
  apiVersion: "api.authz.dev/v1",
  ...envelope,
  [kind]: content,
});
