import { Effect } from "effect"
import { explore, type Interleaving, type Outcome } from "./Explorer.ts"
import { type Operation, operations } from "./Operations.ts"
import { type Scene, scenes } from "./Scenes.ts"

/** Two operations that touch a common thing of a scene, the second to get in before a use of a port that the first makes. */
export interface Pair {
  readonly scene: Scene
  readonly first: Operation
  readonly second: Operation
}

/** A third gets in as well, at the same use or a later one. */
export interface Triple extends Pair {
  readonly third: Operation
}

/** An interleaving that was played. */
export interface Played {
  readonly interleaving: Interleaving
  readonly outcome: Outcome
}

const meets = ({ about }: Scene, first: Operation, second: Operation): boolean =>
  first.touches.some((thing) => about.includes(thing) && second.touches.includes(thing))

/** Every pair of every scene: a few hundred thousand, so they are made for who asks. */
export const everyPair = (): ReadonlyArray<Pair> =>
  scenes.flatMap((scene) =>
    operations.flatMap((first) =>
      operations.filter((second) => meets(scene, first, second)).map((second) => ({ scene, first, second })),
    ),
  )

const byName = <A extends { readonly name: string }>(rows: ReadonlyArray<A>, name: string): A => {
  const row = rows.find((each) => each.name === name)
  if (row === undefined) throw new Error(`There is no "${name}".`)
  return row
}

/** The interleaving that a verdict names. */
export const named = (
  scene: string,
  first: string,
  others: ReadonlyArray<readonly [name: string, at: number]>,
): Interleaving => ({
  scene: byName(scenes, scene),
  first: byName(operations, first),
  others: others.map(([name, at]) => ({ operation: byName(operations, name), at })),
})

const triple = (scene: string, first: string, second: string, third: string): Triple => ({
  scene: byName(scenes, scene),
  first: byName(operations, first),
  second: byName(operations, second),
  third: byName(operations, third),
})

/** Three at a time, where two are not enough to see what may go wrong. */
export const triples: ReadonlyArray<Triple> = [
  triple("the last call ends of a batch, and another goes on", "batch.stop", "carrier.speaks", "campaign.append"),
  triple("the last report comes", "carrier.speaks", "campaign.append", "batch.create in the campaign"),
  triple("the last call ends", "carrier.speaks", "campaign.append", "campaign.append the same number"),
  triple("two legs ring", "batch.stop", "carrier.speaks", "carrier.speaks"),
  triple("two legs ring", "campaign.cancel", "carrier.speaks", "campaign.append"),
  triple("two legs ring", "campaign.pause", "carrier.speaks", "campaign.resume"),
  triple("a new campaign", "wake-ups", "campaign.pause", "campaign.resume"),
  triple("a new campaign", "wake-ups", "batch.stop", "campaign.append"),
  triple("one number twice", "carrier.speaks", "wake-ups", "campaign.append the same number"),
  triple("one number twice", "carrier.speaks", "campaign.pause", "campaign.resume"),
  triple("one number twice, the first busy", "carrier.speaks", "wake-ups", "carrier.speaks"),
  triple("its end has come", "wake-ups", "campaign.append", "carrier.speaks"),
  triple("its end has come", "wake-ups", "campaign.end later", "campaign.append"),
  triple("completed", "campaign.revive", "campaign.append", "campaign.cancel"),
  triple("cancelled", "campaign.revive", "carrier.speaks", "campaign.delete"),
  triple("one line for all", "carrier.speaks", "call.place", "campaign.append"),
  triple("a retry is due", "wake-ups", "agent.undeploy", "agent.deploy"),
  triple("a booked call is due", "wake-ups", "call.stop booked", "number.release"),
  triple("somebody must not be called", "wake-ups", "suppression.remove", "suppression.add"),
  triple("a retry is due", "wake-ups", "suppression.add", "erasure.of who is busy at first"),
  triple("cancelled long ago", "retention.purge what is over", "campaign.revive", "erasure.of who is called first"),
  triple(
    "called under caps long ago, and to be called again",
    "wake-ups",
    "retention.purge what is over",
    "suppression.add",
  ),
  triple(
    "a batch of it is over long ago, and another one calls",
    "retention.purge what is over",
    "carrier.speaks",
    "campaign.append",
  ),
]

export const play = (interleaving: Interleaving): Effect.Effect<Played> =>
  Effect.map(explore(interleaving), (outcome) => ({ interleaving, outcome }))

/** Plays a pair once for every use of a port that its first operation makes, and once one after the other. */
export const playPair = ({ first, scene, second }: Pair): Effect.Effect<ReadonlyArray<Played>> =>
  Effect.gen(function* () {
    const played: Array<Played> = []
    for (let at = 0; ; at++) {
      const one = yield* play({ scene, first, others: [{ operation: second, at }] })
      played.push(one)
      if (!one.outcome.isWithin) return played
    }
  })

/** Plays a triple once for every two uses of a port that its first operation makes, the same one twice included; or for every so many. */
export const playTriple = ({ first, scene, second, third }: Triple, step = 1): Effect.Effect<ReadonlyArray<Played>> =>
  Effect.gen(function* () {
    const played: Array<Played> = []
    for (let at = 0; ; at += step) {
      for (let later = at; ; later += step) {
        const others = [
          { operation: second, at },
          { operation: third, at: later },
        ]
        const one = yield* play({ scene, first, others })
        played.push(one)
        if (one.outcome.isWithin) continue
        if (later === at) return played
        break
      }
    }
  })

/** What a violation says of the interleaving in which it was found: whom, where, and how to see it again. */
export const told = ({ interleaving, outcome }: Played): string => {
  const { first, others, scene } = interleaving
  const turns = others.map(({ at, operation }) => {
    const before = outcome.uses[at]
    return `"${operation.name}" ${before === undefined ? "after it" : `before its use ${at} (${before})`}`
  })
  const options = others.map(({ at, operation }) => `--other "${operation.name}" --at ${at}`)
  return [
    `"${first.name}" with ${turns.join(" and ")}, where ${scene.name}:`,
    ...outcome.violations.map(({ detail, law }) => `  ${law}: ${detail}`),
    `  npm run soak:interleavings -- --scene "${scene.name}" --first "${first.name}" ${options.join(" ")}`,
  ].join("\n")
}
