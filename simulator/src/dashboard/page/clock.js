import { actionButton, copyButton } from "./actions.js"
import { h, icon, say, set } from "./dom.js"
import { date, duration, exactTime, time } from "./format.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */

const speeds = [1, 10, 60, 600, 3_600]

const steps = [
  { label: "+1 s", title: "Advance by one second", ms: 1_000, shortcut: "s" },
  { label: "+10 s", title: "Advance by ten seconds", ms: 10_000, shortcut: "d" },
  { label: "+1 min", title: "Advance by one minute", ms: 60_000, shortcut: "f" },
  { label: "+1 h", title: "Advance by one hour", ms: 3_600_000, shortcut: "g" },
]

const playPath = "M4.500 3v10l8-5z"
const pausePath = "M5 3v10M11 3v10"

/**
 * The clock of the world and what moves it.
 *
 * @param {Context} context
 */
export const makeClock = (context) => {
  /** @type {View["clock"] | null} */
  let clock = null
  let receivedAt = 0
  let wanted = 10

  const now = () =>
    clock === null
      ? 0
      : clock.mode === "manual"
        ? clock.now
        : clock.now + (performance.now() - receivedAt) * clock.speed

  const isManual = () => clock === null || clock.mode === "manual"

  /** @param {number} speed @returns {import("./api.js").Action} */
  const runAction = (speed) => ({
    title: speed === 1 ? "Run in real time" : `Run ${speed} times as fast`,
    method: "PUT",
    path: "/_sim/clock",
    body: speed === 1 ? { mode: "realtime" } : { mode: "scaled", speed },
  })

  /** @returns {import("./api.js").Action} */
  const toggleAction = () =>
    isManual() ? runAction(wanted) : { title: "Pause", method: "PUT", path: "/_sim/clock", body: { mode: "manual" } }

  const timeText = h("span", { class: "time" })
  const dateText = h("span", { class: "date" })
  const dueText = h("span", { class: "due" })

  const toggle = h("button", {
    type: "button",
    class: "button primary toggle",
    "aria-keyshortcuts": "r",
    onclick: () => void context.run(toggleAction()),
  })
  const speed = h(
    "select",
    {
      "aria-label": "Speed",
      onchange: () => {
        wanted = Number(speed.value)
        if (!isManual()) void context.run(runAction(wanted))
      },
    },
    ...speeds.map((one) => h("option", { value: one }, one === 1 ? "real time" : `× ${one.toLocaleString("en-US")}`)),
  )
  speed.value = String(wanted)

  /** @param {number} ms @param {string} title @returns {import("./api.js").Action} */
  const stepAction = (ms, title) => ({ title, method: "POST", path: "/_sim/clock/advance", body: { by_ms: ms } })
  /** @returns {import("./api.js").Action} */
  const idleAction = () => ({
    title: "Advance until idle",
    method: "POST",
    path: "/_sim/clock/advance",
    body: { until_idle: true, max_ms: 86_400_000 },
  })

  const stepButtons = [
    ...steps.map(({ label, ms, shortcut, title }) =>
      actionButton(context, label, () => stepAction(ms, title), { title, shortcut }),
    ),
    actionButton(context, "Until idle", idleAction, {
      title: "Advance until nothing is due, a day at most",
      shortcut: "i",
    }),
  ]
  const group = h("div", { class: "steps", role: "group", "aria-label": "Step" }, ...stepButtons)

  const element = h(
    "section",
    { class: "clock", "aria-label": "Clock" },
    h("div", { class: "reading" }, timeText, h("div", { class: "under" }, dateText, dueText)),
    h(
      "div",
      { class: "transport" },
      h("span", { class: "action" }, toggle, copyButton(toggleAction, "run or pause")),
      speed,
    ),
    group,
  )

  const tick = () => {
    if (clock === null) return
    say(timeText, isManual() ? exactTime(now()) : time(now()))
    say(dateText, `${date(now())}, UTC`)
  }

  setInterval(tick, 200)

  return {
    element,
    now,
    toggle: () => toggle.click(),
    /** @param {string} key */
    step: (key) => {
      const index = key === "i" ? steps.length : steps.findIndex(({ shortcut }) => shortcut === key)
      stepButtons[index]?.querySelector("button")?.click()
    },
    /** @param {View} view */
    render: (view) => {
      clock = view.clock
      receivedAt = performance.now()
      if (clock.mode !== "manual" && speeds.includes(clock.speed)) {
        wanted = clock.speed
        if (document.activeElement !== speed) speed.value = String(wanted)
      }
      const state = isManual() ? "manual" : "running"
      if (toggle.dataset["state"] !== state) {
        toggle.dataset["state"] = state
        toggle.replaceChildren(icon(isManual() ? playPath : pausePath), isManual() ? "Run" : "Pause")
        toggle.title = isManual() ? "Let time run (r)" : "Stop time (r)"
      }
      for (const each of stepButtons) {
        const button = each.querySelector("button")
        if (button !== null) set(button, { "aria-disabled": isManual() ? null : "true" })
      }
      set(group, { "data-off": isManual() ? null : "true", title: isManual() ? null : "Pause to step" })
      const { next_due } = clock
      say(
        dueText,
        next_due === null ? "nothing is due" : next_due <= now() ? "due now" : `next in ${duration(next_due - now())}`,
      )
      tick()
    },
  }
}
