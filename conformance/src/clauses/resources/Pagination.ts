import { informative, required, specified } from "../Clause.ts"

export const pagination = specified("Resources and their fields > Pagination object (list responses)", [
  informative("(list responses)"),
  required("PAGE-1", "http", 'List responses are `{ "data": [...], "pagination": {...} }`.'),
  required("PAGE-2", "http", "| page | integer | 1-indexed page number |"),
  required("PAGE-3", "http", "| page_size | integer | Items per page |"),
  required("PAGE-4", "http", "| total | integer | Count of matching items (see per-endpoint caveats) |"),
  required("PAGE-5", "http", "| total_pages | integer | Pages |"),
  required("PAGE-6", "http", "| has_more | boolean | Whether more pages follow |"),
  required("PAGE-7", "http", "Common list query parameters: `page` (integer, default 1, min 1, max 10000)"),
  required("PAGE-8", "http", "and `page_size` (integer, default 20, min 1, max 100)."),
])
