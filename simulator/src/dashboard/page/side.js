import { actionButton, copyButton } from "./actions.js"
import { h, keyed, say, set } from "./dom.js"
import { count, time } from "./format.js"
import { outcomes, sampleCampaign } from "./samples.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */

/** @param {string} id @param {string} title @param {...(Node | null | false)} children */
const panel = (id, title, ...children) =>
  h(
    "section",
    { class: `panel ${id}`, "aria-labelledby": `${id}-title` },
    h("header", {}, h("h2", { id: `${id}-title` }, title)),
    ...children,
  )

/**
 * Places calls and starts campaigns.
 *
 * @param {Context} context
 */
export const makeTry = (context) => {
  const number = h("input", {
    id: "to-number",
    type: "tel",
    value: "+15555550100",
    autocomplete: "off",
    spellcheck: "false",
  })
  const outcome = h(
    "select",
    {
      id: "outcome",
      onchange: () => {
        number.value = `+155555501${outcome.value}`
      },
    },
    ...outcomes.map(({ digits, label }) => h("option", { value: digits }, label)),
  )
  const key = h("input", {
    id: "api-key",
    type: "password",
    autocomplete: "off",
    placeholder: "gat_…",
    onchange: () => context.setKey(key.value.trim()),
  })
  const keyField = h("div", { class: "field" }, h("label", { for: "api-key" }, "API key of this organization"), key)
  /** @returns {import("./api.js").Action} */
  const place = () => ({
    title: `Call ${number.value}`,
    method: "POST",
    path: "/v2/calls",
    key: context.key() ?? "",
    body: { agent_id: context.agent() ?? "", to_number: number.value.trim() },
  })
  const callButton = actionButton(context, "Place a call", place, { kind: "primary", shortcut: "c", submits: true })
  const campaignButton = actionButton(context, "Start a sample campaign", () => sampleCampaign(context), {
    title: "Start a sample campaign of 200 contacts",
  })
  return {
    element: panel(
      "try",
      "Try it",
      h(
        "form",
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault()
            void context.run(place())
          },
        },
        h("div", { class: "field" }, h("label", { for: "outcome" }, "What shall happen"), outcome),
        h("div", { class: "field" }, h("label", { for: "to-number" }, "Number"), number),
        keyField,
        h("div", { class: "stack" }, callButton, campaignButton),
      ),
    ),
    place: () => callButton.querySelector("button")?.click(),
    /** @param {View} view */
    render: (view) => {
      keyField.hidden = view.organization.organization_id === view.demo.organization_id
    },
  }
}

/** The gauges of the request rate. */
export const makeRates = () => {
  const body = h("div", { class: "gauges" })
  return {
    element: panel("rates", "Request rate", body),
    /** @param {View} view */
    render: (view) => {
      keyed(
        body,
        view.rates,
        ({ bucket }) => bucket,
        ({ bucket }) =>
          h(
            "div",
            { class: "gauge" },
            h("span", { class: "name" }, bucket),
            h("span", { class: "figures" }),
            h(
              "div",
              { class: "bar", role: "meter", "aria-label": `Requests left in ${bucket}`, "aria-valuemin": 0 },
              h("span", { class: "part" }),
            ),
          ),
        (row, { limit, remaining, reset_seconds }) => {
          const [, figures, bar] = row.children
          const part = bar?.firstElementChild
          if (figures === undefined || bar === undefined || !(part instanceof HTMLElement)) return
          const used = limit === null ? 0 : limit - remaining
          const text = limit === null ? "no limit" : `${count(remaining)} of ${count(limit)} left`
          say(figures, limit !== null && remaining === 0 ? `none of ${count(limit)} left, ${reset_seconds} s` : text)
          set(bar, {
            "aria-valuemax": limit ?? 1,
            "aria-valuenow": limit === null ? 1 : remaining,
            "aria-valuetext": text,
          })
          const share = limit === null ? 0 : used / limit
          part.style.setProperty("inline-size", `${100 * share}%`)
          set(row, { "data-level": share >= 1 ? "full" : share >= 0.8 ? "high" : null })
        },
      )
    },
  }
}

/** @type {Record<string, string>} */
const modeWords = { unreachable: "unreachable", timeout: "never answers", error: "answers with errors" }

/**
 * Breaks dependencies and mends them.
 *
 * @param {Context} context
 */
export const makeFaults = (context) => {
  const body = h("ul", { class: "faults" })
  const remark = h("span", { class: "hint" })
  /** @type {View["faults"]} */
  let inForce = {}
  /** @typedef {View["breakable"][number]} Breakable */
  const element = panel("faults-panel", "Faults", body)
  element.querySelector("header")?.append(
    remark,
    h("span", { class: "grow" }),
    actionButton(context, "Mend all", () => ({
      title: "Mend everything",
      method: "PUT",
      path: "/_sim/faults",
      body: {},
    })),
  )
  /** @param {Breakable} one */
  const create = ({ dependency, modes }) => {
    const name = dependency.replaceAll("_", " ")
    const mode = h(
      "select",
      {
        "aria-label": `How ${name} fails`,
        onchange: () => {
          if (inForce[dependency] !== undefined) void context.run(breakIt())
        },
      },
      ...modes.map((one) => h("option", { value: one }, modeWords[one] ?? one)),
    )
    /** @returns {import("./api.js").Action} */
    const breakIt = () => ({
      title: `Break: ${name} ${modeWords[mode.value] ?? mode.value}`,
      method: "PUT",
      path: "/_sim/faults",
      body: { [dependency]: { mode: mode.value } },
    })
    /** @returns {import("./api.js").Action} */
    const toggle = () =>
      inForce[dependency] === undefined
        ? breakIt()
        : { title: `Mend: ${name}`, method: "PUT", path: "/_sim/faults", body: { [dependency]: null } }
    const button = h(
      "button",
      {
        type: "button",
        role: "switch",
        class: "switch",
        "aria-checked": "false",
        "aria-label": `Break ${name}`,
        onclick: () => void context.run(toggle()),
      },
      h("span", { class: "knob" }),
    )
    return h(
      "li",
      {},
      button,
      h("span", { class: "name" }, name),
      mode,
      copyButton(toggle, `switch the fault of ${name}`),
    )
  }
  return {
    element,
    /** @param {View} view */
    render: (view) => {
      inForce = view.faults
      const broken = Object.keys(inForce).length
      say(remark, broken === 0 ? "all well" : `${broken} broken`)
      keyed(
        body,
        view.breakable,
        ({ dependency }) => dependency,
        create,
        (row, { dependency }) => {
          const fault = inForce[dependency]
          const [button, , mode] = row.children
          if (button === undefined || !(mode instanceof HTMLSelectElement)) return
          set(button, { "aria-checked": String(fault !== undefined) })
          set(row, { "data-broken": fault !== undefined })
          if (fault !== undefined && document.activeElement !== mode) mode.value = fault.mode
        },
      )
    },
  }
}

/** @typedef {import("./api.js").WorldEvent} WorldEvent */

/** Events that are kept on the page, and how long they are gathered before they are shown. */
const keptEvents = 80
const eventsMs = 250

/** @param {WorldEvent} event */
const wordsOf = (event) => {
  switch (event.type) {
    case "call":
      return `${event.to_number} ${event.previous_status === null ? "" : `${event.previous_status} → `}${event.status}`
    case "campaign":
      return `${event.name} ${event.previous_status === null ? "" : `${event.previous_status} → `}${event.status}`
    case "batch":
      return `batch ${event.previous_status === null ? "" : `${event.previous_status} → `}${event.status}`
    case "delivery":
      return `${event.event_type} ${event.status}${event.http_status === null ? "" : `, ${event.http_status}`}${event.error_class === null ? "" : `, ${event.error_class}`}`
    case "faults":
      return Object.keys(event.faults ?? {}).length === 0
        ? "everything mended"
        : `broken: ${Object.keys(event.faults ?? {}).join(", ")}`
    case "clock":
      return event.mode === "scaled" ? `${event.speed} times as fast` : event.mode
    case "violation":
      return `${event.name}: ${event.detail}`
    case "reset":
      return "the world was reset"
    default:
      return event.execution_id ?? ""
  }
}

/**
 * What happens, as the events stream tells it.
 *
 * @param {Context} context
 */
export const makeEvents = (context) => {
  const body = h("ol")
  const log = h(
    "div",
    {
      class: "events",
      tabindex: 0,
      role: "log",
      "aria-live": "off",
      "aria-label": "Events, newest first",
      hidden: true,
    },
    body,
  )
  const empty = h("p", { class: "sub" }, "Nothing has happened yet.")
  const rate = h("span", { class: "hint" })
  /** @type {Array<WorldEvent>} */
  let pending = []
  let isDrawing = false
  const element = panel("events-panel", "Events", log, empty)
  element.querySelector("header")?.append(
    rate,
    h("span", { class: "grow" }),
    copyButton(
      () => ({ title: "Follow the events", method: "GET", path: "/_sim/events?after=latest" }),
      "follow the events stream",
    ),
  )

  const draw = () => {
    isDrawing = false
    const news = pending.slice(-keptEvents).reverse()
    pending = []
    body.prepend(
      ...news.map((event) => {
        const call = event.execution_id
        const words = wordsOf(event)
        return h(
          "li",
          { "data-type": event.type },
          h("time", {}, event.at === undefined ? "" : time(Date.parse(event.at))),
          h("b", {}, event.type.replaceAll("_", " ")),
          call === undefined
            ? h("span", {}, words)
            : h(
                "button",
                { type: "button", class: "plain", tabindex: -1, onclick: () => context.showCall(call) },
                words,
              ),
        )
      }),
    )
    while (body.children.length > keptEvents) body.lastElementChild?.remove()
    log.hidden = false
    empty.hidden = true
  }

  return {
    element,
    /** @param {WorldEvent} event */
    take: (event) => {
      pending.push(event)
      if (pending.length > 4 * keptEvents) pending = pending.slice(-keptEvents)
      if (isDrawing) return
      isDrawing = true
      setTimeout(draw, eventsMs)
    },
    /** @param {View} view */
    render: (view) => {
      say(rate, view.events_per_second === 0 ? "" : `${count(view.events_per_second)}/s`)
    },
  }
}
