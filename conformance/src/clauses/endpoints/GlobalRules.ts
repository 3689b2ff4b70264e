import { informative, required, specified } from "../Clause.ts"

export const globalRules = specified("Endpoints", [
  required("AUTH-KEY-4", "http", "Global rules: every endpoint needs `Authorization: Bearer <API_KEY>`."),
  required(
    "ERROR-STATUS-1",
    "http",
    "Error statuses 400, 401, 403, 404, 422, 429, 503, 504 may appear on every endpoint as defined in Errors.",
  ),
  informative(
    '`Bucket` is the rate-limit bucket (see Limits); `Scope` is the scope required ("none" means only a valid key).',
  ),
])
