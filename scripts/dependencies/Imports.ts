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

/**
 * What a source takes or hands on from a package to use it, types left out: names of its root ("*" for all of it at once), and for one of its other
 * modules the path of that in the package.
 */
export const valuesFrom = (path: string, source: string, name: string): ReadonlyArray<string> => {
  const { module } = parseSync(path, source)
  const imported = module.staticImports.flatMap(({ entries, moduleRequest }) =>
    entries.map(({ importName, isType }) => ({ from: moduleRequest.value, name: importName.name, isType })),
  )
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ importName, isType, moduleRequest }) => ({
      from: moduleRequest?.value,
      name: importName.name,
      isType,
    })),
  )
  return [...imported, ...exported].flatMap((taken) => {
    if (taken.isType || taken.from === undefined) return []
    if (taken.from === name) return taken.name ?? "*"
    return taken.from.startsWith(`${name}/`) ? taken.from.slice(name.length + 1) : []
  })
}
