import { Effect, Result } from "effect"
import type { Change, Expectation } from "../src/engine/rules/Commit.ts"
import { Grounds, read } from "../src/engine/steps/Grounds.ts"
import type { Outcome } from "../src/engine/rules/Outcome.ts"
import { hashText } from "../src/engine/rules/Hash.ts"
import { idPrefixes } from "../src/engine/rules/IdKinds.ts"
import { type Moment, moments } from "../src/engine/steps/Moment.ts"
import type { Reading } from "../src/engine/steps/Reading.ts"
import type { AskingHandlers, ErrandHandling } from "../src/engine/ErrandHandling.ts"
import { type AskingErrand, errandName } from "../src/Errands.ts"
import type { PortError } from "../src/Errors.ts"
import { memoryRows } from "../src/memory/MemoryPorts.ts"
import { MemoryTables } from "../src/memory/MemoryTables.ts"
import { limits } from "../src/Limits.ts"
import { plainSecrets } from "../src/secrets/ports/Secrets.ts"
import type { Sources } from "../src/Sources.ts"

/** The moment of a decision. */
export const momentAt = (now: number): Moment =>
  moments(
    () => now,
    { mint: (kind, ...derivation) => idPrefixes[kind] + hashText(8, ...derivation) },
    { draw: () => 0.5 },
  )()

/** Everything that reads are answered from, where some rows are stored. */
export const sourcesOn = (...rows: ReadonlyArray<Change>): Sources => {
  const tables = new MemoryTables()
  for (const row of rows) tables.restore(row)
  return {
    ...memoryRows(tables),
    ownership: { mayRegister: ({ holders }) => Effect.succeed(holders.length === 0) },
    transliterator: { unknown: () => Effect.succeed(null), transliterate: ({ texts }) => Effect.succeed(texts) },
    secrets: plainSecrets,
    keeping: {
      seal: Effect.succeed,
      open: ({ sealed }) => Effect.succeed(sealed),
      openHeaders: (headers) => Effect.succeed(headers.map(([name, { sealed }]) => [name, sealed])),
    },
  }
}

/** The answer of a step that asks nothing for it. */
export const replied = <Reply, Refusal>(answer: Outcome<Reply, Refusal>["answer"]): Result.Result<Reply, Refusal> => {
  if ("errand" in answer) throw new Error(`It asks ${errandName(answer.errand)}.`)
  return answer
}

const nobodyAsks = (errand: AskingErrand) => Effect.die(new Error(`Nobody does ${errandName(errand)} here.`))

/** Does errands that ask as told; the others are a mistake. */
export const askedOf = (told: Partial<AskingHandlers>): ErrandHandling["Service"]["ask"] => {
  const handlers: AskingHandlers = {
    "call.dial": nobodyAsks,
    "call.hang_up": nobodyAsks,
    "contacts.discard": nobodyAsks,
    "contacts.overwrite": nobodyAsks,
    "delivery.send": nobodyAsks,
    "knowledge.remove_chunks": nobodyAsks,
    ...told,
  }
  return (errand) => handlers[errand.errand](errand)
}

/** What a reading comes to. */
export interface Read<View> {
  readonly view: View
  /** What a commit expects of it that writes none of the rows. */
  readonly expected: ReadonlyArray<Expectation>
}

/** Reads without an engine: the view with what is expected of it, or the error with which the step is refused. */
export const readOn = <View, Refusal>(
  sources: Sources,
  reading: Reading<View, Refusal>,
): Result.Result<Read<View>, Refusal | PortError> => {
  const grounds = new Grounds()
  const view = Effect.runSync(Effect.result(Effect.gen(() => read(reading, sources, grounds, limits.stepRows))))
  return Result.map(view, (seen) => ({ view: seen, expected: grounds.expected(new Set()) }))
}
