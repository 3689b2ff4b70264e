import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { ApiKey } from "./ApiKey.ts"

export const apiKeyRow: RowDescription<ApiKey> = {
  id: (key) => key.key_id,
  dependency: "api_key_store",
}
