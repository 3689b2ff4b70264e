/** @typedef {{ hear(event: Event): void }["hear"]} Listener What takes the kind of event that its attribute names. */
/** @typedef {Record<string, string | number | boolean | null | undefined | Listener>} Attributes */

/**
 * Makes an element. Attributes that are null, undefined or false are left out; functions are listeners for the event that their name
 * says (`onclick`). There is no way to give it HTML, so nothing of the world can become markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag)
  set(element, attributes)
  add(element, children)
  return element
}

/**
 * The same for SVG.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
  set(element, attributes)
  add(element, children)
  return element
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
export const set = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), (event) => value(event))
    } else if (value === null || value === undefined || value === false) {
      if (element.hasAttribute(name)) element.removeAttribute(name)
    } else {
      const text = value === true ? "" : String(value)
      if (element.getAttribute(name) !== text) element.setAttribute(name, text)
    }
  }
}

/**
 * @param {Element} element
 * @param {ReadonlyArray<Node | string | number | null | undefined | false>} children
 */
const add = (element, children) => {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    element.append(child instanceof Node ? child : String(child))
  }
}

/**
 * Sets the text of an element where it differs, so that an unchanged page is left alone.
 *
 * @param {Element} element
 * @param {string | number} text
 */
export const say = (element, text) => {
  const wanted = String(text)
  if (element.textContent !== wanted) element.textContent = wanted
}

/**
 * Replaces what is in an element.
 *
 * @param {Element} element
 * @param {...(Node | string | null | false)} children
 */
export const fill = (element, ...children) => {
  element.replaceChildren()
  add(element, children)
}

/**
 * Brings the children of an element in line with a list, keeping the element of every item that is still there.
 *
 * @template Item
 * @template {Element} Row
 * @param {Element} parent
 * @param {ReadonlyArray<Item>} items
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => Row} create
 * @param {(row: Row, item: Item) => void} update
 */
export const keyed = (parent, items, keyOf, create, update) => {
  /** @type {Map<string, Row>} */
  const known = rows.get(parent) ?? new Map()
  /** @type {Map<string, Row>} */
  const next = new Map()
  let place = parent.firstElementChild
  for (const item of items) {
    const key = keyOf(item)
    const row = known.get(key) ?? create(item)
    update(row, item)
    next.set(key, row)
    known.delete(key)
    if (row === place) place = row.nextElementSibling
    else parent.insertBefore(row, place)
  }
  for (const row of known.values()) row.remove()
  rows.set(parent, next)
}

/** @type {WeakMap<Element, Map<string, any>>} */
const rows = new WeakMap()

/**
 * An icon from a path of a 16 by 16 grid.
 *
 * @param {string} path
 */
export const icon = (path) =>
  svg(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("path", {
      d: path,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": "1.5",
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }),
  )
