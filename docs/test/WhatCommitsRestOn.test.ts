import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const sources = join(root, "packages", "core", "src")

const page = readFileSync(join(root, "docs", "internals", "what-commits-rest-on.md"), "utf8")
const [, steps = ""] = page.split("\n## Steps\n")
const [table = ""] = steps.split("\n## ")

/** Whoever commits does so through `Steps`, whatever it calls its methods by. */
const committing = globSync("**/*.ts", { cwd: sources })
  .filter((file) => !file.startsWith("testing/") && /yield\* Steps\b/.test(readFileSync(join(sources, file), "utf8")))
  .map((file) => file.replace(/\.ts$/, ""))

const named = [...table.matchAll(/`([a-z]+\/[A-Z][A-Za-z]+)`/g)].map(([, name = ""]) => name)

it("names every module that commits", () => {
  expect(committing.length).toBeGreaterThan(20)
  expect(committing.filter((name) => !named.includes(name))).toEqual([])
})

it("names no module that does not commit any more", () => {
  expect(named.filter((name) => !committing.includes(name))).toEqual([])
})

it("knows of nobody who writes past the steps", () => {
  const past = globSync("**/*.ts", { cwd: sources }).filter(
    (file) =>
      !/^(?:memory|testing)\//.test(file) &&
      file !== "engine/Steps.ts" &&
      /\bstore\.(?:commit|admit)\(/.test(readFileSync(join(sources, file), "utf8")),
  )
  expect(past).toEqual([])
})
