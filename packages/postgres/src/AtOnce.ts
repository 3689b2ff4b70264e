import { Effect } from "effect"

/**
 * Sends statements in their order without waiting in between, where none of them needs the answer of another: in a transaction that is one message
 * and one wait (`client/Transaction.ts`). Each is still carried out after the one before it, and sees what that one has waited for or written. Where
 * one fails, those behind it are not carried out, and it is the one that is told of.
 *
 * An effect among them sends all that it has before it waits for an answer; what it sends later comes behind all the others.
 */
export const atOnce = <A, E>(sent: Iterable<Effect.Effect<A, E>>): Effect.Effect<Array<A>, E> =>
  Effect.flatMap(Effect.forEach(sent, Effect.result, { concurrency: "unbounded" }), (answers) =>
    Effect.forEach(answers, Effect.fromResult),
  )

/** The same of two that answer different things. */
export const both = <A, E, B, F>(
  one: Effect.Effect<A, E>,
  other: Effect.Effect<B, F>,
): Effect.Effect<readonly [A, B], E | F> =>
  Effect.flatMap(
    Effect.all([Effect.result(one), Effect.result(other)], { concurrency: "unbounded" }),
    ([first, second]) => Effect.all([Effect.fromResult(first), Effect.fromResult(second)]),
  )
