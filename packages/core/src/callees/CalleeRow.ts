import type { RowDescription } from "../engine/RowDescription.ts"
import { type Callee, calleeId } from "./Callee.ts"

export const calleeRow: RowDescription<Callee> = {
  id: ({ organization_id, to_number }) => calleeId(organization_id, to_number),
  dependency: "call_storage",
}
