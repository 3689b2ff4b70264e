import { createServer } from "node:http"
import { announce, samples } from "./Served.ts"

/** The least that `node:http` can do for the same JSON: parse, store in a map, answer with three headers. */
const { placed, read } = samples()
const calls = new Map<string, object>()
let nth = 0

const headers = {
  "Content-Type": "application/json",
  "X-RateLimit-Limit": "600",
  "X-RateLimit-Remaining": "599",
  "X-RateLimit-Reset": "60",
}

const make = ({ agent_id, to_number }: { readonly agent_id?: string; readonly to_number?: string }) => {
  const execution_id = `exec_${nth++}`
  const call = { ...placed, execution_id, agent_id, to_number, created_at: new Date().toISOString() }
  calls.set(execution_id, call)
  return call
}

const first = "exec_first"

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const call = calls.get(request.url?.slice("/v2/calls/".length) ?? "")
    response.writeHead(call === undefined ? 404 : 200, headers).end(JSON.stringify(call ?? {}))
    return
  }
  const chunks: Array<Buffer> = []
  request
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => {
      response.writeHead(201, headers).end(JSON.stringify(make(JSON.parse(Buffer.concat(chunks).toString()))))
    })
})

const forget = () => {
  calls.clear()
  calls.set(first, read)
}

forget()
const dial = JSON.stringify({ agent_id: "agt_1", to_number: "+15555550150" })
announce(server, { key: "none", dial, read: `/v2/calls/${first}` }, forget)
