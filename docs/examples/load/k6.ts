// The same load for k6, which runs TypeScript as it is:
//
//   k6 run -e URL=http://127.0.0.1:4010 -e KEY=… -e AGENT=… k6.ts
import { check } from "k6"
import exec from "k6/execution"
import http from "k6/http"
import type { Options } from "k6/options"

export const options: Options = {
  scenarios: {
    calls: { executor: "constant-arrival-rate", rate: 100, timeUnit: "1s", duration: "30s", preAllocatedVUs: 50 },
  },
  thresholds: {
    http_req_failed: ["rate<0.001"],
    http_req_duration: ["p(99)<250"],
  },
}

const { AGENT, KEY, URL } = __ENV
const headers = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" }

/** A number of the simulator whose call is completed after ten seconds of talk; each is called once. */
const nextNumber = (): string => `+9990001${String(exec.scenario.iterationInTest).padStart(8, "0")}`

export default function callAndList(): void {
  const body = JSON.stringify({ agent_id: AGENT, to_number: nextNumber() })
  const dialled = http.post(`${URL}/v2/calls`, body, { headers, tags: { name: "POST /v2/calls" } })
  check(dialled, { "is accepted": ({ status }) => status === 201 || status === 202 })
  const listed = http.get(`${URL}/v2/calls?page_size=20`, { headers, tags: { name: "GET /v2/calls" } })
  check(listed, { "is listed": ({ status }) => status === 200 })
}
