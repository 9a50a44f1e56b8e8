/** A CheckResources request as the bytes of its message, made by hand: names that a library would stumble over stay what they are. */
import { part, tag, varint } from "./protobuf.ts";

/** Attributes by name; a list of pairs may have a name twice, and an order. */
export type Attributes = readonly (readonly [name: string, value: unknown])[];

/** Who asks, about what. */
export interface Asked {
  readonly principal: { readonly id: string; readonly roles: readonly string[]; readonly attr?: Attributes };
  readonly resources: readonly {
    readonly actions: readonly string[];
    readonly resource: { readonly kind: string; readonly id: string; readonly attr?: Attributes };
  }[];
  readonly jwts?: readonly (readonly [name: string, token: string])[];
}

/** Prints the request as JSON text. */
export function requestText({ principal, resources, jwts }: Asked): string {
  const withAttr = ({ attr, ...rest }: { readonly attr?: Attributes }): string =>
    `${JSON.stringify(rest).slice(0, -1)}${attr === undefined ? "" : `,"attr":${objectText(attr)}`}}`;
  const entries = resources.map(({ actions, resource }) => `{"actions":${JSON.stringify(actions)},"resource":${withAttr(resource)}}`);
  const tokens = jwts?.map(([name, token]) => `${JSON.stringify(name)}:${JSON.stringify({ token })}`);
  return `{"principal":${withAttr(principal)},"resources":[${entries.join()}]${tokens === undefined ? "" : `,"auxData":{"jwts":{${tokens.join()}}}`}}`;
}

/** Prints an object from its entries, as they are. */
export const objectText = (entries: Attributes): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;

/** Writes the request as a message. */
export function requestMessage({ principal, resources, jwts }: Asked): Buffer {
  const attributes = (attr: Attributes = []): Buffer =>
    Buffer.concat(attr.map(([name, value]) => part(4, entry(name, valueMessage(value)))));
  return Buffer.concat([
    part(3, Buffer.concat([part(1, principal.id), ...principal.roles.map((role) => part(3, role)), attributes(principal.attr)])),
    ...resources.map(({ actions, resource }) =>
      part(
        4,
        Buffer.concat([
          ...actions.map((action) => part(1, action)),
          part(2, Buffer.concat([part(1, resource.kind), part(3, resource.id), attributes(resource.attr)])),
        ]),
      ),
    ),
    ...(jwts === undefined ? [] : [part(5, Buffer.concat(jwts.map(([name, token]) => part(2, entry(name, part(1, token))))))]),
  ]);
}

const entry = (key: string, value: Uint8Array): Buffer => Buffer.concat([part(1, key), part(2, value)]);

/** Writes a google.protobuf.Value. */
export function valueMessage(value: unknown): Buffer {
  if (value === null) return Buffer.concat([tag(1, 0), varint(0)]);
  if (typeof value === "number") return numberMessage(value);
  if (typeof value === "string") return part(3, value);
  if (typeof value === "boolean") return Buffer.concat([tag(4, 0), varint(value ? 1 : 0)]);
  if (Array.isArray(value)) return part(6, Buffer.concat(value.map((item) => part(1, valueMessage(item)))));
  return part(5, Buffer.concat(Object.entries(value ?? {}).map(([name, inner]) => part(1, entry(name, valueMessage(inner))))));
}

function numberMessage(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(2, 1), bytes]);
}
