import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const sources = join(root, "packages", "core", "src")

const page = readFileSync(join(root, "docs", "internals", "what-commits-rest-on.md"), "utf8")
const [, steps = ""] = page.split("\n## Steps\n")
const [table = ""] = steps.split("\n## ")

const textOf = (file: string): string => readFileSync(join(sources, file), "utf8")

/** Whether a module only takes, proposes or drafts steps that are values: the page that is made of them says what they rest on. */
const onlyTakes = (text: string): boolean =>
  /const steps = yield\* Steps\b/.test(text) &&
  text.match(/(?<![.\w])steps\b(?! = yield)/g)?.length ===
    text.match(/(?<![.\w])steps\.(?:take|look|propose|drafted)\(/g)?.length

/** Whoever commits does so through `Steps`, whatever it calls its methods by. */
const committing = globSync("**/*.ts", { cwd: sources })
  .filter((file) => !file.startsWith("testing/") && /yield\* Steps\b/.test(textOf(file)) && !onlyTakes(textOf(file)))
  .map((file) => file.replace(/\.ts$/, ""))

const named = [...table.matchAll(/`([a-z]+\/[A-Z][A-Za-z]+)`/g)].map(([, name = ""]) => name)

it("names every module that commits", () => {
  // The fewer, the better: what is left runs decisions anew, and none of it writes by hand.
  expect(committing.length).toBeGreaterThan(1)
  expect(committing.filter((name) => !named.includes(name))).toEqual([])
})

it("names no module that does not commit any more", () => {
  expect(named.filter((name) => !committing.includes(name))).toEqual([])
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
