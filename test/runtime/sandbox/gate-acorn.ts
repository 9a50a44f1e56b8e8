/** What acorn, which knows nothing of the emitter, finds in a program: every kind of node, name and shape that a unit has no business with. */
import { type AnyNode, type Identifier, type MemberExpression, type Node, parse, type Program } from "acorn";

/** Reads a text as one expression of a script, as the compartment does. */
export const parseProgram = (text: string): Program =>
  parse(`(${text}\n)`, { ecmaVersion: 2022, sourceType: "script", allowReserved: false, locations: true });

/** The texts that a compartment refuses wherever they stand, as ses looks for them. */
export const refusedBySes: readonly RegExp[] = [/\bimport(\s*(?:\(|\/[/*]))/, /(?:<!--|-->)/, /\beval(\s*\()/];

interface Scope {
  readonly around: Scope | undefined;
  /** Parameters, and the names of `const` and `let`, which are in force behind the place that declares them. */
  readonly names: Map<string, { readonly from: number; readonly kind: "const" | "let" | "parameter" }>;
  readonly isFunction: boolean;
}

const free = new Set(["undefined", "Set", "Map"]);
const wordsOfFrame = new Set(["rt", "k", "q", "of", "action", "roles", "kinds", "effect", "first"]);

const ofRt = new Set(
  `NONE ALLOW DENY load bare get owns select has index isIn sizeOf count readingOf record equal unequal less atMost greater atLeast not add
  subtract multiply divide remainder negate items some every someEntry everyEntry exists existsEntry all allEntry existsOne existsOneEntry map
  filter transformList transformMap transformMapEntry sortBy list mapOf bind typeNamed findOptional listWithOptionals mapWithOptionals
  optionalMap optionalFlatMap optionalOr optionalOrValue functionNamed overload glob listed noRoles rolesAmong`.split(/\s+/),
);
const ofQ = new Set(
  `P R G jwt principal resource principalVersion principalScope resourceVersion resourceScope effectiveDerivedRoles holds consider output hasRole
  record variable step`.split(/\s+/),
);
/** What asks and tells by the number of a question. */
const numbered = new Set(["q.holds", "q.consider", "q.output"]);
const methods = new Set(["has", "get", "push", "startsWith", "endsWith"]);

const pathsOfQ = new Set(["q.principal.id", "q.principal.roles", "q.resource.kind", "q.resource.id"]);

/** Says what is wrong with a program; nothing where all is in order. */
export function objections(program: Program): readonly string[] {
  const found: string[] = [];
  const object = (node: Node, what: string): void => void found.push(`${node.loc?.start.line}:${node.loc?.start.column} ${what}`);
  const calls = new Set<Node>();
  const counters = new Set<string>();
  /** Each `first` that stands where questions are counted from. */
  const firsts = new Set<Node>();
  /** How many questions what is being walked asks, each function that the factory declares, and all policies so far. */
  let asked = 0;
  const asks = new Map<string, number>();
  let taken = 0;

  const declare = (node: AnyNode, scope: Scope, from: number, kind: "const" | "let" | "parameter"): void => {
    if (node.type === "ArrayPattern") {
      for (const element of node.elements) if (element !== null) declare(element, scope, from, kind);
      return;
    }
    if (node.type !== "Identifier") return object(node, `a pattern ${node.type}`);
    const own = wordsOfFrame.has(node.name)
      ? kind === "parameter" || (kind === "let" && node.name === "effect")
      : /^[nk]\d+$/.test(node.name);
    if (!own) object(node, `a name ${node.name}`);
    if (scope.names.has(node.name)) object(node, `${node.name} declared twice`);
    scope.names.set(node.name, { from, kind });
  };

  const lookUp = (name: string, scope: Scope | undefined, at: number): { readonly kind: string; readonly scope: Scope } | undefined => {
    for (let here = scope; here !== undefined; here = here.around) {
      const known = here.names.get(name);
      if (known !== undefined) return known.from <= at ? { kind: known.kind, scope: here } : undefined;
    }
    return undefined;
  };
  const functionOf = (scope: Scope): Scope => (scope.isFunction || scope.around === undefined ? scope : functionOf(scope.around));

  const read = (node: Identifier, scope: Scope): void => {
    if (!free.has(node.name) && lookUp(node.name, scope, node.start) === undefined) object(node, `${node.name} is not declared before`);
  };

  const all = (nodes: readonly (AnyNode | null | undefined)[], scope: Scope): void => {
    // A later declaration of the same block hides what is around it, even before it.
    for (const node of nodes) {
      if (node?.type !== "VariableDeclaration") continue;
      for (const { id, end } of node.declarations) declare(id, scope, end, node.kind === "let" ? "let" : "const");
    }
    for (const node of nodes) if (node) walk(node, scope);
  };
  const block = (nodes: readonly AnyNode[], around: Scope): void => all(nodes, { around, names: new Map(), isFunction: false });

  const member = (node: MemberExpression, scope: Scope): void => {
    const { object: of, property } = node;
    if (node.optional) object(node, "an optional member");
    if (property.type === "PrivateIdentifier") return object(node, "a private name");
    if (node.computed) {
      if (property.type === "Identifier") {
        // Only a loop's own position.
        if (!counters.has(property.name)) object(node, `a computed member ${property.name}`);
        read(property, scope);
      } else if (property.type !== "Literal" || (typeof property.value !== "string" && !Number.isInteger(property.value)))
        object(node, "a computed member");
      else if (typeof property.value === "string" && (property.value.startsWith("__") || !isGuardedRead(of)))
        object(node, "a computed name");
    } else if (property.type === "Identifier") {
      const { name } = property;
      const root = of.type === "Identifier" ? of.name : "";
      const isKnown =
        root === "rt"
          ? ofRt.has(name)
          : root === "q"
            ? ofQ.has(name)
            : isGuardedRead(of)
              ? !name.startsWith("__")
              : pathsOfQ.has(path(node)) || (name === "length" ? /^n\d+$/.test(root) : methods.has(name) && calls.has(node));
      if (!isKnown) object(node, `a member ${name}`);
    }
    if (of.type === "Super") object(node, "super");
    else walk(of, scope);
  };

  function walk(node: AnyNode, scope: Scope): void {
    switch (node.type) {
      case "Identifier":
        if (node.name === "first" && !firsts.has(node)) object(node, "the first question, as if it were data");
        return read(node, scope);
      case "Literal":
        if (typeof node.value === "bigint" || node.value instanceof RegExp || "regex" in node) object(node, "a literal");
        if (typeof node.value === "number" && !/^\d+$/.test(node.raw ?? "")) object(node, "a number");
        return;
      case "ArrowFunctionExpression": {
        if (node.async || node.generator) object(node, "an asynchronous function");
        const inner: Scope = { around: scope, names: new Map(), isFunction: true };
        for (const parameter of node.params) declare(parameter, inner, parameter.start, "parameter");
        if (node.body.type === "BlockStatement") all(node.body.body, inner);
        else walk(node.body, inner);
        return;
      }
      case "VariableDeclaration":
        if (node.kind === "var") object(node, "var");
        for (const { init, id } of node.declarations) {
          if (id.type === "ArrayPattern" && (init?.type !== "Identifier" || init.name !== "k")) object(node, "a pattern");
          if (!init) continue;
          const before = asked;
          asked = 0;
          walk(init, scope);
          if (scope.around === undefined && id.type === "Identifier") asks.set(id.name, asked);
          asked = Math.max(asked, before);
        }
        return;
      case "MemberExpression":
        return member(node, scope);
      case "CallExpression": {
        if (node.optional) object(node, "an optional call");
        const { callee } = node;
        calls.add(callee);
        const isCalled =
          callee.type === "Identifier" ||
          callee.type === "MemberExpression" ||
          (callee.type === "ArrowFunctionExpression" && callee.params.length === 0);
        if (!isCalled) object(node, `a call of ${callee.type}`);
        if (callee.type === "Identifier" && free.has(callee.name)) object(node, `a call of ${callee.name}`);
        if (callee.type !== "Super") walk(callee, scope);
        if (numbered.has(path(callee))) {
          const first = firstIn(node.arguments[0]);
          if (first === undefined) object(node, "a question of any policy");
          else {
            firsts.add(first.node);
            asked = Math.max(asked, first.index + 1);
          }
        }
        for (const argument of node.arguments) walk(argument, scope);
        return;
      }
      case "NewExpression":
        if (node.callee.type !== "Identifier" || !["Set", "Map"].includes(node.callee.name) || node.arguments.length !== 1)
          object(node, "new");
        for (const argument of node.arguments) walk(argument, scope);
        return;
      case "UnaryExpression":
        if (node.operator !== "!" && node.operator !== "typeof") object(node, node.operator);
        return walk(node.argument, scope);
      case "BinaryExpression":
        if (!["===", "!==", "<", "<=", ">", ">=", "+", "-", "*", "&"].includes(node.operator)) object(node, node.operator);
        if (node.left.type === "PrivateIdentifier") return object(node, "a private name");
        walk(node.left, scope);
        return walk(node.right, scope);
      case "LogicalExpression":
        walk(node.left, scope);
        return walk(node.right, scope);
      case "ConditionalExpression":
        return all([node.test, node.consequent, node.alternate], scope);
      case "ArrayExpression":
        if (node.elements.some((element) => element === null)) object(node, "a hole");
        return all(node.elements, scope);
      case "AssignmentExpression": {
        const { left } = node;
        if (node.operator !== "=" || left.type !== "Identifier") return object(node, "an assignment");
        const known = lookUp(left.name, scope, node.start);
        if (known?.kind !== "let" || functionOf(known.scope) !== functionOf(scope)) object(node, `an assignment to ${left.name}`);
        return walk(node.right, scope);
      }
      case "UpdateExpression": {
        const known = node.argument.type === "Identifier" ? lookUp(node.argument.name, scope, node.start) : undefined;
        if (known?.kind !== "let" || node.prefix || functionOf(known.scope) !== functionOf(scope)) object(node, "an update");
        return;
      }
      case "ObjectExpression":
        for (const property of node.properties) {
          if (property.type !== "Property" || property.computed || property.shorthand || property.method || property.kind !== "init")
            return object(node, "a property");
          if (property.key.type !== "Identifier" || !["scopes", "derivedRoles", "decide", "first"].includes(property.key.name))
            object(node, "a property's name");
          walk(property.value, scope);
          if (property.key.type !== "Identifier" || property.key.name !== "first") continue;
          const first = property.value.type === "Literal" ? Number(property.value.value) : Number.NaN;
          if (!(first >= taken)) object(node, "the questions of another policy");
          for (const { value } of node.properties.filter((each) => each.type === "Property"))
            if (value.type === "Identifier") taken = Math.max(taken, first + (asks.get(value.name) ?? 0));
        }
        return;
      case "ReturnStatement":
        if (!node.argument) object(node, "return of nothing");
        else walk(node.argument, scope);
        return;
      case "ExpressionStatement":
        if ("directive" in node && node.directive !== undefined) object(node, "a directive");
        return walk(node.expression, scope);
      case "IfStatement":
        return all([node.test, node.consequent, node.alternate], scope);
      case "BlockStatement":
        return block(node.body, scope);
      case "ContinueStatement":
        if (node.label) object(node, "a label");
        return;
      case "ForStatement": {
        const inner: Scope = { around: scope, names: new Map(), isFunction: false };
        if (!isBounded(text(node.init), text(node.test), text(node.update), node.body)) object(node, "a loop without bound");
        if (node.init?.type === "VariableDeclaration")
          for (const { id } of node.init.declarations) if (id.type === "Identifier") counters.add(id.name);
        return all([node.init, node.test, node.update, node.body], inner);
      }
      case "SwitchStatement":
        walk(node.discriminant, scope);
        for (const { test, consequent } of node.cases) {
          if (test) walk(test, scope);
          else object(node, "a default");
          block(consequent, scope);
        }
        return;
      default:
        return object(node, node.type);
    }
  }

  const [statement, ...others] = program.body;
  if (others.length > 0 || statement?.type !== "ExpressionStatement" || statement.expression.type !== "ArrowFunctionExpression")
    return ["no function"];
  const factory = statement.expression;
  if (factory.params.map((parameter) => (parameter.type === "Identifier" ? parameter.name : "")).join() !== "rt,k")
    return ["another function"];
  walk(factory, { around: undefined, names: new Map(), isFunction: true });
  return found;
}

/** A node as words, as far as loops have them. */
function text(node: AnyNode | null | undefined): string {
  switch (node?.type) {
    case "Identifier":
      return node.name;
    case "Literal":
      return String(node.raw);
    case "VariableDeclaration":
      return node.declarations.map(({ id, init }) => `${text(id)}=${init?.type === "Literal" ? text(init) : "?"}`).join();
    case "BinaryExpression":
      return `${text(node.left)}${node.operator}${text(node.right)}`;
    case "UpdateExpression":
      return `${text(node.argument)}${node.operator}`;
    case "MemberExpression":
      return `${text(node.object)}.${text(node.property)}`;
    default:
      return "?";
  }
}

/** A loop over a list takes a step in each turn; one over entries counts down to 0. */
function isBounded(init: string, test: string, update: string, body: AnyNode): boolean {
  const [name = "", from] = init.split("=");
  if (update === `${name}--`) return test === `${name}>0`;
  if (from !== "0" || update !== `${name}++` || !/^n\d+<n\d+\.length$/.test(test) || body.type !== "BlockStatement") return false;
  const second = body.body[1];
  const call = second?.type === "ExpressionStatement" && second.expression.type === "CallExpression" ? second.expression : undefined;
  return call !== undefined && call.callee.type === "MemberExpression" && path(call.callee) === "q.step";
}

/** `first` and 2 of `first + 2`. */
function firstIn(node: AnyNode | undefined): { readonly node: Node; readonly index: number } | undefined {
  if (node?.type !== "BinaryExpression" || node.operator !== "+" || node.left.type !== "Identifier" || node.left.name !== "first")
    return undefined;
  const { left, right } = node;
  return right.type === "Literal" && typeof right.value === "number" ? { node: left, index: right.value } : undefined;
}

const path = (node: AnyNode): string =>
  node.type === "MemberExpression" && !node.computed ? `${path(node.object)}.${text(node.property)}` : text(node);

/** `of` of a reader, and the empty list that it is guarded with. */
const isGuardedRead = (of: AnyNode): boolean => (of.type === "Identifier" && of.name === "of") || path(of) === "rt.bare";
