import { Effect } from "effect"
import type { Parking } from "../../engine/Parking.ts"
import type { WebhookTransport } from "../../webhooks/ports/WebhookTransport.ts"
import type { WebhookAnswer, WebhookRequest } from "../../webhooks/rules/WebhookRequest.ts"

/** How an endpoint takes a request: its answer, after so many milliseconds. */
export interface Reaction {
  readonly answer: WebhookAnswer
  readonly afterMs?: number
}

/** A request as the transport saw it. */
export interface Received {
  readonly at: number
  readonly request: WebhookRequest
}

/** Every endpoint of the world, in virtual time. */
export class Endpoints {
  readonly received: Array<Received> = []
  /** How endpoints take requests; every one acknowledges at once unless told otherwise. */
  react: (request: WebhookRequest, nth: number) => Reaction = () => ({ answer: { _tag: "Answered", http_status: 200 } })
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  transport(parking: Parking["Service"]): WebhookTransport["Service"] {
    return {
      send: Effect.fnUntraced({ self: this }, function* (request) {
        const nth = this.received.length
        this.received.push({ at: this.#now(), request })
        const { afterMs = 0, answer } = this.react(request, nth)
        const waits = Math.min(afterMs, request.timeoutMs)
        if (waits > 0) yield* parking.park(`webhook:${nth}`, this.#now() + waits).wait
        return afterMs >= request.timeoutMs ? { _tag: "Failed", error_class: "timeout" } : answer
      }),
    }
  }
}
