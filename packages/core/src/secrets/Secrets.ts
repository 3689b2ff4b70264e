import { Context, Data, Effect } from "effect"
import type { PortError } from "../Errors.ts"
import { plainText, readSealed } from "./SealedText.ts"

/** The one place where a secret lies. What was sealed for it opens nowhere else. */
export interface SecretPlace {
  readonly organization_id: string
  readonly kind: "organization" | "subscription" | "provider"
  /** The id of the row. */
  readonly id: string
  /** The field of the row; `headers.<name>` of one header. */
  readonly field: string
}

/** Why a secret does not open: this process has not the key, or what lies there was not sealed for this place, or was changed. */
export const unreadableReasons = ["unknown_key", "damaged"] as const

/** A secret does not open. The message names the key and the place, and nothing of the secret. */
export class SecretUnreadable extends Data.TaggedError("SecretUnreadable")<{
  readonly key_id: string
  readonly reason: (typeof unreadableReasons)[number]
  readonly place: SecretPlace
  readonly message: string
}> {}

/** The error of a secret that does not open. */
export const unreadable = (
  key_id: string,
  reason: SecretUnreadable["reason"],
  place: SecretPlace,
): SecretUnreadable => {
  const why =
    reason === "unknown_key"
      ? `the key '${key_id}' is not among those of this process`
      : `it is damaged, or was not sealed for this place (key '${key_id}')`
  return new SecretUnreadable({
    key_id,
    reason,
    place,
    message: `The secret '${place.field}' of ${place.kind} ${place.id} cannot be read: ${why}.`,
  })
}

/** Seals what is to be kept secret before it is written to a row, and opens it where it is used. */
export interface SecretsShape {
  /** The text as it may lie in the row, under the first key. */
  readonly seal: (text: string, place: SecretPlace) => Effect.Effect<string, PortError>
  /** The text that was sealed for this place under any of the keys, or that lies there as it is, from before there were keys. */
  readonly open: (sealed: string, place: SecretPlace) => Effect.Effect<string, SecretUnreadable | PortError>
  /** Whether it lies there as `seal` would write it now: under the first key. */
  readonly isCurrent: (sealed: string) => boolean
}

/** Seals nothing: what is written lies in the row as it is. What a key has sealed does not open. */
export const plainSecrets: SecretsShape = {
  seal: (text) => Effect.succeed(plainText(text)),
  open: (sealed, place) => {
    const read = readSealed(sealed)
    return read._tag === "Plain"
      ? Effect.succeed(read.text)
      : Effect.fail(unreadable(read.key_id, "unknown_key", place))
  },
  isCurrent: (sealed) => readSealed(sealed)._tag === "Plain",
}

/**
 * How a host keeps secrets: webhook secrets, the values of webhook headers, and provider values. Without one they lie in the rows as they are;
 * on Node there is `nodeSecrets` of `@carillon/http/secrets`.
 */
export const Secrets = Context.Reference<SecretsShape>("@carillon/core/secrets/Secrets", {
  defaultValue: () => plainSecrets,
})
