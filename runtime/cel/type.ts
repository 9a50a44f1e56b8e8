/** CEL types: how the checker infers them and `type(x)` returns them; constructors and printing. */

type SimpleKind = "dyn" | "error" | "null" | "bool" | "int" | "uint" | "double" | "string" | "bytes" | "timestamp" | "duration";

/** A type. `error` is the type of an expression whose error has been reported already. */
export type Type =
  | { readonly kind: SimpleKind }
  | { readonly kind: "list"; readonly element: Type }
  | { readonly kind: "map"; readonly key: Type; readonly value: Type }
  /** The type of a type value: `type(1)` has type `type(int)`. */
  | { readonly kind: "type"; readonly of?: Type }
  /** A type parameter of a function declaration: `A` in `list<A>`. */
  | { readonly kind: "parameter"; readonly name: string }
  /** A type identified by its name: `optional_type<A>`, `hierarchy`, `net.IP`. */
  | { readonly kind: "opaque"; readonly name: string; readonly parameters: readonly Type[] }
  /** A message with declared fields: `request`, `R`, `runtime`. */
  | { readonly kind: "message"; readonly name: string };

const simple = <K extends SimpleKind>(kind: K) => ({ kind }) as const;

/** The simple types, and constructors of the others. */
export const dyn = simple("dyn");
export const errorType = simple("error");
export const nullType = simple("null");
export const bool = simple("bool");
export const int = simple("int");
export const uint = simple("uint");
export const double = simple("double");
export const string = simple("string");
export const bytes = simple("bytes");
export const timestamp = simple("timestamp");
export const duration = simple("duration");
export const listOf = (element: Type) => ({ kind: "list", element }) as const;
export const mapOf = (key: Type, value: Type) => ({ kind: "map", key, value }) as const;
export const typeOf = (of?: Type): { readonly kind: "type"; readonly of?: Type } =>
  of === undefined ? { kind: "type" } : { kind: "type", of };
export const parameter = (name: string) => ({ kind: "parameter", name }) as const;
export const opaque = (name: string, ...parameters: readonly Type[]) => ({ kind: "opaque", name, parameters }) as const;
export const message = (name: string) => ({ kind: "message", name }) as const;
export const optionalOf = (of: Type) => opaque("optional_type", of);

/** Prints a type in CEL notation: `list(int)`, `map(string, dyn)`, `type(int)`, `optional_type(A)`. */
export function printType(type: Type): string {
  switch (type.kind) {
    case "list":
      return `list(${printType(type.element)})`;
    case "map":
      return `map(${printType(type.key)}, ${printType(type.value)})`;
    case "type":
      return type.of === undefined ? "type" : `type(${printType(type.of)})`;
    case "parameter":
      return type.name;
    case "opaque":
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(printType).join(", ")})`;
    case "message":
      return type.name;
    case "null":
    case "dyn":
    case "error":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "timestamp":
    case "duration":
      return type.kind;
  }
}
