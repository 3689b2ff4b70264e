import type { PortError } from "@carillon/core"
import type { CounterPorts } from "@carillon/core/ports"
import { Effect, Semaphore } from "effect"

/** Asks one question after the other. */
export type Ask = <A>(question: Effect.Effect<A, PortError>) => Effect.Effect<A, PortError>

/**
 * Questions to what lies outside of this process, one at a time: what comes of them follows from their order, however fast they are answered.
 * What was begun is seen to its end, whatever becomes of the process that asked.
 */
export const takingTurns = (): Ask => {
  const turn = Semaphore.makeUnsafe(1)
  return (question) =>
    Effect.uninterruptible(
      Effect.callback((resume) => {
        Effect.runFork(turn.withPermit(question)).addObserver(resume)
      }),
    )
}

/** Counters that are asked in turns. */
export const inTurns = ({ slots, rates }: CounterPorts, ask: Ask): CounterPorts => ({
  slots: {
    acquire: (...args) => ask(slots.acquire(...args)),
    hold: (...args) => ask(slots.hold(...args)),
    release: (...args) => ask(slots.release(...args)),
    leave: (...args) => ask(slots.leave(...args)),
    used: (...args) => ask(slots.used(...args)),
    members: (...args) => ask(slots.members(...args)),
    restore: (...args) => ask(slots.restore(...args)),
    want: (...args) => ask(slots.want(...args)),
    lapse: (...args) => ask(slots.lapse(...args)),
  },
  rates: {
    hit: (...args) => ask(rates.hit(...args)),
    peek: (...args) => ask(rates.peek(...args)),
  },
})
