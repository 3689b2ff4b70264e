import { informative, required, specified } from "./Clause.ts"

export const conventions = specified("Voice Agent Calling Service: Public API Specification (v2)", [
  informative(
    "This single document covers the whole public API of the service: the outbound voice-agent calling service reached under `{base_url}/v2`.",
  ),
  informative(
    "It covers purpose, resources, states, endpoints, authentication, events (webhooks), errors, limits and versioning.",
  ),
  informative("Conventions used throughout:"),
  required("CONV-1", "http", "All paths are relative to `{base_url}`."),
  required("CONV-2", "http", "All bodies are JSON unless stated (multipart for uploads)."),
  informative("`<...>` marks a placeholder for a value; types and formats are given beside it."),
  required("ORG-1", "http", "Every endpoint accepts an optional `organization_id` query parameter (string)."),
  required(
    "ORG-2",
    "http",
    "It is validated, never honoured as an override: any value other than the key's own organization gives error 1102 / HTTP 403.",
  ),
  required(
    "RATE-HEADERS-1",
    "http",
    "Every `/v2` response, success or failure, carries `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.",
  ),
  required("RATE-HEADERS-2", "clock", "A 429 also carries `Retry-After`."),
  required("TIME-1", "http", "Timestamps are ISO-8601 UTC strings unless stated."),
  required("TIME-2", "http", "Request timestamps must carry a UTC offset (`Z`, `+05:30`, `-08:00`)."),
])
