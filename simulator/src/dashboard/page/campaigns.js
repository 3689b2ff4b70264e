import { actionButton } from "./actions.js"
import { h, keyed, say, set } from "./dom.js"
import { count, moment, plural } from "./format.js"
import { sampleCampaign } from "./samples.js"
import { reasons } from "./why.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */
/** @typedef {View["campaigns"][number]} Campaign */

const limiting = new Set([
  "campaign_ceiling",
  "agent_ceiling",
  "organization_lines_full",
  "platform_lines_full",
  "fair_share",
])

/** @param {HTMLElement} bar @param {number} part @param {number} whole */
const stretch = (bar, part, whole) => bar.style.setProperty("inline-size", `${whole === 0 ? 0 : (100 * part) / whole}%`)

/**
 * @param {Context} context
 */
export const makeCampaigns = (context) => {
  const body = h("tbody")
  const total = h("span", { class: "hint" })
  const table = h(
    "table",
    { class: "campaigns" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ...["Campaign", "Lines", "Wants to dial", "Progress", "Held by"].map((name) => h("th", { scope: "col" }, name)),
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "Actions")),
      ),
    ),
    body,
  )
  const empty = h(
    "div",
    { class: "empty" },
    h(
      "p",
      {},
      h("strong", {}, "No campaign yet."),
      " A campaign dials many contacts under one policy and shares the organization’s lines with the others.",
    ),
    actionButton(context, "Start a sample campaign", () => sampleCampaign(context), {
      title: "Start a sample campaign of 200 contacts",
    }),
  )
  const scroller = h(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": "Campaigns, scrollable" },
    table,
  )

  /** @param {Campaign} campaign @param {string} verb @returns {import("./api.js").Action} */
  const action = ({ lane_id, name }, verb) => ({
    title: `${verb} ${name}`,
    method: "POST",
    path: `/v2/campaigns/${encodeURIComponent(lane_id)}/${verb.toLowerCase()}`,
    key: context.key() ?? "",
  })

  /** @param {Campaign} first */
  const create = (first) => {
    let campaign = first
    const name = h("button", {
      type: "button",
      class: "plain",
      title: "Show only its calls",
      onclick: () => context.lookAt({ campaign_id: campaign.lane_id }),
    })
    const status = h("span", { class: "pill" })
    const used = h("span", { class: "used" })
    const floor = h("span", { class: "floor", title: "Its lines by right, whoever else asks" })
    const lines = h("span", { class: "figures" })
    const demand = h("b")
    const waiting = h("span", { class: "sub" })
    const parts = ["completed", "in_flight", "failed"].map((part) => h("span", { class: `part ${part}` }))
    const progress = h("div", { class: "bar progress", role: "img" }, ...parts)
    const progressText = h("span", { class: "figures" })
    const pace = h("span", { class: "sub", title: "Calls begun in the last minute of the world’s time" })
    const finish = h("span", { class: "sub", title: "If calls and contacts go on as they did so far" })
    const held = h("span", { class: "held" })
    const until = h("span", { class: "sub" })
    const pause = actionButton(
      context,
      "Pause",
      () => action(campaign, campaign.status === "paused" ? "Resume" : "Pause"),
      { title: `Pause or resume ${first.name}` },
    )
    const cancel = actionButton(context, "Cancel", () => action(campaign, "Cancel"), { title: `Cancel ${first.name}` })
    const why = h(
      "button",
      {
        type: "button",
        class: "button",
        title: `Why ${first.name} does not dial more, or a contact of it not at all`,
        onclick: () => context.why(campaign),
      },
      "Why?",
    )
    const row = h(
      "tr",
      {},
      h("th", { scope: "row" }, name, status),
      h("td", { "data-name": "Lines" }, h("div", { class: "bar lines" }, used, floor), lines),
      h("td", { "data-name": "Wants to dial" }, demand, waiting),
      h("td", { "data-name": "Progress" }, progress, progressText, pace, finish),
      h("td", { "data-name": "Held by" }, held, until),
      h("td", { class: "buttons" }, h("span", { class: "action" }, why), pause, cancel),
    )
    /** @param {Campaign} next @param {View} view */
    const update = (next, view) => {
      campaign = next
      const { ceiling, outcomes } = next
      const scale = Math.max(
        1,
        ceiling ?? 0,
        next.floor,
        next.used,
        view.chart.lines.find(({ level }) => level === "organization")?.ceiling ?? 0,
      )
      say(name, next.name)
      say(status, next.status)
      set(status, { "data-status": next.status })
      stretch(used, next.used, scale)
      floor.style.setProperty("inset-inline-start", `${(100 * next.floor) / scale}%`)
      floor.hidden = next.floor === 0
      say(lines, `${next.used} used · ${next.floor} guaranteed${ceiling === null ? "" : ` · at most ${ceiling}`}`)
      say(demand, count(next.demand))
      say(waiting, next.waiting === 0 ? "" : `${plural(next.waiting, "contact")} tried again later`)
      for (const part of parts) {
        const name = part.classList.item(1)
        stretch(
          part,
          name === "completed" ? outcomes.completed : name === "failed" ? outcomes.failed : outcomes.in_flight,
          outcomes.total,
        )
      }
      const text = `${count(outcomes.completed)} of ${count(outcomes.total)} reached · ${count(outcomes.failed)} failed`
      set(progress, { "aria-label": `${text}, ${outcomes.in_flight} in flight` })
      say(progressText, text)
      say(pace, next.calls_last_minute === 0 ? "" : `${plural(next.calls_last_minute, "call")} a minute`)
      const done = next.estimated_finish_at
      say(finish, done === null ? "" : `done about ${moment(done, view.clock.now)}`)
      const reason = next.held_by?.reason ?? null
      say(held, reason === null ? (next.demand > 0 ? "dialling" : "—") : (reasons[reason] ?? reason))
      set(held, { "data-limit": reason !== null && limiting.has(reason) })
      say(until, next.held_by?.until == null ? "" : `until ${moment(next.held_by.until, view.clock.now)}`)
      const over = !["created", "active", "paused"].includes(next.status)
      const [pauseButton] = pause.querySelectorAll("button")
      if (pauseButton !== undefined) say(pauseButton, next.status === "paused" ? "Resume" : "Pause")
      why.hidden = next.campaign_id === null
      pause.hidden = over || context.key() === null
      cancel.hidden = over || context.key() === null
    }
    updates.set(row, update)
    return row
  }

  /** @type {WeakMap<Element, (campaign: Campaign, view: View) => void>} */
  const updates = new WeakMap()

  return {
    element: h(
      "section",
      { class: "panel", "aria-labelledby": "campaigns-title" },
      h("header", {}, h("h2", { id: "campaigns-title" }, "Campaigns"), total),
      scroller,
      empty,
    ),
    /** @param {View} view */
    render: (view) => {
      const { campaigns, campaigns_total } = view
      scroller.hidden = campaigns.length === 0
      empty.hidden = campaigns.length > 0
      say(
        total,
        campaigns_total > campaigns.length
          ? `the ${campaigns.length} most active of ${plural(campaigns_total, "campaign")}`
          : "",
      )
      keyed(
        body,
        campaigns,
        (one) => one.lane_id,
        create,
        (row, one) => updates.get(row)?.(one, view),
      )
    },
  }
}
