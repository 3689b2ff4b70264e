// Refuses regular expressions whose time may grow faster than their text: what customers send runs through them on the one event loop. Each
// is analysed by `recheck`; verdicts are kept beside the modules, so that only new ones take time. `--list` prints all of them with their
// places. It first proves on small examples that it can fail.
import { deepStrictEqual } from "node:assert"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { parseSync, Visitor } from "oxc-parser"

// The build that runs everywhere and answers the same everywhere.
process.env["RECHECK_SYNC_BACKEND"] = "pure"
const { checkSync } = await import("recheck")
const { version }: { readonly version: string } = createRequire(import.meta.url)("recheck/package.json")

/** What is published and reads what others send; the suites that judge stores read their own samples. */
const sources = ["packages/*/src/**/*.ts", "simulator/src/**/*.ts"]
const isOwn = (path: string) => path.startsWith("packages/core/src/testing/")

/** Expressions that are put together when their module is loaded, as they come out. */
const composed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/core/src/knowledge/rules/CollectionName.ts": ["/^[A-Za-z0-9_-]{1,100}$/"],
  "packages/core/src/phone/E164.ts": [String.raw`/\p{Nd}{7,}/gu`],
  "packages/core/src/time/Timestamp.ts": [
    String.raw`/^(?<date>[0-9]{4}-(?<month>[0-9]{2})-(?<day>[0-9]{2}))[Tt](?<clock>(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:[.](?<fraction>[0-9]{1,9}))?(?<offset>[Zz]|(?<sign>[+-])(?<hours>[01][0-9]|2[0-3]):(?<minutes>[0-5][0-9]))?$/`,
  ],
  // A segment for each placeholder of a path.
  "simulator/src/control/Control.ts": [String.raw`/^\/_sim\/inbox\/([^/]+)\/?$/`],
}

const cacheFile = "node_modules/.cache/expressions.json"

/** Every bound of the analysis counts what it reads and none looks at the clock: the verdict is the same on a busy machine. */
const analysis = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  // Characters read by an attack until it counts as one: what is not linear gets there with a text of some thousand.
  attackLimit: 20_000_000,
  // What is too large for the exact analysis is tried with random texts: the same ones in every run.
  randomSeed: 1,
} as const
const judgedBy = `${version} ${JSON.stringify(analysis)}`

/** Expressions that a file writes as such, and how many it puts together. */
const expressionsOf = (path: string, source: string) => {
  const written: Array<string> = []
  let made = 0
  const isRegExp = (callee: { readonly type: string }) =>
    callee.type === "Identifier" && "name" in callee && callee.name === "RegExp"
  new Visitor({
    Literal: (node) => {
      if ("regex" in node) written.push(`/${node.regex.pattern}/${node.regex.flags}`)
    },
    NewExpression: ({ callee }) => {
      if (isRegExp(callee)) made += 1
    },
    CallExpression: ({ callee }) => {
      if (isRegExp(callee)) made += 1
    },
  }).visit(parseSync(path, source).program)
  return { written, made }
}

const judge = (expression: string): string => {
  const end = expression.lastIndexOf("/")
  const verdict = checkSync(expression.slice(1, end), expression.slice(end + 1), analysis)
  if (verdict.status === "safe") return "linear"
  return verdict.status === "vulnerable" ? verdict.complexity.summary : "not known"
}

type Verdicts = Record<string, string>

const readVerdicts = (): Verdicts => {
  try {
    return JSON.parse(readFileSync(cacheFile, "utf8"))
  } catch {
    return {}
  }
}

const problemsOf = (files: Readonly<Record<string, string>>, verdicts: Verdicts, list: (line: string) => void) => {
  const problems: Array<string> = []
  for (const [path, source] of Object.entries(files)) {
    const { made, written } = expressionsOf(path, source)
    const known = composed[path] ?? []
    if (made !== known.length)
      problems.push(
        `${path}: puts ${made} expressions together, and scripts/check-expressions.ts knows ${known.length}`,
      )
    for (const expression of [...written, ...known]) {
      const verdict = (verdicts[`${judgedBy} ${expression}`] ??= judge(expression))
      list(`${verdict.padEnd(8)} ${expression}  ${path}`)
      if (verdict !== "linear") problems.push(`${path}: ${expression} takes more than linear time: ${verdict}`)
    }
  }
  return problems
}

const selfTest = () => {
  const found = problemsOf(
    {
      "a.ts": String.raw`export const text = /"(?:[^"\\]|\\.)*"/g; export const word = /^[a-z]+$/`,
      "b.ts": `export const made = (name: string) => new RegExp(name)`,
      "c.ts": String.raw`export const blanks = (text: string) => text.replace(/\s+$/, "/\\s+$/")`,
    },
    {},
    () => {},
  )
  deepStrictEqual(found, [
    String.raw`a.ts: /"(?:[^"\\]|\\.)*"/g takes more than linear time: 2nd degree polynomial`,
    "b.ts: puts 1 expressions together, and scripts/check-expressions.ts knows 0",
    String.raw`c.ts: /\s+$/ takes more than linear time: 2nd degree polynomial`,
  ])
}

process.chdir(dirname(import.meta.dirname))
const verdicts = readVerdicts()
const before = Object.keys(verdicts).length
if (before === 0) selfTest()
const files = Object.fromEntries(
  globSync(sources)
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !isOwn(path))
    .toSorted()
    .map((path) => [path, readFileSync(path, "utf8")]),
)
const problems = problemsOf(files, verdicts, process.argv.includes("--list") ? (line) => console.log(line) : () => {})
if (Object.keys(verdicts).length > before) {
  mkdirSync(dirname(cacheFile), { recursive: true })
  writeFileSync(cacheFile, JSON.stringify(verdicts, null, 2))
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
