import { Interleavings } from "@carillon/core/testing"
import { Effect, References } from "effect"
import { explorerWith } from "./Planted.ts"
import { type Relapse, relapses } from "./Relapses.ts"

/** What came of a repair that was taken back, one line of JSON for each. */
export interface Relapsed {
  readonly name: string
  /** What the explorer said of the engine without the repair; null where it found nothing. */
  readonly told: string | null
  /** How many interleavings it played until then. */
  readonly played: number
  /** What it says of the engine as it is, in the one that broke a law. */
  readonly sound: ReadonlyArray<string>
}

type Turns = ReadonlyArray<readonly [name: string, at: number]>

const run = <A>(effect: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "None"))

/**
 * Plays one interleaving on an engine: what goes wrong in it, and whether all of the others got in before the first was over. That a commit treats a
 * set as it must not is left aside: what comes of it is looked for.
 */
const played = async ({ named, play, told }: typeof Interleavings, [scene, first]: Relapse["meets"], turns: Turns) => {
  const { interleaving, outcome } = await run(play(named(scene, first, turns)))
  const violations = outcome.violations.filter(({ law }) => !Interleavings.setLaws.has(law))
  const words = violations.length === 0 ? null : told({ interleaving, outcome: { ...outcome, violations } })
  return { isWithin: outcome.isWithin, told: words }
}

/** Plays on until a law is broken; which turns it took, the last of them the one that breaks it. */
const search = async (explorer: typeof Interleavings, meets: Relapse["meets"]) => {
  const [, , second, third] = meets
  const tried: Array<Turns> = []
  const take = async (...turns: Turns) => {
    tried.push(turns)
    return await played(explorer, meets, turns)
  }
  // Before one use of a port after the other, all at once.
  let uses = 0
  for (; ; uses++) {
    const one = await (third === undefined ? take([second, uses]) : take([second, uses], [third, uses]))
    if (one.told !== null) return { told: one.told, tried }
    if (!one.isWithin) break
  }
  // The third one later.
  for (let at = 0; third !== undefined && at < uses; at++) {
    for (let later = at + 1; later <= uses; later++) {
      const { told } = await take([second, at], [third, later])
      if (told !== null) return { told, tried }
    }
  }
  return { told: null, tried }
}

for (const relapse of relapses) {
  const { told, tried } = await search(await explorerWith(relapse), relapse.meets)
  const last = tried.at(-1)
  const found = last === undefined ? null : await played(Interleavings, relapse.meets, last)
  const sound = found === null || found.told === null ? [] : [found.told]
  const relapsed: Relapsed = { name: relapse.name, told, played: tried.length, sound }
  process.stdout.write(`${JSON.stringify(relapsed)}\n`)
}
