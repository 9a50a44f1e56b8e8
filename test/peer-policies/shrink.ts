/** Makes a store and a request smaller, as long as they still differ. */
import type { Entry, Json, Policy, Request, Scoped, Store } from "./store.ts";

/** One store and one request with a difference. */
export interface Subject {
  readonly store: Store;
  readonly request: Request;
}

/** Tries smaller subjects, at most so many, and keeps those that still differ. */
export async function shrink(subject: Subject, differs: (smaller: Subject) => Promise<boolean>, tries = 400): Promise<Subject> {
  let current = subject;
  let left = tries;
  let progress = true;
  while (progress && left > 0) {
    progress = false;
    for (const make of steps) {
      // Halves first, then single parts; a part that can go is not looked at again.
      for (let index = 0; left > 0;) {
        const smaller = make(current, index);
        if (smaller === undefined) break;
        if (smaller.store.files.length === 0) {
          index++;
          continue;
        }
        left--;
        if (await differs(smaller)) {
          current = smaller;
          progress = true;
        } else index++;
      }
    }
  }
  return current;
}

/** The subject without its part of that number; undefined when there are not so many parts. */
type Step = (subject: Subject, index: number) => Subject | undefined;

const without = <T>(from: readonly T[], start: number, count = 1): readonly T[] => [...from.slice(0, start), ...from.slice(start + count)];

const withEntries = ({ store, request }: Subject, resources: readonly Entry[]): Subject => ({ store, request: { ...request, resources } });

const dropEntries: Step = (subject, index) => {
  const { resources } = subject.request;
  const entry = resources[index];
  return entry === undefined || resources.length === 1 ? undefined : withEntries(subject, [entry]);
};

const dropFileRuns =
  (share: number): Step =>
  ({ store, request }, index) => {
    const run = Math.max(1, Math.floor(store.files.length / share));
    const start = index * run;
    return start >= store.files.length ? undefined : { store: { ...store, files: without(store.files, start, run) }, request };
  };

/** A policy that is there, and says nothing. */
const emptyFile: Step = ({ store, request }, index) => {
  const file = store.files[index];
  if (file === undefined) return undefined;
  const { resourcePolicy, principalPolicy, rolePolicy } = file.policy;
  const scoped = ({ version, scope, scopePermissions }: Scoped): Scoped => ({
    ...(version !== undefined && { version }),
    ...(scope !== undefined && { scope }),
    ...(scopePermissions !== undefined && { scopePermissions }),
  });
  const policy: Policy = {
    ...(resourcePolicy && { resourcePolicy: { resource: resourcePolicy.resource, ...scoped(resourcePolicy), rules: [] } }),
    ...(principalPolicy && { principalPolicy: { principal: principalPolicy.principal, ...scoped(principalPolicy), rules: [] } }),
    ...(rolePolicy && { rolePolicy: { role: rolePolicy.role, ...scoped(rolePolicy), rules: [] } }),
  };
  // Nothing to be gained, and not to be tried again and again.
  if (Object.keys(policy).length === 0 || JSON.stringify(policy) === JSON.stringify(file.policy))
    return { store: { ...store, files: [] }, request };
  return { store: { ...store, files: store.files.map((other, at) => (at === index ? { style: "block", policy } : other)) }, request };
};

const dropAction: Step = (subject, index) => {
  const [entry, ...others] = subject.request.resources;
  if (entry === undefined || entry.actions.length < 2 || index >= entry.actions.length) return undefined;
  return withEntries(subject, [{ ...entry, actions: without(entry.actions, index) }, ...others]);
};

const dropRole: Step = ({ store, request }, index) => {
  const { principal } = request;
  if (principal.roles.length < 2 || index >= principal.roles.length) return undefined;
  return { store, request: { ...request, principal: { ...principal, roles: without(principal.roles, index) } } };
};

/** Any part of any file: a rule, a condition, a term, a variable. What the two then refuse does not differ. */
const dropPart: Step = ({ store, request }, index) => {
  const places = store.files.flatMap((file, at) => placesOf(file.policy).map((path) => [at, ...path]));
  const place = places[index];
  if (place === undefined) return undefined;
  const [at, ...path] = place;
  const files = store.files.map((file, number) => {
    if (number !== at) return file;
    // A true edge: a policy with a part less is a policy, or what both sides refuse.
    return { ...file, policy: takeAway(file.policy, path) as typeof file.policy };
  });
  return { store: { ...store, files }, request };
};

const dropAttribute: Step = (subject, index) => {
  const { store, request } = subject;
  const [entry, ...others] = request.resources;
  if (entry === undefined) return undefined;
  const own = Object.keys(entry.resource.attr ?? {});
  const theirs = Object.keys(request.principal.attr ?? {});
  const [ownName, theirName] = [own[index], theirs[index - own.length]];
  const rest = (attributes: { readonly [name: string]: Json } | undefined, name: string): { readonly [name: string]: Json } =>
    Object.fromEntries(Object.entries(attributes ?? {}).filter(([key]) => key !== name));
  if (ownName !== undefined) {
    const resource = { ...entry.resource, attr: rest(entry.resource.attr, ownName) };
    return withEntries(subject, [{ ...entry, resource }, ...others]);
  }
  if (theirName === undefined) return undefined;
  return { store, request: { ...request, principal: { ...request.principal, attr: rest(request.principal.attr, theirName) } } };
};

const steps: readonly Step[] = [
  dropEntries,
  dropFileRuns(2),
  dropFileRuns(4),
  emptyFile,
  dropFileRuns(1000),
  dropFileRuns(1000),
  dropAction,
  dropRole,
  dropPart,
  dropAttribute,
];

/** What no policy, rule or condition is without. */
const required: ReadonlySet<string> = new Set([
  "rules",
  "actions",
  "allowActions",
  "resource",
  "definitions",
  "match",
  "of",
  "name",
  "effect",
]);

type Path = readonly (string | number)[];

/** Whatever stands in a list or under a name, outer parts first. */
function placesOf(value: Json): readonly Path[] {
  const parts: readonly (readonly [string | number, Json])[] = isList(value)
    ? value.map((part, index) => [index, part] as const)
    : typeof value === "object" && value !== null
      ? Object.entries(value)
      : [];
  return [
    ...parts.map(([key]) => [key]).filter(([key]) => typeof key !== "string" || !required.has(key)),
    ...parts.flatMap(([key, part]) => placesOf(part).map((path) => [key, ...path])),
  ].toSorted((a, b) => a.length - b.length);
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function takeAway(value: Json, [key, ...rest]: Path): Json {
  if (isList(value))
    return rest.length === 0
      ? value.filter((_, index) => index !== key)
      : value.map((part, index) => (index === key ? takeAway(part, rest) : part));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      name !== key ? [[name, part]] : rest.length === 0 ? [] : [[name, takeAway(part, rest)]],
    ),
  );
}
