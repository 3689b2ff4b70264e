import { Effect } from "effect"
import { HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import { type DocumentParameter, type OpenApiDocument, openApiDocument } from "./OpenApi.ts"

const path = "/"

/** Nothing that reaches out: the default fonts and the developer tools belong to Scalar's own servers. */
const scalar = {
  withDefaultFonts: false,
  showDeveloperTools: "never",
  authentication: { preferredSecurityScheme: "bearer" },
}

/**
 * A parameter that may be left out, and is left out of the sample. Scalar makes up a value for every schema, mostly an empty one, which
 * the server would refuse; for what stands under a content type it makes up none.
 */
const leftOut = ({ schema, ...parameter }: DocumentParameter) =>
  parameter.required ? { ...parameter, schema } : { ...parameter, content: { "text/plain": { schema } } }

/** The document as Scalar takes it, whose samples are accepted as they are printed, but for the key and the ids. */
const forScalar = (document: OpenApiDocument) => {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const own = Object.entries(operations).map(([method, operation]) => {
      return [method, { ...operation, parameters: operation.parameters.map(leftOut) }] as const
    })
    return [path, Object.fromEntries(own)] as const
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

/**
 * The API reference as one HTML page of about 3 MB that needs no network: Scalar's script and the document are inside. Effect
 * hands its bundled script out only through a mounted route, so the page is asked of one. Build it once and keep it.
 */
export const referencePage = (document: OpenApiDocument = openApiDocument()): Effect.Effect<string> => {
  const reference = HttpApi.make("reference").annotate(OpenApi.Transform, () => forScalar(document))
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
