/** Servers that chose otherwise than the published readings of experiments and knowledge bases, and keep what the specification says. */
import type { JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  at,
  elsewhere,
  failing,
  formOf,
  forms,
  fresh,
  ignores,
  refuses,
  row,
  sends,
  textOf,
  together,
  wire,
} from "../Defects.ts"
import { type Asked, objectOf } from "../Mutant.ts"
import { m } from "../Table.ts"

const place = "POST /v2/calls"
const calls = ["GET /v2/calls", "GET /v2/calls/*", "GET /v2/agents/*/executions", "GET /v2/batches/*/executions"]
const versions = "/v2/agents/*/versions"

/** Calls show the agent that was asked for, whichever ran; so do payloads, where `told` says so. */
const showsAsked = (told: boolean) =>
  fresh(() => {
    const controlOf = new Map<unknown, unknown>()
    const askedFor = new Map<unknown, unknown>()
    const shown = (agent_id: unknown, id: unknown, isOfCampaign: boolean): unknown =>
      askedFor.get(id) ?? (isOfCampaign ? controlOf.get(agent_id) : undefined) ?? agent_id
    return together(
      row([place, ...calls], (json) =>
        json["agent_id"] == null
          ? json
          : { ...json, agent_id: shown(json["agent_id"], json["execution_id"], json["campaign_id"] != null) },
      ),
      sends(
        (json) => ({ ...json, agent_id: shown(json["agent_id"], json["call_id"], json["bulk_list_id"] != null) }),
        (payload) => told && payload["agent_id"] != null,
      ),
      answers(place, (reply, { json }) => {
        askedFor.set(at(reply.json, "execution_id"), at(json, "agent_id"))
        return reply
      }),
      answers([`POST ${versions}`, `PATCH ${versions}/*`], (reply) => {
        controlOf.set(at(reply.json, "variant_agent_id"), at(reply.json, "main_agent_id"))
        return reply
      }),
    )
  })

const ofExperiments = [
  m("EXPERIMENT-ASSIGN-P4", "A call shows the agent that was asked for, and so does its payload.", showsAsked(true)),
  m(
    "EXPERIMENT-ASSIGN-P4",
    "A call shows the agent that was asked for, its payload the one that ran.",
    showsAsked(false),
  ),
  m(
    "EXPERIMENT-ASSIGN-P3",
    "A dial is refused whose challenger is not active.",
    wire(() => {
      const experiments = new Map<unknown, JsonObject>()
      return async (asked, next) => {
        const experiment = asked.method === "POST" && asked.path === "/v2/calls" ? objectOf(asked.json) : {}
        const { status, variant_agent_id, variant_traffic_pct } = experiments.get(experiment["agent_id"]) ?? {}
        if (status === "active" && variant_traffic_pct === 100 && experiment["scheduled_at"] === undefined) {
          const challenger = await next(elsewhere(asked, "GET", `/v2/agents/${textOf(variant_agent_id)}`))
          if (at(challenger.json, "status") !== "ACTIVE") return failing(challenger, 1201, 409)
        }
        const reply = await next(asked)
        const control = at(reply.json, "main_agent_id")
        if (control !== undefined) experiments.set(control, objectOf(reply.json))
        return reply
      }
    }),
  ),
  m("EXPERIMENT-ROUTES-P1", "Experiments are not listed by their status.", ignores(`GET ${versions}`, "status")),
]

const bases = "/v2/knowledge-bases"

/** A megabyte as others count it, in bytes. */
const megabyte = 1_000_000

/** The files of an upload whose length lies between two bounds; none of another one, which is not read. */
const filesOf = async (asked: Asked, from: number, to: number): Promise<ReadonlyArray<File>> => {
  const length = Number(asked.headers.get("content-length") ?? 0)
  const form = asked.method === "POST" && length >= from && length < to ? await formOf(asked) : undefined
  return (form?.getAll("files") ?? []).flatMap((value) => (typeof value === "string" ? [] : [value]))
}

const isNamedForIt = ({ name }: File): boolean => /\.(pdf|png|jpe?g)$/i.test(name)

const ofKnowledge = [
  m(
    "KB-ROUTES-P2",
    "Nobody can delete a knowledge base, only what is in it.",
    refuses(`DELETE ${bases}/*`, () => true, 1200, 404),
  ),
  m(
    "KB-ROUTES-P4",
    "A name that another organization has given to a knowledge base is not available.",
    wire(() => {
      const owners = new Map<string, unknown>()
      return async (asked, next) => {
        const form = asked.method === "POST" && asked.path === bases ? await formOf(asked) : undefined
        if (form === undefined) return next(asked)
        const me = await next(elsewhere(asked, "GET", "/v2/user/me"))
        const [name, own] = [textOf(form.get("collection")), at(me.json, "organization_id")]
        if (owners.has(name) && owners.get(name) !== own) return failing(me, 1201, 409)
        const reply = await next(asked)
        if (reply.status === 201) owners.set(name, own)
        return reply
      }
    }),
  ),
  m(
    "KB-ADD-P1",
    "The type of a file is judged by its name.",
    wire(() => async (asked, next) => {
      const files = asked.path.startsWith(bases) ? await filesOf(asked, 1, megabyte) : []
      const reply = await next(asked)
      const isRead = reply.status === 201 || reply.status === 415
      if (!isRead || files.length === 0) return reply
      if (!files.every(isNamedForIt)) return failing(reply, 1000, 415)
      return reply.status === 415 ? failing(reply, 1000, 400) : reply
    }),
  ),
  m(
    "KB-ERROR-P2",
    "A name that is none is written so that it is one.",
    forms(`POST ${bases}`, (form) => {
      form.set(
        "collection",
        textOf(form.get("collection"))
          .replaceAll(/[^\w-]/g, "-")
          .slice(0, 100),
      )
    }),
  ),
  m(
    "KB-ERROR-P3",
    "A megabyte is a million bytes.",
    wire(() => async (asked, next) => {
      const files = await filesOf(asked, 25 * megabyte, 30 * megabyte)
      const isTooLarge = files.some(({ size }) => size > 25 * megabyte)
      return isTooLarge ? failing(await next(elsewhere(asked, "GET", "/v2/scopes")), 1000, 413) : next(asked)
    }),
  ),
]

export const otherwiseExperiments = [...ofExperiments, ...ofKnowledge]
