import { curlOf } from "./api.js"
import { h, icon, say } from "./dom.js"

/** @typedef {import("./api.js").Action} Action */
/** @typedef {{ run: (action: Action) => Promise<any> }} Runner */

const copyPath = "M5.500 5.500v-3h8v8h-3m-8-5h8v8h-8z"

const toastMs = 6_000

/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastTimer

/**
 * Says what happened, to the eye and to a screen reader.
 *
 * @param {string} title
 * @param {string} [detail]
 * @param {"good" | "bad"} [tone]
 */
export const tell = (title, detail = "", tone = "good") => {
  const toast = document.getElementById("toast")
  const live = document.getElementById("live")
  if (toast === null || live === null) return
  toast.replaceChildren(h("strong", {}, title), detail === "" ? "" : h("code", {}, detail))
  toast.dataset["tone"] = tone
  toast.hidden = false
  say(live, detail === "" || tone === "good" ? title : `${title}: ${detail}`)
  clearTimeout(toastTimer)
  toastTimer = setTimeout(() => {
    toast.hidden = true
  }, toastMs)
}

/** @param {string} text */
const showToCopy = (text) => {
  const area = h("textarea", { readonly: true, rows: 6, "aria-label": "Command" })
  area.value = text
  const dialog = h(
    "dialog",
    { "aria-label": "Copy as curl" },
    h("h2", {}, "Copy as curl"),
    h("p", {}, "This page may not use the clipboard here."),
    area,
    h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")),
  )
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  area.select()
}

/** @param {Action} action */
const copyAsCurl = async (action) => {
  const command = curlOf(action)
  try {
    await navigator.clipboard.writeText(command)
    tell("Copied as curl", command)
  } catch {
    showToCopy(command)
  }
}

/**
 * The button that copies an action's curl command.
 *
 * @param {() => Action} actionOf
 * @param {string} title
 */
export const copyButton = (actionOf, title) =>
  h(
    "button",
    {
      type: "button",
      class: "copy",
      title: `Copy as curl: ${title}`,
      "aria-label": `Copy as curl: ${title}`,
      onclick: () => void copyAsCurl(actionOf()),
    },
    icon(copyPath),
  )

/**
 * A button that makes a request, and beside it one that copies the same request as curl.
 *
 * @param {Runner} runner
 * @param {string} label
 * @param {() => Action} actionOf
 * @param {{ title?: string, kind?: "primary" | "danger", shortcut?: string, submits?: boolean }} [options] One that submits leaves the request to its form.
 */
export const actionButton = (runner, label, actionOf, { kind, shortcut, submits = false, title = label } = {}) => {
  const button = h(
    "button",
    {
      type: submits ? "submit" : "button",
      class: kind === undefined ? "button" : `button ${kind}`,
      title: shortcut === undefined ? title : `${title} (${shortcut})`,
      "aria-keyshortcuts": shortcut,
      onclick: () => {
        if (!submits && button.getAttribute("aria-disabled") !== "true") void runner.run(actionOf())
      },
    },
    label,
  )
  return h("span", { class: "action" }, button, copyButton(actionOf, title))
}
