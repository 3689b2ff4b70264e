// The engine in Next: this is `app/v2/[...path]/route.ts`, beside `engine.ts` at the root of the project.
import { type WebHandler, webHandler } from "@carillon/http/web"
import { engine } from "../../../engine.ts"

// Never prerendered or cached, and not on the edge: the engine is a process that goes on.
export const dynamic = "force-dynamic"
export const runtime = "nodejs"

const api = engine.then(({ carillon }) => webHandler(carillon.handle))

// No middleware may read the body before this.
const handle: WebHandler = async (request) => (await api)(request)

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
}
