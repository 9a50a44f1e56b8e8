/** The areas that can be run, in the manifest's order. */
import type { Area } from "../area.ts";
import { auxdata } from "./auxdata.ts";
import { celSpec } from "./cel-spec.ts";
import { cel } from "./cel.ts";
import { compile } from "./compile.ts";
import { engine } from "./engine.ts";
import { inspect } from "./inspect.ts";
import { parser } from "./parser.ts";
import { policyFormats } from "./policy-formats.ts";
import { policyIndex } from "./policy-index.ts";
import { schema } from "./schema.ts";
import { server } from "./server.ts";
import { verify } from "./verify.ts";

export const areas: readonly Area[] = [
  engine,
  cel,
  compile,
  parser,
  policyIndex,
  policyFormats,
  schema,
  auxdata,
  inspect,
  verify,
  server,
  celSpec,
];
