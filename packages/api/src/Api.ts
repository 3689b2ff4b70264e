import { HttpApi, OpenApi } from "effect/http-api"
import { AgentsGroup } from "./Agents.ts"
import { Authentication } from "./Authentication.ts"
import { CallsGroup } from "./Calls.ts"
import { IdentityGroup } from "./Identity.ts"
import { KeysGroup } from "./Keys.ts"
import { KnowledgeGroup } from "./Knowledge.ts"

/** The path prefix of the public API. */
export const pathPrefix = "/v2"

/** The contract of the public API: every endpoint with its schemas, errors and annotations. */
export const Api = HttpApi.make("carillon")
  .add(
    IdentityGroup.annotateMerge(
      OpenApi.annotations({ title: "Identity", description: "Who is calling, and what the key may do." }),
    ),
    KeysGroup.annotateMerge(
      OpenApi.annotations({ title: "API keys", description: "Minting, listing and revoking API keys." }),
    ),
    AgentsGroup.annotateMerge(
      OpenApi.annotations({ title: "Agents", description: "Configurable voice agents, and the calls they made." }),
    ),
    CallsGroup.annotateMerge(
      OpenApi.annotations({ title: "Calls", description: "Placing, reading and stopping phone calls." }),
    ),
    KnowledgeGroup.annotateMerge(
      OpenApi.annotations({
        title: "Knowledge bases",
        description: "Documents that agents answer from: uploading, listing, asking and deleting.",
      }),
    ),
  )
  .prefix(pathPrefix)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Carillon",
      version: "2",
      summary: "Outbound voice-agent calling.",
      description: [
        "The public API of the voice-agent calling service, version 2.",
        "Every body is JSON. Every error is `{error, message}`: branch on the integer `error`, never on the message.",
        "Every response carries the three rate-limit headers.",
        "`x-origin` tells what the public specification states (`specified`) from what was chosen where it is silent (`chosen`);",
        "a field without `x-origin` is as specified as the operation that it belongs to.",
        "`x-bucket` names the rate-limit bucket of an operation, `x-scope` the scope that a key needs for it (null: any valid key).",
      ].join(" "),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    }),
  )
