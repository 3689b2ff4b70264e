import { Erasure } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect } from "effect"

/** Erases whoever has the number from the organization's rows. */
export const erase = (carillon: Carillon, organizationId: string, number: string) =>
  carillon.run(Effect.flatMap(Erasure, (erasure) => erasure.erase(organizationId, number)))
