import type { CarrierSuite } from "@carillon/core/testing"

/** Takes a vendor's callbacks for the carrier under test, and remembers them, so that the suite can forge and replay them. */
export const overheard = (handler: (request: Request) => Promise<Response>) => {
  const sent: Array<CarrierSuite.SentCallback> = []
  return {
    handle: async (request: Request): Promise<Response> => {
      const headers = Object.fromEntries(request.headers)
      sent.push({ url: request.url, headers, body: await request.clone().text() })
      return handler(request)
    },
    callbacks: {
      sent: () => [...sent],
      take: async ({ body, headers, url }: CarrierSuite.SentCallback): Promise<number> =>
        (await handler(new Request(url, { method: "POST", headers, body }))).status,
    },
  }
}
