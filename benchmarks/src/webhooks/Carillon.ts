import { AllowedDestinations, Telephony } from "@carillon/core"
import { Steps, type Subscription, type WebhookEvent } from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"
import { bodyOf, secret } from "./Endpoints.ts"
import type { StartSender } from "./Sender.ts"

const organization_id = "org_benchmark"

const carrier = Layer.succeed(Telephony, {
  dial: () => Effect.succeed({ _tag: "Accepted", call_sid: null }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

const subscriptionOf = (callback_url: string, index: number, now: number): Subscription => ({
  subscription_id: `sub_${index}`,
  organization_id,
  revision: 1,
  agent_id: `agt_${index}`,
  callback_url,
  method_type: "POST",
  headers: [],
  secret,
  event_types: ["all_processing_completed"],
  enabled: true,
  description: null,
  health: { failing_since: null, last_failure: null },
  created_at: now,
  updated_at: now,
})

const retentionMs = 31 * 24 * 3_600_000

const eventOf = (serial: number, endpoint: number, now: number): WebhookEvent => ({
  event_id: `evt_${serial}`,
  organization_id,
  revision: 1,
  event_type: "all_processing_completed",
  execution_id: `exec_${serial}`,
  agent_id: `agt_${endpoint}`,
  body: bodyOf(serial),
  raised_at: now,
  routed_at: null,
  expires_at: now + retentionMs,
})

/** The engine in real time, with its outbox and ledger in memory: routed, written, signed, sent, acknowledged, written. */
export const startCarillon: StartSender = async (urls, delivered) => {
  const tables = new MemoryTables()
  const nothing = { organization_id, expect: [], changes: [], wakeups: [], events: [], audit: [] }
  const changes = urls.map(
    (url, index) => ({ put: "subscription", row: subscriptionOf(url, index, Date.now()) }) as const,
  )
  tables.commit({ ...nothing, id: "setup", changes })
  tables.onCommit((commit) => {
    for (const change of commit.changes) {
      if (change.put !== "delivery" || change.row.status !== "delivered") continue
      delivered(Number(change.row.event_id.slice("evt_".length)))
    }
  })
  const carillon = await Carillon.make({
    ports: Layer.mergeAll(
      MemoryStore.layer(tables),
      MemorySlots.layer(),
      MemoryRates.layer(),
      carrier,
      nodeWebhookTransport(),
    ).pipe(Layer.provideMerge(Layer.succeed(AllowedDestinations, ["127.0.0.1"]))),
  })
  return {
    submit: (serial, endpoint) => {
      const row = eventOf(serial, endpoint, Date.now())
      const wakeup = { set: { kind: "event", subject: row.event_id, at: row.raised_at } } as const
      const draft = { organization_id, changes: [{ put: "event", row } as const], wakeups: [wakeup] }
      void carillon.run(Effect.flatMap(Steps, (steps) => steps.commit(draft)))
    },
    close: carillon.close,
  }
}
