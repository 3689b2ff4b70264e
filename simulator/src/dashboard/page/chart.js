import { fill, h, say, set, svg } from "./dom.js"
import { count, date, duration, time } from "./format.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */
/** @typedef {View["chart"]["lines"][number]} Line */

const minute = 60_000
const windows = [
  { label: "2 min", ms: 2 * minute },
  { label: "15 min", ms: 15 * minute },
  { label: "2 h", ms: 120 * minute },
  { label: "1 day", ms: 24 * 60 * minute },
  { label: "7 days", ms: 7 * 24 * 60 * minute },
]

const tickSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
].map((s) => s * 1_000)

const bandHeight = 58
const gap = 16
const axisHeight = 22

const names = { platform: "Platform", organization: "Organization", agent: "Agent", campaign: "Campaign" }

/**
 * The most lines in use in the stretch that holds a moment.
 *
 * @param {Line} line
 * @param {number} at
 */
const valueAt = ({ points }, at) => {
  let value = 0
  for (const [index, [from = 0, most = 0, last = 0]] of points.entries()) {
    if (from > at) break
    const until = points[index + 1]?.[0] ?? Infinity
    value = until - from > 2_000 && at - from > 1_000 ? last : most
  }
  return value
}

/** @param {Line} line */
const ceilingWords = ({ ceiling, level, own }) => {
  if (ceiling === null) return level === "campaign" ? ", no ceiling of its own" : ", no ceiling"
  return own ? ` of ${count(ceiling)}` : ` of ${count(ceiling)}, inherited`
}

/**
 * Lines in use over time, one band for each level, each as high as its ceiling: a band that is filled to its top is what limits.
 *
 * @param {Context} context
 */
export const makeChart = (context) => {
  /** @type {View["chart"] | null} */
  let chart = null
  /** @type {number | null} Where the reader looks, between 0 and 1. */
  let cursor = null
  let width = 0

  const drawing = svg("svg", { class: "bands", "aria-hidden": "true", focusable: "false" })
  const labels = h("div", { class: "bandlabels" })
  const table = h("tbody")
  const when = h("span", { class: "when" })

  const plot = h(
    "div",
    {
      class: "plot",
      tabindex: 0,
      role: "group",
      "aria-label": "Lines in use over time. Left and right arrow keys read the values at a moment.",
      onpointermove: (/** @type {PointerEvent} */ event) => {
        const box = plot.getBoundingClientRect()
        point((event.clientX - box.left) / box.width)
      },
      onpointerleave: () => point(null),
      onblur: () => point(null),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const by = { ArrowLeft: -0.02, ArrowRight: 0.02, PageUp: -0.1, PageDown: 0.1 }[event.key]
        if (event.key === "Escape") point(null)
        else if (event.key === "Home") point(0)
        else if (event.key === "End") point(1)
        else if (by !== undefined) point(Math.min(1, Math.max(0, (cursor ?? 1) + by)))
        else return
        event.preventDefault()
        speak()
      },
    },
    drawing,
  )

  const spoken = h("div", { class: "unseen", "aria-live": "polite" })

  const picker = h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": "Time shown" },
    ...windows.map(({ label, ms }) => {
      const input = h("input", {
        type: "radio",
        name: "window",
        value: ms,
        checked: ms === context.look.window_ms,
        onchange: () => context.lookAt({ window_ms: ms }),
      })
      return h("label", {}, input, h("span", {}, label))
    }),
  )

  const element = h(
    "section",
    { class: "panel chart", "aria-labelledby": "lines-title" },
    h(
      "header",
      {},
      h("h2", { id: "lines-title" }, "Lines in use"),
      h("p", { class: "hint" }, "Each band is as high as its ceiling."),
      when,
      picker,
    ),
    h("div", { class: "plotting" }, labels, plot),
    spoken,
    h(
      "table",
      { class: "unseen" },
      h("caption", {}, "Lines in use now"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Level"),
          h("th", { scope: "col" }, "In use"),
          h("th", { scope: "col" }, "Ceiling"),
        ),
      ),
      table,
    ),
  )

  new ResizeObserver(([entry]) => {
    width = Math.floor(entry?.contentRect.width ?? 0)
    draw()
  }).observe(plot)

  /** @param {number | null} at */
  const point = (at) => {
    cursor = at
    draw()
  }

  const momentOf = () => (chart === null || cursor === null ? null : chart.from + cursor * (chart.to - chart.from))

  const speak = () => {
    const at = momentOf()
    if (chart === null || at === null) return
    say(spoken, `${time(at)}: ${chart.lines.map((line) => `${names[line.level]} ${valueAt(line, at)}`).join(", ")}`)
  }

  /** @param {Line} line */
  const isFull = ({ ceiling, own, used }) => own && ceiling !== null && used >= ceiling

  /**
   * @param {Line} line
   * @param {number} index
   * @param {(at: number) => number} x
   * @param {View["chart"]} shown
   */
  const band = (line, index, x, { from: begin, lines, to }) => {
    const { ceiling, points } = line
    const top = index * (bandHeight + gap)
    const bottom = top + bandHeight
    const peak = Math.max(1, ...points.map(([, most = 0]) => most))
    // Without a ceiling of its own a campaign is measured by what its organization has.
    const above = line.level === "campaign" ? lines.find(({ level }) => level === "organization") : undefined
    const max = Math.max(peak, ceiling ?? above?.ceiling ?? 0)
    /** @param {number} value */
    const y = (value) => bottom - (value / max) * (bandHeight - 3)
    const resolution = Math.max(1_000, (to - begin) / 240)
    let edge = ""
    let full = ""
    for (const [position, [from = 0, most = 0, last = 0]] of points.entries()) {
      const until = points[position + 1]?.[0] ?? to
      const [left, middle, right] = [x(from), x(Math.min(until, from + resolution)), x(until)]
      edge += `${edge === "" ? "M" : "L"}${left} ${y(most)}H${middle}V${y(last)}H${right}`
      if (!line.own || ceiling === null || most < ceiling) continue
      full += `M${left} ${y(ceiling)}H${last >= ceiling ? right : middle}V${bottom}H${left}Z`
    }
    const first = x(points[0]?.[0] ?? to)
    const ceilingAt = ceiling === null ? null : y(ceiling)
    return svg(
      "g",
      { class: `band ${line.level}` },
      svg("rect", { class: "ground", x: 0, y: top + 3, width, height: bandHeight - 3 }),
      svg("path", { class: "area", d: `${edge}V${bottom}H${first}Z` }),
      full !== "" && svg("path", { class: "full", d: full }),
      svg("path", { class: "edge", d: edge }),
      ceilingAt !== null && svg("path", { class: "ceiling", d: `M0 ${ceilingAt}H${width}` }),
    )
  }

  const draw = () => {
    if (chart === null || width === 0) return
    const { from, lines, to } = chart
    const height = lines.length * (bandHeight + gap) - gap
    set(drawing, { width, height: height + axisHeight, viewBox: `0 0 ${width} ${height + axisHeight}` })
    /** @param {number} at */
    const x = (at) => Math.round(Math.max(0, Math.min(1, (at - from) / (to - from))) * width * 10) / 10
    const step = tickSteps.find((one) => (to - from) / one <= Math.max(3, width / 110)) ?? 86_400_000
    /** @type {Array<SVGElement>} */
    const ticks = []
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const left = x(at)
      const text = at % 86_400_000 === 0 ? date(at).slice(0, -5) : step < 60_000 ? time(at) : time(at).slice(0, 5)
      ticks.push(svg("path", { class: "tick", d: `M${left} 0V${height}` }))
      if (left > 24 && left < width - 24)
        ticks.push(svg("text", { class: "ticktext", x: left, y: height + 16, "text-anchor": "middle" }, text))
    }
    const at = momentOf()
    fill(
      drawing,
      ...ticks,
      ...lines.map((line, index) => band(line, index, x, chart ?? { from, lines, to })),
      at !== null && svg("path", { class: "cursor", d: `M${x(at)} 0V${height}` }),
    )
    say(when, at === null ? "" : `${time(at)} UTC, ${duration(Math.max(0, to - at))} ago`)
    fill(
      labels,
      ...lines.map((line) => {
        const value = at === null ? line.used : valueAt(line, at)
        const full = at === null && isFull(line)
        const others = line.of > 1 ? ` and ${line.of - 1} more` : ""
        return h(
          "div",
          { class: "bandlabel", "data-full": full },
          h("span", { class: "level" }, names[line.level], full && h("span", { class: "tag" }, "full")),
          h(
            "span",
            { class: "subject", title: line.name + others },
            line.level === "platform" ? "all organizations" : line.name + others,
          ),
          h("span", { class: "figure" }, h("b", {}, count(value)), ceilingWords(line)),
        )
      }),
    )
  }

  return {
    element,
    /** @param {View} view */
    render: (view) => {
      chart = view.chart
      fill(
        table,
        ...chart.lines.map((line) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, `${names[line.level]}, ${line.name}`),
            h("td", {}, line.used),
            h("td", {}, line.ceiling ?? "none"),
          ),
        ),
      )
      draw()
    },
  }
}
