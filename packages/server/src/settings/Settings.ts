import { callLimitBounds, limits } from "@carillon/core"
import { isSecretKey } from "@carillon/http/secrets"
import { Config, Effect, Result } from "effect"
import type { CarrierKind, MakeCarrier } from "../carriers/CarrierKind.ts"
import { carrierKinds, isCarrierKind } from "../carriers/CarrierKinds.ts"
import { type Route, isRouteAmong, routesOf } from "../carriers/Routing.ts"
import type { Given } from "./Given.ts"
import { SettingBook, variableOf } from "./SettingBook.ts"

/** Carriers of one installation at most. */
const carriersMax = 8
/** Routes at most. */
const routesMax = 64
/** Keys of secrets at most. */
const secretKeysMax = 16

const isCarrierName = (text: string): boolean => /^[a-z][a-z0-9]{0,31}$/.test(text)

/** Where and how it serves. */
const declareServing = (book: SettingBook) => ({
  host: book
    .text("host", "an address of this machine", /^[0-9a-zA-Z.:_-]+$/, "The address on which the API listens.")
    .or("0.0.0.0"),
  port: book.whole("port", 0, 65_535, "The port of the API; 0 takes a free one and says which.").or(8080),
  insideHost: book
    .text(
      "inside.host",
      "an address of this machine",
      /^[0-9a-zA-Z.:_-]+$/,
      "The address on which the metrics are. Keep it where only your own machines reach it.",
    )
    .or("0.0.0.0"),
  insidePort: book.whole("inside.port", 0, 65_535, "The port of `/metrics`, with `/livez` and `/readyz`.").or(9464),
  keepAliveSeconds: book
    .whole(
      "keep_alive_seconds",
      1,
      3_600,
      "How long an idle connection stays open. It must be longer than the balancer keeps one, or requests meet connections that are just closing.",
    )
    .or(75),
  noticeSeconds: book
    .whole(
      "notice_seconds",
      0,
      300,
      "How long the process serves on after SIGTERM and says that it is not ready, so that the balancer notices. It drains then: at most 27 s follow, unless `limits.drain_…` say otherwise.",
    )
    .or(10),
  documentation: book
    .flag("documentation", "Whether `/docs`, `/openapi.json`, `/asyncapi.json` and `/healthz` are served.")
    .or(true),
  startHeld: book
    .flag("start_held", "Holds dialling in every process on these rows, for rows that were put back from a backup.")
    .or(false),
})

/** Times of calls. */
const declareTimes = (book: SettingBook) => {
  const time = (limit: keyof typeof callLimitBounds, name: string, meaning: string) => {
    const { max, min } = callLimitBounds[limit]
    return book.whole(`limits.${name}`, min, max, meaning).or(limits[limit])
  }
  return {
    ringGraceMs: time(
      "ringGraceMs",
      "ring_grace_ms",
      "Beyond its ring timeout, how long a call may be silent before the carrier is asked about it, in milliseconds.",
    ),
    answeredSilenceMs: time(
      "answeredSilenceMs",
      "answered_silence_ms",
      "How long the carrier may say nothing of an answered call before it is asked, in milliseconds.",
    ),
    carrierAnswerMs: time(
      "carrierAnswerMs",
      "carrier_answer_ms",
      "How long the carrier may take for a hang-up or a question, in milliseconds.",
    ),
    drainFinishMs: time(
      "drainFinishMs",
      "drain_finish_ms",
      "How long what runs may finish once the process leaves, in milliseconds.",
    ),
    drainEndMs: time(
      "drainEndMs",
      "drain_end_ms",
      "How long what still waits may take to end after that, in milliseconds.",
    ),
    drainCloseMs: time(
      "drainCloseMs",
      "drain_close_ms",
      "How long the stores may take to close after that, in milliseconds.",
    ),
  }
}

/** Where rows and counters are. */
const declareStores = (book: SettingBook) => ({
  databaseUrl: book
    .secret(
      "database.url",
      "`postgres://user:password@host:port/database`",
      /^postgres(ql)?:\/\/\S+$/,
      "The PostgreSQL server, 15 or later.",
    )
    .needed(),
  databaseConnections: book
    .whole("database.max_connections", 1, 1_000, "Connections that this process opens at most.")
    .or(10),
  redisUrl: book
    .secret(
      "redis.url",
      "`redis://` or `rediss://` with host, port and database",
      /^rediss?:\/\/\S+$/,
      "Where lines and rates are counted. Without it they are counted on PostgreSQL, which is slower.",
    )
    .orNone(),
  redisPrefix: book
    .text("redis.prefix", "1 to 64 letters, digits, `_`, `:` or `-`", /^[\w:-]{1,64}$/, "What all keys begin with.")
    .or("carillon"),
  redisAnswerMs: book
    .whole("redis.answer_ms", 1, 10_000, "How long an answer of Redis may take, in milliseconds.")
    .or(100),
})

/** The longest name, and a port. */
const destinationCharacters = 253 + ":65535".length
const destinationsMax = 100

/** A name, an address or a block, with a port where only that one is meant. */
const isDestination = (text: string): boolean =>
  text.length <= destinationCharacters && /^[a-z0-9.:[\]-]+(\/\d{1,3})?$/.test(text)

/** Where webhooks may go. */
const declareWebhooks = (book: SettingBook) => ({
  destinations: book
    .list(
      "webhooks.destinations",
      "entries such as `hooks.corp.example`, `10.1.0.0/16` or `127.0.0.1:8080`",
      isDestination,
      destinationsMax,
      "Destinations of your own network that webhooks may reach, although addresses that are not public are refused.",
    )
    .or([]),
})

/** Whose phone numbers are. */
const declareNumbers = (book: SettingBook) => ({
  numberRegistration: book
    .choice(
      "numbers.registration",
      ["first", "operator"],
      "Who gives an organization a number to call from. `first`: its customers register any number that no other organization has, and anybody else is refused (409) until it is given up. `operator`: you alone, by `carillon-admin numbers assign`; customers are refused (409). Set it alike in all processes.",
    )
    .or("first"),
})

/** How customers' secrets are kept. */
const declareSecrets = (book: SettingBook) => ({
  secretKeys: book
    .secretList(
      "secrets.keys",
      "entries such as `2026-11=…`: an id of your choice, each another one, and 32 bytes in base64 (`openssl rand -base64 32`)",
      isSecretKey,
      secretKeysMax,
      "The keys that seal customers' secrets (webhook secrets, values of webhook headers, provider values) with AES-256-GCM. The first seals, and all open: [Secrets](../guides/secrets.md) says how to change them. Without one secrets lie in the database as they are.",
    )
    .orNone(),
})

/** What it tells of itself. */
const declareTelling = (book: SettingBook) => ({
  logFormat: book
    .choice("log.format", ["text", "json"], "How lines are written: `json` is one object a line. `--log-json` as well.")
    .or("text"),
  logLevel: book.choice("log.level", ["Debug", "Info", "Warn", "Error"], "The least level that is written.").or("Info"),
  otlpUrl: book
    .text(
      "telemetry.otlp_url",
      "an http: or https: address",
      /^https?:\/\/[^\s?#]+$/,
      "Where metrics, spans and lines of the log are sent as OTLP over HTTP, such as `http://collector:4318`.",
    )
    .orNone(),
  tracing: book.flag("telemetry.tracing", "Whether spans are made. They cost a third of a request's speed.").or(false),
})

/** Which carriers there are, and who of them is asked. */
const declareCarriers = (book: SettingBook, carriers: ReadonlyArray<string>) => {
  const publicUrl = book.text(
    "public_url",
    "an https: address without a query; http: on this machine only",
    /^(https:\/\/[^\s?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/[^\s?#]*)?)$/,
    "Where carriers reach this server from outside. The callbacks of a carrier are at `<public_url>/carriers/<name>`. Needed as soon as there is a carrier.",
  )
  const routes = book.list(
    "routes",
    "entries such as `+49=german/global`: a beginning of numbers, and the names of carriers",
    isRouteAmong(carriers),
    routesMax,
    "Which carriers a number goes to, the first choice first. The longest beginning counts; `+` is every number. Without routes every number goes to all carriers, in their order.",
  )
  return {
    publicUrl: carriers.length === 0 ? publicUrl.orNone() : publicUrl.needed(),
    carriers: book
      .list(
        "carriers",
        "names of small letters and digits",
        isCarrierName,
        carriersMax,
        "The carriers, by names that you give them; the settings of each are at `carrier.<name>`. Without one nothing can be dialled.",
      )
      .or([]),
    routes: Config.map(routes.or([]), routesOf),
  }
}

/** What the program has to know whatever its carriers are. */
const declareServer = (book: SettingBook, carriers: ReadonlyArray<string>) => ({
  ...declareServing(book),
  ...declareStores(book),
  ...declareWebhooks(book),
  ...declareNumbers(book),
  ...declareSecrets(book),
  ...declareTelling(book),
  ...declareCarriers(book, carriers),
  limits: Config.all(declareTimes(book)),
})

/** What every carrier has, whatever its kind. */
const declareCarrier = (book: SettingBook, name: string, kind: CarrierKind) =>
  Config.all({
    make: kind.declare(book),
    callsPerSecond: book
      .number("calls_per_second", 0.1, 10_000, "Calls that the carrier takes in a second, from this process.")
      .orNone(),
    callsPerSecondOfNumber: book
      .number("calls_per_second_of_number", 0.1, 10_000, "The same with one caller ID.")
      .orNone(),
  }).pipe(Config.map((values): CarrierSettings => ({ name, ...values })))

const declareType = (book: SettingBook, name: string) => {
  const type = book.choice(
    "type",
    carrierKinds.map((kind) => kind.type),
    "Which carrier it is. It may be left out where the carrier's name says it.",
  )
  return isCarrierKind(name) ? type.or(name) : type.needed()
}

/** A carrier as it was set up. */
export interface CarrierSettings {
  readonly name: string
  readonly make: MakeCarrier
  readonly callsPerSecond: number | undefined
  readonly callsPerSecondOfNumber: number | undefined
}

type ServerValues = {
  readonly [Key in keyof ReturnType<typeof declareServer>]: Config.Success<ReturnType<typeof declareServer>[Key]>
}

/** Everything that was set, checked. */
export interface Settings extends Omit<ServerValues, "carriers" | "routes"> {
  readonly carriers: ReadonlyArray<CarrierSettings>
  readonly routes: ReadonlyArray<Route>
}

/** The settings and what is wrong with them: one or the other. */
export type ReadSettings = Result.Result<Settings, ReadonlyArray<string>>

const valueOf = <A>(config: Config.Config<A>, given: Given): A | undefined => {
  const read = Effect.runSync(Effect.result(config.parse(given.provider)))
  return Result.isSuccess(read) ? read.success : undefined
}

/** What is wrong with the settings of a book, one line each. No line tells a value: it may be a secret. */
const wrongOf = (book: SettingBook, given: Given): ReadonlyArray<string> =>
  book.settings.flatMap(({ config, name, takes }) => {
    if (Result.isSuccess(Effect.runSync(Effect.result(config.parse(given.provider))))) return []
    const found = given.find(name)
    return found === null
      ? [`${name}: is missing; it must be ${takes} (${variableOf(name)})`]
      : [`${name}: must be ${takes} (in ${found.where})`]
  })

/** Reads all settings, or says everything that is wrong with them. */
export const readSettings = (given: Given): ReadSettings => {
  const names = valueOf(declareServer(new SettingBook(), []).carriers, given) ?? []
  const book = new SettingBook()
  const server = declareServer(book, names)
  const problems = names.flatMap((name, nth) => (names.indexOf(name) < nth ? [`carriers: names ${name} twice`] : []))
  const carriers: Array<Config.Config<CarrierSettings>> = []
  const unread: Array<string> = []
  for (const name of new Set(names)) {
    const own = book.under(`carrier.${name}`)
    const type = valueOf(declareType(own, name), given)
    const kind = carrierKinds.find((each) => each.type === type)
    if (kind === undefined) unread.push(`carrier.${name}.`)
    else carriers.push(declareCarrier(own, name, kind))
  }
  const known = new Set(book.settings.map(({ name }) => name))
  // Of a carrier whose type nobody knows, nobody knows the settings.
  const isUnread = (name: string, as: (name: string) => string) => unread.some((prefix) => name.startsWith(as(prefix)))
  const variables = new Set([...known].map(variableOf))
  problems.push(
    ...wrongOf(book, given),
    ...given.unknown(
      (name) => known.has(name) || isUnread(name, (prefix) => prefix),
      (variable) => variables.has(variable) || isUnread(variable, variableOf),
    ),
  )
  if (problems.length > 0) return Result.fail(problems)
  const whole = Config.all({ server: Config.all(server), carriers: Config.all(carriers) })
  const values = Effect.runSync(whole.parse(given.provider))
  return Result.succeed({ ...values.server, carriers: values.carriers })
}

/** Every setting there is, for its page: those of the program, and those of a carrier of each kind. */
export const everySetting = (): ReadonlyArray<{ readonly title: string; readonly book: SettingBook }> => {
  const server = new SettingBook()
  declareServer(server, [])
  return [
    { title: "The server", book: server },
    ...carrierKinds.map((kind) => {
      const book = new SettingBook()
      const own = book.under("carrier.<name>")
      declareType(own, "name")
      declareCarrier(own, "name", kind)
      return { title: `A carrier of type \`${kind.type}\``, book }
    }),
  ]
}
