import type { Asked } from "../size/Questions.ts"

/** An organization as whoever asks it knows it. */
export interface Customer extends Asked {
  readonly organization_id: string
  readonly key: string
}

/** What the engine's process is told. */
export type ToEngine =
  | { readonly type: "open"; readonly name: string; readonly hook: string }
  | { readonly type: "keep"; readonly organization_id: string; readonly days: number | null }
  | { readonly type: "cpu" }

/** What it says. */
export type FromEngine =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "opened"; readonly customer: Customer }
  | { readonly type: "kept" }
  | { readonly type: "cpu"; readonly ms: number }

/** What the process of the customers is told. */
export type ToLoad =
  | {
      readonly type: "begin"
      readonly url: string
      readonly customers: ReadonlyArray<Customer>
      readonly perSecond: number
    }
  | { readonly type: "end" }

/** A request that was answered, or a webhook that came: what it was and whose, when it was sent (epoch milliseconds), and what it took. */
export interface Sample {
  readonly name: string
  readonly customer: number
  readonly at: number
  readonly ms: number
}

/** What it says. */
export type FromLoad =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "begun" }
  | {
      readonly type: "ended"
      readonly samples: ReadonlyArray<Sample>
      /** What was not answered as it should be, some of it in words; and calls of which no webhook came. */
      readonly failures: ReadonlyArray<string>
      readonly failed: number
      readonly untold: number
    }
