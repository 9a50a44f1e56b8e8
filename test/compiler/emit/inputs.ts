/** Inputs whose attributes meet every branch of an expression: each kind of JSON value, missing ones, hostile names. */
import type { CheckInput } from "../../../runtime/decide/input.ts";

// Parsed, as requests are: `__proto__` is an own property here.
const attributes: readonly string[] = [
  `{}`,
  `{"n":5,"m":2.5,"s":"abc","t":"b","b":true,"c":false,"z":null,"l":["a","b",1,null],"o":{"k":1,"s":"x","l":[1,2]},"i":1}`,
  `{"n":"5","m":-1,"s":5,"t":"","b":"true","c":0,"z":false,"l":{"a":1,"b":[2]},"o":[1,"k"],"i":"0"}`,
  `{"n":0,"m":1e308,"s":"ab😀\\uffff","t":"😀","b":false,"c":true,"z":0,"l":[],"o":{},"i":0.5}`,
  `{"n":-0.0,"m":9007199254740993,"s":"","t":"abc","b":null,"c":[true],"z":"","l":[true,false],"o":{"k":null,"l":"x"},"i":-1}`,
  `{"n":null,"s":[1],"b":[],"l":"abc","o":null,"i":9223372036854775807}`,
  `{"n":true,"m":"x","s":{"length":3},"b":{},"l":[[1],[2]],"o":{"k":{"k":5}},"i":3}`,
  `{"__proto__":{"polluted":true,"n":5},"constructor":"c","toString":1,"length":2,"hasOwnProperty":true,"l":[{"__proto__":1}],"o":{"__proto__":"p","length":1}}`,
  `{"n":1,"l":["a","a",5,5.0],"o":{"0":"zero","a":"b"},"s":"2024-05-01T10:00:00Z","t":"1h","i":2}`,
];

/** One input for each set of attributes; the principal's are the next set. */
export const inputs: readonly CheckInput[] = attributes.map((text, at) => ({
  requestId: String(at),
  principal: {
    id: at % 2 === 0 ? "ann" : "abc",
    roles: at % 3 === 0 ? ["user"] : ["user", "manager"],
    attr: JSON.parse(attributes[(at + 1) % attributes.length] ?? "{}"),
    ...(at % 2 === 0 ? { policyVersion: "v1" } : { scope: "acme.hr" }),
  },
  resource: { kind: "expense", id: at % 2 === 0 ? "abc" : "x1", ...(at === 0 ? {} : { attr: JSON.parse(text) }) },
  actions: ["view"],
  ...(at % 3 === 1
    ? { auxData: { jwt: JSON.parse(text) } }
    : at % 3 === 2
      ? { auxData: { jwts: { main: { claims: JSON.parse(text) } } } }
      : {}),
}));
