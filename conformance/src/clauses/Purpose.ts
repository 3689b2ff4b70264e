import { informative, required, specified } from "./Clause.ts"

export const purpose = specified("What the service does", [
  informative(
    "The service lets an organization run AI voice agents that place and receive phone calls, and manage the surrounding objects through a public HTTP API.",
  ),
  informative(
    "An organization owns agents (configurable voice agents with prompts, voice, policies and optional knowledge bases).",
  ),
  informative('A call (an "execution") is one phone call made by one agent.'),
  informative(
    "It can be placed immediately or scheduled, stopped, inspected, and its transcript, recording and per-turn timing read.",
  ),
  informative(
    "Campaigns and batches dial many contacts from a list, with working hours, retry policy, follow-up policy, caller-ID rotation and per-campaign concurrency ceilings.",
  ),
  informative("Knowledge bases hold uploaded documents that an agent can answer from."),
  informative(
    "Webhook subscriptions deliver signed events (for example a call finished and fully processed) to customer endpoints.",
  ),
  required("AUTH-KEY-1", "http", "API keys (prefix `gat_`) authenticate every request."),
  required("AUTH-KEY-2", "fixtures", "Keys are bound to one organization"),
  required("AUTH-KEY-3", "fixtures", "and may carry scopes."),
  informative("A/B experiments route a share of an agent's calls to a challenger agent."),
  required(
    "LIMITS-1",
    "telephony",
    "Two independent ceilings apply: a request rate per minute and a count of simultaneously live calls.",
  ),
  required("TENANCY-1", "fixtures", "Tenancy rule: every route resolves the organization from the key."),
  required(
    "TENANCY-2",
    "fixtures",
    "A resource of another organization answers 404 (error 1200), never 403, so ids cannot be probed.",
  ),
])
