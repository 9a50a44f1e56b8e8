/**
 * Finds properties that an object literal gets by a spread and that its type does not know. TypeScript checks only what
 * is written in the literal itself, so that a misspelt option behind `...` has no effect and nobody is told.
 */
import ts from "typescript";

/** Returns a sentence for each such property in the files of a program that belong to the project. */
export function unknownSpreads(program: ts.Program, isOwn: (file: string) => boolean): readonly string[] {
  const checker = program.getTypeChecker();
  const found: string[] = [];

  const check = (spread: ts.SpreadAssignment, source: ts.SourceFile): void => {
    const expected = checker.getContextualType(spread.parent);
    if (expected === undefined) return;
    const types = expected.isUnion() ? expected.types : [expected];
    if (types.some(takesAny)) return;
    for (const name of literalsOf(spread.expression, checker).flatMap(({ properties }) => properties.flatMap(namesOf))) {
      if (types.some((type) => knows(type, name.text, checker))) continue;
      const { line } = source.getLineAndCharacterOfPosition(name.getStart());
      found.push(`${source.fileName}:${line + 1}: ${checker.typeToString(expected)} has no \`${name.text}\``);
    }
  };

  for (const source of program.getSourceFiles()) {
    if (!isOwn(source.fileName)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isSpreadAssignment(node)) check(node, source);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Types that take whatever comes, and those inferred from other literals, such as the rows of a table. */
function takesAny(type: ts.Type): boolean {
  const taking = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive | ts.TypeFlags.TypeParameter;
  return (type.flags & taking) !== 0 || ("objectFlags" in type && (Number(type.objectFlags) & ts.ObjectFlags.ObjectLiteral) !== 0);
}

const knows = (type: ts.Type, name: string, checker: ts.TypeChecker): boolean =>
  checker.getPropertyOfType(type, name) !== undefined || checker.getIndexInfosOfType(type).length > 0;

/** The object literals that an expression may come to, also through a constant without a type of its own. */
function literalsOf(expression: ts.Expression, checker: ts.TypeChecker): readonly ts.ObjectLiteralExpression[] {
  if (ts.isObjectLiteralExpression(expression)) return [expression];
  if (ts.isParenthesizedExpression(expression)) return literalsOf(expression.expression, checker);
  if (ts.isConditionalExpression(expression))
    return [expression.whenTrue, expression.whenFalse].flatMap((each) => literalsOf(each, checker));
  if (ts.isBinaryExpression(expression)) return literalsOf(expression.right, checker);
  if (!ts.isIdentifier(expression)) return [];
  const declared = checker.getSymbolAtLocation(expression)?.valueDeclaration;
  if (declared === undefined || !ts.isVariableDeclaration(declared) || declared.type !== undefined) return [];
  return declared.initializer === undefined ? [] : literalsOf(declared.initializer, checker);
}

const namesOf = ({ name }: ts.ObjectLiteralElementLike): readonly (ts.Identifier | ts.StringLiteral)[] =>
  name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? [name] : [];
