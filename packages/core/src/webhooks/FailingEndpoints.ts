import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"
import { answered, failed, type Standing } from "../operating/rules/Outage.ts"
import { SharedLines } from "../operating/rules/SharedLines.ts"
import { formatUtc } from "../time/Timestamp.ts"
import type { AttemptOutcome, Delivery } from "./rules/Delivery.ts"
import { endpointKey, FailingMemory } from "./rules/FailingMemory.ts"

/** Where an attempt went: of the address the host alone, for a path may be a secret. */
export interface AttemptedEndpoint {
  readonly delivery: Pick<Delivery, "organization_id" | "subscription_id" | "agent_id">
  readonly host: string
}

const millisPerSecond = 1_000

const follows = "Each delivery is attempted four times within two minutes, and given up then."

const many =
  "More endpoints take no webhooks, too many to name each. If they are of many organizations: does this machine reach the internet, and its name servers?"

/** One that took all its time has been asked for long enough; one that was refused at once has to be refused again. */
const failuresOf = ({ error_class }: AttemptOutcome): number =>
  error_class === "timeout" ? 1 : limits.webhookFailingAttempts

const annotationsOf = ({ delivery, host }: AttemptedEndpoint, since: number) => ({
  host,
  organization_id: delivery.organization_id,
  ...(delivery.subscription_id === null
    ? { agent_id: delivery.agent_id }
    : { subscription_id: delivery.subscription_id }),
  since: formatUtc(since),
})

/**
 * Takes note of how attempts end. An endpoint that takes none has one line in the log when that begins and one when it is over, and counts in
 * `carillon.webhook.endpoints.failing` meanwhile.
 */
export const failingEndpoints: Effect.Effect<
  (endpoint: AttemptedEndpoint, outcome: AttemptOutcome, began: number) => Effect.Effect<void>,
  never,
  DomainClock
> = Effect.gen(function* () {
  const clock = yield* DomainClock
  const meters = yield* CurrentMeters
  const remembered = new FailingMemory()
  const others = new NowAndThen(limits.webhookFailingToldMs)
  const lines = new SharedLines(limits.webhookFailingTold, limits.webhookFailingToldMs)
  meters?.watch(metrics.endpointsFailing, () => remembered.failing(clock.now()).length)
  meters?.watch(metrics.endpointsFailingAge, () => {
    const now = clock.now()
    return Math.max(0, ...remembered.failing(now).map((since) => now - since)) / millisPerSecond
  })

  const fails = (endpoint: AttemptedEndpoint, message: string, since: number, now: number, isTold: boolean) => {
    if (isTold) {
      const line = `${endpoint.host} takes no webhooks. ${message} ${follows}`
      return Effect.annotateLogs(Effect.logWarning(line), annotationsOf(endpoint, since))
    }
    const endpoints = others.note(now)
    return endpoints === null ? Effect.void : Effect.annotateLogs(Effect.logWarning(many), { endpoints })
  }

  const takesAgain = (endpoint: AttemptedEndpoint, { operations }: Standing, since: number, now: number) => {
    const seconds = ((now - since) / millisPerSecond).toFixed(1)
    const line = `${endpoint.host} takes webhooks again, after ${seconds} s: ${operations} ${operations === 1 ? "attempt" : "attempts"} had failed.`
    return Effect.annotateLogs(Effect.logInfo(line), annotationsOf(endpoint, since))
  }

  return (endpoint, outcome, began) =>
    Effect.suspend(() => {
      const { agent_id, organization_id, subscription_id } = endpoint.delivery
      const key = endpointKey(organization_id, subscription_id ?? `agent:${agent_id}`, endpoint.host)
      const { isTold, standing: before } = remembered.of(key)
      const now = clock.now()
      if (outcome.error_class === null) {
        if (before.streak === 0) return Effect.void
        const after = answered(before, began, { failures: 1, calmMs: limits.outageCalmMs })
        remembered.set(key, { standing: after, isTold })
        const isBack = isTold && before.since !== null && after.since === null
        return isBack ? takesAgain(endpoint, before, before.since, now) : Effect.void
      }
      const after = failed(before, now, { failures: failuresOf(outcome), calmMs: limits.outageCalmMs })
      const begins = before.since === null && after.since !== null
      const isNamed = begins ? lines.may(organization_id, now) : isTold
      remembered.set(key, { standing: after, isTold: isNamed })
      return begins ? fails(endpoint, outcome.error_message ?? "", after.since, now, isNamed) : Effect.void
    })
})
