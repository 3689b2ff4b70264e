import type { Demo } from "../fixtures/Demo.ts"

/** What people see once the server is up: where it is, how to get in, and a line that places a call. */
export const banner = (url: string, { agent_id, key }: Demo, remark: string): string =>
  [
    `Carillon simulator is ready (${remark}).`,
    "",
    `  API            ${url}/v2`,
    `  Demo key       ${key}`,
    `  API reference  ${url}/docs`,
    `  Dashboard      ${url}/_sim/ui`,
    `  Control        ${url}/_sim`,
    "",
    "Place a call:",
    "",
    `  curl -s ${url}/v2/calls -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' ` +
      `-d '{"agent_id":"${agent_id}","to_number":"+15555550100"}'`,
    "",
  ].join("\n")
