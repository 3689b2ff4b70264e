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
  /** What it says of the engine as it is, in the same interleavings. */
  readonly sound: ReadonlyArray<string>
}

type Turns = ReadonlyArray<readonly [name: string, at: number]>

const run = <A>(effect: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "None"))

/** Plays one interleaving on an engine: what breaks a law in it, and whether all of the others got in before the first was over. */
const played = async ({ named, play, told }: typeof Interleavings, [scene, first]: Relapse["meets"], turns: Turns) => {
  const one = await run(play(named(scene, first, turns)))
  const { isWithin, violations } = one.outcome
  return { isWithin, told: violations.length === 0 ? null : told(one) }
}

/** Lets the others in before one use of a port after the other until a law is broken; which turns it took, the last of them the one that breaks it. */
const search = async (explorer: typeof Interleavings, meets: Relapse["meets"]) => {
  const [, , second, third] = meets
  const tried: Array<Turns> = []
  for (let at = 0; ; at++) {
    for (let later = at; ; later++) {
      const turns: Turns =
        third === undefined
          ? [[second, at]]
          : [
              [second, at],
              [third, later],
            ]
      tried.push(turns)
      const { isWithin, told } = await played(explorer, meets, turns)
      if (told !== null || (!isWithin && later === at)) return { told, tried }
      if (!isWithin || third === undefined) break
    }
  }
}

for (const relapse of relapses) {
  const { told, tried } = await search(await explorerWith(relapse), relapse.meets)
  const sound: Array<string> = []
  for (const turns of tried) {
    const found = await played(Interleavings, relapse.meets, turns)
    if (found.told !== null) sound.push(found.told)
  }
  const relapsed: Relapsed = { name: relapse.name, told, played: tried.length, sound }
  process.stdout.write(`${JSON.stringify(relapsed)}\n`)
}
