/** The areas that can be run, in the manifest's order. */
import type { Area } from "../area.ts";
import { celSpec } from "./cel-spec.ts";
import { cel } from "./cel.ts";
import { compile } from "./compile.ts";

import { parser } from "./parser.ts";
import { policyFormats } from "./policy-formats.ts";
import { policyIndex } from "./policy-index.ts";

export const areas: readonly Area[] = [cel, compile, parser, policyIndex, policyFormats, celSpec];
