import type { EventType, Json } from "@carillon/core"
import type { errorClasses } from "./Errors.ts"

/** The name of an error's component in the documents. */
export type ErrorName = InstanceType<(typeof errorClasses)[number]>["_tag"]

/** What was sent and answered, as a run of the simulator had it. */
export interface Examples {
  /** By the name of the operation. */
  readonly operations: {
    readonly [name: string]: {
      /** By content type. */
      readonly request: { readonly [contentType: string]: Json }
      /** By status, and then by a name for the case. */
      readonly responses: { readonly [status: string]: { readonly [as: string]: Json } }
    }
  }
  readonly errors: { readonly [Name in ErrorName]: Json }
  readonly events: { readonly [Type in EventType]: Json }
}
