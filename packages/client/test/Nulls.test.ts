import { type RouteName, routes } from "@carillon/api"
import { Simulator } from "@carillon/simulator"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Body, nulledAt, nullPaths, type Path, wholeOf } from "../../api/test/NullBodies.ts"
import { document, nullableFrom, nullIn, schemas } from "../../api/test/NullPlaces.ts"
import { SchemaJudge } from "../../api/test/SchemaJudge.ts"
import { createClient } from "../src/promise.ts"

/** What can be created, changed and read, so that what was written comes back. */
interface Resource {
  readonly create: RouteName
  readonly change: ReadonlyArray<RouteName>
  readonly read: RouteName
  readonly list: RouteName
  readonly id: string
  /** What no body may leave out. */
  readonly base: Body
  readonly samples: Body
  /** Where a null is refused, because others need what is taken away. */
  readonly refused?: ReadonlyArray<string>
  /** Nulls of the answer that no write leads to. */
  readonly unwritten?: ReadonlyArray<string>
}

const origin = "http://carillon.test"
const callback_url = "https://hooks.example.com/x"
const hours = { timezone: "UTC", start: "09:00", end: "17:00" }

/** What stands in the world before. */
interface Ground {
  readonly agentId: string
  /** Another agent. */
  readonly variant: string
  /** So many hours from now. */
  readonly later: (hours: number) => string
}

const resourcesOn = ({ agentId, later, variant }: Ground): ReadonlyArray<Resource> => [
  {
    create: "agents.create",
    change: ["agents.update", "agents.replace"],
    read: "agents.get",
    list: "agents.list",
    id: "agent_id",
    base: { display_name: "Agent" },
    samples: { ...hours, display_name: "Agent", url: callback_url, status: "DRAFT", follow_up_agent_id: agentId },
    refused: ["calling_guard.timezone", "calling_guard.start", "calling_guard.end"],
  },
  {
    create: "campaigns.create",
    change: ["campaigns.update"],
    read: "campaigns.get",
    list: "campaigns.list",
    id: "campaign_id",
    base: { name: "Campaign", agent_id: agentId },
    samples: {
      ...hours,
      agent_id: agentId,
      follow_up_agent_id: agentId,
      start_time: later(1),
      end_time: later(2),
      phone_numbers: [],
      source_language_code: "en",
      target_language_code: "hi",
      contacts: undefined,
    },
    refused: ["transliteration.target_language_code"],
  },
  {
    create: "batches.create",
    change: [],
    read: "batches.get",
    list: "batches.list",
    id: "batch_id",
    base: { agent_id: agentId, contacts: [{ to_number: "+15555550123" }], scheduled_at: later(1) },
    samples: { campaign_id: undefined, follow_up_agent_id: agentId, phone_numbers: [] },
  },
  {
    create: "experiments.create",
    change: ["experiments.update"],
    read: "experiments.get",
    list: "experiments.list",
    id: "version_id",
    base: { variant_agent_id: variant, version_name: "Version" },
    samples: {
      variant_agent_id: variant,
      status: "draft",
      start_date: later(1),
      end_date: later(2),
      winner: undefined,
    },
  },
  {
    create: "webhooks.create",
    change: ["webhooks.update"],
    read: "webhooks.get",
    list: "webhooks.list",
    id: "subscription_id",
    // One alone can be for the whole organization.
    base: { callback_url, agent_id: agentId },
    samples: { callback_url },
    unwritten: ["EndpointFailure.http_status"],
  },
]

const operationOf = (name: RouteName) => {
  const route = routes.find((candidate) => candidate.name === name)
  const operation = document.paths[route?.path ?? ""]?.[route?.method.toLowerCase() ?? ""]
  if (route === undefined || operation === undefined) throw new Error(`${name} is not in the document.`)
  return { method: route.method, path: route.path, operation }
}

const bodySchema = (name: RouteName) => operationOf(name).operation.requestBody?.content["application/json"]?.schema

const answerSchema = (name: RouteName, status: number) =>
  operationOf(name).operation.responses[status]?.content?.["application/json"]?.schema

interface Answer {
  readonly status: number
  readonly text: string
  readonly json: Body
}

const judge = new SchemaJudge(schemas)

/** A resource in a world, and the nulls that its answers have had. */
class Looked {
  readonly nulls = new Set<string>()
  readonly refused = new Set<string>()
  readonly simulator: Simulator
  readonly resource: Resource

  constructor(simulator: Simulator, resource: Resource) {
    this.simulator = simulator
    this.resource = resource
  }

  async ask(name: RouteName, id: unknown, body?: Body): Promise<Answer> {
    const { agent_id, key } = this.simulator.info
    const { method, path } = operationOf(name)
    const target = path.replace(/\{(\w+)\}/g, (_, field) => (field === this.resource.id ? String(id) : agent_id))
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await this.simulator.fetch(new Request(origin + target, sent))
    const text = await response.text()
    const answer = { status: response.status, text, json: JSON.parse(text) }
    if (answer.status >= 300) return answer
    const schema = answerSchema(name, answer.status)
    assert.deepEqual(judge.judge(schema, answer.json, name), [])
    for (const place of nullIn(schema, answer.json, name)) this.nulls.add(place)
    return answer
  }

  /** Writes null at a place, as a create or of what was made with a value there, and reads what became of it. */
  async write(name: RouteName, path: Path): Promise<void> {
    const { base, create, id, read, samples } = this.resource
    const whole = (written: RouteName) => Object(wholeOf(bodySchema(written), samples))
    const [field = ""] = path
    const body = { [field]: Object(nulledAt(whole(name), path))[field] }
    const made = name === create ? null : await this.ask(create, null, { ...whole(create), ...base })
    if (made !== null) assert.strictEqual(made.status, 201, made.text)
    const patched = operationOf(name).method === "PATCH"
    const answer = await this.ask(name, made?.json[id], patched ? body : { ...base, ...body })
    if (answer.status >= 300) this.refused.add(path.join("."))
    else assert.strictEqual((await this.ask(read, answer.json[id])).status, 200)
  }
}

describe("where the document says that an answer may have null one comes after some write, and nowhere else", () => {
  let simulator: Simulator
  let ground: Ground
  beforeAll(async () => {
    simulator = await Simulator.start({ seed: 1, clock: "manual", limits: "off" })
    const { agent_id, key } = simulator.info
    const fetch = (request: Request) => simulator.fetch(request)
    const client = createClient({ baseUrl: origin, key, fetch })
    const variant = await client.agents.create({ payload: { display_name: "Variant" } })
    const now = Date.parse(variant.timestamps.created_at)
    const later = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
    ground = { agentId: agent_id, variant: variant.agent_id, later }
  })
  afterAll(() => simulator.close())

  it.each(["agents", "campaigns", "batches", "experiments", "webhooks"])("of %s", async (name) => {
    const resource = resourcesOn(ground).find(({ read }) => read === `${name}.get`)
    if (resource === undefined) return assert.fail(name)
    const looked = new Looked(simulator, resource)
    let written = 0
    for (const route of [resource.create, ...resource.change]) {
      for (const path of nullPaths(bodySchema(route))) {
        await looked.write(route, path)
        written += 1
      }
    }
    assert.strictEqual((await looked.ask(resource.list, null)).status, 200)
    assert.isAbove(written, 3)
    const { refused = [], unwritten = [] } = resource
    assert.sameMembers([...looked.refused], [...refused])
    const told = nullableFrom(answerSchema(resource.read, 200))
    assert.sameMembers(
      [...looked.nulls],
      told.filter((place) => !unwritten.includes(place)),
    )
  })
})
