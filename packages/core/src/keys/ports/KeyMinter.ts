import { randomBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Layer } from "effect"
import { hashText } from "../../engine/rules/Hash.ts"
import { formatKey, keyEntropyBytes } from "../rules/ApiKeyFormat.ts"

/** The source of new keys' secrets: unpredictable in production, derived from the seed in the simulator. */
export class KeyMinter extends Context.Service<
  KeyMinter,
  { readonly mint: (...derivation: ReadonlyArray<string | number>) => string }
>()("@carillon/core/keys/KeyMinter") {
  static readonly layer = Layer.succeed(KeyMinter, {
    mint: () => formatKey(randomBytes(keyEntropyBytes)),
  })

  /** Keys that are a function of the seed and the derivation: for the simulator only. */
  static readonly layerSeeded = (seed: string | number) =>
    Layer.succeed(KeyMinter, {
      mint: (...derivation) => formatKey(utf8ToBytes(hashText(keyEntropyBytes, seed, "key", ...derivation))),
    })
}
