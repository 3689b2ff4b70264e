export { type ImageReader, UnreadableImage } from "./ImageReader.ts"
export { NodeTextExtractor, type NodeTextExtractorOptions } from "./NodeTextExtractor.ts"
export type { PdfBounds } from "./PdfThread.ts"
