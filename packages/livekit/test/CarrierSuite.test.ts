import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import { staged } from "./Stage.ts"

const { callbacks, carrier, farEnd, keepRow, reports } = await staged({ reportWaitSeconds: 0 })
afterAll(() => farEnd.close())

const statuses = { ringing: "ringing", answered: "active", ended: "over" } as const

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

CarrierSuite.suite("LiveKit's carrier", Layer.merge(carrier, stage), {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: {
      busy: "+12125550103",
      "no-answer": "+12125550104",
      failed: "+12125550105",
      error: "+12125550107",
      "call-disconnected": "+12125550108",
    },
    refused: {
      invalid_destination: "+12125550120",
      rejected: "+12125550121",
      throttled: "+12125550122",
    },
  },
  onePerId: false,
})
