import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import type { DialCommand } from "@carillon/core"
import { Worker } from "bullmq"
import { announce } from "./Process.ts"
import type { Dial, FindAnswer, QueueSettings } from "./Protocol.ts"

/** What a team would build on BullMQ: a job for each contact, which dials and stays until the leg has ended. */
const { values } = parseArgs({ options: { settings: { type: "string", default: "" } } })
const settings: QueueSettings = JSON.parse(values.settings)
const lookMs = 100

const command = (id: string): DialCommand => ({
  execution_id: id,
  organization_id: "org",
  agent_id: "agt",
  campaign_id: "cmp",
  contact_id: id,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number: id,
  from_number: null,
  timeout_seconds: 30,
  record: false,
  variables: {},
})

const stateOf = async (id: string): Promise<FindAnswer> =>
  JSON.parse(await (await fetch(`${settings.carrier}/find?id=${id}`)).text())

const worker = new Worker(
  settings.queue,
  async ({ id = "" }) => {
    const dial: Dial = { by: settings.name, command: command(id) }
    await fetch(`${settings.carrier}/dial`, { method: "POST", body: JSON.stringify(dial) })
    while ((await stateOf(id))._tag !== "Ended") await sleep(lookMs)
  },
  { connection: { host: "127.0.0.1", port: settings.redisPort }, concurrency: settings.lines },
)
worker.on("error", () => undefined)
await worker.waitUntilReady()
announce(createServer((_, response) => response.end()))
