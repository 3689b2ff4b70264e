import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { agentName } from "../../trial/Agents.ts"

const json = { "content-type": "application/json" }

const sendRaw = (
  client: Client,
  method: string,
  path: string,
  raw: string | Uint8Array<ArrayBuffer>,
  headers = json,
): Promise<Answer> => client.send(method, path, { raw, headers })

/** Largest JSON body where no contacts are carried. */
const maxBodyBytes = 1_048_576

/** An object nested this deep, the root counting as one. */
const nested = (depth: number): string => `${'{"deeper":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`

const malformed: Case = {
  id: "decoding/body/malformed",
  title: "A body that is no JSON object is 1000 with 400",
  clauses: ["ERROR-1", "DECODE-P5"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const bodies: ReadonlyArray<readonly [name: string, raw: string | Uint8Array<ArrayBuffer>]> = [
      ["unclosed", "{"],
      ["trailing-comma", '{"display_name":"x",}'],
      ["single-quotes", "{'display_name':'x'}"],
      ["two-values", '{"display_name":"x"}{}'],
      ["not-json", "display_name=x"],
      ["nan", '{"display_name":NaN}'],
    ]
    // A schema could reject what is JSON, or is once its bad bytes are replaced: 1000 is a reading there.
    const rejectable: typeof bodies = [
      ["array", "[]"],
      ["array-of-objects", '[{"display_name":"x"}]'],
      ["string", '"x"'],
      ["number", "1"],
      ["boolean", "true"],
      ["null", "null"],
      ["not-utf-8", new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ]
    const judge = async (cited: ReadonlyArray<string>, judged: typeof bodies) => {
      for (const [name, raw] of judged) {
        check.refused(`agent-${name}`, cited, await sendRaw(client, "POST", "/v2/agents", raw), 1000)
        check.refused(`call-${name}`, cited, await sendRaw(client, "POST", "/v2/calls", raw), 1000)
      }
    }
    await judge(["ERROR-1", "DECODE-P5"], bodies)
    await judge(["DECODE-P5"], rejectable)
  },
}

const contentType: Case = {
  id: "decoding/body/content-type",
  title: "A body of another content type is 1000 with 400; parameters and case of the right one do not matter",
  clauses: ["DECODE-P5", "CONV-2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const body = JSON.stringify({ display_name: agentName(trial), summary: 5 })
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/json", "application/xml"]) {
      const answer = await sendRaw(client, "POST", "/v2/agents", body, { "content-type": type })
      check.refused(`refused-${type}`, "DECODE-P5", answer, 1000)
    }
    // The wrong field shows that the body was read.
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/json;charset=UTF-8",
    ]) {
      const answer = await sendRaw(client, "POST", "/v2/agents", body, { "content-type": type })
      check.refused(`read-${type}`, "DECODE-P5", answer, 1001)
    }
  },
}

const size: Case = {
  id: "decoding/body/size",
  title: "A body over one mebibyte is 1000 with 413, one within is read",
  clauses: ["DECODE-P6", "DECODE-P12"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const padded = (bytes: number) => {
      const empty = JSON.stringify({ summary: 5, padding: "" })
      return JSON.stringify({ summary: 5, padding: "x".repeat(bytes - empty.length) })
    }
    const over = await sendRaw(client, "POST", "/v2/agents", padded(maxBodyBytes + 1))
    check.refused("one-byte-over", ["DECODE-P6", "DECODE-P12"], over, 1000, 413)
    const double = await sendRaw(client, "POST", "/v2/calls", padded(2 * maxBodyBytes))
    check.refused("twice-as-much", ["DECODE-P6", "DECODE-P12"], double, 1000, 413)
    const within = await sendRaw(client, "POST", "/v2/agents", padded(maxBodyBytes))
    check.refused("exactly", "DECODE-P12", within, 1002)
  },
}

const depth: Case = {
  id: "decoding/body/depth",
  title: "A body nested deeper than 64 is 1000 with 400",
  clauses: ["DECODE-P13"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    check.refused("depth-64", "DECODE-P13", await sendRaw(client, "POST", "/v2/agents", nested(64)), 1002)
    check.refused("depth-65", "DECODE-P13", await sendRaw(client, "POST", "/v2/agents", nested(65)), 1000)
    check.refused("depth-2000", "DECODE-P13", await sendRaw(client, "POST", "/v2/calls", nested(2_000)), 1000)
    const arrays = `{"deeper":${"[".repeat(64)}${"]".repeat(64)}}`
    check.refused("arrays-count", "DECODE-P13", await sendRaw(client, "POST", "/v2/agents", arrays), 1000)
  },
}

const unknownFields: Case = {
  id: "decoding/body/unknown-fields",
  title: "Fields that nobody knows are ignored, in bodies and in queries",
  clauses: ["DECODE-P1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    check.status("query", "DECODE-P1", await client.get("/v2/agents", { no_such_parameter: "x" }), 200)
    check.status("query-on-me", "DECODE-P1", await client.get("/v2/user/me", { page: "x" }), 200)
    const answer = await client.post("/v2/calls", { no_such_field: { a: [1] }, __proto__x: 1 })
    check.refused("body", "DECODE-P1", answer, 1002)
    check.names("body-names-what-is-missing", "DECODE-P1", answer, "agent_id")
  },
}

export const bodyCases: ReadonlyArray<Case> = [malformed, contentType, size, depth, unknownFields]
