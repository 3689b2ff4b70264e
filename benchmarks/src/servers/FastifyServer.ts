import Fastify from "fastify"
import { announce } from "./Served.ts"

/** The same work with Fastify and JSON schemas in both directions. */
const app = Fastify()
const calls = new Map<string, object>()
let nth = 0

const text = { type: "string" } as const
const nullableText = { type: ["string", "null"] } as const
const placed = {
  type: "object",
  properties: {
    execution_id: text,
    status: text,
    call_sid: nullableText,
    agent_id: text,
    to_number: text,
    from_number: nullableText,
    created_at: text,
  },
} as const

const make = (agentId: string, toNumber: string) => {
  const call = {
    execution_id: `exec_${nth++}`,
    status: "queued",
    call_sid: null,
    agent_id: agentId,
    to_number: toNumber,
    from_number: null,
    created_at: new Date().toISOString(),
  }
  calls.set(call.execution_id, call)
  return call
}

const first = make("agt_1", "+15555550150")

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
      response: { 201: placed },
    },
  },
  async (request, reply) => {
    reply.code(201)
    return make(request.body.agent_id, request.body.to_number)
  },
)

app.get<{ Params: { id: string } }>(
  "/v2/calls/:id",
  { schema: { params: { type: "object", properties: { id: text } }, response: { 200: placed } } },
  async (request) => calls.get(request.params.id),
)

await app.ready()
announce(app.server, {
  key: "none",
  dial: JSON.stringify({ agent_id: "agt_1", to_number: "+15555550150" }),
  read: `/v2/calls/${first.execution_id}`,
})
