import { randomBytes } from "@noble/hashes/utils.js"
import { Context, Layer } from "effect"
import { unit } from "../rules/Hash.ts"

/** Draws in [0, 1). The key names the decision, so that the simulator's draw depends on nothing else. */
export class Chance extends Context.Service<
  Chance,
  { readonly draw: (purpose: string, ...key: ReadonlyArray<string | number>) => number }
>()("@carillon/core/engine/Chance") {
  /** Draws from the platform's cryptographic source. */
  static readonly layer = Layer.succeed(Chance, {
    draw: () => new DataView(randomBytes(4).buffer).getUint32(0) / 2 ** 32,
  })

  /** Draws that are a function of the seed, the purpose and the key alone. */
  static readonly layerSeeded = (seed: string | number) =>
    Layer.succeed(Chance, { draw: (purpose, ...key) => unit(seed, purpose, ...key) })
}
