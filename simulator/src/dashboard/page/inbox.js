import { actionButton, copyButton } from "./actions.js"
import { send } from "./api.js"
import { fill, h, say, set } from "./dom.js"
import { count, time } from "./format.js"
import { makeMasterList } from "./master.js"

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").View} View */
/** @typedef {View["received"][number]} Received */

/** @type {Record<string, { text: string, tone: string, meaning: string }>} */
const signatures = {
  valid: {
    text: "signed",
    tone: "good",
    meaning: "The signature is genuine: HMAC-SHA256 over time and raw body, with the secret of its sender.",
  },
  unsigned: { text: "unsigned", tone: "off", meaning: "No secret is configured, so there is no signature to check." },
  unknown: {
    text: "unchecked",
    tone: "wait",
    meaning: "There is a signature, but the secret is not known here (a test event, or one since removed).",
  },
  mismatch: {
    text: "wrong",
    tone: "bad",
    meaning: "The signature does not belong to this body and the present secret.",
  },
  stale: { text: "stale", tone: "bad", meaning: "The signature is genuine, but older than five minutes." },
  future: { text: "future", tone: "bad", meaning: "The signature is genuine, but its time has not come." },
  malformed_header: { text: "malformed", tone: "bad", meaning: "The signature header cannot be read." },
  no_v1: { text: "no v1", tone: "bad", meaning: "The signature header has no signature of this version." },
}

/** @param {string} text */
const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/**
 * @param {Context} context
 */
export const makeInbox = (context) => {
  const detail = h("div", { class: "detail", tabindex: 0, role: "region", "aria-label": "The webhook" })
  const counts = h("span", { class: "hint" })
  /** @type {string | null} */
  let chosen = null

  const list = makeMasterList({
    name: "webhook",
    label: "Received webhooks, newest first",
    keyOf: (/** @type {Received} */ one) => one.id,
    create: (one) =>
      h(
        "div",
        { class: "row webhook" },
        h("span", { class: "pill sign" }),
        h("span", { class: "number" }, one.event_type ?? `${one.method} ${one.path}`),
        h("span", { class: "what" }),
        h("span", { class: "at" }, time(one.received_at)),
      ),
    update: (row, one) => {
      const [pill, , what] = row.children
      if (pill === undefined || what === undefined) return
      const signature = signatures[one.signature]
      say(pill, signature?.text ?? one.signature)
      set(pill, { "data-tone": signature?.tone ?? "off" })
      const answer = one.answered === null ? "no answer yet" : `→ ${one.answered}`
      say(what, one.attempt !== null && one.attempt > 1 ? `attempt ${one.attempt} ${answer}` : answer)
    },
    onChoose: (key) => {
      chosen = key
      void look()
    },
  })

  const look = async () => {
    const id = chosen
    if (id === null)
      return fill(detail, h("div", { class: "empty" }, h("p", {}, "Choose a webhook to see what was sent.")))
    const one = await send({ title: "", method: "GET", path: `/_sim/ui/received?id=${encodeURIComponent(id)}` }).catch(
      () => null,
    )
    if (one === null || chosen !== id) return
    const signature = signatures[one.signature]
    const call = one.execution_id
    fill(
      detail,
      h(
        "header",
        {},
        h(
          "div",
          {},
          h("h3", {}, one.event_type ?? "Webhook"),
          h("code", { class: "id" }, `${one.method} ${one.inbox}.inbox.test${one.path}`),
        ),
        h("span", { class: "pill sign", "data-tone": signature?.tone ?? "off" }, signature?.text ?? one.signature),
      ),
      h("p", { class: "sub" }, signature?.meaning ?? ""),
      h(
        "div",
        { class: "detailactions" },
        call !== null &&
          h("button", { type: "button", class: "button", onclick: () => context.showCall(call) }, "Its call"),
        h(
          "span",
          { class: "action" },
          h("span", { class: "label" }, "Whole inbox"),
          copyButton(
            () => ({ title: "Read the inbox", method: "GET", path: `/_sim/inbox/${encodeURIComponent(one.inbox)}` }),
            "read this inbox",
          ),
        ),
      ),
      h("h4", {}, "Headers"),
      h(
        "dl",
        { class: "facts headers" },
        ...Object.entries(one.headers).flatMap(([name, value]) => [
          h("dt", {}, name),
          h("dd", {}, h("code", {}, String(value))),
        ]),
      ),
      h("h4", {}, "Body"),
      h("pre", { tabindex: 0, role: "region", "aria-label": "Body of the webhook" }, pretty(one.body)),
    )
  }

  /** @returns {import("./api.js").Action} */
  const subscribe = () => ({
    title: "Send webhooks to the inbox “demo”",
    method: "PATCH",
    path: `/_sim/organizations/${encodeURIComponent(context.organization())}`,
    body: { webhook_secret: "whsec_demo", webhook_default: { callback_url: "http://demo.inbox.test/events" } },
  })

  /** @type {(status: number, title: string) => import("./api.js").Action} */
  const answer = (status, title) => ({ title, method: "PUT", path: "/_sim/inbox/demo", body: { status } })

  const silent = h(
    "div",
    { class: "empty" },
    h(
      "p",
      {},
      h("strong", {}, "Nobody listens yet."),
      " The simulator has endpoints of its own: every ",
      h("code", {}, "http://‹name›.inbox.test"),
      " takes webhooks, and nothing leaves this machine.",
    ),
    actionButton(context, "Send signed webhooks to “demo”", subscribe, {
      title: "Subscribe the inbox “demo” to the organization’s events",
    }),
  )
  const waiting = h(
    "div",
    { class: "empty" },
    h(
      "p",
      {},
      h("strong", {}, "Nothing was received yet."),
      " Events go to ",
      h("code", { class: "to" }),
      " once a call has ended and was processed.",
    ),
  )
  const split = h("div", { class: "split" }, h("div", { class: "pane" }, list.element), detail)
  const behaviour = h(
    "span",
    { class: "behaviour" },
    actionButton(context, "Answer 500", () => answer(500, "The inbox “demo” answers 500"), {
      title: "The inbox “demo” answers 500, so deliveries are retried",
    }),
    actionButton(context, "Answer 200", () => answer(200, "The inbox “demo” answers 200"), {
      title: "The inbox “demo” answers 200",
    }),
  )

  void look()

  return {
    element: h(
      "section",
      { class: "panel inbox", "aria-labelledby": "inbox-title" },
      h("header", {}, h("h2", { id: "inbox-title" }, "Webhook inbox"), counts, h("span", { class: "grow" }), behaviour),
      split,
      silent,
      waiting,
    ),
    /** @param {View} view */
    render: (view) => {
      const { organization, received, webhooks } = view
      list.render(received)
      split.hidden = received.length === 0
      silent.hidden = received.length > 0 || organization.webhooks !== null
      waiting.hidden = received.length > 0 || organization.webhooks === null
      behaviour.hidden = organization.webhooks === null
      const to = waiting.querySelector(".to")
      if (to !== null) say(to, organization.webhooks ?? "")
      const parts = Object.entries(webhooks).filter(([, value]) => value > 0)
      say(counts, parts.map(([name, value]) => `${count(value)} ${name}`).join(", "))
      if (chosen !== null && received.length === 0) list.choose(null)
    },
  }
}
