import {
  DependencyTimeout,
  DependencyUnavailable,
  type SourceFile,
  TextExtractor,
  UnreadableFile,
} from "@carillon/core"
import { Effect, Layer, Semaphore } from "effect"
import { type ImageReader, installedImageReader, UnreadableImage } from "./ImageReader.ts"
import { pixelsOf } from "./ImageSize.ts"
import { defaultBounds, type PdfBounds, readPdf } from "./PdfThread.ts"

/** How files are read; what is left out is as it says. */
export interface NodeTextExtractorOptions {
  /** What one PDF may ask for: a minute, 128 MiB, 20 million characters, 20,000 pages. */
  readonly pdf?: Partial<PdfBounds>
  /** Files that are read at the same time: 2. More wait. */
  readonly concurrency?: number
  /** Reads the text of images; null never does. By default the package `tesseract.js`, where it is installed. */
  readonly images?: ImageReader | null
  /** The languages that `tesseract.js` is to know, joined by `+`: `eng`. */
  readonly languages?: string
  /** The folder of their `*.traineddata.gz`; by default that of the package `@tesseract.js-data/<language>`, for one language. */
  readonly languageFolder?: string
}

/** An image that unpacks to more is not looked at. */
const pixelsMax = 50_000_000

/** Real time that an image may take. */
const imageMs = 60_000

const dependency = "knowledge_index"

/** Whether an image says how large it is, and is not too large. */
const isViewable = (file: SourceFile): boolean => {
  const pixels = pixelsOf(file) ?? 0
  return pixels > 0 && pixels <= pixelsMax
}

const readImage = (reader: ImageReader, file: SourceFile) =>
  Effect.tryPromise({
    try: (signal) => reader.read(file.bytes, signal),
    catch: (error) =>
      error instanceof UnreadableImage ? new UnreadableFile() : new DependencyUnavailable({ dependency }),
  }).pipe(Effect.timeoutOrElse({ duration: imageMs, orElse: () => Effect.fail(new DependencyTimeout({ dependency })) }))

/**
 * Reads PDF files in threads of their own, bounded in time and memory, and images where there is something to read them with. No
 * content of a file harms the process.
 */
const make = ({
  concurrency = 2,
  images,
  languageFolder,
  languages = "eng",
  pdf,
}: NodeTextExtractorOptions = {}): typeof TextExtractor.Service => {
  const places = Semaphore.makeUnsafe(concurrency)
  const bounds = { ...defaultBounds, ...pdf }
  let installed: Promise<ImageReader | null> | undefined
  const imageReader = Effect.promise(async () => {
    installed ??= images === undefined ? installedImageReader(languages, languageFolder) : Promise.resolve(images)
    return installed
  })
  const read = Effect.fnUntraced(function* (file: SourceFile) {
    if (file.type === "pdf") return yield* readPdf(file.bytes, bounds)
    // Damaged is damaged, whether or not there is something to read it with.
    if (!isViewable(file)) return yield* new UnreadableFile()
    const reader = yield* imageReader
    return reader === null ? null : yield* readImage(reader, file)
  })
  return { extract: (file) => places.withPermits(1)(read(file)) }
}

/** `TextExtractor` for Node. */
export const NodeTextExtractor = {
  make,
  layer: (options?: NodeTextExtractorOptions) => Layer.sync(TextExtractor, () => make(options)),
}
