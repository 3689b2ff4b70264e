import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { placeCall } from "../../../trial/Calls.ts"
import { secondMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const failing: Case = {
  id: "calls/create/upstream/failing",
  title: "A carrier that is away or broken answers 1501, and the record stays as error",
  clauses: [
    "ERROR-14",
    "ERROR-UPSTREAM-P3",
    "CALL-CREATE-P1",
    "CALL-CREATE-18",
    "MESSAGE-2",
    "MESSAGE-G11",
    "STATUS-MOVE-2",
    "STATUS-21",
    "CALL-FIELD-25",
    "ENVELOPE-P2",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    for (const kind of ["providerUnreachable", "providerError"] as const) {
      const { client } = await trial.organization()
      const agent_id = await activeAgent(trial, client)
      const answer = await placeCall(trial, client, { agent_id, to_number: trial.numbers.magic(kind) })
      check.refused(kind, ["ERROR-14", "CALL-CREATE-18"], answer, 1501)
      check.that(`${kind}-names-the-dependency`, "MESSAGE-2", /telephony service/i.test(answer.message), {
        expected: "telephony service",
        got: answer.message,
        at: answer,
      })
      check.equal(
        `${kind}-wording`,
        "MESSAGE-G11",
        answer.message,
        "Telephony service is temporarily unavailable.",
        answer,
      )
      const list = await client.get("/v2/calls")
      const [call] = list.items().filter(isObject)
      check.equal(`${kind}-record`, "CALL-CREATE-P1", call?.["status"], "error", list)
      check.holds(
        `${kind}-says-why`,
        "CALL-CREATE-P1",
        list.string("data.0.error.message") !== "",
        "error.message",
        list,
      )
      const read = await client.get(`/v2/calls/${list.string("data.0.execution_id")}`)
      check.holds(`${kind}-read-says-why`, "ENVELOPE-P2", read.string("error.message") !== "", "its own error", read)
    }
  },
}

const busy: Case = {
  id: "calls/create/upstream/busy",
  title: "A 429 of the carrier is passed on with its Retry-After, and reads like neither of our own",
  clauses: ["ERROR-UPSTREAM-1", "ERROR-UPSTREAM-P1", "ERROR-UPSTREAM-P2", "ERROR-UPSTREAM-G1", "LIMITS-3", "LIMITS-4"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const answer = await placeCall(trial, client, { agent_id, to_number: trial.numbers.magic("providerBusy", 17) })
    check.refused("refused", "ERROR-UPSTREAM-1", answer, 1300)
    check.equal("retry-after", ["ERROR-UPSTREAM-1"], answer.header("retry-after"), "17", answer)
    const ours = /^(Rate limit exceeded|Account concurrency limit reached)/.test(answer.message)
    check.that("told-apart", ["LIMITS-3", "LIMITS-4"], !ours, {
      expected: "neither of the two known beginnings",
      got: answer.message,
      at: answer,
    })
    check.equal("wording", "ERROR-UPSTREAM-G1", answer.message, "The telephony service is busy. Retry in 17s.", answer)
    const untold = await placeCall(trial, client, { agent_id, to_number: trial.numbers.magic("providerBusy", 0) })
    check.equal("retry-after-by-default", "ERROR-UPSTREAM-P1", untold.header("retry-after"), "1", untold)
    const list = await client.get("/v2/calls")
    check.equal("record", "ERROR-UPSTREAM-P2", list.at("data.0.status"), "error", list)
  },
}

const unconfirmed: Case = {
  id: "calls/create/upstream/unconfirmed",
  title: "A dial whose acknowledgement does not come is answered 202 and never dialled again",
  clauses: [
    "CALL-CREATE-UNCONFIRMED-1",
    "CALL-CREATE-UNCONFIRMED-2",
    "STATUS-MOVE-3",
    "STATUS-MOVE-4",
    "CALL-CREATE-P2",
    "CALL-CREATE-P3",
    "CALL-CREATE-P4",
    "CALL-CREATE-P12",
    "CALL-CREATE-P15",
    "ERROR-STATUS-4",
  ],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    for (const [kind, ends] of [
      ["unconfirmedLive", undefined],
      ["unconfirmedNeverDialled", "error"],
    ] as const) {
      const to_number = trial.numbers.magic(kind)
      const pending = client.post("/v2/calls", { agent_id, to_number })
      check.equal(`${kind}-waits`, "CALL-CREATE-P12", await trial.parked(pending), "parked")
      await clock.advance(8 * secondMs - 1)
      check.equal(
        `${kind}-waits-8-seconds`,
        ["CALL-CREATE-P2", "CALL-CREATE-P12"],
        await trial.parked(pending),
        "parked",
      )
      await clock.advance(1)
      const answer = await trial.settle(pending)
      check.status(`${kind}-answered`, ["STATUS-MOVE-3", "CALL-CREATE-UNCONFIRMED-1", "ERROR-STATUS-4"], answer, 202)
      check.equal(
        `${kind}-dispatch`,
        ["CALL-CREATE-UNCONFIRMED-1", "STATUS-MOVE-3"],
        [answer.at("status"), answer.at("dispatch")],
        ["queued", "pending_confirmation"],
        answer,
      )
      const executionId = answer.string("execution_id")
      const read = await client.get(`/v2/calls/${executionId}`)
      check.status(`${kind}-can-be-polled`, "CALL-CREATE-UNCONFIRMED-2", read, 200)
      if (kind === "unconfirmedLive") {
        const isGivenUp = read.at("status") === "error"
        check.holds("not-given-up", "STATUS-MOVE-4", !isGivenUp, "a call that may be live, as this one is", read)
        await clock.advance(3 * secondMs)
        const told = (await client.get(`/v2/calls/${executionId}`)).at("status")
        check.holds("reports-by-itself", "CALL-CREATE-P15", told !== "queued", "what its leg reports, unasked", read)
      }
      const ended = await untilEnded(trial, client, executionId)
      check.equal(`${kind}-ends`, ["STATUS-MOVE-4"], ended.at("is_terminal"), true, ended)
      check.holds(`${kind}-told`, "CALL-CREATE-UNCONFIRMED-2", ended.at("status") !== "queued", "its outcome", ended)
      if (ends !== undefined) check.equal(`${kind}-ends-as`, "CALL-CREATE-P3", ended.at("status"), ends, ended)
      else
        check.that(
          `${kind}-goes-on`,
          ["CALL-CREATE-UNCONFIRMED-2", "CALL-CREATE-P3", "CALL-CREATE-P15"],
          ended.at("status") !== "error",
          {
            expected: "the outcome of the leg",
            got: ended.at("status"),
            at: ended,
          },
        )
      const legs = await trial.telephony.legs({ to_number })
      check.that(`${kind}-one-dial`, "CALL-CREATE-P4", legs.length <= 1, {
        expected: "at most one leg",
        got: legs.length,
      })
    }
  },
}

const invalid: Case = {
  id: "calls/create/upstream/invalid-destination",
  title: "A destination that cannot exist is an ordinary attempt: accepted, then failed",
  clauses: ["STATUS-12", "CONTACT-HOLD-P6", "CALL-HANGUP-P1"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const answer = await placeCall(trial, client, { agent_id, to_number: trial.numbers.magic("invalidDestination") })
    check.status("accepted", "CONTACT-HOLD-P6", answer, 201)
    if (!answer.succeeded) return
    const ended = await untilEnded(trial, client, answer.string("execution_id"))
    check.oneOf("not-completed", "STATUS-12", ended.at("status"), ["failed", "error"], ended)
    check.equal("failed", "CONTACT-HOLD-P6", ended.at("status"), "failed", ended)
    check.equal(
      "reason",
      ["CALL-HANGUP-P1", "CONTACT-HOLD-P6"],
      ended.at("hangup_reason"),
      "invalid_destination",
      ended,
    )
  },
}

export const upstreamCases: ReadonlyArray<Case> = [failing, busy, unconfirmed, invalid]
