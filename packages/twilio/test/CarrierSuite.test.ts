import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { staged } from "./Stage.ts"

const { callbacks, carrier, farEnd, keepRow, reports } = staged({ priceWaitSeconds: 0 })
const statuses = { ringing: "ringing", answered: "in-progress", ended: "completed" } as const

const stage = Layer.succeed(CarrierSuite.CarrierStage, {
  reach: (id, phase) =>
    Effect.promise(async () => {
      while (!farEnd.isAt(id, statuses[phase]) && (await farEnd.step()));
    }),
  pass: (ms) =>
    Effect.promise(async () => {
      const until = farEnd.now + ms
      while (await farEnd.step(until));
      farEnd.now = until
    }),
  legs: (id) => Effect.sync(() => farEnd.of(id).length),
  reported: (id) => Effect.sync(() => reports.filter((report) => report.execution_id === id)),
  callbacks,
  keepRow,
})

CarrierSuite.suite("Twilio's carrier", Layer.merge(carrier, stage), {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: {
      busy: "+12125550103",
      "no-answer": "+12125550104",
      failed: "+12125550105",
      stopped: "+12125550106",
    },
    refused: {
      invalid_destination: "+12125550120",
      rejected: "+12125550121",
      throttled: "+12125550122",
    },
  },
  onePerId: false,
})
