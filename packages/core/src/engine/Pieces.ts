import { Context, Effect, Layer } from "effect"
import { limits } from "../Limits.ts"
import { Activity } from "./Activity.ts"
import { Places } from "./Places.ts"

interface PiecesShape {
  /**
   * Reads or writes a piece of what is long: a list of contacts, the audit trail, a list of numbers, all subscriptions of an agent, all that may name
   * a number or a knowledge base that goes. An organization has so many under way at once (`limits.piecesAtOnce`), whatever it asks for; the others
   * wait in the order in which they came.
   */
  readonly piece: <A, E, R>(organizationId: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The share of the store's connections that one organization has for what goes on for long. */
export class Pieces extends Context.Service<Pieces, PiecesShape>()("@carillon/core/engine/Pieces") {
  static readonly layer = Layer.effect(
    Pieces,
    Effect.map(Activity, (activity) => {
      const places = new Places(activity, limits.piecesAtOnce)
      return Pieces.of({ piece: (organizationId, work) => places.within(organizationId, work) })
    }),
  )
}
