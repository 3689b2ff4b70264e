import type { ErrorClass } from "@carillon/core/domain"
import {
  type Destination,
  mayConnect,
  type Parking,
  type WebhookAnswer,
  type WebhookRequest,
  type WebhookTransport,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { World } from "../World.ts"
import { inboxOf } from "./Inboxes.ts"

const failed = (error_class: Exclude<ErrorClass, "http_error">): WebhookAnswer => ({ _tag: "Failed", error_class })

/** Whether the command line lets webhooks really reach a destination. */
const isOpened = ({ hostname, port }: Destination, hosts: ReadonlyArray<string>): boolean =>
  hosts.includes(hostname) || hosts.includes(`${hostname}:${port}`)

/**
 * How webhooks leave the simulated world: to its own inboxes, to what the command line has opened, and nowhere else. A destination
 * that the engine would refuse is refused, every other public one does not resolve.
 */
export const simulatedTransport = (
  world: World,
  parking: Parking["Service"],
  /** Really sends; only for what was opened. */
  real: WebhookTransport["Service"],
): WebhookTransport["Service"] => {
  const { allowWebhookHosts } = world.options
  let sent = 0

  const after = (ms: number) => (ms <= 0 ? Effect.void : parking.park(`webhook:${sent++}`, world.clock.now() + ms).wait)

  /** An answer that would come after the deadline is the deadline's. */
  const within = (request: WebhookRequest, delayMs: number, answer: () => WebhookAnswer) =>
    delayMs >= request.timeoutMs
      ? Effect.as(after(request.timeoutMs), failed("timeout"))
      : Effect.map(after(delayMs), answer)

  const toInbox = (name: string, request: WebhookRequest): Effect.Effect<WebhookAnswer> => {
    const reaction = world.inboxes.take(name, request, world.clock.now())
    if ("error" in reaction) {
      const { delayMs, error } = reaction
      return within(request, error === "timeout" ? request.timeoutMs : delayMs, () => failed(error))
    }
    return within(request, reaction.delayMs, () => {
      reaction.answer()
      return { _tag: "Answered", http_status: reaction.status }
    })
  }

  return {
    send: (request) =>
      Effect.suspend((): Effect.Effect<WebhookAnswer> => {
        const fault = world.faults.strike("webhook_network")
        if (fault === "timeout") return Effect.as(after(request.timeoutMs), failed("timeout"))
        if (fault !== null) return Effect.succeed(failed("connect_error"))
        const { destination } = request
        if (isOpened(destination, allowWebhookHosts)) return real.send(request)
        const addresses = destination.literal ? [destination.hostname] : world.names.resolve(destination.hostname)
        if (addresses.length === 0) return Effect.succeed(failed("dns_error"))
        if (addresses.some((address) => !mayConnect(destination, address, allowWebhookHosts))) {
          return Effect.succeed({ _tag: "Refused" })
        }
        const name = inboxOf(destination.hostname)
        return name === null ? Effect.succeed(failed("dns_error")) : toInbox(name, request)
      }),
  }
}
