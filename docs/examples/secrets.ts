import { Resealing } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { nodeSecrets, secretKeysOf } from "@carillon/http/secrets"
import { Effect } from "effect"

/** Of a text such as `2026-11=<32 bytes in base64>`; several keys with commas between them. For `Carillon.make({ ports, secrets })`. */
export const secretsOf = (text: string) => nodeSecrets({ keys: secretKeysOf(text) })

/** Brings every secret under the first key. */
export const reseal = (carillon: Carillon) => carillon.run(Effect.flatMap(Resealing, (resealing) => resealing.walk))
