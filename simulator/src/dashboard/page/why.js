import { copyButton } from "./actions.js"
import { Trouble, send } from "./api.js"
import { fill, h, keyed, say, set } from "./dom.js"
import { count, moment, plural } from "./format.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */
/** @typedef {ReturnType<typeof import("../ContactReason.ts").contactReasons>} Contacts */
/** @typedef {Contacts["contacts"][number]} Contact */

/**
 * What `GET /v2/campaigns/{campaign_id}/explain` says, as far as it is shown.
 *
 * @typedef {object} Explanation
 * @property {number} dialable
 * @property {ReadonlyArray<{ reason: string, contacts: number, until: string | null }>} blocking
 * @property {string | null} estimated_finish_at
 */

/** What holds a campaign, in a few words. @type {Record<string, string>} */
export const reasons = {
  paused: "paused",
  finished: "done",
  before_start: "not begun",
  after_end: "its end has passed",
  outside_hours: "outside working hours",
  batch_not_due: "booked for later",
  batch_paused: "batches paused",
  agent_inactive: "agent not active",
  wallet: "wallet empty",
  caller_id: "no number to call from",
  carrier: "the carrier refuses dials",
  cooldown: "tried again later",
  number_busy: "another call to the same number",
  campaign_ceiling: "as many lines as it may have",
  agent_ceiling: "no free line for the agent",
  organization_lines_full: "no free line in the organization",
  platform_lines_full: "no free line on the platform",
  fair_share: "free lines are kept for others",
}

/** @param {Explanation} explanation @param {number} now */
const linesOf = ({ blocking, dialable, estimated_finish_at }, now) => [
  ...blocking.map(({ contacts, reason, until }) => {
    const end = until === null ? "" : `, until ${moment(Date.parse(until), now)}`
    return `${plural(contacts, "contact")}: ${reasons[reason] ?? reason}${end}`
  }),
  `${plural(dialable, "contact")} could be dialled now if there were lines enough`,
  ...(estimated_finish_at === null ? [] : [`done about ${moment(Date.parse(estimated_finish_at), now)}`]),
]

/**
 * The dialog that says why a campaign dials no more, and why a contact of it is not dialled.
 *
 * @param {Context} context
 */
export const makeWhy = (context) => {
  /** @type {string | null} */
  let campaign = null
  let name = ""
  let now = 0
  const title = h("h2", { id: "why-title" })
  const summary = h("ul", { class: "reasons" })
  const list = h("ul", { class: "contacts", tabindex: "0", "aria-label": "Contacts" })
  const found = h("p", { class: "sub", role: "status" })
  const search = h("input", {
    id: "why-number",
    type: "search",
    placeholder: "Number, or a part of it",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => void look(),
  })
  /** @returns {import("./api.js").Action} */
  const explain = () => ({
    title: `Explain ${name}`,
    method: "GET",
    path: `/v2/campaigns/${encodeURIComponent(campaign ?? "")}/explain`,
    key: context.key() ?? "",
  })
  const dialog = h(
    "dialog",
    { class: "why", "aria-labelledby": "why-title" },
    h("header", { class: "whyhead" }, title, copyButton(explain, "explain the campaign")),
    summary,
    h("div", { class: "field" }, h("label", { for: "why-number" }, "Why is this contact not dialled?"), search),
    found,
    list,
    h("form", { method: "dialog" }, h("button", { class: "button primary" }, "Close")),
  )
  dialog.addEventListener("close", () => {
    campaign = null
  })

  /** @param {Contact} contact */
  const create = (contact) => {
    const status = h("span", { class: "pill" })
    const why = h("span", {})
    const until = h("span", { class: "sub" })
    const call = h(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () => {
          const id = call.dataset["call"]
          if (id === undefined) return
          dialog.close()
          context.showCall(id)
        },
      },
      "Show the call",
    )
    const row = h(
      "li",
      {},
      h("span", { class: "number" }, contact.to_number),
      status,
      h("span", { class: "reason" }, why, until),
      call,
    )
    updates.set(row, (next) => {
      say(status, next.status.replaceAll("_", " "))
      say(why, next.why)
      say(until, next.until === null ? "" : `until ${moment(next.until, now)}`)
      call.hidden = next.execution_id === null
      set(call, { "data-call": next.execution_id, "aria-label": `Show the call of ${next.to_number}` })
    })
    return row
  }

  /** @type {WeakMap<Element, (contact: Contact) => void>} */
  const updates = new WeakMap()

  /** Reads the contacts again. */
  const look = async () => {
    const id = campaign
    if (id === null) return
    const text = search.value.trim()
    const parts = new URLSearchParams({ campaign_id: id, ...(text === "" ? {} : { search: text }) })
    /** @type {Contacts} */
    let read
    try {
      read = await send({ title: "", method: "GET", path: `/_sim/ui/contacts?${parts}` })
    } catch (error) {
      if (!(error instanceof Trouble)) throw error
      say(found, error.message)
      return
    }
    // Somebody typed on, or closed the dialog.
    if (campaign !== id || search.value.trim() !== text) return
    now = read.now
    const { contacts, whole } = read
    const what = text === "" ? "that waits" : `with ${text}`
    say(
      found,
      contacts.length === 0
        ? `No contact ${what}.`
        : whole
          ? `${plural(contacts.length, "contact")} ${text === "" ? "not done yet" : what}`
          : `The first ${count(contacts.length)}. Type a number to find another.`,
    )
    keyed(
      list,
      contacts,
      ({ contact_id }) => contact_id,
      create,
      (row, contact) => updates.get(row)?.(contact),
    )
  }

  const ask = async () => {
    if (context.key() === null) {
      fill(summary, h("li", {}, "Give the API key of this organization under “Try it” to see its explanation."))
      return
    }
    try {
      const explanation = await send(explain())
      fill(summary, ...linesOf(explanation, Date.parse(explanation.at)).map((line) => h("li", {}, line)))
    } catch (error) {
      if (!(error instanceof Trouble)) throw error
      fill(summary, h("li", {}, error.message))
    }
  }

  return {
    element: dialog,
    /** @param {{ lane_id: string, name: string }} lane */
    open: (lane) => {
      campaign = lane.lane_id
      name = lane.name
      search.value = ""
      say(title, `Why does “${name}” not dial more?`)
      fill(summary)
      fill(list)
      dialog.showModal()
      void ask()
      void look()
    },
    /** Follows the world while the dialog is open. */
    render: () => {
      if (campaign !== null) void look()
    },
  }
}
