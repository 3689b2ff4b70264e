import { describeEngine } from "./Judged.ts"

describeEngine("webhooks/**", "audit/**")
