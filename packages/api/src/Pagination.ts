import { limits } from "@carillon/core"
import { Schema } from "effect"
import { described } from "./Annotations.ts"
import { queryInteger } from "./Query.ts"
import { Flag, Integer } from "./Scalars.ts"

/** The pagination object of list responses. */
export const Pagination = Schema.Struct({
  page: described(Integer, "1-indexed page number."),
  page_size: described(Integer, "Items per page."),
  total: described(Integer, "Count of matching items."),
  total_pages: described(Integer, "Pages."),
  has_more: described(Flag, "Whether more pages follow."),
}).annotate({ identifier: "Pagination", description: "Where a page stands in its list." })
export type Pagination = typeof Pagination.Type

/** The query parameters that every list takes. */
export const pageQuery = {
  page: described(
    Schema.optionalKey(queryInteger(limits.page.min, limits.page.max)),
    `1-indexed page number; ${limits.page.default} when omitted.`,
  ),
  page_size: described(
    Schema.optionalKey(queryInteger(limits.pageSize.min, limits.pageSize.max)),
    `Items per page; ${limits.pageSize.default} when omitted.`,
  ),
}

/** A list response: one page of items and where it stands. */
export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), pagination: Pagination })

/** The page that a query asks for, with the defaults of the specification. */
export const pageRequest = (query: {
  readonly page?: number
  readonly page_size?: number
}): { readonly page: number; readonly page_size: number } => ({
  page: query.page ?? limits.page.default,
  page_size: query.page_size ?? limits.pageSize.default,
})

/** Where a page stands in a list of `total` items. */
export const paginate = (request: { readonly page: number; readonly page_size: number }, total: number): Pagination => {
  const totalPages = Math.ceil(total / request.page_size)
  return {
    page: request.page,
    page_size: request.page_size,
    total,
    total_pages: totalPages,
    has_more: request.page < totalPages,
  }
}
