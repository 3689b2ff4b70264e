import { actionButton, tell } from "./actions.js"
import { Trouble, follow, send, token } from "./api.js"
import { makeCalls } from "./calls.js"
import { makeCampaigns } from "./campaigns.js"
import { makeChart } from "./chart.js"
import { makeClock } from "./clock.js"
import { fill, h, icon, say, set } from "./dom.js"
import { count } from "./format.js"
import { makeInbox } from "./inbox.js"
import { nextSample } from "./samples.js"
import { makeEvents, makeFaults, makeRates, makeTry } from "./side.js"
import { makeWhy } from "./why.js"

/** @typedef {import("../WorldView.ts").WorldView} View */

/**
 * What the panels share.
 *
 * @typedef {object} Context
 * @property {Look} look What is asked for.
 * @property {(changes: Partial<Look>) => void} lookAt
 * @property {(action: import("./api.js").Action) => Promise<any>} run
 * @property {(executionId: string) => void} showCall
 * @property {(campaign: { lane_id: string, name: string }) => void} why Says why a campaign, or a contact of it, is not dialled.
 * @property {() => string} organization
 * @property {() => string | null} key The API key of the organization that is shown; null where it is not known.
 * @property {(key: string) => void} setKey
 * @property {() => string | null} agent
 */

/** @typedef {{ organization_id: string | null, window_ms: number, calls: string, campaign_id: string | null, search: string | null, limit: number }} Look */

/** Events that are told of although they happened before the page was opened. */
const eventsBefore = 60

/** Between two looks at a world in which something happens, and in one where nothing does. */
const busyMs = 200
const idleMs = 1_000

/** A look that takes long is followed by a pause of so many times as long, so that watching slows nothing down for long. */
const pauseTimes = 4

/**
 * A dial may wait for a line in a world whose time stands still, and a browser opens only six connections to one server: some must be left
 * for the clock.
 */
const mostWaiting = 3
let waiting = 0

/** @type {View | null} */
let view = null
/** @type {Map<string, string>} */
const keys = new Map()

/** @type {Look} */
const look = { organization_id: null, window_ms: 120_000, calls: "all", campaign_id: null, search: null, limit: 100 }

const organization = () => look.organization_id ?? view?.demo.organization_id ?? ""

/** @type {Context} */
const context = {
  look,
  lookAt: (changes) => {
    Object.assign(look, changes)
    void refresh()
  },
  run: async (action) => {
    const mayWait = action.path.startsWith("/v2")
    if (mayWait && waiting >= mostWaiting) {
      tell(action.title, `${mostWaiting} requests wait for virtual time already. Let it pass.`, "bad")
      return null
    }
    if (mayWait) waiting += 1
    try {
      const answer = await send(action)
      tell(action.title, summaryOf(action, answer))
      if (action.path === "/v2/campaigns") nextSample()
      if (action.path === "/v2/calls" && typeof answer.execution_id === "string") calls.choose(answer.execution_id)
      return answer
    } catch (error) {
      tell(action.title, error instanceof Error ? error.message : String(error), "bad")
      return null
    } finally {
      if (mayWait) waiting -= 1
      void refresh()
    }
  },
  showCall: (executionId) => {
    calls.choose(executionId)
    document.getElementById("calls-title")?.scrollIntoView({ block: "start" })
  },
  why: (campaign) => why.open(campaign),
  organization,
  key: () => (organization() === view?.demo.organization_id ? view.demo.key : (keys.get(organization()) ?? null)),
  setKey: (key) => {
    if (key === "") keys.delete(organization())
    else keys.set(organization(), key)
    void refresh()
  },
  agent: () => {
    const agents = view?.organization.agents ?? []
    return (agents.find(({ agent_id }) => agent_id === view?.demo.agent_id) ?? agents[0])?.agent_id ?? null
  },
}

/** @param {import("./api.js").Action} action @param {any} answer */
const summaryOf = (action, answer) => {
  if (action.path === "/_sim/clock/advance") return `${count(answer.events)} events`
  if (action.path === "/v2/calls") return answer.dispatch ?? answer.status ?? ""
  return ""
}

const clock = makeClock(context)
const chart = makeChart(context)
const campaigns = makeCampaigns(context)
const calls = makeCalls(context)
const inbox = makeInbox(context)
const trial = makeTry(context)
const rates = makeRates()
const faults = makeFaults(context)
const events = makeEvents(context)
const why = makeWhy(context)
const panels = [clock, chart, campaigns, calls, inbox, trial, rates, faults, events, why]

// The head of the page.

const themes = ["system", "light", "dark"]
const themeName = "carillon-theme"
const themePath = "M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11"

const theme = h("button", {
  type: "button",
  class: "quiet",
  "aria-keyshortcuts": "t",
  onclick: () =>
    applyTheme(themes[(themes.indexOf(localStorage.getItem(themeName) ?? "system") + 1) % themes.length] ?? "system"),
})

/** @param {string} name */
const applyTheme = (name) => {
  localStorage.setItem(themeName, name)
  if (name === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = name
  fill(theme, icon(themePath), h("span", {}, name))
  set(theme, { "aria-label": `Theme: ${name}. Change it`, title: `Theme: ${name} (t)` })
}

const copyName = "carillon-copy"

const copying = h("button", {
  type: "button",
  class: "quiet",
  "aria-label": "Copy as curl",
  title: "Beside every button, one that copies its request as curl (u)",
  "aria-keyshortcuts": "u",
  onclick: () => applyCopying(localStorage.getItem(copyName) !== "on"),
})
fill(copying, h("span", {}, "curl"))

/** @param {boolean} on */
const applyCopying = (on) => {
  localStorage.setItem(copyName, on ? "on" : "off")
  document.documentElement.dataset["copy"] = on ? "on" : "off"
  set(copying, { "aria-pressed": String(on) })
}

const connection = h("span", { class: "connection", role: "status" })
const picker = h("select", {
  "aria-label": "Organization",
  onchange: () => {
    calls.choose(null)
    context.lookAt({ organization_id: picker.value, campaign_id: null, search: null })
  },
})
const world = h("span", { class: "hint" })

const help = h(
  "dialog",
  { "aria-labelledby": "help-title" },
  h("h2", { id: "help-title" }, "Keyboard"),
  h(
    "dl",
    { class: "keys" },
    ...[
      ["r", "run or stop time"],
      ["s d f g", "step a second, ten seconds, a minute, an hour"],
      ["i", "advance until idle"],
      ["c", "place the call of “Try it”"],
      ["/", "find a call"],
      ["t", "change the theme"],
      ["u", "show or hide “copy as curl”"],
      ["↑ ↓ Home End", "choose in a list"],
      ["← →", "read the chart"],
      ["?", "this help"],
    ].flatMap(([keys = "", meaning = ""]) => [
      h("dt", {}, ...keys.split(" ").map((one) => h("kbd", {}, one))),
      h("dd", {}, meaning),
    ]),
  ),
  h(
    "label",
    { class: "check" },
    h("input", {
      type: "checkbox",
      id: "shortcuts",
      checked: localStorage.getItem("carillon-shortcuts") !== "off",
      onchange: () => localStorage.setItem("carillon-shortcuts", shortcuts().checked ? "on" : "off"),
    }),
    " Single keys are shortcuts",
  ),
  h("form", { method: "dialog" }, h("button", { class: "button primary" }, "Close")),
)

/** @returns {HTMLInputElement} */
const shortcuts = () => {
  const box = help.querySelector("#shortcuts")
  if (!(box instanceof HTMLInputElement)) throw new Error("The help has no checkbox.")
  return box
}

const confirmReset = h(
  "dialog",
  { "aria-labelledby": "reset-title" },
  h("h2", { id: "reset-title" }, "Reset the world?"),
  h("p", {}, "Every organization, call and webhook is forgotten. The world begins anew with its seed."),
  h(
    "form",
    { method: "dialog", class: "dialogactions" },
    h("button", { class: "button" }, "Keep it"),
    h("button", { class: "button danger", value: "reset" }, "Reset"),
  ),
)
confirmReset.addEventListener("close", () => {
  if (confirmReset.returnValue === "reset")
    void context
      .run(resetAction())
      .then(() => context.lookAt({ organization_id: null, campaign_id: null, search: null }))
  confirmReset.returnValue = ""
})
/** @returns {import("./api.js").Action} */
const resetAction = () => ({ title: "Reset the world", method: "POST", path: "/_sim/reset", body: {} })
const reset = actionButton({ run: async () => confirmReset.showModal() }, "Reset", resetAction, {
  title: "Reset the world",
})

const violations = h("p", { class: "violations", role: "alert", hidden: true })
const title = h("p", { class: "title" })
const detail = h("p", { class: "because" })
const verdict = h("section", { class: "verdict", "aria-label": "What limits it" }, h("div", {}, title, detail))
const figures = h("dl", { class: "keyfigures" })

const bell =
  "M8 1.800v1.200M8 3c-2.300 0-3.800 1.800-3.800 4 0 2.600-.6 3.900-1.400 4.800h10.400c-.8-.9-1.400-2.200-1.400-4.800 0-2.200-1.500-4-3.800-4ZM6.600 13.600c.3.500.8.8 1.400.8s1.100-.3 1.400-.8"

document.getElementById("header")?.append(
  h(
    "div",
    { class: "top" },
    h("h1", {}, icon(bell), "Carillon ", h("span", {}, "simulator")),
    picker,
    world,
    h("span", { class: "grow" }),
    connection,
    reset,
    copying,
    theme,
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        title: "Keyboard (?)",
        "aria-label": "Keyboard shortcuts",
        onclick: () => help.showModal(),
      },
      h("span", {}, "?"),
    ),
  ),
  clock.element,
)
applyTheme(localStorage.getItem(themeName) ?? "system")
applyCopying(localStorage.getItem(copyName) === "on")

const page = h(
  "div",
  { class: "page", hidden: true },
  violations,
  h("div", { class: "lead" }, verdict, figures),
  h(
    "div",
    { class: "columns" },
    h("div", { class: "wide" }, chart.element, campaigns.element, calls.element, inbox.element),
    h("div", { class: "narrow" }, trial.element, rates.element, faults.element, events.element),
  ),
)

const tokenInput = h("input", { type: "password", id: "token", autocomplete: "off", required: true })
const gate = h(
  "form",
  {
    class: "gate panel",
    hidden: true,
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault()
      token.set(tokenInput.value.trim())
      void refresh()
    },
  },
  h("h2", {}, "This simulator asks for its control token"),
  h(
    "p",
    {},
    "It is what ",
    h("code", {}, "--control-token"),
    " or ",
    h("code", {}, "CARILLON_CONTROL_TOKEN"),
    " says. It stays in this tab.",
  ),
  h("div", { class: "field" }, h("label", { for: "token" }, "Control token"), tokenInput),
  h("p", { class: "wrong", role: "alert" }),
  h("button", { class: "button primary" }, "Open"),
)
const lost = h(
  "div",
  { class: "gate panel", hidden: true },
  h("h2", {}, "The simulator does not answer"),
  h("p", {}, "This page comes back by itself as soon as it does."),
)

document.getElementById("main")?.append(gate, lost, page)
document.body.append(help, confirmReset, why.element)

// One look after the other, sooner while something happens.

let isLooking = false
let isWanted = false
let lookedAt = 0
let lookTookMs = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

const query = () => {
  const parts = new URLSearchParams()
  for (const [name, value] of Object.entries(look)) if (value !== null) parts.set(name, String(value))
  return parts
}

const refresh = async () => {
  if (isLooking) {
    isWanted = true
    return
  }
  isLooking = true
  isWanted = false
  const began = performance.now()
  clearTimeout(timer)
  try {
    const next = await send({ title: "", method: "GET", path: `/_sim/ui/world?${query()}` })
    render(next)
    followOnce(next.latest_event)
    gate.hidden = true
    lost.hidden = true
    page.hidden = false
  } catch (error) {
    onTrouble(error)
  }
  isLooking = false
  lookedAt = performance.now()
  lookTookMs = lookedAt - began
  schedule(isWanted ? pauseMs() : document.hidden ? 10 * idleMs : idleMs)
}

const pauseMs = () => Math.max(0, Math.max(busyMs, pauseTimes * lookTookMs) - (performance.now() - lookedAt))

/** @param {number} ms */
const schedule = (ms) => {
  clearTimeout(timer)
  timer = setTimeout(() => void refresh(), ms)
}

/** @param {unknown} error */
const onTrouble = (error) => {
  if (!(error instanceof Trouble)) {
    console.error(error)
    return
  }
  if (error.status === 404) Object.assign(look, { organization_id: null, campaign_id: null })
  else if (error.status === 401) {
    if (gate.hidden) {
      page.hidden = true
      lost.hidden = true
      gate.hidden = false
      tokenInput.focus()
    }
    const wrong = gate.querySelector(".wrong")
    if (wrong !== null) say(wrong, token.get() === null ? "" : "That is not the token.")
  } else if (error.status === 0) {
    lost.hidden = page.hidden === false
    say(connection, "reconnecting")
    set(connection, { "data-state": "lost" })
  } else tell("The world could not be read", error.message, "bad")
}

const onEvent = (/** @type {import("./api.js").WorldEvent} */ event) => {
  events.take(event)
  if (isLooking) isWanted = true
  else if (!document.hidden) schedule(pauseMs())
}

/** @param {View} next */
const render = (next) => {
  view = next
  for (const panel of panels) panel.render(next)
  say(title, next.verdict.title)
  say(detail, next.verdict.detail)
  set(verdict, { "data-tone": next.verdict.tone })
  say(world, `seed ${next.seed}${next.limits === "spec" ? "" : `, limits ${next.limits}`}`)
  const options = next.organizations
  picker.hidden = options.length < 2
  if (
    picker.options.length !== options.length ||
    [...picker.options].some((option, index) => option.value !== options[index]?.organization_id)
  ) {
    fill(picker, ...options.map(({ name, organization_id }) => h("option", { value: organization_id }, name)))
  }
  picker.value = next.organization.organization_id
  const { completed = 0, ...others } = next.calls_by_status
  const all = Object.values(others).reduce((sum, value) => sum + (value ?? 0), completed)
  fill(
    figures,
    ...[
      ["live", count(next.live), `peak ${count(next.live_peak)}`],
      ["calls", count(all), `${count(completed)} completed`],
      ["waiting", count(next.clock.waiting), next.clock.waiting === 1 ? "open request" : "open requests"],
      ["webhooks", count(next.webhooks.delivered), `${count(next.webhooks.pending + next.webhooks.retrying)} to go`],
    ].map(([name = "", value = "", more = ""]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value), h("dd", { class: "sub" }, more)),
    ),
  )
  const [first] = next.violations.latest
  violations.hidden = next.violations.total === 0
  say(
    violations,
    first === undefined
      ? ""
      : `${next.violations.total === 1 ? "An invariant is" : `${count(next.violations.total)} invariants are`} violated. ${first.name}: ${first.detail}`,
  )
}

let isFollowing = false

/** @param {number} latest */
const followOnce = (latest) => {
  if (isFollowing) return
  isFollowing = true
  void follow(Math.max(0, latest - eventsBefore), onEvent, (state) => {
    set(connection, { "data-state": state })
    say(connection, state === "live" ? "live" : state === "token" ? "locked" : "reconnecting")
    if (state === "live") void refresh()
  })
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void refresh()
})

document.addEventListener("keydown", (event) => {
  const { key, target } = event
  if (event.metaKey || event.ctrlKey || event.altKey || !shortcuts().checked || page.hidden) return
  if (document.querySelector("dialog[open]") !== null) return
  if (target instanceof HTMLElement && target.matches("input:not([type=radio]), select, textarea")) return
  if (key === "r") clock.toggle()
  else if (key.length === 1 && "sdfgi".includes(key)) clock.step(key)
  else if (key === "c") trial.place()
  else if (key === "/") calls.focusSearch()
  else if (key === "t") theme.click()
  else if (key === "u") copying.click()
  else if (key === "?") help.showModal()
  else return
  event.preventDefault()
})

void refresh()
