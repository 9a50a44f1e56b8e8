/**
 * Builds an evaluator from units whose programs are functions already, for built modules, where no text may become
 * program.
 */
import { openContent } from "../unit-content.ts";
import type { BundledUnit } from "../bundle.ts";
import { openPatternsOf } from "../decide/patterns.ts";
import type { Evaluator } from "../decide/decision.ts";
import { openEvaluator } from "../decide/evaluator.ts";
import { indexUnits } from "../decide/policy-index.ts";
import type { Pricing } from "../decide/pricing.ts";
import { unmeasured } from "../decide/prices.ts";
import { openUnit } from "../open-unit.ts";
import type { Factory } from "../unit-content.ts";

/** These programs are not measured, because whoever runs them trusts their origin. */
const unpriced: Pricing = { ofProgram: () => unmeasured, ofPolicy: (price) => price };

/** Builds an evaluator from units and the factories of their shapes. */
export const assemble = (units: readonly (readonly [unit: BundledUnit, factory: Factory])[]): Evaluator =>
  openEvaluator(
    indexUnits(
      units.map(([unit, factory]) =>
        openUnit(unit, () =>
          openContent(
            unit,
            { factory: () => factory, patterns: openPatternsOf, readsDerivedRoles: () => true, hasOutputs: () => true },
            unpriced,
          ),
        ),
      ),
    ),
  );
