import { InvalidField } from "./Errors.ts"
import { limits } from "./Limits.ts"

/** A page of a list: 1-indexed. */
export interface PageRequest {
  readonly page: number
  readonly page_size: number
}

/** The items of one page and the count of all that match. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** The refusal of a page whose rows are more than one answer may carry. */
export const pageTooLarge = (): InvalidField =>
  new InvalidField({
    field: "page_size",
    reason: `the rows of this page take more than ${limits.pageBytes} bytes, so fewer must be asked for`,
  })
