import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"
import { SharedLines } from "../operating/rules/SharedLines.ts"
import { formatUtc } from "../time/Timestamp.ts"
import { type EmptyWallet, EmptyWallets } from "./rules/EmptyWallets.ts"
import { Funds } from "./ports/Funds.ts"
import type { Organization } from "./rules/Organization.ts"

const millisPerSecond = 1_000

const gone =
  "The wallet of an organization carries no call: its contacts are held, and its direct calls are answered 402."

const many = "More organizations have wallets that carry no call, too many to name each."

/** Asks whether wallets carry the calls that are to be dialled now, and tells once of each that does not, and once when it does again. */
export class Wallets extends Context.Service<
  Wallets,
  {
    /** `Funds.open`, for a call whose time has come. */
    readonly open: (organization: Organization) => Effect.Effect<boolean, PortError>
  }
>()("@carillon/core/organizations/Wallets") {
  static readonly layer = Layer.effect(
    Wallets,
    Effect.gen(function* () {
      const funds = yield* Funds
      const clock = yield* DomainClock
      const meters = yield* CurrentMeters
      const empty = new EmptyWallets()
      const lines = new SharedLines(limits.emptyWalletsTold, limits.emptyWalletsToldMs)
      const others = new NowAndThen(limits.emptyWalletsToldMs)
      meters?.watch(metrics.emptyWallets, () => empty.lately(clock.now()))

      const tell = (organization_id: string, now: number, isTold: boolean) => {
        if (isTold) {
          return Effect.annotateLogs(Effect.logWarning(gone), { organization_id, since: formatUtc(now) })
        }
        const organizations = others.note(now)
        return organizations === null ? Effect.void : Effect.annotateLogs(Effect.logWarning(many), { organizations })
      }

      const isEmpty = (organization_id: string) =>
        Effect.suspend(() => {
          const now = clock.now()
          const before = empty.of(organization_id)
          const { isTold, since } = before ?? { since: now, isTold: lines.may(organization_id, now) }
          empty.set(organization_id, { since, lastAt: now, isTold })
          return before === null ? tell(organization_id, now, isTold) : Effect.void
        })

      const isBack = (organization_id: string, { isTold, since }: EmptyWallet) => {
        empty.forget(organization_id)
        if (!isTold) return Effect.void
        const seconds = ((clock.now() - since) / millisPerSecond).toFixed(1)
        return Effect.annotateLogs(
          Effect.logInfo(`The wallet of an organization carries calls again, after ${seconds} s.`),
          { organization_id, since: formatUtc(since) },
        )
      }

      return Wallets.of({
        open: (organization) =>
          Effect.flatMap(funds.open(organization), (isOpen) => {
            const { organization_id } = organization
            if (!isOpen) return Effect.as(isEmpty(organization_id), false)
            const before = empty.of(organization_id)
            return before === null ? Effect.succeed(true) : Effect.as(isBack(organization_id, before), true)
          }),
      })
    }),
  )
}
