const nameMax = 255

/** The name that a file is listed under: what its sender calls it, without folders and invisible characters. */
export const fileNameOf = (sent: string): string => {
  const base = sent.slice(Math.max(sent.lastIndexOf("/"), sent.lastIndexOf("\\")) + 1)
  const visible = [
    ...base
      .slice(0, 4 * nameMax)
      .replace(/\p{C}/gu, "")
      .trim(),
  ]
    .slice(0, nameMax)
    .join("")
    .trimEnd()
  return visible === "" || visible === "." || visible === ".." ? "file" : visible
}
