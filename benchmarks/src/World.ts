import { Simulator, type SimulatorOptions } from "@carillon/simulator"
import { Schema } from "effect"

/** The fields of an answer that scenarios look at. */
const Answer = Schema.Struct({
  organization_id: Schema.optionalKey(Schema.String),
  agent_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  campaign_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  keys: Schema.optionalKey(Schema.Array(Schema.Struct({ key: Schema.String }))),
  status: Schema.optionalKey(Schema.String),
  total_call_attempts: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  outcome_counts: Schema.optionalKey(Schema.Struct({ pending: Schema.Number, in_flight: Schema.Number })),
  violations: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  calls_by_status: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
  live_peak: Schema.optionalKey(Schema.Number),
  webhooks: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
})

const decode = Schema.decodeUnknownSync(Answer)

/** A simulated world as a customer and a judge reach it: over `/v2` and `/_sim`. */
export class World {
  readonly simulator: Simulator

  constructor(simulator: Simulator) {
    this.simulator = simulator
  }

  static readonly start = async (options: SimulatorOptions): Promise<World> =>
    new World(await Simulator.start({ seed: 1, clock: "manual", ...options }))

  /** Asks as the key's organization; a body that is a text already is sent as it is. */
  readonly ask = async (method: string, path: string, body?: object | string, key = this.simulator.info.key) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const text = typeof body === "object" ? JSON.stringify(body) : body
    const request = text === undefined ? { method, headers } : { method, headers, body: text }
    const response = await this.simulator.fetch(new Request(`http://simulator${path}`, request))
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
    return decode(await response.json())
  }

  readonly close = () => this.simulator.close()
}
