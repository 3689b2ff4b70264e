import { parentPort, workerData } from "node:worker_threads"
import { getDocumentProxy } from "unpdf"
import type { PdfTask, PdfText } from "./PdfTask.ts"

// The whole life of this thread is one file: whatever it leaves behind goes with it.

const textOf = async ({ bytes, charactersMax, pagesMax }: PdfTask): Promise<PdfText> => {
  const document = await getDocumentProxy(bytes, {
    useWasm: false,
    disableFontFace: true,
    verbosity: 0,
  })
  if (document.numPages > pagesMax) return { _tag: "Unreadable" }
  let text = ""
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    for (const item of items) {
      if ("str" in item) text += item.hasEOL ? `${item.str}\n` : item.str
      if (text.length > charactersMax) return { _tag: "Unreadable" }
    }
    text += "\n"
    page.cleanup()
  }
  return { _tag: "Text", text }
}

const read = async (task: PdfTask): Promise<PdfText> => {
  try {
    return await textOf(task)
  } catch {
    return { _tag: "Unreadable" }
  }
}

parentPort?.postMessage(await read(workerData))
