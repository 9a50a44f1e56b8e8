/** How settings come into the realm. */
import { expect, test } from "vitest";
import { Uint } from "../../../runtime/cel/value.ts";
import { defaultSettings, readSettings } from "../../../runtime/sandbox/settings.ts";

test.each([
  ["nothing said", "{}", {}],
  ["a limit", '{"maxActionsPerResource":5}', { maxActionsPerResource: 5 }],
  ["a default and a switch", '{"defaultScope":"acme","strictEvaluation":true}', { defaultScope: "acme", strictEvaluation: true }],
  [
    "globals that JSON can say",
    '{"globals":{"environment":"test","ratio":0.5,"list":[1,null]}}',
    { globals: { environment: "test", ratio: 0.5, list: [1, null] } },
  ],
  ["globals that it cannot", '{"globals":{"n":{"int":"6"},"u":{"uint":"7"}}}', { globals: { n: 6n, u: new Uint(7n) } }],
])("%s", (_what, text, said) => {
  expect(readSettings(text)).toEqual({ ...defaultSettings, ...said });
});
