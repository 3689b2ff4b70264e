import { assert, it } from "@effect/vitest"
import type { DialOutcome } from "@carillon/core"
import { outagesLayer } from "@carillon/core/ports"
import { Context, Effect, Layer, Logger } from "effect"
import { CurrentOutages } from "../../src/operating/Outages.ts"
import { toldDial } from "../../src/telephony/ToldDial.ts"

const command = {
  execution_id: "exec_one",
  organization_id: "org",
  agent_id: "agent",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number: "+15555550100",
  from_number: null,
  timeout_seconds: 30,
  record: false,
  variables: {},
}

it.effect("a refusal of one carrier is told though another one is away, and the refusals of that one are not", () =>
  Effect.gen(function* () {
    const outages = Context.get(yield* Layer.build(outagesLayer), CurrentOutages)
    if (outages === null) throw new Error("nobody tells of outages")
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Info") lines.push(String(message))
    })
    const refused: DialOutcome = { _tag: "Refused", kind: "invalid_destination" }
    const refusedBy = (carrier: string) => toldDial(outages, carrier, command, Effect.succeed(refused))
    for (let nth = 0; nth < 3; nth++) yield* outages.failed("carrier", "main: no answer", "main")
    yield* Effect.provide(Effect.andThen(refusedBy("spare"), refusedBy("main")), Logger.layer([logger]))
    assert.deepStrictEqual(lines, ["The carrier refused a dial: invalid_destination."])
  }),
)
