import Fastify from "fastify"
import { announce, samples } from "./Served.ts"

/** The same work with Fastify and JSON schemas in both directions. */
const app = Fastify()
const sample = samples()
const calls = new Map<string, object>()
let nth = 0

const text = { type: "string" } as const
const nullableText = { type: ["string", "null"] } as const

/** The schema of whatever looks like this value. */
const schemaOf = (value: unknown): object => {
  if (value === null) return nullableText
  if (Array.isArray(value)) return { type: "array", items: {} }
  if (typeof value !== "object") return { type: typeof value }
  const fields = Object.entries(value).map(([name, field]) => [name, schemaOf(field)] as const)
  return { type: "object", additionalProperties: fields.length === 0, properties: Object.fromEntries(fields) }
}

const make = (agent_id: string, to_number: string) => {
  const execution_id = `exec_${nth++}`
  const call = { ...sample.placed, execution_id, agent_id, to_number, created_at: new Date().toISOString() }
  calls.set(execution_id, call)
  return call
}

const first = "exec_first"

app.addHook("onRequest", async (_, reply) => {
  reply.headers({ "X-RateLimit-Limit": "600", "X-RateLimit-Remaining": "599", "X-RateLimit-Reset": "60" })
})

app.post<{ Body: { agent_id: string; to_number: string } }>(
  "/v2/calls",
  {
    schema: {
      body: {
        type: "object",
        required: ["agent_id", "to_number"],
        properties: {
          agent_id: { type: "string", minLength: 1 },
          to_number: { type: "string", pattern: "^\\+[1-9]\\d{6,14}$" },
          from_number: nullableText,
          variables: { type: "object" },
          metadata: { type: "object" },
          timeout_seconds: { type: "integer", minimum: 5, maximum: 120 },
        },
      },
      response: { 201: schemaOf(sample.placed) },
    },
  },
  async (request, reply) => {
    reply.code(201)
    return make(request.body.agent_id, request.body.to_number)
  },
)

app.get<{ Params: { id: string } }>(
  "/v2/calls/:id",
  { schema: { params: { type: "object", properties: { id: text } }, response: { 200: schemaOf(sample.read) } } },
  async (request) => calls.get(request.params.id),
)

const forget = () => {
  calls.clear()
  calls.set(first, sample.read)
}

forget()
await app.ready()
const dial = JSON.stringify({ agent_id: "agt_1", to_number: "+15555550150" })
announce(app.server, { key: "none", dial, read: `/v2/calls/${first}` }, forget)
