import { Data } from "effect"
import type { SecretPlace } from "./SecretPlace.ts"

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
