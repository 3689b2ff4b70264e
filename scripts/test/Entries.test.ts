import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { parseSync } from "oxc-parser"
import { expect, it } from "vitest"

const folder = join(import.meta.dirname, "../../packages/core")

/** Names that the entry for those who embed the engine may have: what one person can read. */
const fewerThan = 150

type Read = (path: string) => string

/** The names that a module exports, values and types, what it exports of other modules among them. A namespace is one name. */
const namesOf = (read: Read, path: string): ReadonlyArray<string> => {
  const { errors, module } = parseSync(path, read(path))
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, importName, moduleRequest }): ReadonlyArray<string> => {
      if (moduleRequest === null || importName.kind !== "AllButDefault") return [exportName.name ?? "default"]
      return namesOf(read, posix.join(posix.dirname(path), moduleRequest.value))
    })
  return [...new Set(names)].toSorted()
}

const { exports }: { readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>> } =
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** Each entry of the package that is a module, with its names. */
const entries = new Map(
  Object.entries(exports).flatMap(([entry, target]) => {
    const source = typeof target === "string" ? undefined : target["@carillon/source"]
    return source === undefined ? [] : [[entry, namesOf((path) => readFileSync(join(folder, path), "utf8"), source)]]
  }),
)

it("sees every name once, through whatever exports it", () => {
  const sources: Readonly<Record<string, string>> = {
    "src/index.ts": [
      `export * from "./nouns/Call.ts"`,
      `export * as Rules from "./Rules.ts"`,
      `export { one as two, type Three } from "./Rules.ts"`,
      `export const own = 1, also = 2`,
    ].join("\n"),
    "src/nouns/Call.ts": `export interface Call {}\nexport const Call = 1\nexport * from "../Rules.ts"\nconst hidden = 1`,
    "src/Rules.ts": `export type Three = 3\nexport class one {}`,
  }
  const read = (path: string): string => sources[path] ?? ""
  expect(namesOf(read, "src/index.ts")).toEqual(["Call", "Rules", "Three", "also", "one", "own", "two"])
})

it("who embeds the engine has few names to look through", () => {
  expect(entries.get(".")).toContain("Engine")
  expect(entries.get(".")?.length).toBeLessThan(fewerThan)
})

it("each name is in one entry", () => {
  expect([...entries.keys()]).toEqual([".", "./ports", "./domain", "./testing", "./carrier", "./memory"])
  const all = [...entries].flatMap(([entry, names]) => names.map((name) => ({ entry, name })))
  const twice = [...Map.groupBy(all, ({ name }) => name)].filter(([, found]) => found.length > 1)
  expect(twice).toEqual([])
})
