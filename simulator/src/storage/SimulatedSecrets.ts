import type { SecretPlace, SecretsShape } from "@carillon/core"
import { Hash } from "@carillon/core/domain"
import type { Kept } from "@carillon/core/ports"
import { nodeSecrets } from "@carillon/http/secrets"
import { Effect } from "effect"

/** The key of every world: what it seals is as secret as this line. */
const key = { id: "simulator", key: new Uint8Array(32).fill(7) }

const nonceBytes = 12

/** How a world keeps its customers' secrets: as production does, with nonces that are a function of the seed and of what was sealed before. */
export class SimulatedSecrets {
  readonly port: SecretsShape
  #sealed = 0

  constructor(seed: string) {
    const nonces = () => Buffer.from(Hash.hashText(nonceBytes, seed, "nonce", this.#sealed++))
    this.port = nodeSecrets({ keys: [key], nonces })
  }

  /** A secret as control writes it; one that is empty or null stays as it is. */
  seal<A extends string | null>(text: A, place: SecretPlace): A | string {
    return text === null || text === "" ? text : Effect.runSync(this.port.seal(text, place))
  }

  /** The secret itself; null where it does not open. */
  open({ place, sealed }: Kept): string | null {
    return Effect.runSync(Effect.catch(this.port.open(sealed, place), () => Effect.succeed(null)))
  }
}
