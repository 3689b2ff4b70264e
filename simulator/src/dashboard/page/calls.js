import { actionButton, copyButton } from "./actions.js"
import { Trouble, send } from "./api.js"
import { fill, h, say, set } from "./dom.js"
import { count, duration, exactTime, offset, plural, time } from "./format.js"
import { makeMasterList } from "./master.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */
/** @typedef {View["calls"]["rows"][number]} Call */
/** @typedef {NonNullable<ReturnType<typeof import("../CallHistory.ts").callHistory>>} History */

const inFlight = new Set(["queued", "scheduled", "rescheduled", "initiated", "ringing", "in-progress"])

const lists = [
  { value: "all", label: "All" },
  { value: "live", label: "In flight" },
  { value: "completed", label: "Completed" },
  { value: "unreached", label: "Not reached" },
]

/** @param {string} status */
const toneOf = (status) =>
  status === "completed"
    ? "good"
    : inFlight.has(status)
      ? status === "in-progress"
        ? "live"
        : "wait"
      : status === "stopped" || status === "canceled"
        ? "off"
        : "bad"

/** Calls that are listed at first, and as many as can be. */
const firstPage = 100
const mostRows = 200

/**
 * @param {Context} context
 */
export const makeCalls = (context) => {
  const total = h("span", { class: "hint" })
  const detail = h("div", { class: "detail", tabindex: 0, role: "region", "aria-label": "The call" })
  /** @type {string | null} */
  let chosen = null
  let detailKey = ""
  let now = 0

  const list = makeMasterList({
    name: "call",
    label: "Calls, newest first",
    keyOf: (/** @type {Call} */ call) => call.execution_id,
    create: (call) =>
      h(
        "div",
        { class: "row call" },
        h("span", { class: "pill" }),
        h("span", { class: "number" }, call.to_number),
        h("span", { class: "what" }),
        h("span", { class: "at" }, time(call.created_at)),
      ),
    update: (row, call) => {
      const [pill, , what] = row.children
      if (pill === undefined || what === undefined) return
      say(pill, call.status)
      set(pill, { "data-tone": toneOf(call.status) })
      const parts = [
        call.retry_count > 0 && `attempt ${call.retry_count + 1}`,
        call.completed_at === null
          ? duration(Math.max(0, now - (call.answered_at ?? call.created_at)))
          : call.duration_seconds !== null && call.duration_seconds > 0 && duration(call.duration_seconds * 1_000),
      ]
      say(what, parts.filter(Boolean).join(" · "))
    },
    onChoose: (key) => {
      chosen = key
      detailKey = ""
      void look()
    },
  })

  const more = h("button", { type: "button", class: "plain more", onclick: () => context.lookAt({ limit: mostRows }) })

  const search = h("input", {
    type: "search",
    placeholder: "Number or execution id",
    "aria-label": "Find calls by number or execution id",
    "aria-keyshortcuts": "/",
    spellcheck: "false",
    onchange: () => context.lookAt({ search: search.value.trim() || null, limit: firstPage }),
    onsearch: () => context.lookAt({ search: search.value.trim() || null, limit: firstPage }),
  })

  const picker = h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": "Which calls" },
    ...lists.map(({ label, value }) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "calls",
          value,
          checked: value === "all",
          onchange: () => context.lookAt({ calls: value, limit: firstPage }),
        }),
        h("span", {}, label),
      ),
    ),
  )

  const only = h("button", {
    type: "button",
    class: "chip",
    hidden: true,
    onclick: () => context.lookAt({ campaign_id: null }),
  })
  const empty = h("div", { class: "empty" })
  const split = h("div", { class: "split" }, h("div", { class: "pane" }, list.element, more), detail)

  /** @param {History} call */
  const show = (call) => {
    const from = call.moments[0]?.at ?? 0
    const to = Math.max(now, ...call.moments.map(({ at }) => at))
    const end = Math.max(...call.phases.map((phase) => phase.to ?? to), from + 1)
    const phases = h("div", { class: "phases" })
    for (const phase of call.phases) {
      const length = (phase.to ?? to) - phase.from
      const part = h(
        "span",
        { class: `phase ${phase.name}`, title: `${phase.name}, ${duration(length)}` },
        h("span", {}, phase.name),
      )
      part.style.setProperty("flex-grow", String(Math.max(length / (end - from), 0.02)))
      phases.append(part)
    }
    const stop = actionButton(
      context,
      "Stop",
      () => ({
        title: "Stop the call",
        method: "POST",
        path: `/v2/calls/${encodeURIComponent(call.execution_id)}/stop`,
        body: {},
        key: context.key() ?? "",
      }),
      { title: "Stop the call" },
    )
    /** @returns {import("./api.js").Action} */
    const read = () => ({
      title: "Read the call",
      method: "GET",
      path: `/v2/calls/${encodeURIComponent(call.execution_id)}?include_transcript=true`,
      key: context.key() ?? "",
    })
    /** @type {Array<[string, string | null]>} */
    const facts = [
      ["From", call.from_number],
      ["Agent", call.agent],
      ["Campaign", call.campaign],
      [
        "Line",
        call.holds_line ? `held at ${call.levels.join(", ")}` : call.levels.length > 0 ? "given back" : "none taken",
      ],
      ["Cost", call.cost === null ? null : `${call.cost.total.toFixed(4)} ${call.cost.currency}`],
      ["Sentiment", call.sentiment],
    ]
    fill(
      detail,
      h(
        "header",
        {},
        h("div", {}, h("h3", {}, call.to_number), h("code", { class: "id" }, call.execution_id)),
        h("span", { class: "pill", "data-tone": toneOf(call.status) }, call.status),
      ),
      call.phases.length > 0 && phases,
      h(
        "div",
        { class: "detailactions" },
        inFlight.has(call.status) && context.key() !== null && stop,
        h(
          "span",
          { class: "action" },
          h("span", { class: "label" }, "Read it over /v2"),
          copyButton(read, "read this call"),
        ),
      ),
      h(
        "dl",
        { class: "facts" },
        ...facts.flatMap(([name, value]) => (value === null ? [] : [h("dt", {}, name), h("dd", {}, value)])),
      ),
      h("h4", {}, "Timeline"),
      h(
        "ol",
        { class: "timeline" },
        ...call.moments.map(({ at, detail: more, kind, what }) =>
          h(
            "li",
            { "data-kind": kind },
            h("time", { datetime: new Date(at).toISOString(), title: exactTime(at) }, offset(at - from)),
            h("span", {}, what, more !== null && h("span", { class: "sub" }, more)),
          ),
        ),
      ),
      call.attempts.length > 1 && h("h4", {}, "Attempts on this contact"),
      call.attempts.length > 1 &&
        h(
          "ol",
          { class: "attempts" },
          ...call.attempts.map(({ created_at, execution_id, status }) =>
            h(
              "li",
              {},
              h(
                "button",
                {
                  type: "button",
                  class: "plain",
                  "aria-current": execution_id === call.execution_id ? "true" : null,
                  onclick: () => list.choose(execution_id),
                },
                time(created_at),
              ),
              h("span", { class: "pill", "data-tone": toneOf(status) }, status),
            ),
          ),
        ),
      call.summary !== null && h("h4", {}, "Summary"),
      call.summary !== null && h("p", {}, call.summary),
      call.transcript !== null && call.transcript.length > 0 && h("h4", {}, "Transcript"),
      call.transcript !== null &&
        call.transcript.length > 0 &&
        h(
          "ul",
          { class: "transcript" },
          ...call.transcript
            .slice(0, 100)
            .map(({ content, role }) => h("li", { "data-role": role }, h("b", {}, role ?? ""), " ", content)),
        ),
    )
  }

  /** Reads the chosen call again; the page is left alone where nothing has changed. */
  const look = async () => {
    const id = chosen
    split.dataset["chosen"] = String(id !== null)
    if (id === null) {
      if (detailKey !== "none")
        fill(detail, h("div", { class: "empty" }, h("p", {}, "Choose a call to see its timeline.")))
      detailKey = "none"
      return
    }
    try {
      const call = await send({
        title: "",
        method: "GET",
        path: `/_sim/ui/call?execution_id=${encodeURIComponent(id)}`,
      })
      if (chosen !== id) return
      const open = call.phases.some((/** @type {{to: number | null}} */ phase) => phase.to === null)
      const key = JSON.stringify([call, open ? Math.floor(now / 1_000) : 0])
      if (key === detailKey) return
      detailKey = key
      show(call)
    } catch (error) {
      if (!(error instanceof Trouble) || chosen !== id) return
      if (error.status === 404) list.choose(null)
    }
  }

  void look()

  return {
    element: h(
      "section",
      { class: "panel calls", "aria-labelledby": "calls-title" },
      h(
        "header",
        {},
        h("h2", { id: "calls-title" }, "Calls"),
        total,
        only,
        h("span", { class: "grow" }),
        search,
        picker,
      ),
      split,
      empty,
    ),
    choose: list.choose,
    focusSearch: () => search.focus(),
    /** @param {View} view */
    render: (view) => {
      now = view.clock.now
      const { rows, total: found } = view.calls
      list.render(rows)
      const { calls, campaign_id, limit, search: text } = context.look
      const campaign = view.campaigns.find(({ lane_id }) => lane_id === campaign_id)
      only.hidden = campaign_id === null
      say(only, `${campaign?.name ?? campaign_id ?? ""} ×`)
      set(only, { "aria-label": `Only calls of ${campaign?.name ?? campaign_id}; show all` })
      say(
        total,
        found === 0
          ? ""
          : `${plural(found, "call")}${view.live > 0 ? `, ${count(view.live)} live at the carrier` : ""}`,
      )
      more.hidden = rows.length >= found
      say(
        more,
        rows.length >= mostRows || limit >= mostRows
          ? `The newest ${rows.length} of ${count(found)}. Find others by number or id.`
          : `Show more of ${count(found)}`,
      )
      set(more, { disabled: limit >= mostRows })
      const isNarrowed = calls !== "all" || campaign_id !== null || text !== null
      split.hidden = rows.length === 0 && chosen === null
      empty.hidden = rows.length > 0
      if (rows.length === 0) {
        fill(
          empty,
          isNarrowed
            ? h("p", {}, h("strong", {}, "No call matches."))
            : h(
                "p",
                {},
                h("strong", {}, "No call yet."),
                " Place one with the form “Try it”, or with the line of curl that the terminal shows.",
              ),
        )
      }
      void look()
    },
  }
}
