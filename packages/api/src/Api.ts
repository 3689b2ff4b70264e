import { HttpApi, OpenApi } from "effect/http-api"
import { AgentsGroup } from "./Agents.ts"
import { AuditGroup } from "./Audit.ts"
import { Authentication } from "./Authentication.ts"
import { BatchesGroup } from "./Batches.ts"
import { CallsGroup } from "./Calls.ts"
import { CampaignsGroup } from "./Campaigns.ts"
import { ExperimentsGroup } from "./Experiments.ts"
import { IdentityGroup } from "./Identity.ts"
import { KeysGroup } from "./Keys.ts"
import { WebhooksGroup } from "./Webhooks.ts"
import { InboundAgentsGroup, NumbersGroup } from "./Numbers.ts"
import { ProvidersGroup } from "./Providers.ts"
import { UsageGroup } from "./Usage.ts"
import { KnowledgeGroup } from "./Knowledge.ts"
import { BreakersGroup } from "./Breakers.ts"
import { CallOrdersGroup } from "./CallOrders.ts"
import { CallCapsGroup } from "./CallCaps.ts"
import { CalleeHoursGroup } from "./CalleeHours.ts"
import { SuppressionsGroup } from "./Suppressions.ts"

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
    ExperimentsGroup.annotateMerge(
      OpenApi.annotations({
        title: "Experiments",
        description: "Routing a share of an agent's calls to a challenger.",
      }),
    ),
    CallsGroup.annotateMerge(
      OpenApi.annotations({ title: "Calls", description: "Placing, reading and stopping phone calls." }),
    ),
    CampaignsGroup.annotateMerge(
      OpenApi.annotations({
        title: "Campaigns",
        description: "Many contacts dialled under one policy: hours, retries, follow-ups, caller IDs, ceilings.",
      }),
    ),
    BatchesGroup.annotateMerge(
      OpenApi.annotations({ title: "Batches", description: "Lists of contacts that are dialled together." }),
    ),
  )
  .add(
    WebhooksGroup.annotateMerge(
      OpenApi.annotations({ title: "Webhooks", description: "Subscriptions to events, and the ledger of deliveries." }),
    ),
    AuditGroup.annotateMerge(
      OpenApi.annotations({ title: "Audit trail", description: "What was done and refused, in a chain of hashes." }),
    ),
  )
  .add(
    NumbersGroup.annotateMerge(
      OpenApi.annotations({ title: "Phone numbers", description: "The numbers of the organization." }),
    ),
    InboundAgentsGroup.annotateMerge(
      OpenApi.annotations({ title: "Inbound agents", description: "Which agents answer which numbers." }),
    ),
    ProvidersGroup.annotateMerge(
      OpenApi.annotations({ title: "Providers", description: "Credentials of the providers that agents use." }),
    ),
    UsageGroup.annotateMerge(OpenApi.annotations({ title: "Usage", description: "What the calls add up to." })),
    KnowledgeGroup.annotateMerge(
      OpenApi.annotations({
        title: "Knowledge bases",
        description: "Documents that agents answer from: uploading, listing, asking and deleting.",
      }),
    ),
    SuppressionsGroup.annotateMerge(
      OpenApi.annotations({
        title: "Suppressions",
        description:
          "Numbers that must not be called. An extension: the specification has none of it, and nothing of it is on until it is used.",
      }),
    ),
    CalleeHoursGroup.annotateMerge(
      OpenApi.annotations({
        title: "Callee hours",
        description:
          "In which hours people may be called, by the clocks where they are. An extension: nothing of it is on until it is used.",
      }),
    ),
    BreakersGroup.annotateMerge(
      OpenApi.annotations({
        title: "Breakers",
        description:
          "Campaigns that pause themselves where too many calls go wrong. An extension: nothing of it is on until it is used.",
      }),
    ),
    CallOrdersGroup.annotateMerge(
      OpenApi.annotations({
        title: "Order",
        description:
          "In which order campaigns call their contacts for the first time. An extension: nothing of it is on until it is used.",
      }),
    ),
    CallCapsGroup.annotateMerge(
      OpenApi.annotations({
        title: "Call caps",
        description:
          "How often one number may be called, whoever asks for it. An extension: nothing of it is on until it is used.",
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
