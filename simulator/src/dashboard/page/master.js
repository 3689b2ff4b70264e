import { h, keyed, set } from "./dom.js"

/**
 * A list of which one entry is chosen: arrow keys, Home, End and the pointer choose. Only the list itself is in the tab order.
 *
 * @template Item
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {(item: Item) => string} options.keyOf
 * @param {(item: Item) => HTMLElement} options.create
 * @param {(row: HTMLElement, item: Item) => void} options.update
 * @param {(key: string | null) => void} options.onChoose
 */
export const makeMasterList = ({ create, keyOf, label, name, onChoose, update }) => {
  /** @type {ReadonlyArray<Item>} */
  let items = []
  /** @type {string | null} */
  let chosen = null

  /** @param {string} key */
  const idOf = (key) => `${name}-${key.replaceAll(/[^\w-]/g, "_")}`

  /** @param {string | null} key */
  const choose = (key) => {
    chosen = key
    mark()
    if (key !== null) document.getElementById(idOf(key))?.scrollIntoView({ block: "nearest" })
    onChoose(key)
  }

  const element = h("div", {
    class: "master",
    role: "listbox",
    tabindex: 0,
    "aria-label": label,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const at = items.findIndex((item) => keyOf(item) === chosen)
      const to = {
        ArrowDown: at + 1,
        ArrowUp: Math.max(0, at - 1),
        PageDown: at + 10,
        PageUp: Math.max(0, at - 10),
        Home: 0,
        End: items.length - 1,
      }[event.key]
      if (event.key === "Escape" && chosen !== null) choose(null)
      else if (to === undefined || event.metaKey || event.ctrlKey || event.altKey) return
      else {
        const item = items[Math.min(to, items.length - 1)]
        if (item !== undefined) choose(keyOf(item))
      }
      event.preventDefault()
      event.stopPropagation()
    },
  })

  const mark = () => {
    set(element, {
      "aria-activedescendant": chosen !== null && document.getElementById(idOf(chosen)) !== null ? idOf(chosen) : null,
    })
    for (const row of element.children)
      set(row, { "aria-selected": String(row.id === (chosen === null ? "" : idOf(chosen))) })
  }

  return {
    element,
    choose,
    /** @param {ReadonlyArray<Item>} next */
    render: (next) => {
      items = next
      keyed(
        element,
        items,
        keyOf,
        (item) => {
          const row = create(item)
          const key = keyOf(item)
          set(row, { id: idOf(key), role: "option", onclick: () => choose(key) })
          return row
        },
        update,
      )
      element.hidden = items.length === 0
      mark()
    },
  }
}
