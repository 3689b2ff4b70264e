import { isObject } from "../http/Json.ts"
import { type Breach, type Observation, type Rule, unless } from "./Rule.ts"

const defaultPageSize = 20

/** Lists whose totals the specification calls an estimate or a lower bound, and whose pages may be short. */
const estimated = [/^\/v2\/agents$/, /^\/v2\/knowledge-bases\/[^/]+\/documents$/]

interface Page {
  readonly rows: number
  readonly page: number
  readonly page_size: number
  readonly total: number
  readonly total_pages: number
  readonly has_more: boolean
}

const pageOf = ({ answer }: Observation): Page | undefined => {
  const pagination = answer.at("pagination")
  if (!answer.succeeded || !isObject(pagination)) return undefined
  return {
    rows: answer.items().length,
    page: answer.number("pagination.page"),
    page_size: answer.number("pagination.page_size"),
    total: answer.number("pagination.total"),
    total_pages: answer.number("pagination.total_pages"),
    has_more: pagination["has_more"] === true,
  }
}

const forPages =
  (judge: (page: Page, observation: Observation) => Breach | null): Rule["judge"] =>
  (observation) => {
    const page = pageOf(observation)
    return page === undefined ? undefined : judge(page, observation)
  }

const forExactPages = (judge: (page: Page) => Breach | null): Rule["judge"] => {
  const judged = forPages(judge)
  return (observation) => (estimated.some((list) => list.test(observation.path)) ? undefined : judged(observation))
}

/** What the pagination object of every list must be. */
export const paginationRules: ReadonlyArray<Rule> = [
  {
    id: "pagination/page",
    clauses: ["PAGE-2", "PAGE-7"],
    judge: forPages(({ page }, { query }) => {
      const asked = Number(query.get("page") ?? 1)
      return unless(page === asked, `page ${asked}`, page)
    }),
  },
  {
    id: "pagination/page-size",
    clauses: ["PAGE-3", "PAGE-8"],
    judge: forPages(({ page_size }, { query }) => {
      const asked = Number(query.get("page_size") ?? defaultPageSize)
      return unless(page_size === asked, `page_size ${asked}`, page_size)
    }),
  },
  {
    id: "pagination/rows",
    clauses: ["PAGE-3"],
    judge: forPages(({ rows, page_size }) => unless(rows <= page_size, `at most ${page_size} rows`, rows)),
  },
  {
    id: "pagination/total-pages",
    clauses: ["PAGE-4", "PAGE-5"],
    judge: forExactPages(({ total, page_size, total_pages }) => {
      const pages = Math.ceil(total / page_size)
      // Whether an empty list has no page or one is left open.
      const holds = total_pages === pages || (total === 0 && total_pages === 1)
      return unless(holds, `${pages} pages for ${total} items`, total_pages)
    }),
  },
  {
    id: "pagination/has-more",
    clauses: ["PAGE-6"],
    judge: forExactPages(({ page, total_pages, has_more }) =>
      unless(
        has_more === page < total_pages,
        `has_more ${page < total_pages} on page ${page} of ${total_pages}`,
        has_more,
      ),
    ),
  },
  {
    id: "pagination/full-pages",
    clauses: ["PAGE-4", "PAGE-6"],
    judge: forExactPages(({ rows, page, page_size, total }) => {
      const expected = Math.max(0, Math.min(page_size, total - (page - 1) * page_size))
      return unless(rows === expected, `${expected} rows on page ${page} of ${total} items`, rows)
    }),
  },
]
