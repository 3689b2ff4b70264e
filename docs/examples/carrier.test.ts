import type { CarrierReport } from "@carillon/core"
import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { callbacks, vendorCarrier } from "./carrier.ts"
import { FarEnd } from "./far-end.ts"

const reports: Array<CarrierReport> = []
const farEnd = new FarEnd(callbacks(async (report) => reports.push(report), "whisper"))
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

const carrier = vendorCarrier({ url: "https://api.vendor.test", token: "t", fetch: farEnd.fetch })

CarrierSuite.suite("The vendor's carrier", Layer.merge(carrier, stage), {
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
