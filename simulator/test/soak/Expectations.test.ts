import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { joins, type Place, type StepRead, stepSources } from "../../../scripts/steps/StepSources.ts"
import { replacements } from "../../soak/Plants.ts"
import { relapses, untold } from "../../soak/Relapses.ts"

const packages = join(import.meta.dirname, "../../../packages")
const page = readFileSync(join(import.meta.dirname, "../../../docs/internals/interleavings.md"), "utf8")

/** What carries out what is expected, in memory or in a commit, and what only tests. */
const plumbing = /^core\/src\/(?:audit|engine|memory|testing)\//

/** The texts by which a commit comes to rest on something, or lets others see it. */
const expectation = new RegExp(
  [
    /(?<!const )\bagentAsRead\b(?= *[(\])])/,
    /(?<!const )\bstillRegistered\(/,
    /(?<!const )\b(?:batch|campaign)AsRead\(/,
    /(?<!put: "removal", organization_id, )\bkind: "[a-z_]+"(?: as const)?, id: [^}\n]*\brevision\b(?!.*satisfies Expectation)/,
    /\bguard: \w+\([^)\n]*\), version\b/,
    /\bput: "guard"/,
    /(?<!const )\bjoinSet\(/,
    /\.\.\.nameCallerIds\(/,
    /\bfree: \{/,
    /\bexpect,\s+changes\b/,
    /\bexpect: \[own\]/,
    /\bnamed\.expect\b/,
    /\bput\("call", call, call\)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
)

/** Where a text stands in a source, from its first character to after its last. */
const spanOf = (source: string, text: string): readonly [from: number, to: number] => {
  const from = source.indexOf(text)
  return [from, from + text.length]
}

const takenBack = relapses.flatMap((relapse) =>
  replacements(relapse).map(({ instead }) => ({ file: relapse.file, text: instead })),
)

const held = [...takenBack, ...untold]

test("whatever a commit rests on has a relapse, or a reason why none is found", () => {
  const unheld: Array<string> = []
  let count = 0
  for (const file of globSync("core/src/**/*.ts", { cwd: packages })) {
    if (plumbing.test(file)) continue
    const source = readFileSync(join(packages, file), "utf8")
    const spans = held.filter((one) => one.file === file).map(({ text }) => spanOf(source, text))
    for (const { 0: text, index } of source.matchAll(expectation)) {
      const isImport = source.slice(source.lastIndexOf("\n", index) + 1, index).startsWith("import ")
      if (isImport) continue
      count += 1
      if (spans.some(([from, to]) => from <= index && index + text.length <= to)) continue
      unheld.push(`${file}:${source.slice(0, index).split("\n").length} ${text}`)
    }
  }
  expect(unheld).toEqual([])
  // Nothing is shown where nothing is found. They become fewer as steps become values, whose reads are held below.
  expect(count).toBeGreaterThan(20)
})

/** Whether a place stands in the text of a relapse, or of what cannot be told. */
const isHeld = ({ end, path, start }: Place): boolean => {
  const source = readFileSync(join(packages, path), "utf8")
  return held
    .filter(({ file }) => file === path)
    .map(({ text }) => spanOf(source, text))
    .some(([from, to]) => from <= start && end <= to)
}

const nameOf = ({ chain, how, of }: StepRead): string =>
  `${how} ${of} (${chain.map(({ path, start }) => `${path}:${start}`).join(" > ")})`

test("whatever a step reads and does not write has a relapse, or a reason why none is found", () => {
  const unheld: Array<string> = []
  let count = 0
  // What was read before a step was proposed.
  let parts = 0
  for (const { name, reads, replaces, writes } of stepSources()) {
    const left = [...replaces]
    for (const read of reads) {
      if (read.glance !== null || read.how === "ask" || read.chain.some(isHeld)) continue
      // A second key is held by the index where the step puts a row of the kind; a row that is replaced is expected by its own change.
      if (read.how === "byKey" && writes.has(read.of)) continue
      const replaced = left.indexOf(read.of)
      if (replaced === -1) unheld.push(`${name}: ${nameOf(read)}`)
      else left.splice(replaced, 1)
    }
    count += reads.length
    parts += reads.filter(({ how }) => how === "seen").length
  }
  expect(unheld).toEqual([])
  expect(count).toBeGreaterThan(200)
  expect(parts).toBeGreaterThan(20)
})

test("whatever a row raises as it joins a set has a relapse, or a reason why none is found", () => {
  expect(joins().filter((join) => !isHeld(join))).toEqual([])
  expect(joins().length).toBeGreaterThan(2)
})

test.each(untold)("$name: stands in the source once, and the page says why nobody can tell", ({ file, name, text }) => {
  expect(readFileSync(join(packages, file), "utf8").split(text)).toHaveLength(2)
  expect(page).toContain(`| ${name} |`)
})
