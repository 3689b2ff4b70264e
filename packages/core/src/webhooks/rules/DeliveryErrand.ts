import type { Delivery } from "./Delivery.ts"
import type { OpenTarget } from "./Sending.ts"

/** An attempt of a delivery is made. */
export interface SendsDelivery {
  readonly errand: "delivery.send"
  /** The delivery. */
  readonly subject: string
  /** As it is written: its attempt has begun. */
  readonly delivery: Delivery
  /** Null where nobody may be sent to. */
  readonly target: OpenTarget | null
  readonly body: string
}

/** Makes the attempt of a delivery that has begun. */
export const sendsDelivery = (delivery: Delivery, target: OpenTarget | null, body: string): SendsDelivery => ({
  errand: "delivery.send",
  subject: delivery.delivery_id,
  delivery,
  target,
  body,
})
