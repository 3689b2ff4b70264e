import { createHash, createHmac } from "node:crypto"
import { AuditChain, directDial, newCall, WebhookPayload, WebhookSignature } from "@carillon/core/domain"
import { type Comparison, type Contender, type Scenario, sized, timed } from "../Harness.ts"
import { percentile } from "../Statistics.ts"
import { startBullMq, startRedis } from "../webhooks/BullMq.ts"
import { startCarillon } from "../webhooks/Carillon.ts"
import { endpointCount, Endpoints, secret } from "../webhooks/Endpoints.ts"
import { startPlain } from "../webhooks/Plain.ts"
import type { StartSender } from "../webhooks/Sender.ts"

/** A sender and its name. */
type Named = readonly [name: string, start: StartSender]

/** One burst to all endpoints; the dead one is not waited for. */
const burst = (
  [name, start]: Named,
  endpoints: Endpoints,
  { dead, deliveries }: { readonly dead: boolean; readonly deliveries: number },
): Contender => ({
  name,
  round: async () => {
    const urls = Array.from({ length: endpointCount }, (_, index) => endpoints.url(index, dead))
    const before = await endpoints.refused()
    const seen = new Set<number>()
    const expected = dead ? deliveries - deliveries / endpointCount : deliveries
    const all = Promise.withResolvers<void>()
    let doubled = 0
    const sender = await start(urls, (serial) => {
      if (seen.has(serial)) doubled += 1
      seen.add(serial)
      if (seen.size === expected) all.resolve()
    })
    const round = await timed(async () => {
      for (let serial = 0; serial < deliveries; serial++) sender.submit(serial, serial % endpointCount)
      await all.promise
      return { operations: expected }
    })
    await sender.close()
    return { ...round, errors: doubled + (await endpoints.refused()) - before }
  },
})

const pacedPerSecond = 400

/** A steady load: how long healthy endpoints wait for their events. */
const paced = (
  [name, start]: Named,
  endpoints: Endpoints,
  { dead, seconds }: { readonly dead: boolean; readonly seconds: number },
): Contender => ({
  name,
  round: async () => {
    const urls = Array.from({ length: endpointCount }, (_, index) => endpoints.url(index, dead))
    const count = pacedPerSecond * seconds
    const submitted: Array<number> = []
    const waited: Array<number> = []
    const all = Promise.withResolvers<void>()
    const expected = count - count / endpointCount
    const sender = await start(urls, (serial) => {
      if (serial % endpointCount === 0) return
      waited.push(performance.now() - (submitted[serial] ?? Number.NaN))
      if (waited.length === expected) all.resolve()
    })
    const round = await timed(async () => {
      const begun = performance.now()
      const pace = setInterval(() => {
        const due = Math.min(count, Math.floor(((performance.now() - begun) * pacedPerSecond) / 1000))
        while (submitted.length < due) {
          const serial = submitted.push(performance.now()) - 1
          sender.submit(serial, serial % endpointCount)
        }
        if (submitted.length === count) clearInterval(pace)
      }, 2)
      await all.promise
      return { operations: expected }
    })
    await sender.close()
    const latency = { p50: percentile(waited, 0.5), p99: percentile(waited, 0.99) }
    return { ...round, errors: waited.length - expected, latency }
  },
})

const text = "Thank you, that is all I wanted to know about it."

/** An ended call with its conversation, of which the payload has about 2 KB. */
const sample = () => {
  const request = {
    agent_id: "agt_00000000000000000000",
    to_number: "+15555550100",
    from_number: "+15555550199",
    variables: { name: "Ada" },
    metadata: {},
    scheduled_at: null,
    record: true,
    timeout_seconds: 30,
  }
  const id = "exec_00000000000000000000"
  const call = { ...newCall("org_00000000000000000000", id, request, directDial, 0), status: "completed" } as const
  const transcript = Array.from({ length: 10 }, (_, nth) => ({
    role: nth % 2 === 0 ? "agent" : "user",
    content: text,
    start_ms: nth,
    end_ms: nth,
  }))
  const media = {
    execution_id: id,
    organization_id: call.organization_id,
    revision: 1,
    transcript,
    setup: null,
    turns: null,
  }
  return { call, context: { timezone: "Europe/Berlin", currency: "USD", media, attempts: [call] } }
}

const signatures = 20_000

const signing = (): Comparison => {
  const { call, context } = sample()
  const event = {
    event_id: "evt_0000000000000000000000",
    event_type: "all_processing_completed",
    correction: null,
  } as const
  const payload = WebhookPayload.payloadOf({ ...event, at: 0 }, call, context)
  const contender = (name: string, one: (nth: number) => string): Contender => ({
    name,
    round: () =>
      timed(() => {
        let length = 0
        for (let nth = 0; nth < signatures; nth++) length += one(nth).length
        return { operations: signatures, errors: length > 0 ? 0 : 1 }
      }),
  })
  return {
    title: "freezing and signing an event of 2 KB",
    reference: "JSON.stringify, node:crypto",
    contenders: [
      contender("Carillon", (nth) => {
        const body = JSON.stringify(WebhookPayload.payloadOf({ ...event, at: nth }, call, context))
        return WebhookSignature.sign(secret, nth, body)
      }),
      contender("JSON.stringify, node:crypto", (nth) => {
        const body = JSON.stringify({ ...payload, timestamp: nth })
        return createHmac("sha256", secret).update(`${nth}.${body}`).digest("hex")
      }),
    ],
  }
}

const records = 50_000

const verification = (): Comparison => {
  const chain: Array<AuditChain.AuditRecord> = []
  for (let nth = 0; nth < records; nth++) {
    const last = chain.at(-1)
    const head = last === undefined ? AuditChain.emptyChain : AuditChain.headOf(last)
    chain.push(
      AuditChain.append(head, {
        event_id: `aud_${nth}`,
        organization_id: "org_00000000000000000000",
        actor: { type: "api_key", key_id: "key_0123456789abcdef" },
        action: "call.create",
        resource: { type: "call", id: `exec_${nth}` },
        outcome: "allowed",
        error_code: null,
        http_status: null,
        request_id: `req_${nth}`,
        details: { agent_id: "agt_00000000000000000000" },
        created_at: nth,
      }),
    )
  }
  return {
    title: "verifying an audit chain, records",
    reference: "JSON.stringify, node:crypto",
    contenders: [
      {
        name: "Carillon",
        round: () => timed(() => ({ operations: records, errors: AuditChain.verifyChain(chain).valid ? 0 : 1 })),
      },
      {
        name: "JSON.stringify, node:crypto",
        round: () =>
          timed(() => {
            let length = 0
            for (const record of chain)
              length += createHash("sha256").update(JSON.stringify(record)).digest("hex").length
            return { operations: records, errors: length > 0 ? 0 : 1 }
          }),
      },
    ],
  }
}

const missing = `
  !! There is no redis-server on this machine, so BullMQ could not be measured.
  !! What follows is compared with plain signed POSTs alone.

`

export const inMemory = "Carillon, ledger in memory"
export const atPace = `at ${pacedPerSecond}/s to ${endpointCount} endpoints`

export const webhooks: Scenario = {
  name: "webhooks",
  question:
    "How many signed deliveries a second, each with its rows in a ledger, and what does a dead endpoint cost the others?",
  comparisons: async function* (scale) {
    yield signing()
    yield verification()
    const redis = await startRedis()
    if (redis === null) process.stdout.write(missing)
    const endpoints = await Endpoints.start()
    const senders: ReadonlyArray<Named> = [
      [inMemory, startCarillon],
      ...(redis === null ? [] : [["BullMQ, ledger in Redis", startBullMq(redis.port)] as const]),
      ["signed POSTs alone (limit)", startPlain],
    ]
    try {
      for (const dead of [false, true]) {
        const reference = senders[1]?.[0] ?? ""
        const deliveries = sized(scale, 300, 3_000)
        yield {
          title: dead ? "deliveries, 1 endpoint of 100 dead" : "deliveries to 100 endpoints",
          reference,
          contenders: senders.map((sender) => burst(sender, endpoints, { dead, deliveries })),
        }
        const seconds = sized(scale, 1, 5)
        yield {
          title: dead ? `at ${pacedPerSecond}/s, 1 endpoint of ${endpointCount} dead` : atPace,
          reference,
          contenders: senders.map((sender) => paced(sender, endpoints, { dead, seconds })),
        }
      }
    } finally {
      endpoints.close()
      redis?.process.kill()
    }
  },
}
