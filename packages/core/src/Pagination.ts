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
