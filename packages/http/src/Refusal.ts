import { type ErrorCode, httpStatus, invalidValueMessage, missingParameterMessage } from "@carillon/api"
import type { Dependency, EngineError } from "@carillon/core"
import { E164 } from "@carillon/core/domain"

/** An answer that is not a success: the error envelope and what goes with it (specification, "Errors"). */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly code: ErrorCode
  readonly status: number
  /** One sentence that ends in a period. */
  readonly message: string
  readonly retryAfterSeconds: number | null
  /** The scopes for want of which it is a denial; empty where it is none. */
  readonly missingScopes: ReadonlyArray<string>
}

/** A refusal; the code alone decides the status unless one is given. */
export const refusal = (
  code: ErrorCode,
  message: string,
  options: {
    readonly status?: number
    readonly retryAfterSeconds?: number | undefined
    readonly missingScopes?: ReadonlyArray<string>
  } = {},
): Refusal => ({
  _tag: "Refusal",
  code,
  status: options.status ?? httpStatus(code),
  message,
  retryAfterSeconds: options.retryAfterSeconds ?? null,
  missingScopes: options.missingScopes ?? [],
})

/** The public labels of the dependencies. The last five have no label of their own: they fail open or stand in for another. */
const labels: Readonly<Record<Dependency, string>> = {
  agent_service: "Agent service",
  telephony_service: "Telephony service",
  call_storage: "Call storage",
  scheduling_service: "Scheduling service",
  translation_service: "Translation service",
  authentication_service: "Authentication service",
  api_key_store: "The API key store",
  account_service: "The account service",
  usage_reporting: "Usage reporting",
  rate_limit_store: "The account service",
  slot_store: "Call storage",
  audit_store: "The account service",
  webhook_store: "The account service",
  knowledge_index: "The account service",
}

/** The key is known and not `active`, as its store or its row says. */
export const inactiveKey = refusal(1100, "API key is inactive.")

/** The one table from what the engine fails with to what a caller is told. */
export const refusalOf = (error: EngineError): Refusal => {
  switch (error._tag) {
    case "Malformed":
      return refusal(1000, error.message)
    case "TooLarge":
      return refusal(1000, error.message, { status: 413 })
    case "UnsupportedFile":
      return refusal(1000, error.message, { status: 415 })
    case "InvalidField":
      return refusal(1001, invalidValueMessage(error.field, error.reason))
    case "MissingField":
      return refusal(1002, missingParameterMessage(error.field))
    case "KeyInactive":
      return inactiveKey
    case "Forbidden":
      return refusal(1102, error.message, { missingScopes: error.missing })
    case "NotFound":
      return refusal(1200, error.message)
    case "StateConflict":
      return refusal(1201, error.message, { retryAfterSeconds: error.retryAfterSeconds })
    case "LimitExceeded":
      return refusal(1300, error.message, { retryAfterSeconds: error.retryAfterSeconds })
    case "InsufficientCredits":
      return refusal(1400, "Insufficient credits to place this call.")
    case "DependencyUnavailable":
      return refusal(1501, `${labels[error.dependency]} is temporarily unavailable.`)
    case "DependencyTimeout":
      return refusal(1502, `${labels[error.dependency]} did not respond in time.`)
  }
}

/** The body of a refusal. Long digit runs are masked here once more, so that no message can carry a phone number. */
export const envelope = ({ code, message }: Refusal): string =>
  JSON.stringify({ error: code, message: E164.maskDigits(message) })
