import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** The envelope of list responses. */
export const list: Shape = {
  name: "list",
  fields: [
    field("data", Kind.array, "PAGE-1"),
    field("pagination", Kind.object, "PAGE-1"),
    field("pagination.page", Kind.integer, "PAGE-2"),
    field("pagination.page_size", Kind.integer, "PAGE-3"),
    field("pagination.total", Kind.integer, "PAGE-4"),
    field("pagination.total_pages", Kind.integer, "PAGE-5"),
    field("pagination.has_more", Kind.boolean, "PAGE-6"),
  ],
}
