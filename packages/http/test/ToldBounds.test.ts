import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@carillon/core"
import { counted, pageTooLarge } from "@carillon/core/domain"
import { expect, it } from "vitest"
import { envelope, refusal, refusalOf } from "../src/Refusal.ts"

const masked = 1_000_000

/** What SQL is made of is told to nobody. */
const isSql = (file: string): boolean => file.startsWith("postgres/src/reads/")

const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /^[a-z-]+\/src\/.*\.ts$/.test(file) && !isSql(file))

const boundAt = (path: string): unknown =>
  path.split(".").reduce((value: unknown, name) => Reflect.get(Object(value), name), limits)

/** The bounds that a source writes into texts as they are. */
function* writtenIn(source: string): Iterable<string> {
  for (const [, path = ""] of source.matchAll(/\$\{limits\.([\w.]+)\}/g)) yield path
  for (const [, names = "", of = ""] of source.matchAll(/const \{([^{}]*)\} = limits((?:\.\w+)*)/g)) {
    for (const name of names.split(",").map((each) => each.trim())) {
      if (source.includes(`\${${name}}`)) yield `${of}.${name}`.slice(1)
    }
  }
}

it("no text is made of a bound that would be masked as a phone number", () => {
  const packages = join(import.meta.dirname, "../..")
  const files = sources(packages)
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((file) =>
    [...writtenIn(readFileSync(join(packages, file), "utf8"))].map((path) => ({ file, path, bound: boundAt(path) })),
  )
  expect(found.length).toBeGreaterThan(30)
  expect(found.filter(({ bound }) => typeof bound !== "number" || bound >= masked)).toEqual([])
})

it("what a page may carry, and what is counted in millions, is read in the answer", () => {
  expect(envelope(refusalOf(pageTooLarge()))).toContain("take more than 8 MiB, so")
  for (const count of [999_999, 1_000_000, 2_500_000, limits.callCapRestSeconds, Number.MAX_SAFE_INTEGER]) {
    expect(envelope(refusal(1000, `At most ${counted(count)}.`))).toContain(counted(count))
    expect(Number(counted(count).replaceAll(",", ""))).toBe(count)
  }
})
