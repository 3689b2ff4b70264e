import { parseSync } from "oxc-parser"

/** Everything that a source imports or exports from elsewhere, types included. */
export const specifiersOf = (path: string, source: string): ReadonlyArray<string> => {
  const { module } = parseSync(path, source)
  return [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...module.staticExports.flatMap((statement) =>
      statement.entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
    // The parser lists `import()` expressions, but not `import()` types.
    ...[...source.matchAll(/\bimport\(\s*["']([^"']+)["']/g)].flatMap(([, specifier]) => specifier ?? []),
  ]
}

/** The names that a source takes from a module to use them, types left out. */
export const valuesFrom = (path: string, source: string, module: string): ReadonlyArray<string> =>
  parseSync(path, source)
    .module.staticImports.filter(({ moduleRequest }) => moduleRequest.value === module)
    .flatMap(({ entries }) => entries.flatMap((entry) => (entry.isType ? [] : (entry.importName.name ?? "*"))))
