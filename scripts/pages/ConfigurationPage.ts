import { flags } from "../../simulator/src/cli/Flags.ts"
import { optionsOf } from "./OptionRows.ts"
import { table } from "./Table.ts"

/** What takes options, where they are declared, and how they are given. */
const sections = [
  ["The engine", "packages/http/src/Carillon.ts", "CarillonOptions", "`Carillon.make(options)` of `@carillon/http`."],
  [
    "The engine in memory",
    "packages/http/src/Carillon.ts",
    "InMemoryOptions",
    "`Carillon.inMemory(options)` of `@carillon/http`.",
  ],
  [
    "The mount on Node",
    "packages/http/src/node.ts",
    "NodeOptions",
    "`nodeServer` and `nodeHandler` of `@carillon/http/node`.",
  ],
  [
    "The mount on Request and Response",
    "packages/http/src/web.ts",
    "WebOptions",
    "`webHandler` of `@carillon/http/web`.",
  ],
  [
    "Webhooks on Node",
    "packages/http/src/webhooks.ts",
    "NodeWebhookOptions",
    "`nodeWebhookTransport(options)` of `@carillon/http/webhooks`.",
  ],
  ["PostgreSQL", "packages/postgres/src/Postgres.ts", "PostgresOptions", "`@carillon/postgres`."],
  ["Redis", "packages/redis/src/RedisConnection.ts", "RedisOptions", "`@carillon/redis`."],
  ["Twilio", "packages/twilio/src/Settings.ts", "TwilioOptions", "`@carillon/twilio`."],
  ["Telnyx", "packages/telnyx/src/Settings.ts", "TelnyxOptions", "`@carillon/telnyx`."],
  ["LiveKit", "packages/livekit/src/Settings.ts", "LiveKitOptions", "`@carillon/livekit`."],
  [
    "PDF files and images",
    "packages/knowledge-node/src/NodeTextExtractor.ts",
    "NodeTextExtractorOptions",
    "`@carillon/knowledge-node`.",
  ],
  ["The client in promises", "packages/client/src/PromiseRequest.ts", "ClientOptions", "`@carillon/client`."],
  ["The client in Effect", "packages/client/src/EffectSending.ts", "EffectClientOptions", "`@carillon/client/effect`."],
  ["Verifying webhooks", "packages/client/src/WebhookVerifier.ts", "VerifierOptions", "`@carillon/client/webhooks`."],
  [
    "Receiving webhooks",
    "packages/client/src/WebhookReceiver.ts",
    "ReceiverOptions",
    "`@carillon/client/webhooks`; those of verifying as well.",
  ],
  [
    "The simulator in a program",
    "simulator/src/Simulator.ts",
    "SimulatorOptions",
    "`Simulator.start(options)` of `@carillon/simulator`.",
  ],
] as const

const sectionOf = ([title, path, name, how]: (typeof sections)[number]): string => `## ${title}

${how}

${table(
  ["Option", "Type", "Meaning"],
  optionsOf(path, name).map(({ isOptional, meaning, name: option, type }) => [
    `\`${option}\`${isOptional ? "" : " (required)"}`,
    `\`${type}\``,
    meaning,
  ]),
)}`

/** The page of everything that can be configured. */
export const configurationPage = (): string => `# Configuration

Every option of every package, and every flag of the simulator. What is not marked as required may be left out.

## The simulator's flags

\`npx @carillon/simulator [flags]\`, or \`npm start -- [flags]\` in the repository.

${table(
  ["Flag", "Default", "Meaning"],
  Object.entries(flags).map(([name, { default: otherwise, meaning, value }]) => [
    `\`--${name}${value === null ? "" : ` ${value}`}\``,
    otherwise === "" ? "" : `\`${otherwise}\``,
    meaning,
  ]),
)}
${sections.map(sectionOf).join("\n")}`
