import type { Case } from "../../run/Case.ts"

const requestId: Case = {
  id: "routing/response/request-id",
  title: "A request id that the client sends comes back; without one, each answer has its own",
  clauses: ["RESPONSE-P2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const sent = `conformance-${trial.fresh()}`
    const echoed = await client.send("GET", "/v2/user/me", { headers: { "x-request-id": sent } })
    check.equal("echoed", "RESPONSE-P2", echoed.header("x-request-id"), sent, echoed)
    const refused = await client.send("GET", "/v2/no-such-thing", { headers: { "x-request-id": sent } })
    check.equal("echoed-on-refusals", "RESPONSE-P2", refused.header("x-request-id"), sent, refused)
    const one = await client.get("/v2/user/me")
    const two = await client.get("/v2/user/me")
    const apart = one.header("x-request-id") !== two.header("x-request-id")
    check.holds("its-own", "RESPONSE-P2", apart, "two different ids", two)
    const huge = await client.send("GET", "/v2/user/me", { headers: { "x-request-id": "x".repeat(2_000) } })
    const repeated = (huge.header("x-request-id") ?? "").length >= 2_000
    check.holds("not-any-length", "RESPONSE-P2", !repeated, "an id of a sane length", huge)
  },
}

const messages: Case = {
  id: "routing/response/messages",
  title: "A message quotes little of what was sent, and nothing of a phone number",
  clauses: ["ENVELOPE-6", "ENVELOPE-P3", "ENVELOPE-P4"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const long = await client.get("/v2/calls", { status: "z".repeat(500) })
    check.rejected("long-value-refused", "ENVELOPE-P3", long)
    check.holds(
      "long-value-cut",
      "ENVELOPE-P3",
      !long.message.includes("z".repeat(65)),
      "at most 64 characters quoted",
      long,
    )
    for (const [field, value] of [
      ["to_number", "+1555555O100"],
      ["from_number", "+15555550100x"],
    ] as const) {
      const body = { agent_id: "agt_x", to_number: "+15555550100", [field]: value }
      const answer = await client.post("/v2/calls", body)
      check.rejected(`${field}-refused`, "ENVELOPE-P4", answer)
      check.holds(
        `${field}-not-quoted`,
        ["ENVELOPE-P4"],
        !answer.message.includes(value),
        "no value of a phone field",
        answer,
      )
    }
    const digits = await client.get("/v2/calls", { status: "15555550100" })
    const quoted = digits.message.includes("15555550100")
    check.holds("digits-masked", ["ENVELOPE-6"], !quoted, "no run of digits as long as a phone number", digits)
    const path = await client.get("/v2/agents/15555550100")
    check.holds("path-not-quoted", "ENVELOPE-6", !path.message.includes("15555550100"), "no phone number", path)
  },
}

export const responseCases: ReadonlyArray<Case> = [requestId, messages]
