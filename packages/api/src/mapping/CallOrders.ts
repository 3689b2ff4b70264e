import { type AskedCallOrder, type CallOrder as CallOrderRecord, Timestamp } from "@carillon/core/domain"
import type { CallOrder, CallOrderPut } from "../CallOrders.ts"

/** An order as it is asked for. */
export const callOrderAsked = ({ contacts, priority_column }: CallOrderPut): AskedCallOrder => ({
  contacts,
  priority_column,
})

/** An order as it is answered. */
export const toWireCallOrder = ({ contacts, priority_column, updated_at }: CallOrderRecord): CallOrder => ({
  priority_column,
  contacts,
  updated_at: Timestamp.formatUtc(updated_at),
})
