import { Effect } from "effect"
import { NumberOwnership, type NumberOwner } from "./numbers/ports/NumberOwnership.ts"
import { type RowPorts, rowPorts, type RowServices } from "./Ports.ts"
import { SecretKeeping } from "./secrets/ports/SecretKeeping.ts"
import { Secrets, type SecretsShape } from "./secrets/ports/Secrets.ts"
import { Transliterator } from "./transliteration/ports/Transliterator.ts"

/** What the reads of steps are answered from: the rows, and those who know what no row says. */
export interface Sources extends RowPorts {
  readonly ownership: NumberOwner
  readonly secrets: SecretsShape
  readonly keeping: SecretKeeping["Service"]
  readonly transliterator: Transliterator["Service"]
}

/** The sources of this process. */
export const sources: Effect.Effect<Sources, never, RowServices | SecretKeeping | Transliterator> = Effect.gen(
  function* () {
    const rows = rowPorts(yield* Effect.context<RowServices>())
    return {
      ...rows,
      ownership: yield* NumberOwnership,
      secrets: yield* Secrets,
      keeping: yield* SecretKeeping,
      transliterator: yield* Transliterator,
    }
  },
)
