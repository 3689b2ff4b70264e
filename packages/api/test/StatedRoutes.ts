/** A route as the specification and the decisions write it. */
export interface StatedRoute {
  readonly method: string
  readonly path: string
  readonly bucket: string
  /** Null: any valid key may call. */
  readonly scope: string | null
  /** The statuses of its success forms. */
  readonly successes: ReadonlyArray<number>
  /** `none`: it reads no body; `optional`: it may be left out; `json`, `form`, or `json|form` as the content type has it. */
  readonly body: "none" | "optional" | "json" | "form" | "json|form"
  /** Honours `Idempotency-Key`. */
  readonly idempotent: boolean
  /** Whether the specification names the path, or the decisions do. */
  readonly origin: "specified" | "chosen"
}

// method, path, bucket, scope, successes, body; `*` honours Idempotency-Key, `+` is a path of the decisions.
const table = `
  GET    /v2/user/me                                         default          none          200      none
  GET    /v2/scopes                                          default          none          200      none
  GET    /v2/api-keys                                        default          none          200      none
  POST   /v2/api-keys                                        default          keys:write    201      json
  DELETE /v2/api-keys/{key_id}                               default          keys:write    200      none

  POST   /v2/calls                                           calls.create     calls:write   201,202  json       *
  GET    /v2/calls                                           executions.list  calls:read    200      none
  GET    /v2/calls/{execution_id}                            executions.list  calls:read    200      none
  GET    /v2/calls/{execution_id}/transcript                 executions.list  calls:read    200      none
  POST   /v2/calls/{execution_id}/stop                       calls.create     calls:write   200,202  optional
  GET    /v2/calls/{execution_id}/recording                  executions.list  calls:read    200,302  none
  GET    /v2/calls/{execution_id}/timing                     executions.list  calls:read    200      none
  GET    /v2/agents/{agent_id}/executions                    executions.list  agents:read   200      none

  POST   /v2/agents                                          default          agents:write  201      json
  GET    /v2/agents                                          default          agents:read   200      none
  GET    /v2/agents/{agent_id}                               default          agents:read   200      none
  PUT    /v2/agents/{agent_id}                               default          agents:write  200      json
  PATCH  /v2/agents/{agent_id}                               default          agents:write  200      json
  DELETE /v2/agents/{agent_id}                               default          agents:write  200      none
  POST   /v2/agents/{agent_id}/clone                         default          agents:write  201      optional
  POST   /v2/agents/{agent_id}/deploy                        default          agents:write  200      none       +
  POST   /v2/agents/{agent_id}/undeploy                      default          agents:write  200      none       +
  GET    /v2/agents/{agent_id}/versions                      default          none          200      none       +
  POST   /v2/agents/{agent_id}/versions                      default          none          201      json       +
  GET    /v2/agents/{agent_id}/versions/{version_id}         default          none          200      none
  PATCH  /v2/agents/{agent_id}/versions/{version_id}         default          none          200      json       +
  DELETE /v2/agents/{agent_id}/versions/{version_id}         default          none          200      none       +
  PATCH  /v2/agents/{agent_id}/event-subscriptions           default          none          200      json

  POST   /v2/campaigns                                       calls.create     batches:write 201      json|form  *
  GET    /v2/campaigns                                       default          calls:read    200      none
  GET    /v2/campaigns/{campaign_id}                         default          calls:read    200      none
  GET    /v2/campaigns/{campaign_id}/stats                   default          calls:read    200      none
  POST   /v2/campaigns/{campaign_id}/pause                   default          batches:write 200      none
  POST   /v2/campaigns/{campaign_id}/resume                  default          batches:write 200      none
  POST   /v2/campaigns/{campaign_id}/revive                  default          batches:write 200      none
  POST   /v2/campaigns/{campaign_id}/cancel                  default          batches:write 200      none
  DELETE /v2/campaigns/{campaign_id}                         default          batches:write 204      none
  PATCH  /v2/campaigns/{campaign_id}                         default          batches:write 200      json
  GET    /v2/campaigns/{campaign_id}/batches                 default          calls:read    200      none
  GET    /v2/campaigns/{campaign_id}/contacts                default          calls:read    200      none       +
  POST   /v2/campaigns/{campaign_id}/contacts                default          batches:write 201      json|form  * +
  GET    /v2/campaigns/{campaign_id}/explain                 default          calls:read    200      none       +
  GET    /v2/campaigns/{campaign_id}/log                     default          calls:read    200      none       +

  POST   /v2/batches                                         calls.create     batches:write 201      json       *
  POST   /v2/batches/upload                                  calls.create     batches:write 201      form       *
  GET    /v2/batches                                         default          calls:read    200      none
  GET    /v2/batches/{batch_id}                              default          calls:read    200      none
  GET    /v2/batches/{batch_id}/executions                   executions.list  calls:read    200      none
  POST   /v2/batches/{batch_id}/schedule                     calls.create     batches:write 200      json
  POST   /v2/batches/{batch_id}/stop                         default          batches:write 200      none
  POST   /v2/batches/{batch_id}/pause                        default          batches:write 200      none
  POST   /v2/batches/{batch_id}/resume                       default          batches:write 202      none

  POST   /v2/knowledge-bases                                 knowledge.upload none          201      form
  GET    /v2/knowledge-bases                                 default          none          200      none       +
  GET    /v2/knowledge-bases/{collection}                    default          none          200      none       +
  DELETE /v2/knowledge-bases/{collection}                    default          none          200      none       +
  POST   /v2/knowledge-bases/{collection}/documents          knowledge.upload none          201      form
  GET    /v2/knowledge-bases/{collection}/documents          default          none          200      none
  DELETE /v2/knowledge-bases/{collection}/documents/{document_id} default     none          200      none
  POST   /v2/knowledge-bases/{collection}/query              default          none          200      json       +

  POST   /v2/webhooks                                        default          none          201      json
  GET    /v2/webhooks                                        default          none          200      none
  GET    /v2/webhooks/{subscription_id}                      default          none          200      none
  PATCH  /v2/webhooks/{subscription_id}                      default          none          200      json
  DELETE /v2/webhooks/{subscription_id}                      default          none          204      none
  POST   /v2/webhooks/test                                   default          none          202      json
  GET    /v2/webhooks/deliveries                             default          none          200      none
  GET    /v2/webhooks/deliveries/{delivery_id}               default          none          200      none       +
  POST   /v2/webhooks/deliveries/{delivery_id}/redeliver     default          none          202      none       +

  GET    /v2/usage                                           executions.list  none          200      none
  GET    /v2/phone-numbers                                   default          none          200      none       +
  POST   /v2/phone-numbers                                   default          none          201      json       +
  GET    /v2/phone-numbers/{phone_number_id}                 default          none          200      none       +
  PATCH  /v2/phone-numbers/{phone_number_id}                 default          none          200      json       +
  DELETE /v2/phone-numbers/{phone_number_id}                 default          none          200      none       +
  GET    /v2/suppressions                                    default          calls:read    200      none       +
  POST   /v2/suppressions                                    default          calls:write   201      json|form  +
  POST   /v2/suppressions/check                              default          calls:read    200      json       +
  GET    /v2/suppressions/rules                              default          calls:read    200      none       +
  PUT    /v2/suppressions/rules                              default          agents:write  200      json       +
  POST   /v2/suppressions/remove                             default          agents:write  200      json       +
  GET    /v2/callee-hours                                    default          agents:read   200      none       +
  PUT    /v2/callee-hours                                    default          agents:write  200      json       +
  DELETE /v2/callee-hours                                    default          agents:write  200      none       +
  GET    /v2/callee-hours/presets                            default          agents:read   200      none       +
  POST   /v2/callee-hours/check                              default          agents:read   200      json       +
  GET    /v2/campaigns/{campaign_id}/breaker                default          calls:read    200      none       +
  PUT    /v2/campaigns/{campaign_id}/breaker                default          batches:write 200      json       +
  DELETE /v2/campaigns/{campaign_id}/breaker                default          batches:write 200      none       +
  GET    /v2/campaigns/{campaign_id}/order                  default          calls:read    200      none       +
  PUT    /v2/campaigns/{campaign_id}/order                  default          batches:write 200      json       +
  DELETE /v2/campaigns/{campaign_id}/order                  default          batches:write 200      none       +
  GET    /v2/call-caps                                       default          agents:read   200      none       +
  PUT    /v2/call-caps                                       default          agents:write  200      json       +
  DELETE /v2/call-caps                                       default          agents:write  200      none       +
  GET    /v2/providers                                       default          none          200      none       +
  POST   /v2/providers                                       default          none          201      json       +
  DELETE /v2/providers/{provider_name}                       default          none          200      none       +
  GET    /v2/inbound-agents                                  default          none          200      none       +
  POST   /v2/inbound-agents                                  default          none          201      json       +
  DELETE /v2/inbound-agents/{inbound_agent_id}               default          none          200      none       +
  GET    /v2/audit-logs                                      default          audit:read    200      none
  GET    /v2/audit-logs/{event_id}                           default          audit:read    200      none
  GET    /v2/audit-logs/verify                               default          audit:read    200      none
`

const bodies = ["none", "optional", "json", "form", "json|form"] as const

const read = (line: string): StatedRoute => {
  const [method = "", path = "", bucket = "", scope, successes = "", body, ...marks] = line.trim().split(/\s+/)
  return {
    method,
    path,
    bucket,
    scope: scope === undefined || scope === "none" ? null : scope,
    successes: successes.split(",").map(Number),
    body: bodies.find((candidate) => candidate === body) ?? "none",
    idempotent: marks.includes("*"),
    origin: marks.includes("+") ? "chosen" : "specified",
  }
}

/** Every route that the specification or the decisions name. */
export const statedRoutes: ReadonlyArray<StatedRoute> = table
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map(read)
