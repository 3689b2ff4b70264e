import { createContentLoader, defineLoader } from "vitepress"

export interface Decision {
  readonly url: string
  readonly title: string
}

declare const data: ReadonlyArray<Decision>
export { data }

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ""

export default defineLoader({
  ...createContentLoader("internals/decisions/*.md", {
    includeSrc: true,
    transform: (pages): ReadonlyArray<Decision> =>
      pages
        .map(({ src = "", url }) => ({ url, title: titleOf(src) }))
        .filter(({ title }) => title !== "")
        .toSorted((one, other) => (one.url < other.url ? -1 : 1)),
  }),
})
