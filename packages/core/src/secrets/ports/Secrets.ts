import { Context, Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import { plainText, readSealed } from "../rules/SealedText.ts"
import type { SecretPlace } from "../rules/SecretPlace.ts"
import { SecretUnreadable, unreadable } from "../rules/SecretUnreadable.ts"

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
