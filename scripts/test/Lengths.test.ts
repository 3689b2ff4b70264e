import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** Lines that a class or a function may have, the layer of a service among them: what is longer has more than one idea. */
const most = 200

/**
 * Modules with something that is longer, and why it is. One that is new is refused, and so is one that stands here and has nothing longer any more:
 * this list only gets shorter.
 */
const longer: Readonly<Record<string, string>> = {
  "packages/core/src/memory/ContactTable.ts": "a contact's entry, its row and its place in the queues change together",
}

/** The longest class or function of a module, in lines. */
const longestOf = (path: string, source: string): number => {
  const { errors, program } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  let longest = 0
  const look = ({ end, start }: { readonly start: number; readonly end: number }): void => {
    longest = Math.max(longest, source.slice(start, end).split("\n").length)
  }
  new Visitor({
    ArrowFunctionExpression: look,
    ClassDeclaration: look,
    ClassExpression: look,
    FunctionDeclaration: look,
    FunctionExpression: look,
  }).visit(program)
  return longest
}

it("sees the longest, and not what only stands beside it", () => {
  const lines = (count: number) => "  void 0\n".repeat(count)
  const layer = `export class A extends B {\n  static readonly layer = of(function* () {\n${lines(7)}})\n}\n`
  expect(longestOf("a.ts", `${lines(20)}${layer}`)).toBe(11)
  expect(longestOf("a.ts", `const made = () => {\n${lines(3)}}\nfunction other() {\n${lines(4)}}`)).toBe(6)
  expect(longestOf("a.ts", lines(20))).toBe(0)
})

it("no class and no layer has more lines than one idea takes", () => {
  // What `testing` has are suites and models: lists of laws.
  const modules = globSync("packages/*/src/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("packages/core/src/testing/"))
  expect(modules.length).toBeGreaterThan(500)
  const found = modules.filter((path) => longestOf(path, readFileSync(join(root, path), "utf8")) > most)
  expect(found.toSorted()).toEqual(Object.keys(longer).toSorted())
})
