/** Tries bundles in a realm as the server has it, in this process; and makes them of policies, and of programs that were changed. */
import { compile } from "../../compiler/index.ts";
import { programIdentity, unitDigest } from "../../compiler/emit/unit-digest.ts";
import { setDigest } from "../../compiler/pack.ts";
import type { Source } from "../../compiler/source.ts";
import type { Bundle, BundledUnit } from "../../runtime/bundle.ts";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { digest } from "../../src/texts/digest.ts";
import { texts } from "../runtime/sandbox/open.ts";

const usual = openRealm(texts);

/** What comes of a trial: "" or why it was refused. */
export function tryOut(bundle: Bundle, realm = usual): string {
  try {
    realm.openTrial(JSON.stringify(bundle));
  } catch (error) {
    return String(error);
  }
  for (;;) {
    const said = realm.tryNext();
    if (said === "" || said.startsWith("!")) return said.slice(1);
  }
}

/** Compiles policies; throws when they do not. */
export function bundleOf(...policies: readonly string[]): Bundle {
  const sources = policies.map((text, index): Source => ({ path: `${index}.yaml`, text }));
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return compiled.bundle;
}

/** The bundle with every program, and every unit, changed: as somebody would build it, with digests that fit. */
export function rebuilt(
  { manifest, shapes, units }: Bundle,
  change: { readonly program?: (text: string) => string; readonly unit?: (unit: BundledUnit) => BundledUnit },
): Bundle {
  const names = new Map<string, string>();
  const changed: { [digest: string]: string } = {};
  for (const [name, text] of Object.entries(shapes)) {
    const program = change.program?.(text) ?? text;
    names.set(name, digest(program));
    changed[digest(program)] = program;
  }
  const built = units.map((unit): BundledUnit => {
    const one = { ...(change.unit?.(unit) ?? unit), shape: names.get(unit.shape) ?? unit.shape };
    // Each name stays where it stood.
    return { ...one, digest: unitDigest(one, programIdentity(one, digest), digest) };
  });
  return { manifest: { ...manifest, digest: setDigest(Object.keys(changed), built, digest) }, shapes: changed, units: built };
}
