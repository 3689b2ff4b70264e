/** Requests that somebody waits for. */
const underWay = new Set<Request>()

/**
 * Does something with a request, and holds the request until that is over. Its own signal follows the one that it was made with only weakly: in Node,
 * once nobody holds the request and its garbage was collected, `fetch` is never told that the time is up, and waits for minutes.
 */
export const holding = async <A>(request: Request, use: (request: Request) => Promise<A>): Promise<A> => {
  underWay.add(request)
  try {
    return await use(request)
  } finally {
    underWay.delete(request)
  }
}
