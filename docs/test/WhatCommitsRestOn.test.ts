import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const sources = join(import.meta.dirname, "..", "..", "packages", "core", "src")

const textOf = (file: string): string => readFileSync(join(sources, file), "utf8")

/** Uses of `Steps` that have a step which is a value say what they rest on, one that decides anew writes by such steps, and so does an errand; the others write by hand. */
const byHand = (text: string): number => {
  const uses = text.match(/(?<![./\w])steps\b(?! = yield)/g)?.length ?? 0
  const ofValues = text.match(/(?<![.\w])steps\s*\.(?:take|look|propose|drafted|anew|errand|begin)\(/g)?.length ?? 0
  return uses - ofValues
}

const stepping = globSync("**/*.ts", { cwd: sources }).filter(
  (file) => !file.startsWith("testing/") && /yield\* Steps\b/.test(textOf(file)),
)

it("sees who writes by hand", () => {
  expect(byHand("const steps = yield* Steps\nyield* steps.take(a, b)\nsteps\n  .propose(c, d)")).toBe(0)
  expect(byHand("const steps = yield* Steps\nyield* steps.commit(draft)")).toBe(1)
  expect(byHand("const { steps } = yield* parts\nyield* write(steps)")).toBeGreaterThan(0)
})

it("knows of nobody who writes by hand: steps are values, and the page that is made of them says what they rest on", () => {
  expect(stepping.length).toBeGreaterThan(30)
  // Each takes the service by its usual name, or it would not be seen here.
  expect(stepping.filter((file) => !/const steps = yield\* Steps\b/.test(textOf(file)))).toEqual([])
  expect(stepping.filter((file) => byHand(textOf(file)) > 0)).toEqual([])
})

it("knows of nobody who writes past the steps", () => {
  const past = globSync("**/*.ts", { cwd: sources }).filter(
    (file) =>
      !/^(?:memory|testing)\//.test(file) &&
      file !== "engine/SentCommits.ts" &&
      /\bstore\.(?:commit|admit)\(/.test(textOf(file)),
  )
  expect(past).toEqual([])
})
