import { Result, Schema } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { controlDocument } from "../../src/control/OpenApi.ts"
import { type ControlOperation, controlOperations, exampleIds } from "../../src/control/Operations.ts"
import { controlRoutes } from "../../src/control/Routes.ts"
import { type Answer, Client } from "../Client.ts"

let client: Client
let execution: string

const inbox = "example"

beforeAll(async () => {
  client = await Client.start()
})

/** The same world for every example: a call that holds its line, and an inbox that was told of it. */
beforeEach(async () => {
  await client.post("/_sim/reset", {})
  const { organization_id } = client.simulator.info
  const webhook_default = { callback_url: `https://${inbox}.inbox.test/hook`, event_types: ["call_ringing"] }
  await client.patch(`/_sim/organizations/${organization_id}`, { webhook_default })
  execution = (await client.dial("+15555550150")).body.execution_id
  await client.advance({ by_ms: 20_000 })
})

afterAll(() => client.simulator.close())

const routeOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

/** Beside the table of control routes: the endless one, and the page. */
const elsewhere = ["GET /_sim/events", "GET /_sim/ui"]

const faultsOf = (schema: Schema.Top, value: unknown): string | null => {
  const decoded = Schema.decodeUnknownResult(Schema.toType(schema) as Schema.Codec<unknown>, {
    onExcessProperty: "error",
  })(value)
  return Result.isFailure(decoded) ? String(decoded.failure) : null
}

const cases: ReadonlyArray<readonly [string, ControlOperation, unknown]> = controlOperations
  .filter(({ path }) => !elsewhere.includes(`GET ${path}`))
  .flatMap((operation) =>
    Object.entries(operation.body?.examples ?? { nothing: undefined }).map(
      ([name, body]) => [`${routeOf(operation)}: ${name}`, operation, body] as const,
    ),
  )

/** The example with the ids of the world that it is sent to. */
const inThisWorld = async (text: string): Promise<string> => {
  let own = text
    .replaceAll(exampleIds.organization, client.simulator.info.organization_id)
    .replaceAll(exampleIds.agent, client.simulator.info.agent_id)
    .replaceAll(exampleIds.execution, execution)
  if (own.includes(exampleIds.snapshot)) {
    const kept: Record<string, unknown> = { ...(await client.post("/_sim/snapshot", {})).body }
    own = own.replaceAll(exampleIds.snapshot, String(kept["snapshot_id"]))
  }
  return own
}

const targetOf = (path: string): string =>
  path.replace("{id}", client.simulator.info.organization_id).replace("{name}", inbox)

describe("the document", () => {
  test("has every route that is served, and no other", () => {
    const documented = Object.entries(controlDocument.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(documented.toSorted()).toEqual([...controlRoutes.map(routeOf), ...elsewhere].toSorted())
  })

  test("names for each capability that is declared the routes that it promises", async () => {
    const { body } = await client.get("/_sim/capabilities")
    const promised = new Set(controlOperations.map(({ capability }) => capability ?? "contract"))
    // Magic numbers are dialled, which takes no route.
    expect(Object.keys(body).toSorted()).toEqual([...promised, "magic"].toSorted())
  })

  test.each(["/_sim/inbox/example", "/_sim/telephony/legs"])("has the rows of %s: the world has one", async (path) => {
    expect((await client.get(path)).body.data).toHaveLength(1)
  })

  test("is served as it is written, and its references lead somewhere", async () => {
    const { status, text } = await client.get("/_sim/openapi.json")
    expect([status, JSON.parse(text)]).toEqual([200, JSON.parse(JSON.stringify(controlDocument))])
    const referred = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(referred.length).toBeGreaterThan(0)
    for (const [, kind, name] of referred) {
      const components: Readonly<Record<string, object>> = controlDocument.components
      expect(components[kind!]).toHaveProperty(name!)
    }
  })
})

describe("every example", () => {
  test.each(
    controlOperations.filter(({ answer }) => answer.json !== undefined).map((one) => [routeOf(one), one] as const),
  )("of an answer is one: %s", (_, { answer }) =>
    expect(faultsOf(answer.json!.schema, answer.json!.example)).toBeNull(),
  )

  test.each(cases.filter(([, { body }]) => body !== undefined))("of a body is one: %s", (_, operation, body) =>
    expect(faultsOf(operation.body!.schema, body)).toBeNull(),
  )

  test.each(cases)("is taken, and answered as the document says: %s", async (_, { answer, method, path }, body) => {
    const text = body === undefined ? undefined : await inThisWorld(JSON.stringify(body))
    const got: Answer = await client.send(method, targetOf(path), text)
    expect([got.status, got.text]).toEqual([answer.status, expect.anything()])
    if (answer.text !== undefined) expect(got.headers.get("content-type")).toContain(answer.text)
    if (answer.json !== undefined) expect(faultsOf(answer.json.schema, JSON.parse(got.text))).toBeNull()
  })
})
