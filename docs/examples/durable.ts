import { Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import * as Pglite from "@carillon/postgres/pglite"
import { Effect, Layer } from "effect"

const carrier = Layer.succeed(Telephony, {
  dial: (call) => Effect.succeed({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

/** An engine on an embedded PostgreSQL. On a server it is `Postgres.layer({ url })` of `@carillon/postgres`. */
export const start = (directory: string) =>
  Carillon.make({
    ports: Layer.mergeAll(
      Pglite.layer(directory),
      MemorySlots.layer(),
      MemoryRates.layer(),
      carrier,
      nodeWebhookTransport(),
    ),
  })
