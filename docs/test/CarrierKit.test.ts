import { readFileSync } from "node:fs"
import type { CarrierReport } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { makeVendor } from "../examples/carrier-kit.ts"
import { FarEnd } from "../examples/far-end.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const reports: Array<CarrierReport> = []
const farEnd: FarEnd = new FarEnd((request) => handle(request))
const made = (fetch: (request: Request) => Promise<Response>) =>
  makeVendor({ url: "https://api.vendor.test", token: "t", secret: "whisper", fetch })
const vendor = made(farEnd.fetch)
const handle = vendor.callbacks(async (report) => reports.push(report))
const states = { ringing: "ringing", answered: "talking", ended: "completed" } as const

const stage = Layer.succeed(CarrierSuite.CarrierStage, {
  reach: (id, phase) =>
    Effect.promise(async () => {
      while (!farEnd.isAt(id, states[phase]) && (await farEnd.step()));
    }),
  pass: (ms) =>
    Effect.promise(async () => {
      const until = farEnd.now + ms
      while (await farEnd.step(until));
      farEnd.now = until
    }),
  legs: (id) => Effect.sync(() => farEnd.made.get(id) ?? 0),
  reported: (id) => Effect.sync(() => reports.filter((report) => report.execution_id === id)),
})

const carrier = Layer.provide(vendor.carrier, MemoryStore.layer(new MemoryTables()))

CarrierSuite.suite("The vendor's carrier, of the kit", Layer.merge(carrier, stage), {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: { busy: "+12125550103", "no-answer": "+12125550104" },
    refused: {
      insufficient_funds: "+12125550105",
      rejected: "+12125550106",
      invalid_destination: "+12125550107",
      throttled: "+12125550108",
    },
  },
  onePerId: true,
})

describe("the guide to carriers", () => {
  it("shows the carrier of the kit that is run here", () => {
    assert.include(text("guides/carrier.md"), text("examples/carrier-kit.ts"))
  })

  it("takes no callback that is forged, malformed or too long, and none while there is no engine", async () => {
    const idle = made(farEnd.fetch).callbacks(async () => "applied")
    const call = { id: "CA1", key: "exec_1", state: "ringing", at: 5, seconds: 0 }
    const post = async (body: string, secret = "whisper") => {
      const headers = { "x-callback-secret": secret }
      return (await idle(new Request("http://host.test/vendor/calls", { method: "POST", headers, body }))).status
    }
    const answers = [
      await post(JSON.stringify(call)),
      await post(JSON.stringify(call), "shout"),
      await post("{"),
      await post("x".repeat(64 * 1024 + 1)),
    ]
    assert.deepStrictEqual(answers, [503, 401, 400, 413])
  })
})
