import { parseArgs } from "node:util"
import { Interleavings } from "@carillon/core/testing"
import { Effect, References } from "effect"

const { everyPair, expectedFailures, isExpected, named, operations, play, playPair, scenes, told, triples } =
  Interleavings

const { values } = parseArgs({
  options: {
    scene: { type: "string" },
    first: { type: "string" },
    other: { type: "string", multiple: true, default: [] },
    at: { type: "string", multiple: true, default: [] },
    /** Which of how many parts of all pairs: `2/4`. */
    part: { type: "string", default: "1/1" },
    /** Ends at the first violation. */
    "until-fault": { type: "boolean", default: false },
  },
})

type Played = Interleavings.Played

const run = <A>(effect: Effect.Effect<A>): Promise<A> =>
  // What an engine says of a dependency is not what is looked for here.
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "None"))

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const found = new Map<string, { readonly played: Played; count: number }>()
const missed = new Set(expectedFailures)
let count = 0

/** Counts what was played, and says the first of each kind of violation. */
const take = (played: ReadonlyArray<Played>, failures = expectedFailures): void => {
  for (const one of played) {
    count += 1
    for (const violation of one.outcome.violations) {
      const expected = failures.find((failure) => isExpected(failure, one.interleaving, violation))
      if (expected !== undefined) {
        missed.delete(expected)
        continue
      }
      const { first, others, scene } = one.interleaving
      const kind = [violation.law, scene.name, first.name, ...others.map(({ operation }) => operation.name)].join("|")
      const known = found.get(kind)
      if (known !== undefined) known.count += 1
      else {
        found.set(kind, { played: one, count: 1 })
        say(told(one))
        if (values["until-fault"]) end()
      }
    }
  }
}

const pairs = everyPair()
const counts = [operations.length, scenes.length, pairs.length, triples.length]

/** Minutes for which one core has worked until now. */
const minutes = (): string => {
  const { system, user } = process.cpuUsage()
  return ((system + user) / 60_000_000).toFixed(1)
}

const end = (): never => {
  const [ofOperations, inScenes, ofPairs, ofTriples] = counts
  say(
    `${count} interleavings in ${minutes()} minutes of one core: ${found.size} kinds of violations ` +
      `(there are ${ofOperations} operations, ${inScenes} scenes, ${ofPairs} pairs, ${ofTriples} triples)`,
  )
  process.exit(found.size === 0 ? 0 : 1)
}

const { first, other, at } = values
const chosen = pairs.filter(
  (pair) =>
    (values.scene === undefined || pair.scene.name === values.scene) &&
    (first === undefined || pair.first.name === first) &&
    (other[0] === undefined || pair.second.name === other[0]),
)

if (values.scene !== undefined && first !== undefined && other.length > 0 && at.length === other.length) {
  const interleaving = named(
    values.scene,
    first,
    other.map((name, index) => [name, Number(at[index])] as const),
  )
  // Who asks for one wants to see it, whatever is expected of it.
  take([await run(play(interleaving))], [])
  end()
}

const [nth = 1, parts = 1] = values.part.split("/").map(Number)
const isMine = (_: unknown, index: number): boolean => index % parts === nth - 1
for (const pair of chosen.filter(isMine)) take(await run(playPair(pair)))
const isWhole = chosen.length === pairs.length && parts === 1
if (chosen.length === pairs.length) {
  for (const triple of triples.filter(isMine)) take(await run(Interleavings.playTriple(triple)))
}
if (isWhole) for (const { law, reason } of missed) say(`Expected to fail, and does not any more: ${law} (${reason})`)
if (chosen.length === pairs.length) {
  // The line of the table in docs/internals/interleavings.md; of parts, the last three figures are to be added up.
  const played = new Date().toISOString().slice(0, 10) + (isWhole ? "" : ` (${values.part})`)
  say(`| ${[played, ...counts, count, found.size, minutes()].join(" | ")} |`)
}
if (isWhole && missed.size > 0) process.exit(1)
end()
