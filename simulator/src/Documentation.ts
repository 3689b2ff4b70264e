import { documentation, type Fallback } from "@carillon/http"
import { Effect } from "effect"

/** Makes the pages about the API: large, and not wanted by most runs. */
export const makeDocumentation = (): Promise<Fallback> => Effect.runPromise(documentation)
