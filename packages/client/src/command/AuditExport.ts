/** Where a trail is exported from. */
export interface ExportSource {
  /** The service without `/v2`. */
  readonly baseUrl: string
  /** A key with `audit:read`. */
  readonly key: string
  readonly fetch?: typeof fetch
  /** Nothing later than this is exported, so that what is appended meanwhile shifts no page. Epoch milliseconds. */
  readonly until: number
}

const pageSize = 100

interface AuditPage {
  readonly data: ReadonlyArray<unknown>
  readonly pagination: { readonly total_pages: number }
}

const isPage = (value: unknown): value is AuditPage =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  Array.isArray(value.data) &&
  "pagination" in value &&
  typeof value.pagination === "object" &&
  value.pagination !== null &&
  "total_pages" in value.pagination &&
  typeof value.pagination.total_pages === "number"

/** The service refused or could not be read. */
export class ExportFailure extends Error {
  override readonly name = "ExportFailure"
}

const readPage = async (source: ExportSource, page: number): Promise<AuditPage> => {
  const query = new URLSearchParams({
    page: String(page),
    page_size: String(pageSize),
    to_date: new Date(source.until).toISOString(),
  })
  const target = `${source.baseUrl.replace(/\/+$/, "")}/v2/audit-logs?${query}`
  const ask = source.fetch ?? fetch
  const response = await ask(target, { headers: { authorization: `Bearer ${source.key}` } })
  if (response.status === 429) {
    const seconds = Number(response.headers.get("retry-after") ?? "1")
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return readPage(source, page)
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok || !isPage(body)) throw new ExportFailure(`the service answered ${response.status} to ${target}`)
  return body
}

/** The whole trail of the key's organization as JSON lines, oldest first: the last page is read first, and each from its end. */
export const exportLines = async function* (source: ExportSource): AsyncGenerator<string> {
  const newest = await readPage(source, 1)
  for (let page = newest.pagination.total_pages; page >= 1; page--) {
    const { data } = page === 1 ? newest : await readPage(source, page)
    for (const record of data.toReversed()) yield JSON.stringify(record)
  }
}
