import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { chosen, described, EndpointOrigin } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import { nonEmptyTextUpTo, objectOf, Text, Timestamp } from "./Scalars.ts"

/** Characters that the name and the value of a provider may have. */
export const providerBounds = { name: 100, value: 10_000 } as const

/** A provider credential, without the credential (decisions, "Other resources"). */
export const Provider = Schema.Struct({
  provider_id: chosen(Text),
  provider_name: chosen(Text),
  provider_value_preview: chosen(Text, "The last four characters of a long value, nothing of a short one."),
  created_at: chosen(Timestamp),
}).annotate({ identifier: "Provider", description: "A provider credential, without the credential." })
export type Provider = typeof Provider.Type

/** A page of providers. */
export const ProviderPage = pageOf(Provider).annotate({ identifier: "ProviderPage" })

/** The body of `POST /v2/providers`. The name has to fit into a path. */
export const AddProvider = objectOf({
  provider_name: nonEmptyTextUpTo(providerBounds.name).check(
    Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, {
      message: "must begin with a letter or digit and contain only letters, digits and _ . -",
    }),
  ),
  provider_value: described(nonEmptyTextUpTo(providerBounds.value), "Stored, never returned."),
}).annotate({ identifier: "AddProvider", "x-origin": "chosen" })
export type AddProvider = typeof AddProvider.Type

/** 200 of `DELETE /v2/providers/{provider_name}`. */
export const DeletedProvider = Schema.Struct({
  provider_id: chosen(Text),
  provider_name: chosen(Text),
  deleted: chosen(Schema.Literal(true)),
}).annotate({ identifier: "DeletedProvider", description: "The credential is forgotten." })
export type DeletedProvider = typeof DeletedProvider.Type

const organizationOnly = Schema.Struct(organizationQuery)

/** The provider credentials of an organization. */
export const ProvidersGroup = HttpApiGroup.make("providers").add(
  HttpApiEndpoint.get("list", "/providers", {
    query: Schema.Struct({ ...pageQuery, ...organizationQuery }),
    success: ProviderPage,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "List providers", description: "Newest first; values are never included." }),
    ),
  HttpApiEndpoint.post("add", "/providers", {
    query: organizationOnly,
    payload: AddProvider,
    success: Provider.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "Add a provider", description: "A name that is taken is refused (1201)." }),
    ),
  HttpApiEndpoint.delete("remove", "/providers/:provider_name", {
    params: { provider_name: Schema.String },
    query: organizationOnly,
    success: DeletedProvider,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "Remove a provider", description: "Its value is forgotten." })),
)
