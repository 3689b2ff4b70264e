import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { limits } from "../Limits.ts"
import { metrics, type WithheldReason } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"
import { SharedLines } from "./rules/SharedLines.ts"

/** Who is not dialled: a direct call, a booked one, or a contact of a campaign. */
type Withholding = "direct" | "booked" | "contact"

/** What is told elsewhere: an empty wallet once by `Wallets`, a carrier and a stop of all dials by what caused them. */
const toldElsewhere: ReadonlySet<WithheldReason> = new Set(["wallet", "held", "carrier"])

/** What a contact is told of: something is set up wrongly. Whoever waits for hours, for a rest or is suppressed is what campaigns are made of. */
const toldOfContacts: ReadonlySet<WithheldReason> = new Set(["agent", "caller_id"])

const isTold = (what: Withholding, reason: WithheldReason): boolean =>
  what === "contact" ? toldOfContacts.has(reason) : !toldElsewhere.has(reason)

const many = "More dials were not made when their turn came, too many to name each."

/**
 * Counts each dial that is not made though its turn had come, and tells of it in the log: one line for each organization and reason in
 * `limits.withheldToldMs`, and one with the count of the others.
 */
export class Withheld extends Context.Service<
  Withheld,
  {
    readonly note: (
      organizationId: string,
      what: Withholding,
      reason: WithheldReason,
      count?: number,
    ) => Effect.Effect<void>
  }
>()("@carillon/core/operating/Withheld") {
  static readonly layer = Layer.effect(
    Withheld,
    Effect.gen(function* () {
      const clock = yield* DomainClock
      const meters = yield* CurrentMeters
      const lines = new SharedLines(limits.withheldTold, limits.withheldToldMs)
      const others = new NowAndThen(limits.withheldToldMs)

      const tell = (organization_id: string, what: Withholding, reason: WithheldReason) => {
        const now = clock.now()
        if (lines.may(`${organization_id} ${reason}`, now)) {
          const line = `A dial was not made when its turn came: ${reason}.`
          return Effect.annotateLogs(Effect.logInfo(line), { organization_id, kind: what })
        }
        const dials = others.note(now)
        return dials === null ? Effect.void : Effect.annotateLogs(Effect.logInfo(many), { dials })
      }

      return Withheld.of({
        note: (organizationId, what, reason, count = 1) =>
          Effect.suspend(() => {
            meters?.count(metrics.dialsWithheld, [what, reason], count)
            return isTold(what, reason) ? tell(organizationId, what, reason) : Effect.void
          }),
      })
    }),
  )
}
