import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { commonErrors } from "./Errors.ts"

/**
 * The one credential of the public API: an API key as an HTTP bearer token (specification, "Authentication"). Declares the
 * errors that every endpoint may answer; the serving package reads the header itself.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()("@carillon/api/Authentication", {
  error: commonErrors,
  security: {
    // In lower case, as the registry of schemes has it and readers of the document expect it.
    bearer: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
      HttpApiSecurity.annotateMerge(
        OpenApi.annotations({ description: "An API key with the prefix `gat_`.", format: "gat_..." }),
      ),
    ),
  },
}) {}
