import { Data } from "effect"

/** The public labels of what the engine depends on: the specification's 1501 and 1502 messages are made of them ("Errors"). */
export const dependencies = [
  "agent_service",
  "telephony_service",
  "call_storage",
  "scheduling_service",
  "translation_service",
  "authentication_service",
  "api_key_store",
  "account_service",
  "usage_reporting",
  "rate_limit_store",
  "slot_store",
  "audit_store",
  "webhook_store",
  "knowledge_index",
] as const

export type Dependency = (typeof dependencies)[number]

/** A dependency cannot be reached or answered with a fault of its own (1501). */
export class DependencyUnavailable extends Data.TaggedError("DependencyUnavailable")<{
  readonly dependency: Dependency
}> {}

/** A dependency accepted the question and never answered (1502). */
export class DependencyTimeout extends Data.TaggedError("DependencyTimeout")<{ readonly dependency: Dependency }> {}

/** A field is present and wrong (1001); `field` is dotted, `reason` completes "Invalid value for '<field>': <reason>." */
export class InvalidField extends Data.TaggedError("InvalidField")<{
  readonly field: string
  readonly reason: string
}> {}

/** What every port may fail with: it is away, it does not answer, or it is given or asked for more than it carries (`Limits.ts`). */
export type PortError = DependencyUnavailable | DependencyTimeout | InvalidField

/** Contradictory input that no schema could reject (1000). */
export class Malformed extends Data.TaggedError("Malformed")<{ readonly message: string }> {}

/** More than a request may carry (1000, answered 413). */
export class TooLarge extends Data.TaggedError("TooLarge")<{ readonly message: string }> {}

/** A file of a type that is not taken (1000, answered 415). */
export class UnsupportedFile extends Data.TaggedError("UnsupportedFile")<{ readonly message: string }> {}

/** A required field is absent (1002). */
export class MissingField extends Data.TaggedError("MissingField")<{ readonly field: string }> {}

/** The caller's key is not `active` (1100): it was revoked while it was still cached. Section "Authentication". */
export class KeyInactive extends Data.TaggedError("KeyInactive") {}

/** The key may not do this (1102) for want of scopes. Who answers with it has the denial recorded in the audit trail. */
export class Forbidden extends Data.TaggedError("Forbidden")<{
  readonly message: string
  readonly missing: ReadonlyArray<string>
}> {}

/** No such resource in this organization (1200); the message tells kinds apart, never tenants. */
export class NotFound extends Data.TaggedError("NotFound")<{ readonly message: string }> {}

/** The state of a resource does not allow the action (1201). */
export class StateConflict extends Data.TaggedError("StateConflict")<{
  readonly message: string
  readonly retryAfterSeconds?: number
}> {}

/** A rate or a ceiling is exhausted (1300). */
export class LimitExceeded extends Data.TaggedError("LimitExceeded")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}

/** The wallet cannot fund the call (1400). */
export class InsufficientCredits extends Data.TaggedError("InsufficientCredits") {}

/** Everything a caller of the engine can be answered with besides success. */
export type EngineError =
  | PortError
  | Malformed
  | TooLarge
  | UnsupportedFile
  | MissingField
  | KeyInactive
  | Forbidden
  | NotFound
  | StateConflict
  | LimitExceeded
  | InsufficientCredits
