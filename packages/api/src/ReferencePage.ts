import { Effect } from "effect"
import { HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import { type OpenApiDocument, openApiDocument } from "./OpenApi.ts"

const path = "/"

/** Nothing that reaches out: the default fonts and the developer tools belong to Scalar's own servers. */
const scalar = {
  withDefaultFonts: false,
  showDeveloperTools: "never",
  authentication: { preferredSecurityScheme: "bearer" },
}

/**
 * The API reference as one HTML page of about 3 MB that needs no network: Scalar's script and the document are inside. Effect
 * hands its bundled script out only through a mounted route, so the page is asked of one. Build it once and keep it.
 */
export const referencePage = (document: OpenApiDocument = openApiDocument()): Effect.Effect<string> => {
  const reference = HttpApi.make("reference").annotate(OpenApi.Transform, () => ({ ...document }))
  const request = HttpClientRequest.get(path)
  return HttpRouter.toHttpEffect(HttpApiScalar.layer(reference, { path, scalar })).pipe(
    Effect.flatten,
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
    Effect.flatMap((response) => HttpServerResponse.toClientResponse(response, { request }).text),
    Effect.scoped,
    // The one route there is has just been added, and it answers from memory.
    Effect.orDie,
  )
}
