import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { pageRequest, paginate } from "../src/Pagination.ts"

describe("Pagination", () => {
  it("ends a walk along has_more after exactly total_pages pages, and never before the last item", () => {
    fc.assert(
      fc.property(fc.nat({ max: 5000 }), fc.integer({ min: 1, max: 100 }), (total, page_size) => {
        let page = 1
        while (paginate({ page, page_size }, total).has_more) page += 1
        const last = paginate({ page, page_size }, total)
        assert.strictEqual(page, Math.max(1, last.total_pages))
        assert.isAtLeast(page * page_size, total)
        assert.isBelow((last.total_pages - 1) * page_size, Math.max(1, total))
      }),
    )
  })

  it("fills in the defaults of the specification", () => {
    assert.deepStrictEqual(pageRequest({}), { page: 1, page_size: 20 })
    assert.deepStrictEqual(pageRequest({ page: 3, page_size: 7 }), { page: 3, page_size: 7 })
  })

  it("has no page of an empty list, and no more after a page beyond the end", () => {
    assert.deepInclude(paginate({ page: 1, page_size: 20 }, 0), { total_pages: 0, has_more: false })
    assert.deepInclude(paginate({ page: 9, page_size: 20 }, 30), { total_pages: 2, has_more: false })
  })
})
