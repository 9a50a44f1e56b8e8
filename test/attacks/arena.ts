/** One realm under attack: what an attack got, and what it did to the host and to the other units. */
import { setImmediate } from "node:timers/promises";
import { invariant } from "../../runtime/cel/error.ts";
import { openRealm, type Realm, type RealmTexts } from "../../runtime/sandbox/realm.ts";
import { differences, survey } from "./host.ts";
import { afresh, attackedBy, honestBundle, settings, toAttacker, toBoth, toHonest } from "./policy-set.ts";

/** A realm in which programs are tried. */
export interface Arena {
  /** Asks the unit that has this program. */
  readonly ask: (program: string) => string;
  /** Asks the others as well, beside it and after it, and looks at the host. */
  readonly harmBy: (program: string, places?: ReadonlySet<string>) => Promise<readonly string[]>;
  readonly close: () => void;
}

/** What is not the attacked unit's own in an answer: the results of honest resources, and what was asked, as the record has it. */
function othersPart(answer: string): string {
  const [reply = "", record = ""] = answer.slice(1).split("\n");
  // A unit that fails, or costs too much, may end the check that it is part of; what says so must be readable.
  if (answer[0] !== "0") return ended + (JSON.parse(reply) && "");
  const { results = [] }: { readonly results?: readonly { readonly resource: { readonly kind: string } }[] } = JSON.parse(reply);
  const { checkResources }: { readonly checkResources: { readonly inputs: unknown } } = JSON.parse(record.slice(record.indexOf(" ")));
  return JSON.stringify([answer[0], results.length, results.filter(({ resource }) => resource.kind === "note"), checkResources.inputs]);
}

const ended = "the check was ended";

const readable = (answer: string): string => {
  try {
    return othersPart(answer);
  } catch {
    return `no answer of ours: ${answer.slice(0, 300)}`;
  }
};

/** Opens a realm with the honest set, and notes what that answers. */
export function openArena(texts: RealmTexts): Arena {
  let realm: Realm = openRealm(texts);
  let turn = 0;
  realm.configure(settings);
  const check = (body: string): string => realm.checkResources(body, "CALL", 0);
  const load = (bundle: object): void => realm.load(JSON.stringify(bundle));
  load(honestBundle);
  const usual = toHonest.map(check);
  const usualBeside = toBoth.map((body) => readable(check(body)));

  invariant(
    [...usual, ...usualBeside].every((answer) => /^(?:0|\["0")/.test(answer)),
    "the honest set decides before it is attacked",
  );

  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(typeof reason);
  process.on("unhandledRejection", onRejection);

  const harmBy = async (program: string, places?: ReadonlySet<string>): Promise<readonly string[]> => {
    const before = survey();
    const harm: string[] = [];
    const compare = (when: string, wanted: readonly string[], got: readonly string[]): void =>
      got.forEach((answer, at) => {
        if (answer !== wanted[at] && (answer !== ended || when.startsWith("after")))
          harm.push(`${when}: ${firstDifference(wanted[at] ?? "", answer)}`);
      });
    load(attackedBy(program, places));
    check(toAttacker);
    compare(
      "beside it another unit answers otherwise",
      usualBeside,
      toBoth.map((body) => readable(check(body))),
    );
    compare("after it another unit answers otherwise", usual, toHonest.map(check));
    try {
      load(afresh((turn += 1)));
      compare("after it the next policies answer otherwise", usual, toHonest.map(check));
      compare(
        "after it the next policies answer otherwise",
        usualBeside,
        toBoth.map((body) => readable(check(body))),
      );
    } catch (error) {
      harm.push(`after it no policies can be loaded: ${error instanceof Error ? error.message : "something was thrown"}`);
    }
    await setImmediate();
    if (rejections.length > 0) harm.push("the host was handed a rejected promise");
    rejections.length = 0;
    for (const place of differences(before, survey())) harm.push(`the host is changed: ${place}`);
    if (harm.length > 0) {
      // The next attack finds a realm that nobody has touched.
      realm = openRealm(texts);
      realm.configure(settings);
      load(honestBundle);
    }
    return harm;
  };

  return {
    ask(program) {
      load(attackedBy(program));
      return check(toAttacker);
    },
    harmBy,
    close: () => void process.off("unhandledRejection", onRejection),
  };
}

/** Where two texts part, with a little of what stands around. */
function firstDifference(wanted: string, got: string): string {
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at += 1;
  return `${JSON.stringify(got.slice(Math.max(0, at - 40), at + 60))} instead of ${JSON.stringify(wanted.slice(Math.max(0, at - 40), at + 60))}`;
}
