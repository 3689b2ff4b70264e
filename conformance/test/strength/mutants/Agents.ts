/** Mistakes with agents, their configuration, their lists and their experiments. */
import { isObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  both,
  cut,
  dummy,
  failing,
  forgives,
  fresh,
  has,
  headers,
  ignores,
  is,
  not,
  over,
  plus,
  queries,
  recodes,
  refuses,
  reroutes,
  restates,
  row,
  rows,
  set,
  textOf,
  together,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const create = "POST /v2/agents"
const writesOf = ["POST /v2/agents", "PUT|PATCH /v2/agents/*"]
const reads = ["GET /v2/agents", "GET /v2/agents/*"]
const shown = [...reads, ...writesOf, "POST /v2/agents/*/clone"]
const one = ["GET /v2/agents/*", ...writesOf]
const list = "GET /v2/agents"
const cutTo = (path: string, most: number) =>
  asks(
    writesOf,
    over(path, (v) => (typeof v === "string" ? v.slice(0, most) : v)),
  )
const longestRefused = (path: string, length: number, routes: string | ReadonlyArray<string> = writesOf) =>
  refuses(routes, ({ json }) => textOf(at(json, path) ?? "").length === length, 1001, 422)
const forgetsOnRead = (...paths: ReadonlyArray<string>) =>
  row(
    "GET /v2/agents/*",
    where((r) => paths.every((p) => at(r, p) != null), cut(...paths)),
  )

const fields = [
  m("CONSTANT-3", "A name of 101 characters is cut.", cutTo("display_name", 100)),
  m("CONSTANT-3", "A name of 100 characters is refused.", longestRefused("display_name", 100)),
  m("CONSTANT-4", "A summary of 2001 characters is cut.", cutTo("summary", 2000)),
  m("CONSTANT-4", "A summary of 2000 characters is refused.", longestRefused("summary", 2000)),
  m("CONSTANT-5", "A greeting of 20001 characters is cut.", cutTo("greeting_message", 20_000)),
  m("CONSTANT-5", "A greeting of 20000 characters is refused.", longestRefused("greeting_message", 20_000)),
  m("CONSTANT-6", "A configuring write that is away is 500.", recodes(create, 1502, 1500, 500)),
  m(
    "AGENT-FIELD-1",
    "display_name is optional.",
    asks(create, (j) => ({ display_name: "Unnamed", ...j })),
  ),
  c(
    "AGENT-FIELD-1",
    "PUT needs no display_name.",
    asks("PUT /v2/agents/*", (j) => ({ display_name: "Unnamed", ...j })),
  ),
  m("AGENT-FIELD-2", "A name of 101 characters is cut.", cutTo("display_name", 100)),
  m("AGENT-FIELD-2", "A name of 100 characters is refused.", longestRefused("display_name", 100)),
  c(
    "AGENT-FIELD-2",
    "An empty name becomes a default on PATCH.",
    asks("PATCH /v2/agents/*", (j) => (j["display_name"] === "" ? { ...j, display_name: "Unnamed" } : j)),
  ),
  m(
    "AGENT-FIELD-3",
    "Any character is allowed.",
    asks(
      writesOf,
      over("display_name", (v) =>
        typeof v === "string" && v.length <= 100 ? v.replaceAll(/[^\p{L}\p{N} \-_.()]/gu, "x") : v,
      ),
    ),
  ),
  m(
    "AGENT-FIELD-3",
    "Parentheses are refused.",
    refuses(writesOf, ({ json }) => /[()]/.test(textOf(objectOf(json)["display_name"] ?? "")), 1001, 422),
  ),
  c(
    "AGENT-FIELD-3",
    "A dot in a name is refused on PATCH.",
    refuses("PATCH /v2/agents/*", ({ json }) => textOf(objectOf(json)["display_name"] ?? "").includes("."), 1001, 422),
  ),
  m("AGENT-FIELD-4", "A summary of 2001 characters is cut.", cutTo("summary", 2000)),
  m(
    "AGENT-FIELD-4",
    "summary: null is refused.",
    refuses(writesOf, ({ json }) => objectOf(json)["summary"] === null, 1001, 422),
  ),
  c("AGENT-FIELD-4", "A summary of 2000 characters is refused.", longestRefused("summary", 2000)),
  m("AGENT-FIELD-5", "A greeting of 20001 characters is cut.", cutTo("greeting_message", 20_000)),
  c("AGENT-FIELD-5", "A greeting of 20000 characters is refused.", longestRefused("greeting_message", 20_000)),
  m(
    "AGENT-FIELD-6",
    "Braces are refused in a greeting.",
    refuses(writesOf, ({ json }) => textOf(objectOf(json)["greeting_message"] ?? "").includes("{"), 1001, 422),
  ),
  c(
    "AGENT-FIELD-6",
    "Braces are stripped from a stored greeting.",
    row(
      shown,
      over("greeting_message", (v) => textOf(v).replaceAll(/[{}]/g, "")),
    ),
  ),
  m(
    "AGENT-FIELD-7",
    "A status in lower case is taken.",
    asks(
      writesOf,
      over("status", (v) => (typeof v === "string" ? v.toUpperCase() : v)),
    ),
  ),
  c(
    "AGENT-FIELD-7",
    "Statuses are shown in lower case on lists.",
    row(
      list,
      over("status", (v) => textOf(v).toLowerCase()),
    ),
  ),
  c(
    "AGENT-FIELD-7",
    "An unknown status is ignored on create.",
    asks(create, (j) =>
      ["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"].includes(textOf(j["status"] ?? "")) ? j : cut("status")(j, dummy),
    ),
  ),
  m("AGENT-FIELD-8", "category is lost.", row(shown, set("category", null))),
  c("AGENT-FIELD-8", "category is lost on PATCH.", asks("PATCH /v2/agents/*", cut("category"))),
  m(
    "AGENT-FIELD-10",
    "labels are added to those there.",
    fresh(() => {
      const known = new Map<string, ReadonlyArray<unknown>>()
      return row(shown, (r) => {
        const id = textOf(r["agent_id"])
        const now = Array.isArray(r["labels"]) ? r["labels"] : []
        const joined = [...new Set([...(known.get(id) ?? []), ...now])]
        known.set(id, joined)
        return Array.isArray(r["labels"]) ? { ...r, labels: joined } : r
      })
    }),
  ),
  c(
    "AGENT-FIELD-10",
    "An empty list of labels changes nothing.",
    asks(["PUT|PATCH /v2/agents/*"], (j) =>
      Array.isArray(j["labels"]) && j["labels"].length === 0 ? cut("labels")(j, dummy) : j,
    ),
  ),
  m("AGENT-FIELD-11", "prompts.extraction is lost.", row(one, cut("prompts.extraction"))),
  c(
    "AGENT-FIELD-11",
    "A PATCH of one prompt clears the others.",
    answers("PATCH /v2/agents/*", (r, a) =>
      isObject(objectOf(a.json)["prompts"]) && r.status < 300
        ? { ...r, json: { ...objectOf(r.json), prompts: objectOf(a.json)["prompts"] } }
        : r,
    ),
  ),
  c("AGENT-FIELD-11", "prompts.summarization is lost on read.", forgetsOnRead("prompts.summarization")),
  m("AGENT-FIELD-12", "variables.custom is lost.", row(one, cut("variables.custom"))),
  c(
    "AGENT-FIELD-12",
    "variables.custom has one name at most.",
    row(
      one,
      over("variables.custom", (v) => (Array.isArray(v) ? v.slice(0, 1) : v)),
    ),
  ),
  m("AGENT-FIELD-13", "variables.placeholders is missing.", row(shown, cut("variables.placeholders"))),
  c(
    "AGENT-FIELD-13",
    "variables.placeholders is text where there are some.",
    row(
      one,
      where(
        (r) => Array.isArray(at(r, "variables.placeholders")) && textOf(at(r, "variables.placeholders")) !== "[]",
        over("variables.placeholders", (v) => textOf(v)),
      ),
    ),
  ),
  m("AGENT-FIELD-14", "variables._original_format is lost.", row(one, cut("variables._original_format"))),
  c(
    "AGENT-FIELD-14",
    "variables._original_format is lost on PATCH.",
    asks("PATCH /v2/agents/*", cut("variables._original_format")),
  ),
  m("AGENT-FIELD-15", "analytics.custom is lost.", row(one, cut("analytics.custom"))),
  c(
    "AGENT-FIELD-15",
    "required_keys of analytics are lost.",
    row(
      one,
      over("analytics.custom", (v) =>
        Array.isArray(v) ? v.map((e: unknown) => cut("required_keys")(objectOf(e), dummy)) : v,
      ),
    ),
  ),
  m("AGENT-FIELD-16", "integrations.webhook is lost.", row(one, cut("integrations.webhook"))),
  c(
    "AGENT-FIELD-16",
    "A PATCH of webcall clears the webhook.",
    answers("PATCH /v2/agents/*", (r, a) =>
      isObject(at(a.json, "integrations.webcall")) && r.status < 300
        ? { ...r, json: cut("integrations.webhook")(objectOf(r.json), a) }
        : r,
    ),
  ),
  m("AGENT-FIELD-17", "integrations.webcall is lost.", row(one, cut("integrations.webcall"))),
  c(
    "AGENT-FIELD-17",
    "integrations.webcall.enabled is always true.",
    row(one, where(is("integrations.webcall.enabled", false), set("integrations.webcall.enabled", true))),
  ),
  m("AGENT-FIELD-18", "mcp is lost.", row(one, cut("integrations.mcp"))),
  c(
    "AGENT-FIELD-18",
    "mcp: null disconnects nothing.",
    asks("PATCH /v2/agents/*", (j) => (at(j, "integrations.mcp") === null ? cut("integrations.mcp")(j, dummy) : j)),
  ),
  m(
    "AGENT-FIELD-19",
    "knowledge_base is shown as its id.",
    row(
      "GET /v2/agents/*",
      over("knowledge_base", () => "kb_1"),
    ),
  ),
  c(
    "AGENT-FIELD-19",
    "knowledge_base is lost on clones.",
    body("POST /v2/agents/*/clone", set("knowledge_base", null)),
  ),
  m(
    "AGENT-FIELD-20",
    "knowledge_base: null detaches nothing.",
    asks("PATCH /v2/agents/*", (j) => (j["knowledge_base"] === null ? cut("knowledge_base")(j, dummy) : j)),
  ),
  c(
    "AGENT-FIELD-20",
    "knowledge_base: null on PUT detaches nothing.",
    answers("PUT /v2/agents/*", (r, a) =>
      objectOf(a.json)["knowledge_base"] === null && r.status < 300
        ? { ...r, json: { ...objectOf(r.json), knowledge_base: "kept" } }
        : r,
    ),
  ),
  m("AGENT-FIELD-21", "calling_guard is lost.", row(one, set("calling_guard", null))),
  c("AGENT-FIELD-21", "calling_guard is lost on PATCH.", asks("PATCH /v2/agents/*", cut("calling_guard"))),
  m("AGENT-FIELD-22", "conversation_config is not shown.", row(one, cut("conversation_config"))),
  c(
    "AGENT-FIELD-22",
    "conversation_config: null is refused.",
    refuses(writesOf, ({ json }) => objectOf(json)["conversation_config"] === null, 1001, 422),
  ),
  m(
    "AGENT-FIELD-23",
    "A flat control leaves its bucket alone.",
    row(one, (r) =>
      isObject(r["configuration"])
        ? {
            ...r,
            configuration: { ...r["configuration"], message_policy: {}, session_policy: {}, engagement_policy: {} },
          }
        : r,
    ),
  ),
  c(
    "AGENT-FIELD-23",
    "A bucket leaves its flat control alone.",
    answers("PATCH /v2/agents/*", (r, a) =>
      isObject(objectOf(a.json)["configuration"]) && r.status < 300
        ? { ...r, json: { ...objectOf(r.json), conversation_config: {} } }
        : r,
    ),
  ),
  c(
    "AGENT-FIELD-23",
    "A flat probe_min_words leaves its bucket alone on create.",
    asks(create, (j) =>
      at(j, "conversation_config.probe_min_words") === undefined
        ? j
        : cut("conversation_config.probe_min_words")(j, dummy),
    ),
  ),
  m("AGENT-FIELD-24", "configuration is lost.", row(one, cut("configuration"))),
  c(
    "AGENT-FIELD-24",
    "A PATCH of one bucket clears the others.",
    answers("PATCH /v2/agents/*", (r, a) =>
      isObject(objectOf(a.json)["configuration"]) && r.status < 300
        ? { ...r, json: { ...objectOf(r.json), configuration: objectOf(a.json)["configuration"] } }
        : r,
    ),
  ),
  m("AGENT-FIELD-25", "settings.agent_memory is lost.", row(one, cut("settings.agent_memory"))),
  c(
    "AGENT-FIELD-25",
    "settings.agent_memory cannot be turned off.",
    row(one, where(is("settings.agent_memory", false), set("settings.agent_memory", true))),
  ),
  m("AGENT-FIELD-26", "follow_up_config is lost.", row(one, cut("follow_up_config"))),
  c(
    "AGENT-FIELD-26",
    "follow_up_extra_logic is text.",
    row(one, over("follow_up_config.follow_up_extra_logic", textOf)),
  ),
  m("AGENT-FIELD-27", "multilingual is lost.", row(one, set("multilingual", null))),
  c(
    "AGENT-FIELD-27",
    "agent_name of a language is lost.",
    row(
      one,
      over("multilingual.languages", (v) =>
        Object.fromEntries(Object.entries(objectOf(v)).map(([k, e]) => [k, cut("agent_name")(objectOf(e), dummy)])),
      ),
    ),
  ),
  m(
    "AGENT-FIELD-28",
    "multilingual is merged.",
    fresh(() => {
      let before: unknown
      return row(one, (r) => {
        const now = r["multilingual"]
        if (!isObject(now)) return r
        const languages = { ...objectOf(objectOf(before)["languages"]), ...objectOf(now["languages"]) }
        before = { ...now, languages }
        return { ...r, multilingual: before }
      })
    }),
  ),
  c(
    "AGENT-FIELD-28",
    "active_language is kept where a new block leaves it out.",
    answers("PATCH /v2/agents/*", (r, a) =>
      isObject(objectOf(a.json)["multilingual"]) &&
      !("active_language" in objectOf(objectOf(a.json)["multilingual"])) &&
      r.status < 300
        ? { ...r, json: set("multilingual.active_language", "en")(objectOf(r.json), a) }
        : r,
    ),
  ),
  m(
    "AGENT-FIELD-29",
    "multilingual: null changes nothing.",
    asks("PATCH /v2/agents/*", (j) => (j["multilingual"] === null ? cut("multilingual")(j, dummy) : j)),
  ),
  c(
    "AGENT-FIELD-29",
    "multilingual: null leaves enabled.",
    answers("PATCH /v2/agents/*", (r, a) =>
      objectOf(a.json)["multilingual"] === null && r.status < 300
        ? { ...r, json: { ...objectOf(r.json), multilingual: { enabled: true, languages: {} } } }
        : r,
    ),
  ),
]

const responses = [
  m(
    "AGENT-RESPONSE-1",
    "agent_id is called id.",
    row(reads, ({ agent_id, ...rest }) => ({ ...rest, id: agent_id })),
  ),
  c(
    "AGENT-RESPONSE-1",
    "agent_id of a clone is that of its source.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      return asked.path.endsWith("/clone") && reply.status < 300
        ? { ...reply, json: { ...objectOf(reply.json), agent_id: asked.path.split("/")[3] } }
        : reply
    }),
  ),
  m("AGENT-RESPONSE-2", "org_id is missing.", row(shown, cut("org_id"))),
  c("AGENT-RESPONSE-2", "org_id on lists is a number.", row(list, set("org_id", 7))),
  m(
    "AGENT-RESPONSE-3",
    "timestamps are flat.",
    row(shown, (r) => ({ ...cut("timestamps")(r, dummy), created_at: at(r, "timestamps.created_at") })),
  ),
  c(
    "AGENT-RESPONSE-3",
    "timestamps.updated_at does not move.",
    row(["PUT|PATCH /v2/agents/*", "GET /v2/agents/*"], (r) =>
      set("timestamps.updated_at", at(r, "timestamps.created_at"))(r, dummy),
    ),
  ),
  m("AGENT-RESPONSE-4", "version never moves.", row([...reads, "PUT|PATCH /v2/agents/*"], set("version", 2))),
  c(
    "AGENT-RESPONSE-4",
    "A refused update raises the version.",
    fresh(() => {
      let refused = 0
      return together(
        answers("PATCH|PUT /v2/agents/*", (r) => {
          if (r.status >= 400) refused += 1
          return r
        }),
        row(
          "GET /v2/agents/*",
          over("version", (v) => Number(v) + refused),
        ),
      )
    }),
  ),
  c(
    "AGENT-RESPONSE-4",
    "A move of status leaves the version.",
    answers("PATCH /v2/agents/*", (r, a) =>
      "status" in objectOf(a.json) && r.status < 300
        ? { ...r, json: over("version", plus(-1))(objectOf(r.json), a) }
        : r,
    ),
  ),
  m("AGENT-RESPONSE-5", "dropped_languages is missing.", body(["PUT|PATCH /v2/agents/*"], cut("dropped_languages"))),
  c(
    "AGENT-RESPONSE-5",
    "dropped_languages is always empty.",
    body(["PUT|PATCH /v2/agents/*"], where(has("dropped_languages"), set("dropped_languages", []))),
  ),
  m(
    "AGENT-RESPONSE-6",
    "A dropped language is stored all the same.",
    answers(["PUT|PATCH /v2/agents/*", "GET /v2/agents/*"], (r) =>
      isObject(at(r.json, "multilingual.languages"))
        ? {
            ...r,
            json: over("multilingual.languages", (v) => ({ ...objectOf(v), zz: {}, fr: {}, de: {}, es: {}, hi: {} }))(
              objectOf(r.json),
              dummy,
            ),
          }
        : r,
    ),
  ),
  c(
    "AGENT-RESPONSE-6",
    "One language without a voice drops all.",
    body(
      ["PUT|PATCH /v2/agents/*", "GET /v2/agents/*"],
      over("multilingual.languages", () => ({})),
    ),
  ),
  m("AGENT-LIST-1", "List rows lack configuration.", row(list, cut("configuration"))),
  c(
    "AGENT-LIST-1",
    "List rows of ACTIVE agents lack version.",
    row(list, where(is("status", "ACTIVE"), cut("version"))),
  ),
  m("AGENT-LIST-2", "List rows carry prompts.", row(list, set("prompts", { conversation: { system: "You are" } }))),
  c(
    "AGENT-LIST-2",
    "List rows carry the knowledge base where one is attached.",
    row(list, set("knowledge_base", "handbook")),
  ),
  m(
    "AGENT-LIST-3",
    "Agents are listed out of executions.list.",
    headers(list, (h) => h.set("x-ratelimit-limit", "600")),
  ),
  m(
    "AGENT-LIST-4",
    "Listing agents needs no scope.",
    forgives(
      list,
      1102,
      200,
      () => ({ data: [], pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false } }),
      (a) => !a.query.has("organization_id"),
    ),
  ),
  m("AGENT-LIST-5", "status is ignored.", ignores(list, "status")),
  c(
    "AGENT-LIST-5",
    "status=INACTIVE shows DRAFT too.",
    queries(list, (q) => {
      if (q.get("status") === "INACTIVE") q.delete("status")
    }),
  ),
  m(
    "AGENT-LIST-6",
    "Archived agents are listed.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (asked.path !== "/v2/agents" || asked.method !== "GET" || asked.query.has("status")) return reply
      const archived = await next({
        ...asked,
        query: new URLSearchParams({ status: "ARCHIVED" }),
        headers: new Headers(asked.headers),
      })
      const data = [objectOf(archived.json)["data"], objectOf(reply.json)["data"]].flat().filter(isObject)
      return { ...reply, json: { ...objectOf(reply.json), data } }
    }),
  ),
  c(
    "AGENT-LIST-6",
    "status=ARCHIVED shows nothing.",
    rows(list, (l, { query }) => (query.get("status") === "ARCHIVED" ? [] : l)),
  ),
  m("AGENT-LIST-7", "category is ignored.", ignores(list, "category")),
  c(
    "AGENT-LIST-7",
    "category is ignored beside a search.",
    queries(list, (q) => {
      if (q.has("search")) q.delete("category")
    }),
  ),
  m("AGENT-LIST-8", "search is ignored.", ignores(list, "search")),
  c(
    "AGENT-LIST-8",
    "search looks at the beginning alone.",
    rows(list, (l, { query }) => {
      const s = query.get("search")
      return s === null ? l : l.filter((r) => textOf(r["display_name"]).toLowerCase().startsWith(s.toLowerCase()))
    }),
  ),
  m("AGENT-LIST-9", "sort_by is ignored.", ignores(list, "sort_by")),
  c(
    "AGENT-LIST-9",
    "sort_by=name sorts by creation.",
    queries(list, (q) => {
      if (q.get("sort_by") === "name") q.set("sort_by", "created_at")
    }),
  ),
  c(
    "AGENT-LIST-9",
    "sort_by=updated_at sorts by creation.",
    queries(list, (q) => {
      if (q.get("sort_by") === "updated_at") q.set("sort_by", "created_at")
    }),
  ),
  c(
    "AGENT-LIST-9",
    "sort_by=status sorts by creation.",
    queries(list, (q) => {
      if (q.get("sort_by") === "status") q.set("sort_by", "created_at")
    }),
  ),
  m("AGENT-LIST-10", "sort_order is ignored.", ignores(list, "sort_order")),
  c(
    "AGENT-LIST-10",
    "The default of sort_order is asc for names.",
    queries(list, (q) => {
      if (q.get("sort_by") === "name" && !q.has("sort_order")) q.set("sort_order", "asc")
    }),
  ),
  m(
    "AGENT-LIST-10",
    "The default of sort_order is asc.",
    queries(list, (q) => {
      if (!q.has("sort_order")) q.set("sort_order", "asc")
    }),
  ),
  m("AGENT-LIST-11", "page is ignored.", ignores(list, "page")),
  c(
    "AGENT-LIST-11",
    "page is ignored beside a filter.",
    queries(list, (q) => {
      if (q.has("category") || q.has("search")) q.delete("page")
    }),
  ),
  m(
    "AGENT-LIST-12",
    "The list is called agents.",
    body(list, ({ data, ...rest }) => ({ ...rest, agents: data })),
  ),
  c(
    "AGENT-LIST-12",
    "An empty list has no data.",
    body(
      list,
      where((j) => Array.isArray(j["data"]) && j["data"].length === 0, cut("data")),
    ),
  ),
  m(
    "AGENT-LIST-13",
    "has_more is false on the first page.",
    body(list, where(is("pagination.page", 1), set("pagination.has_more", false))),
  ),
  c(
    "AGENT-LIST-13",
    "Sorted pages repeat the first row.",
    fresh(() => {
      let first: unknown
      return rows(list, (l, { query }) => {
        if (query.get("page") === "2" && isObject(first) && l.length > 0) return [first, ...l.slice(1)]
        first = l[0]
        return l
      })
    }),
  ),
  m(
    "AGENT-GET-1",
    "Reading an agent needs no scope.",
    forgives("GET /v2/agents/*", 1102, 200, () => ({})),
  ),
  m("AGENT-GET-2", "A single read has no prompts.", row("GET /v2/agents/*", set("prompts", {}))),
  c(
    "AGENT-GET-2",
    "A single read of an agent with a knowledge base shows null.",
    row("GET /v2/agents/*", where(has("knowledge_base"), set("knowledge_base", null))),
  ),
]

const configuration: ReadonlyArray<readonly [clause: number, path: string, first: string, second: string]> = [
  [1, "runtime.call_transport", "provider", "audio_format"],
  [2, "runtime.speech_recognition", "endpointing", "keywords"],
  [3, "runtime.voice_synthesis", "voice_id", "speaking_rate"],
  [4, "runtime.language_model", "agent_type", "config"],
  [5, "runtime.language_model.knowledge_base_config", "collections", "reranker_enabled"],
  [6, "session_policy", "trusted_callers", "entry_quota"],
  [7, "stream_policy", "bargein_word_threshold", "emit_step_ms"],
  [8, "engagement_policy", "noise_guard_level", "cadence_padding"],
  [9, "message_policy", "finale_message", "completion_probe_prompt"],
  [10, "compliance_policy", "pii_guard_enabled", "pii_guard_enabled"],
]

const configurations = [
  ...configuration.flatMap(([n, path, first, second]) => [
    m(
      `AGENT-CONFIG-${n}`,
      `configuration.${path}.${first} is lost.`,
      asks(writesOf, cut(`configuration.${path}.${first}`)),
    ),
    c(
      `AGENT-CONFIG-${n}`,
      `configuration.${path}.${second} is lost on read.`,
      row("GET /v2/agents/*", where(has(`configuration.${path}.${second}`), cut(`configuration.${path}.${second}`))),
    ),
  ]),
  m("AGENT-CONFIG-11", "configuration.post_processing is lost.", asks(writesOf, cut("configuration.post_processing"))),
  c(
    "AGENT-CONFIG-11",
    "enabled of a post-processing step is always true.",
    row(
      one,
      over("configuration.post_processing", (v) =>
        Array.isArray(v) ? v.map((e: unknown) => ({ ...objectOf(e), enabled: true })) : v,
      ),
    ),
  ),
  m(
    "AGENT-CONFIG-12",
    "configuration.external_functions is lost.",
    asks(writesOf, cut("configuration.external_functions")),
  ),
  c(
    "AGENT-CONFIG-12",
    "parameters of a function lose their properties.",
    row(
      one,
      over("configuration.external_functions", (v) =>
        Array.isArray(v) ? v.map((e: unknown) => cut("parameters.properties")(objectOf(e), dummy)) : v,
      ),
    ),
  ),
  ...[
    "finale_message",
    "presence_probe_message",
    "probe_interval_seconds",
    "probe_window_seconds",
    "probe_min_words",
    "block_unlisted_callers",
  ].map((name, i) =>
    (i === 0 ? m : c)(
      "AGENT-CONTROLS-1",
      `conversation_config.${name} is not shown.`,
      row(one, cut(`conversation_config.${name}`)),
    ),
  ),
]

const guards = [
  m("AGENT-GUARD-1", "calling_guard.enabled is text.", row(one, over("calling_guard.enabled", String))),
  c(
    "AGENT-GUARD-1",
    "calling_guard.enabled: text is taken.",
    asks(
      writesOf,
      over("calling_guard.enabled", (v) => (typeof v === "string" ? v === "true" : v)),
    ),
  ),
  m(
    "AGENT-GUARD-2",
    "An unknown zone is taken for UTC.",
    asks(
      writesOf,
      over("calling_guard.timezone", (v) => {
        try {
          new Intl.DateTimeFormat("en", { timeZone: textOf(v) })
          return v
        } catch {
          return "UTC"
        }
      }),
    ),
  ),
  c(
    "AGENT-GUARD-2",
    "The zone is lost on read.",
    row(
      "GET /v2/agents/*",
      over("calling_guard.timezone", () => "UTC"),
    ),
  ),
  m(
    "AGENT-GUARD-3",
    "start is shown with seconds.",
    row(
      one,
      over("calling_guard.start", (v) => `${textOf(v)}:00`),
    ),
  ),
  c(
    "AGENT-GUARD-3",
    "25:00 is taken for the end.",
    asks(
      writesOf,
      over("calling_guard.end", (v) => (/^(2[4-9]|[3-9]\d):|^\d\d:[6-9]\d/.test(textOf(v)) ? "23:59" : v)),
    ),
  ),
  m(
    "AGENT-GUARD-4",
    "days are names.",
    row(
      one,
      over("calling_guard.days", (v) => (Array.isArray(v) ? v.map(String) : v)),
    ),
  ),
  c(
    "AGENT-GUARD-4",
    "Days given as names are taken.",
    asks(
      writesOf,
      over("calling_guard.days", (v) => (Array.isArray(v) ? v.map((d) => (typeof d === "number" ? d : 0)) : v)),
    ),
  ),
  m(
    "AGENT-GUARD-5",
    "The window holds campaigns back.",
    fresh(() => {
      const guarded = new Map<string, unknown>()
      return together(
        answers(writesOf, (r) => {
          const j = objectOf(r.json)
          if (isObject(j["calling_guard"])) guarded.set(textOf(j["agent_id"]), j["calling_guard"])
          return r
        }),
        asks(["POST /v2/campaigns", "POST /v2/batches"], (j) =>
          guarded.has(textOf(j["agent_id"]))
            ? {
                ...j,
                ...("name" in j ? {} : {}),
                working_hours_enforced: true,
                working_hours: {},
                scheduled_at: j["scheduled_at"],
              }
            : j,
        ),
      )
    }),
  ),
  c(
    "AGENT-GUARD-5",
    "The window holds inbound calls back.",
    fresh(() => {
      let isGuarded = false
      return together(
        answers(writesOf, (r) => {
          if (isObject(objectOf(r.json)["calling_guard"])) isGuarded = true
          return r
        }),
        answers("POST /_sim/inbound", (r) => (isGuarded ? failing(r, 1200, 404) : r)),
      )
    }),
  ),
  m(
    "AGENT-GUARD-6",
    "enabled: false is kept as a window.",
    answers(["PATCH|PUT /v2/agents/*", "POST /v2/agents"], (r, a) =>
      at(a.json, "calling_guard.enabled") === false && r.status < 300
        ? { ...r, json: { ...objectOf(r.json), calling_guard: { enabled: false } } }
        : r,
    ),
  ),
  c(
    "AGENT-GUARD-6",
    "enabled: false removes nothing on PATCH.",
    asks("PATCH /v2/agents/*", (j) =>
      at(j, "calling_guard.enabled") === false ? { ...cut("calling_guard")(j, dummy), summary: "" } : j,
    ),
  ),
  m(
    "AGENT-GUARD-7",
    "No window is shown as an empty object.",
    row(shown, (r) => (r["calling_guard"] === null ? { ...r, calling_guard: {} } : r)),
  ),
  c(
    "AGENT-GUARD-7",
    "No window is left out on lists.",
    row(list, (r) => (r["calling_guard"] === null ? cut("calling_guard")(r, dummy) : r)),
  ),
]

const moves = [
  m(
    "AGENT-STATUS-1",
    "INACTIVE is called PAUSED.",
    row(shown, where(is("status", "INACTIVE"), set("status", "PAUSED"))),
  ),
  c(
    "AGENT-STATUS-1",
    "status=PAUSED is accepted as a filter.",
    queries(list, (q) => {
      if (!["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED", null].includes(q.get("status"))) q.delete("status")
    }),
  ),
  m(
    "AGENT-STATUS-2",
    "A new agent is ACTIVE.",
    asks(create, (j) => ({ status: "ACTIVE", ...j })),
  ),
  c(
    "AGENT-STATUS-2",
    "A new agent with a greeting is INACTIVE.",
    asks(create, (j) => ("greeting_message" in j ? { status: "INACTIVE", ...j } : j)),
  ),
  each("AGENT-STATUS-3 AGENT-CREATE-5", "A new agent has version 1.", body(create, set("version", 1))),
  c(
    "AGENT-STATUS-3",
    "A new agent with only a name has version 1.",
    answers(create, (r, a) =>
      r.status === 201 && Object.keys(objectOf(a.json)).length === 1
        ? { ...r, json: { ...objectOf(r.json), version: 1 } }
        : r,
    ),
  ),
  c(
    "AGENT-CREATE-5",
    "A new agent reads back with version 1.",
    fresh(() => {
      const fresh_ = new Set<unknown>()
      return together(
        body(create, (j) => {
          fresh_.add(j["agent_id"])
          return j
        }),
        row(
          "GET /v2/agents/*",
          where(
            both((r) => fresh_.has(r["agent_id"]), is("version", 2)),
            set("version", 1),
          ),
        ),
      )
    }),
  ),
  m(
    "AGENT-STATUS-4",
    "A half-made agent stays DRAFT.",
    row(list, where(is("status", "ARCHIVED"), set("status", "DRAFT"))),
  ),
  c(
    "AGENT-STATUS-4",
    "A half-made agent is listed.",
    writes((change) =>
      change.put === "agent" && change.row.status === "ARCHIVED" && change.row.revision <= 2
        ? { ...change, row: { ...change.row, status: "DRAFT" } }
        : change,
    ),
  ),
  m(
    "AGENT-STATUS-5",
    "A failed configuring write is 201.",
    forgives(create, 1501, 201, () => ({ agent_id: "agt_half", status: "DRAFT", version: 1 })),
  ),
  c("AGENT-STATUS-5", "A configuring write that times out is 1500.", recodes(create, 1502, 1500, 500)),
  m(
    "AGENT-STATUS-6",
    "Any agent places calls.",
    forgives(
      "POST /v2/calls",
      1201,
      201,
      () => ({ execution_id: "exec_x", status: "queued" }),
      (_, r) => textOf(objectOf(r.json)["message"]).includes("active"),
    ),
  ),
  c(
    "AGENT-STATUS-6",
    "An INACTIVE agent schedules calls.",
    forgives(
      "POST /v2/calls",
      1201,
      202,
      () => ({ execution_id: "exec_x", status: "scheduled" }),
      (a) => "scheduled_at" in objectOf(a.json),
    ),
  ),
  m(
    "AGENT-STATUS-7",
    "An ACTIVE agent is edited.",
    forgives(["PATCH|PUT /v2/agents/*"], 1201, 200, () => ({ version: 3 })),
  ),
  c(
    "AGENT-STATUS-7",
    "An ACTIVE agent is archived.",
    forgives("DELETE /v2/agents/*", 1201, 200, () => ({ status: "ARCHIVED", archived: true })),
  ),
  c(
    "AGENT-STATUS-7",
    "An ACTIVE agent is edited by PUT.",
    forgives("PUT /v2/agents/*", 1201, 200, () => ({ version: 3 })),
  ),
]

const routes = [
  m(
    "AGENT-CREATE-1",
    "Creating an agent counts in calls.create.",
    headers(create, (h) => h.set("x-ratelimit-limit", "600")),
  ),
  m(
    "AGENT-CREATE-2",
    "Creating an agent needs no scope.",
    forgives(create, 1102, 201, () => ({})),
  ),
  m(
    "AGENT-CREATE-3",
    "A name alone is refused.",
    refuses(
      create,
      ({ json }) => Object.keys(objectOf(json)).length === 1 && "display_name" in objectOf(json),
      1002,
      400,
      "Missing required parameter 'prompts'.",
    ),
  ),
  c(
    "AGENT-CREATE-3",
    "A draft with a name alone shows no labels, prompts or variables.",
    answers(create, (r, a) =>
      r.status === 201 && Object.keys(objectOf(a.json)).length === 1
        ? { ...r, json: cut("variables", "prompts")(objectOf(r.json), a) }
        : r,
    ),
  ),
  m("AGENT-CREATE-4", "Creating an agent is 200.", restates(create, 201, 200)),
  c(
    "AGENT-CREATE-4",
    "A new agent with labels is not DRAFT.",
    body(
      create,
      where((r) => Array.isArray(r["labels"]) && r["labels"].length > 0, set("status", "INACTIVE")),
    ),
  ),
  m(
    "AGENT-CREATE-6",
    "A control of conversation_config is ignored on create.",
    asks(create, cut("conversation_config")),
  ),
  c(
    "AGENT-CREATE-6",
    "A guard is not checked on create as on PATCH.",
    asks(
      create,
      over("calling_guard", (v) => (textOf(objectOf(v)["start"]) >= textOf(objectOf(v)["end"]) ? null : v)),
    ),
  ),
  c("AGENT-CREATE-6", "Configuration is ignored on create.", asks(create, cut("configuration"))),
  m("AGENT-CREATE-7", "A configuring write that takes 20 s is given up.", recodes(create, 1501, 1502, 504)),
  m("AGENT-CREATE-8", "A failing agent service is 500.", recodes(create, 1501, 1500, 500)),
  c("AGENT-CREATE-8", "An agent service that times out is 503.", recodes(create, 1502, 1501, 503)),
  m(
    "AGENT-UPDATE-1",
    "There is no PUT.",
    refuses("PUT /v2/agents/*", () => true, 1200, 404),
  ),
  c(
    "AGENT-UPDATE-1",
    "PUT merges.",
    reroutes("PUT /v2/agents/*", (a) => ({ ...a, method: "PATCH", json: { ...objectOf(a.json) } })),
  ),
  m(
    "AGENT-UPDATE-2",
    "There is no PATCH.",
    refuses("PATCH /v2/agents/*", () => true, 1200, 404),
  ),
  c(
    "AGENT-UPDATE-2",
    "PATCH replaces.",
    wire(() => async (asked, next) => {
      if (asked.method !== "PATCH" || !/^\/v2\/agents\/[^/]+$/.test(asked.path) || "status" in objectOf(asked.json))
        return next(asked)
      return next({ ...asked, method: "PUT", json: { display_name: "Replaced", ...objectOf(asked.json) } })
    }),
  ),
  ...(["PUT", "PATCH", "DELETE"] as const).map((method) =>
    m(
      "AGENT-UPDATE-3",
      `${method} of an agent needs no scope.`,
      forgives(`${method} /v2/agents/*`, 1102, 200, () => ({})),
    ),
  ),
  c(
    "AGENT-UPDATE-3",
    "Cloning needs only agents:read.",
    forgives("POST /v2/agents/*/clone", 1102, 201, () => ({})),
  ),
  m(
    "AGENT-DELETE-1",
    "Deleting an agent has no body.",
    answers("DELETE /v2/agents/*", (r) => (r.status === 200 ? { ...r, json: undefined, text: "" } : r)),
  ),
  c(
    "AGENT-DELETE-1",
    "A deleted agent is gone.",
    fresh(() => {
      const gone = new Set<string>()
      return together(
        answers("DELETE /v2/agents/*", (r, a) => {
          if (r.status === 200) gone.add(a.path)
          return r
        }),
        answers("GET /v2/agents/*", (r, a) => (gone.has(a.path) ? failing(r, 1200, 404) : r)),
      )
    }),
  ),
  m("AGENT-CLONE-1", "Cloning is 200.", restates("POST /v2/agents/*/clone", 201, 200)),
  c("AGENT-CLONE-1", "A clone forgets its prompts.", body("POST /v2/agents/*/clone", set("prompts", {}))),
]

const experiment = ["GET|PATCH /v2/agents/*/versions/*", "POST /v2/agents/*/versions", "GET /v2/agents/*/versions"]
const oneExperiment = "GET /v2/agents/*/versions/*"
const editsOfExperiment = ["POST /v2/agents/*/versions", "PATCH /v2/agents/*/versions/*"]

const experiments = [
  m(
    "EXPERIMENT-FIELD-1",
    "main_agent_id is the challenger.",
    row(experiment, (r) => ({ ...r, main_agent_id: r["variant_agent_id"] })),
  ),
  c("EXPERIMENT-FIELD-1", "version_id is missing on lists.", row("GET /v2/agents/*/versions", cut("version_id"))),
  m("EXPERIMENT-FIELD-2", "variant_agent_id is missing.", row(experiment, cut("variant_agent_id"))),
  c(
    "EXPERIMENT-FIELD-2",
    "variant_agent_id is the control on concluded experiments.",
    row(
      experiment,
      where(is("status", "concluded"), (r) => ({ ...r, variant_agent_id: r["main_agent_id"] })),
    ),
  ),
  m("EXPERIMENT-FIELD-3", "version_name is missing.", row(experiment, cut("version_name"))),
  c(
    "EXPERIMENT-FIELD-3",
    "description without one is left out.",
    row(experiment, (r) => (r["description"] === null ? cut("description")(r, dummy) : r)),
  ),
  m(
    "EXPERIMENT-FIELD-4",
    "variable_tested is a list.",
    row(
      experiment,
      over("variable_tested", (v) => [v]),
    ),
  ),
  c(
    "EXPERIMENT-FIELD-4",
    "variable_tested is lost on PATCH.",
    asks("PATCH /v2/agents/*/versions/*", cut("variable_tested")),
  ),
  each(
    "EXPERIMENT-FIELD-5 CONSTANT-21",
    "101 per cent are cut to 100.",
    asks(
      editsOfExperiment,
      over("variant_traffic_pct", (v) => (typeof v === "number" ? Math.min(100, v) : v)),
    ),
  ),
  each(
    "EXPERIMENT-FIELD-5 CONSTANT-21",
    "100 per cent are refused.",
    refuses(editsOfExperiment, ({ json }) => objectOf(json)["variant_traffic_pct"] === 100, 1001, 422),
  ),
  c(
    "CONSTANT-21",
    "0 per cent are refused on PATCH.",
    refuses("PATCH /v2/agents/*/versions/*", ({ json }) => objectOf(json)["variant_traffic_pct"] === 0, 1001, 422),
  ),
  c(
    "EXPERIMENT-FIELD-5",
    "-1 per cent is 0.",
    asks(
      editsOfExperiment,
      over("variant_traffic_pct", (v) => (typeof v === "number" ? Math.max(0, v) : v)),
    ),
  ),
  m(
    "EXPERIMENT-FIELD-6",
    "The remainder goes to the challenger too.",
    asks(
      editsOfExperiment,
      over("variant_traffic_pct", (v) => (Number(v) > 0 && Number(v) < 100 ? 100 : v)),
    ),
  ),
  c(
    "EXPERIMENT-FIELD-6",
    "Below a hundred per cent everything goes to control.",
    asks(
      editsOfExperiment,
      over("variant_traffic_pct", (v) => (Number(v) > 0 && Number(v) < 100 ? 0 : v)),
    ),
  ),
  m(
    "EXPERIMENT-FIELD-7",
    "0 per cent still route.",
    asks(
      editsOfExperiment,
      over("variant_traffic_pct", (v) => (v === 0 ? 100 : v)),
    ),
  ),
  c(
    "EXPERIMENT-FIELD-7",
    "0 per cent still route after a PATCH.",
    asks(
      "PATCH /v2/agents/*/versions/*",
      over("variant_traffic_pct", (v) => (v === 0 ? 100 : v)),
    ),
  ),
  m(
    "EXPERIMENT-FIELD-8",
    "100 per cent leave some to control.",
    asks(
      editsOfExperiment,
      over("variant_traffic_pct", (v) => (v === 100 ? 50 : v)),
    ),
  ),
  c(
    "EXPERIMENT-FIELD-8",
    "100 per cent after a PATCH route nothing.",
    asks(
      "PATCH /v2/agents/*/versions/*",
      over("variant_traffic_pct", (v) => (v === 100 ? 0 : v)),
    ),
  ),
  m(
    "EXPERIMENT-FIELD-9",
    "active is called running.",
    row(experiment, where(is("status", "active"), set("status", "running"))),
  ),
  c(
    "EXPERIMENT-FIELD-9",
    "paused is shown as draft on lists.",
    row("GET /v2/agents/*/versions", where(is("status", "paused"), set("status", "draft"))),
  ),
  m(
    "EXPERIMENT-FIELD-10",
    "winner is the agent's id.",
    row(
      experiment,
      over("winner", () => "agt_winner"),
    ),
  ),
  c(
    "EXPERIMENT-FIELD-10",
    "winner is lost on a read of a concluded experiment.",
    row(oneExperiment, where(is("status", "concluded"), set("winner", null))),
  ),
  m("EXPERIMENT-FIELD-11", "end_date is missing.", row(experiment, cut("end_date"))),
  c(
    "EXPERIMENT-FIELD-11",
    "start_date is that of the creation.",
    row(experiment, (r) => ({ ...r, start_date: r["created_at"] })),
  ),
  m(
    "EXPERIMENT-FIELD-12",
    "A future start_date gates routing.",
    asks(editsOfExperiment, (j) => ("start_date" in j ? { ...j, variant_traffic_pct: 0 } : j)),
  ),
  c(
    "EXPERIMENT-FIELD-12",
    "A past end_date gates routing.",
    asks(editsOfExperiment, (j) => ("end_date" in j ? { ...j, variant_traffic_pct: 0 } : j)),
  ),
  m("EXPERIMENT-FIELD-13", "created_by is missing.", row(experiment, cut("created_by"))),
  c(
    "EXPERIMENT-FIELD-13",
    "updated_at is missing after a PATCH.",
    row("PATCH /v2/agents/*/versions/*", cut("updated_at")),
  ),
  m(
    "EXPERIMENT-GET-1",
    "An experiment counts in executions.list.",
    headers(oneExperiment, (h) => h.set("x-ratelimit-limit", "600")),
  ),
  m(
    "EXPERIMENT-GET-2",
    "Reading an experiment needs agents:read.",
    wire(() => async (asked, next) => {
      if (asked.method !== "GET" || !/versions\/[^/]+$/.test(asked.path)) return next(asked)
      const seen = await next({ ...asked, path: "/v2/scopes", headers: new Headers(asked.headers) })
      const granted = at(seen.json, "key.granted")
      return Array.isArray(granted) && !granted.includes("agents:read") ? failing(seen, 1102, 403) : next(asked)
    }),
  ),
  m(
    "EXPERIMENT-GET-3",
    "The challenger's path finds the experiment too.",
    fresh(() => {
      const byId = new Map<string, string>()
      return together(
        answers("POST /v2/agents/*/versions", (r) => {
          const j = objectOf(r.json)
          byId.set(textOf(j["version_id"]), textOf(j["main_agent_id"]))
          return r
        }),
        reroutes(oneExperiment, (a) => {
          const id = a.path.split("/")[5] ?? ""
          return byId.has(id) ? { ...a, path: `/v2/agents/${byId.get(id)}/versions/${id}` } : a
        }),
      )
    }),
  ),
  m(
    "EXPERIMENT-GET-4",
    "An experiment is in data.",
    answers(oneExperiment, (r) => (r.status === 200 ? { ...r, json: { data: r.json } } : r)),
  ),
  c(
    "EXPERIMENT-GET-4",
    "A draft reads without its share.",
    row(oneExperiment, where(is("status", "draft"), cut("variant_traffic_pct"))),
  ),
  m("EXPERIMENT-GET-5", "A foreign experiment is 403.", recodes(oneExperiment, 1200, 1102, 403)),
  c("EXPERIMENT-GET-5", "Under another agent an experiment is 400.", recodes(oneExperiment, 1200, 1000, 400)),
  m(
    "EXPERIMENT-ERROR-1",
    "An unknown status is 422.",
    recodes(
      ["* /v2/agents/*/versions", "* /v2/agents/*/versions/*"],
      1000,
      1001,
      422,
      (a) => a.query.has("status") || "status" in objectOf(a.json),
    ),
  ),
  c(
    "EXPERIMENT-ERROR-1",
    "An unknown status in the query is ignored.",
    queries("GET /v2/agents/*/versions", (q) => {
      if (!["draft", "active", "paused", "concluded"].includes(q.get("status") ?? "draft")) q.delete("status")
    }),
  ),
  m(
    "EXPERIMENT-ERROR-2",
    "An empty patch is 200.",
    forgives(
      "PATCH /v2/agents/*/versions/*",
      1000,
      200,
      () => ({}),
      (a) => Object.keys(objectOf(a.json)).length === 0,
    ),
  ),
  c(
    "EXPERIMENT-ERROR-2",
    "An empty patch of a concluded experiment is 409.",
    recodes("PATCH /v2/agents/*/versions/*", 1000, 1201, 409, (a) => Object.keys(objectOf(a.json)).length === 0),
  ),
  m(
    "EXPERIMENT-ERROR-3",
    "An explicit null is 422.",
    recodes("PATCH /v2/agents/*/versions/*", 1000, 1001, 422, (a) => Object.values(objectOf(a.json)).includes(null)),
  ),
  c(
    "EXPERIMENT-ERROR-3",
    "version_name: null is ignored.",
    asks("PATCH /v2/agents/*/versions/*", (j) =>
      j["version_name"] === null ? { ...cut("version_name")(j, dummy), description: "x" } : j,
    ),
  ),
  m("EXPERIMENT-ERROR-4", "A missing challenger is 404.", recodes("POST /v2/agents/*/versions", 1000, 1200, 404)),
  c(
    "EXPERIMENT-ERROR-4",
    "A missing challenger on PATCH is 404.",
    recodes("PATCH /v2/agents/*/versions/*", 1000, 1200, 404, (a) => "variant_agent_id" in objectOf(a.json)),
  ),
  m(
    "EXPERIMENT-ROUTES-1",
    "Listing experiments needs agents:read.",
    wire(() => async (asked, next) => {
      if (asked.method !== "GET" || !asked.path.endsWith("/versions")) return next(asked)
      const seen = await next({
        ...asked,
        path: "/v2/scopes",
        query: new URLSearchParams(),
        headers: new Headers(asked.headers),
      })
      const granted = at(seen.json, "key.granted")
      return Array.isArray(granted) && !granted.includes("agents:read") ? failing(seen, 1102, 403) : next(asked)
    }),
  ),
  m(
    "EXPERIMENT-STATUS-1",
    "concluded is called done.",
    row(experiment, where(is("status", "concluded"), set("status", "done"))),
  ),
  c(
    "EXPERIMENT-STATUS-1",
    "A draft that was concluded is shown as paused.",
    row(oneExperiment, where(is("status", "concluded"), set("status", "paused"))),
  ),
  m(
    "EXPERIMENT-STATUS-2",
    "winner is set before the end.",
    row(experiment, where(not(is("status", "concluded")), set("winner", "control"))),
  ),
  c(
    "EXPERIMENT-STATUS-2",
    "winner is set on paused experiments.",
    row(experiment, where(is("status", "paused"), set("winner", "variant"))),
  ),
]

export const agents = [...fields, ...responses, ...configurations, ...guards, ...moves, ...routes, ...experiments]
