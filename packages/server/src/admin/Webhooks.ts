import { type ExplainedAgentUrl, type ExplainedSubscription, limits, WebhookExplainer } from "@carillon/core"
import type { EndpointAttempts } from "@carillon/core/domain"
import { Effect } from "effect"
import type { AdminCommand } from "./AdminCommand.ts"
import { timeOf } from "./Shown.ts"
import type { Said } from "./Text.ts"

const attemptsShown = ({
  attempts,
  deliveries,
  failures,
  last_attempt,
  next_attempt_at,
  times_ms,
}: EndpointAttempts) => ({
  next_attempt_at: timeOf(next_attempt_at),
  newest_deliveries: deliveries,
  attempts,
  failures,
  last_attempt: last_attempt === null ? null : { ...last_attempt, at: timeOf(last_attempt.at) },
  times_ms: times_ms === null ? null : { ...times_ms },
})

const subscriptionShown = ({ counts, event_types, health, newest, ...subscription }: ExplainedSubscription) =>
  ({
    ...subscription,
    event_types,
    failing_since: timeOf(health.failing_since),
    last_failure_at: timeOf(health.last_failure?.at ?? null),
    deliveries: { ...counts },
    ...attemptsShown(newest),
  }) satisfies Said

const agentUrlShown = ({ agent_id, counts, host, newest }: ExplainedAgentUrl) =>
  ({ agent_id, host, deliveries: { ...counts }, ...attemptsShown(newest) }) satisfies Said

/** Webhooks as their operator looks at them. */
export const webhookCommands: ReadonlyArray<AdminCommand> = [
  {
    name: "webhooks why",
    arguments: ["ORGANIZATION"],
    options: {
      after: { value: "SUBSCRIPTION", meaning: "go on after this subscription" },
      limit: { value: "N", meaning: `so many subscriptions at most; ${limits.explainedSubscriptions}` },
    },
    meaning:
      "says how the webhooks of an organization fare at each endpoint: how many were delivered, what the last attempt met, how long attempts take, when the next one is due; tells hosts, no paths and no secrets",
    run: async (words, carillon) => {
      const organization_id = words.argument()
      const page = { after: words.text("after") ?? null, limit: words.whole("limit") ?? limits.explainedSubscriptions }
      const explained = Effect.flatMap(WebhookExplainer, (webhooks) => webhooks.explain(organization_id, page))
      const { agent_urls, next, subscriptions } = await carillon.run(explained)
      const said = {
        organization_id,
        subscriptions: subscriptions.map(subscriptionShown),
        agent_urls: agent_urls.map(agentUrlShown),
        next,
      }
      return { said, isWell: true }
    },
  },
]
