import { Cause, Exit } from "effect"

/** How an operation ended; null where it was interrupted, which says nothing of whoever was asked. */
export const outcomeOf = <A, E extends { readonly _tag: string }>(exit: Exit.Exit<A, E>): "ok" | E["_tag"] | null => {
  if (Exit.isSuccess(exit)) return "ok"
  for (const reason of exit.cause.reasons) if (Cause.isFailReason(reason)) return reason.error._tag
  return null
}
