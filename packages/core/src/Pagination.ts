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

/** Where a row stands in the order of lists: by its creation, then in commit order. */
export interface ListPlace {
  readonly created_at: number
  readonly sequence: number
}

/** A row in its place. */
export interface Placed<Row> {
  readonly place: ListPlace
  readonly row: Row
}

/**
 * The oldest rows of an organization in the order of lists, after a place: up to `limit`, fewer where they would be more than `limits.pageBytes`,
 * but one where there is any. So only an answer without rows says that there are no more.
 */
export interface OldestRequest {
  readonly after: ListPlace | null
  /** Only those that were created before this moment, epoch milliseconds; all of them where it is left out. */
  readonly before?: number
  readonly limit: number
}

/** The refusal of a page whose rows are more than one answer may carry. */
export const pageTooLarge = (): InvalidField =>
  new InvalidField({
    field: "page_size",
    reason: `the rows of this page take more than ${limits.pageBytes / 1024 ** 2} MiB, so fewer must be asked for`,
  })
