/** Which statement stands behind each route: what a step is blamed on that only leads to what a case is about. */

const steps: ReadonlyArray<readonly [method: string, path: RegExp, clause: string]> = [
  ["GET", /^\/v2\/user\/me$/, "ME-ROUTE-3"],
  ["GET", /^\/v2\/scopes$/, "SCOPES-ROUTE-3"],
  ["GET", /^\/v2\/api-keys$/, "KEY-LIST-4"],
  ["POST", /^\/v2\/api-keys$/, "KEY-MINT-5"],
  ["DELETE", /^\/v2\/api-keys\/[^/]+$/, "KEY-REVOKE-3"],
  ["POST", /^\/v2\/calls$/, "CALL-CREATE-1"],
  ["GET", /^\/v2\/calls$/, "CALL-LIST-3"],
  ["GET", /^\/v2\/calls\/[^/]+$/, "CALL-GET-4"],
  ["POST", /^\/v2\/calls\/[^/]+\/stop$/, "CALL-STOP-1"],
  ["GET", /^\/v2\/calls\/[^/]+\/transcript$/, "CALL-TRANSCRIPT-3"],
  ["GET", /^\/v2\/calls\/[^/]+\/recording$/, "CALL-RECORDING-4"],
  ["GET", /^\/v2\/calls\/[^/]+\/timing$/, "CALL-TIMING-2"],
  ["POST", /^\/v2\/agents$/, "AGENT-CREATE-4"],
  ["GET", /^\/v2\/agents$/, "AGENT-LIST-12"],
  ["GET", /^\/v2\/agents\/[^/]+$/, "AGENT-GET-2"],
  ["PUT", /^\/v2\/agents\/[^/]+$/, "AGENT-UPDATE-P3"],
  ["PATCH", /^\/v2\/agents\/[^/]+$/, "AGENT-UPDATE-P1"],
  ["DELETE", /^\/v2\/agents\/[^/]+$/, "AGENT-DELETE-1"],
  ["POST", /^\/v2\/agents\/[^/]+\/clone$/, "AGENT-CLONE-1"],
  ["GET", /^\/v2\/agents\/[^/]+\/executions$/, "CALL-OF-AGENT-10"],
  ["GET", /^\/v2\/agents\/[^/]+\/versions\/[^/]+$/, "EXPERIMENT-GET-4"],
  ["POST", /^\/v2\/agents\/[^/]+\/versions$/, "EXPERIMENT-ROUTES-P2"],
  ["PATCH", /^\/v2\/agents\/[^/]+\/versions\/[^/]+$/, "EXPERIMENT-ROUTES-P1"],
  ["POST", /^\/v2\/campaigns$/, "CAMPAIGN-CREATE-3"],
  ["GET", /^\/v2\/campaigns$/, "CAMPAIGN-LIST-4"],
  ["GET", /^\/v2\/campaigns\/[^/]+\/stats$/, "CAMPAIGN-STATS-1"],
  ["POST", /^\/v2\/campaigns\/[^/]+\/(pause|resume|revive)$/, "CAMPAIGN-MOVE-3"],
  ["POST", /^\/v2\/campaigns\/[^/]+\/cancel$/, "CAMPAIGN-CANCEL-1"],
  ["DELETE", /^\/v2\/campaigns\/[^/]+$/, "CAMPAIGN-DELETE-2"],
  ["PATCH", /^\/v2\/campaigns\/[^/]+$/, "CAMPAIGN-PATCH-1"],
  ["POST", /^\/v2\/batches$/, "BATCH-CREATE-P1"],
  ["POST", /^\/v2\/batches\/upload$/, "BATCH-CREATE-P3"],
  ["POST", /^\/v2\/batches\/[^/]+\/schedule$/, "BATCH-SCHEDULE-P1"],
  ["POST", /^\/v2\/batches\/[^/]+\/(stop|pause)$/, "BATCH-ROUTES-6"],
  ["POST", /^\/v2\/batches\/[^/]+\/resume$/, "BATCH-ROUTES-7"],
  ["GET", /^\/v2\/batches(\/[^/]+(\/executions)?)?$/, "BATCH-ROUTES-4"],
  ["POST", /^\/v2\/knowledge-bases$/, "KB-CREATE-P1"],
  ["POST", /^\/v2\/knowledge-bases\/[^/]+\/documents$/, "KB-ADD-9"],
  ["POST", /^\/v2\/webhooks$/, "SUBSCRIPTION-P3"],
  ["PATCH", /^\/v2\/webhooks\/[^/]+$/, "SUBSCRIPTION-P3"],
  ["DELETE", /^\/v2\/webhooks\/[^/]+$/, "WEBHOOK-DELETE-3"],
  ["POST", /^\/v2\/webhooks\/test$/, "WEBHOOK-TEST-21"],
  ["POST", /^\/v2\/phone-numbers$/, "NUMBER-P1"],
  ["POST", /^\/v2\/inbound-agents$/, "INBOUND-P1"],
  ["POST", /^\/v2\/providers$/, "PROVIDER-P1"],
]

/** The clause that a route's answer rests on; undefined for a route that none names. */
export const stepClause = (method: string, path: string): string | undefined =>
  steps.find(([verb, pattern]) => verb === method && pattern.test(path))?.[2]

/** Every clause that a step can be blamed on. */
export const stepClauses: ReadonlyArray<string> = steps.map(([, , clause]) => clause)
